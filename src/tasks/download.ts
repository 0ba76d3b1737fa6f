import { realpathSync } from 'node:fs';
import path from 'node:path';
import { openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { type RequestResult, requestEach } from '../agent/request-each.ts';
import {
  type DownloadedFile,
  downloadFile,
  type FileToDownload,
} from '../download/download-file.ts';
import { pathWithin, toPosix } from '../files/paths.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { DownloadResult } from '../report/download-section.ts';
import { type Report, reportOf } from '../report/report.ts';
import { formatCount } from '../text/format.ts';

/** @throws InputError before anything is sent */
export async function download(inputs: Inputs<'download'>, context: Context): Promise<Report> {
  const { sandboxId, baseUrl, ifNoFilesFound } = inputs;
  const files = placeTargets(inputs, context.workspace);
  const count = formatCount(files.length, 'file');
  context.log.line(`Downloading ${count} from sandbox ${sandboxId} at ${baseUrl}`);
  await using client = openAgent(inputs, context);
  const requests = {
    send: (file: FileToDownload) => downloadFile(file, inputs, client, context.cancel),
    nameOf: (file: FileToDownload) => file.path,
  };
  const { results, ...totals } = await requestEach(files, requests, inputs, context);
  const downloads = results.map(result => describeResult(result, ifNoFilesFound));
  const missing = downloads.filter(({ status }) => status === 'missing');
  const warnings =
    ifNoFilesFound === 'warn' ? missing.map(file => `${file.path} ${NOT_FOUND}.`) : [];
  const download = { files: downloads, ...totals };
  return reportOf('download', inputs, context.cancel, { warnings, download });
}

const NOT_FOUND = 'does not exist in the sandbox';

/** @throws InputError if `working-directory` is outside the workspace */
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

function describeResult(
  { item: { path, target }, ...result }: RequestResult<FileToDownload, DownloadedFile>,
  ifNoFilesFound: Inputs<'download'>['ifNoFilesFound'],
): DownloadResult {
  if (result.status === 'done') {
    const { value, attempts, durationMs } = result;
    return { path, target, status: 'downloaded', attempts, durationMs, ...value };
  }
  const isMissing = result.status === 'failed' && result.error.kind === 'no-such-file';
  return isMissing && ifNoFilesFound !== 'error'
    ? { path, target, status: 'missing', reason: `it ${NOT_FOUND}` }
    : { path, target, ...result };
}
