import { realpathSync } from 'node:fs';
import path from 'node:path';
import { openAgent } from '../agent/client.ts';
import { type FailedRow, requestEach, type Timing, type Transfer } from '../agent/request-each.ts';
import { pathWithin, toPosix } from '../files/paths.ts';
import type { Context } from '../inputs/context.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { inlineCode } from '../text/escape.ts';
import { formatCount } from '../text/format.ts';
import { type DownloadedRow, downloadFile, type FileToDownload } from './download-file.ts';

export interface DownloadResult extends Transfer<DownloadRow> {
  /** Decides how a missing file is reported. */
  readonly ifNoFilesFound: Inputs<'download'>['ifNoFilesFound'];
}

type FileRow = Pick<FileToDownload, 'path' | 'target'>;

export type DownloadRow =
  | (DownloadedRow & Timing)
  | FailedRow<FileRow>
  /** The sandbox does not have it, and `if-no-files-found` allows that. */
  | (FileRow & { readonly status: 'missing' });

export async function download(
  inputs: Inputs<'download'>,
  context: Context,
): Promise<DownloadResult> {
  const { sandboxId, baseUrl, ifNoFilesFound } = inputs;
  const planned = placeTargets(inputs, context.workspace);
  const count = formatCount(planned.length, 'file');
  context.log.line(`Downloading ${count} from sandbox ${sandboxId} at ${baseUrl}`);
  await using client = openAgent(inputs, context);
  const requests = {
    send: async (file: FileToDownload) => [
      await downloadFile(file, inputs, client, context.cancel),
    ],
    filesOf: ({ path: source, target }: FileToDownload): FileRow[] => [{ path: source, target }],
    nameOf: (file: FileToDownload) => file.path,
  };
  const transfer = await requestEach(planned, requests, inputs, context);
  const files = transfer.files.map(row => explainMissing(row, ifNoFilesFound));
  return { ...transfer, files, ifNoFilesFound };
}

function placeTargets(
  { files, workingDirectory }: Inputs<'download'>,
  workspace: string,
): FileToDownload[] {
  const realWorkspace = realpathSync.native(workspace);
  const directory = pathWithin(workspace, path.resolve(workspace, workingDirectory));
  if (directory === undefined)
    throw inputError('working-directory', 'is outside the workspace.', 'app');
  return files.map(line => {
    const target = path.join(directory, line.target);
    const realTarget = path.join(realWorkspace, target);
    return { path: line.path, target: toPosix(target), realTarget };
  });
}

function explainMissing(
  row: DownloadRow,
  ifNoFilesFound: DownloadResult['ifNoFilesFound'],
): DownloadRow {
  if (row.status !== 'failed' || row.error.kind !== 'no-such-file') return row;
  const { path: source, target, error } = row;
  if (ifNoFilesFound !== 'error') return { path: source, target, status: 'missing' };
  const mistake = findMistake('missing-file', source);
  if (mistake === undefined) return row;
  return { ...row, error: { ...error, hint: `${inlineCode(source)} ${mistake}` } };
}
