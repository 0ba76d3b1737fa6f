import { randomUUID } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Client, openAgent } from '../agent/client.ts';
import { AgentError, wrapSystemErrors } from '../agent/failure.ts';
import type { StreamedResponse } from '../agent/http.ts';
import {
  requestEach,
  type Timing,
  type Transfer,
  type UntransferredRow,
} from '../agent/request-each.ts';
import { deepestLinkIn, isLink, pathWithin, toPosix } from '../files/paths.ts';
import type { Context } from '../inputs/context.ts';
import { inputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { inlineCode } from '../text/escape.ts';
import { formatBytes, formatCount } from '../text/format.ts';

export interface DownloadResult extends Transfer<DownloadRow> {
  readonly warnings: readonly string[];
}

export type DownloadRow =
  | (DownloadedRow & Timing)
  | UntransferredRow<FileRow>
  /** The sandbox does not have it, and `if-no-files-found` allows that. */
  | (FileRow & { readonly status: 'missing' });

interface FileToDownload {
  /** In the sandbox, as the user wrote it. */
  readonly path: string;
  /** Relative to the workspace. */
  readonly target: string;
  /** Absolute, below the real path of the workspace. */
  readonly realTarget: string;
}

type FileRow = Pick<FileToDownload, 'path' | 'target'>;

interface DownloadedRow extends FileRow {
  readonly status: 'downloaded';
  readonly size: number;
}

export async function download(
  inputs: Inputs<'download'>,
  context: Context,
): Promise<DownloadResult> {
  const { sandboxId, baseUrl } = inputs;
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
  return { ...transfer, ...applyIfNoFilesFound(transfer.files, inputs) };
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

function applyIfNoFilesFound(
  rows: readonly DownloadRow[],
  { ifNoFilesFound }: Inputs<'download'>,
): Pick<DownloadResult, 'files' | 'warnings'> {
  const warnings: string[] = [];
  const files = rows.map((row): DownloadRow => {
    if (row.status !== 'failed' || row.error.kind !== 'no-such-file') return row;
    const { path: source, target, error } = row;
    const mistake = findMistake('missing-file', source);
    if (ifNoFilesFound === 'error')
      return mistake === undefined
        ? row
        : { ...row, error: { ...error, hint: `${inlineCode(source)} ${mistake}` } };
    const advice = mistake === undefined ? '' : ` It ${mistake}`;
    if (ifNoFilesFound === 'warn')
      warnings.push(`${inlineCode(source)} does not exist in the sandbox.${advice}`);
    return { path: source, target, status: 'missing' };
  });
  return { files, warnings };
}

/** Leaves the target unchanged, and throws an AgentError, unless the whole file arrives. */
export async function downloadFile(
  file: FileToDownload,
  { username, maxSize, timeout }: Pick<Inputs<'download'>, 'username' | 'maxSize' | 'timeout'>,
  client: Pick<Client, 'receive'>,
  signal: AbortSignal,
): Promise<DownloadedRow> {
  const { target, realTarget } = file;
  const hint = 'Choose another target, or remove in the workspace what is in the way.';
  if (wrapWriteErrors(file, () => isLink(deepestLinkIn(realTarget))))
    throw new AgentError('not-written', `The target ${target} is a link, or below one.`, { hint });
  // Use a short, unique name: the target's may already have the maximum length.
  const name = `.sandbox-sync-${randomUUID()}.part`;
  const partialFile = path.join(path.dirname(realTarget), name);
  const user = username === '' ? '' : `&username=${encodeURIComponent(username)}`;
  const requestPath = `/files?path=${encodeURIComponent(file.path)}${user}`;
  try {
    // A cache could answer with an old file.
    const headers = { 'Cache-Control': 'no-cache' };
    const request = { method: 'GET', path: requestPath, headers, hints: DOWNLOAD_HINTS } as const;
    const size = await client.receive({ ...request, signal, timeout }, response =>
      receiveInto(partialFile, file, response, maxSize),
    );
    wrapWriteErrors(file, () => renameSync(partialFile, realTarget));
    return { path: file.path, target, status: 'downloaded', size };
  } catch (error) {
    rmSync(partialFile, { force: true });
    throw error;
  }
}

const DOWNLOAD_HINTS = {
  rejected:
    'Check the path: only regular files can be downloaded, so pack a folder into an archive in the sandbox, or copy a file out of /proc there. Check base-url, header-prefix, sandbox-id and port, too.',
};

async function receiveInto(
  partialFile: string,
  file: FileToDownload,
  response: StreamedResponse,
  maxSize: number,
): Promise<number> {
  const expected = expectedLength(response, maxSize);
  let size = 0;
  const descriptor = wrapWriteErrors(file, () => {
    mkdirSync(path.dirname(partialFile), { recursive: true });
    return openSync(partialFile, 'wx');
  });
  try {
    for await (const chunk of response.body) {
      wrapWriteErrors(file, () => writeFileSync(descriptor, chunk));
      size += chunk.length;
    }
  } finally {
    closeSync(descriptor);
  }
  if (size === expected) return size;
  throw new AgentError('connection', `${response.label} sent ${size} of ${expected} bytes.`);
}

function expectedLength({ label, headers }: StreamedResponse, maxSize: number): number {
  const { 'content-length': length, 'content-encoding': encoding } = headers;
  const hint = 'Check whether a proxy on the way compresses or converts responses.';
  if (encoding !== undefined)
    throw new AgentError('bad-response', `${label} sent an encoded response.`, { hint });
  // Without a length, a truncated response could look complete.
  if (typeof length !== 'string' || !/^\d{1,15}$/.test(length))
    throw new AgentError('bad-response', `${label} sent no Content-Length.`, { hint });
  const bytes = Number(length);
  if (bytes <= maxSize) return bytes;
  throw new AgentError('too-large', `${label} would send ${formatBytes(bytes)}.`, {
    hint: `Raise max-size, which is ${formatBytes(maxSize)}, or compress the file in the sandbox.`,
  });
}

function wrapWriteErrors<T>({ target }: FileToDownload, call: () => T): T {
  return wrapSystemErrors('not-written', `${target} cannot be written`, call);
}
