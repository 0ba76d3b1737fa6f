import { realpathSync } from 'node:fs';
import path from 'node:path';
import { openAgent } from '../agent/client.ts';
import {
  type Attempts,
  type FailedOrNotAttempted,
  type RequestResult,
  requestEach,
  type TransferTotals,
} from '../agent/request-each.ts';
import { pathWithin, toPosix } from '../files/paths.ts';
import type { Context } from '../inputs/context.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { inlineCode } from '../text/escape.ts';
import { formatCount } from '../text/format.ts';
import { downloadFile, type FileToDownload } from './download-file.ts';

export interface DownloadResult extends TransferTotals {
  /** In the order of the input `files`. */
  readonly files: readonly DownloadedFile[];
  /** Decides how a missing file is reported. */
  readonly ifNoFilesFound: Inputs<'download'>['ifNoFilesFound'];
}

export type DownloadedFile = Pick<FileToDownload, 'path' | 'target'> &
  (
    | ({ readonly status: 'downloaded'; readonly size: number } & Attempts)
    /** The sandbox does not have it, and `if-no-files-found` allows that. */
    | { readonly status: 'missing' }
    | FailedOrNotAttempted
  );

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
    send: (file: FileToDownload) => downloadFile(file, inputs, client, context.cancel),
    nameOf: (file: FileToDownload) => file.path,
  };
  const { results, ...totals } = await requestEach(planned, requests, inputs, context);
  const files = results.map(result => resultOf(result, ifNoFilesFound));
  return { files, ifNoFilesFound, ...totals };
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

function resultOf(
  { item: { path, target }, ...result }: RequestResult<FileToDownload, number>,
  ifNoFilesFound: DownloadResult['ifNoFilesFound'],
): DownloadedFile {
  if (result.status === 'done') {
    const { value: size, attempts, durationMs } = result;
    return { path, target, status: 'downloaded', attempts, durationMs, size };
  }
  if (result.status !== 'failed' || result.error.kind !== 'no-such-file')
    return { path, target, ...result };
  if (ifNoFilesFound !== 'error') return { path, target, status: 'missing' };
  const mistake = findMistake('missing-file', path);
  const hint = mistake === undefined ? result.error.hint : `${inlineCode(path)} ${mistake}`;
  return { path, target, ...result, error: { ...result.error, hint } };
}
