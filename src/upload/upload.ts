import { hash } from 'node:crypto';
import { type Client, openAgent } from '../agent/client.ts';
import type { Transfer } from '../agent/request-each.ts';
import { findHiddenNames } from '../files/explain-files.ts';
import { findFiles, type SkippedEntry } from '../files/find.ts';
import { filesOfShard, type PlannedFile, planFiles } from '../files/targets.ts';
import type { Context } from '../inputs/context.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Shard } from '../inputs/parsers.ts';
import { formatBytes, formatCount, formatNumber, formatRate, totalSize } from '../text/format.ts';
import { listSome } from '../text/shorten.ts';
import {
  clearState,
  compareWithState,
  readState,
  type UploadState,
  writeState,
} from './state-file.ts';
import { hashFile } from './upload-body.ts';
import {
  type Changes,
  fileRow,
  isStored,
  needsHashes,
  type UploadRow,
  uploadFiles,
} from './upload-files.ts';

export interface UploadPlan extends Changes {
  readonly skipped: readonly SkippedEntry[];
  /** `allFiles` counts those of all shards. */
  readonly shard: (Shard & { readonly allFiles: number }) | undefined;
  readonly warnings: readonly string[];
  readonly state: UploadState | undefined;
}

export interface UploadResult
  extends Omit<UploadPlan, 'toSend' | 'unchanged' | 'state'>,
    Transfer<UploadRow> {
  readonly dryRun: boolean;
  readonly digest: string;
}

export async function upload(inputs: Inputs<'upload'>, context: Context): Promise<UploadResult> {
  const plan = await planUpload(inputs, context);
  if (inputs.dryRun) return showPlan(plan, inputs, context);
  await using client = openAgent(inputs, context);
  return await sendPlan(plan, inputs, client, context);
}

/** Finds files, plans their targets and compares them with the state. */
export async function planUpload(inputs: Inputs<'upload'>, context: Context): Promise<UploadPlan> {
  const { workspace, cancel, log } = context;
  const state = readState(inputs, workspace);
  const found = await findFiles(inputs, workspace, cancel);
  for (const { pattern, root, files, skipped } of found.matches) {
    const counts = `${formatCount(files.length, 'file')}, ${formatNumber(skipped.length)} skipped`;
    log.debug(`Pattern ${pattern.pattern}: ${counts}, from ${root}`);
  }
  const hidden = findHiddenNames(found.matches, workspace);
  if (hidden.length > 0)
    log.line(`Left out, since include-hidden-files is not set: ${listSome(hidden, 3)}`);
  const { files, skipped, warnings } = planFiles(found, inputs, workspace);
  const { shard } = inputs;
  const shardFiles = shard === undefined ? files : filesOfShard(files, shard);
  return {
    ...(await compareWithState(shardFiles, state, cancel)),
    skipped,
    shard: shard && { ...shard, allFiles: files.length },
    warnings: [...warnings, ...(state?.warnings ?? [])],
    state,
  };
}

/** @throws AgentError if a file cannot be hashed */
export async function showPlan(
  { toSend, unchanged, shard, skipped, orphaned, warnings }: UploadPlan,
  inputs: Inputs<'upload'>,
  { cancel }: Context,
): Promise<UploadResult> {
  const planned: UploadRow[] = [];
  for (const file of toSend) {
    const sha256 = needsHashes(inputs) ? await hashFile(file, cancel) : undefined;
    planned.push({ ...fileRow(file), status: 'planned', sha256 });
  }
  const files = [...planned, ...unchanged];
  const results = { files, digest: digestOf(files), retries: 0, durationMs: 0 };
  return { shard, skipped, orphaned, warnings, dryRun: true, ...results };
}

/** Sends the files and updates the state file. */
export async function sendPlan(
  { toSend, unchanged, state: oldState, ...plan }: UploadPlan,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
): Promise<UploadResult> {
  const { sandboxId, baseUrl } = inputs;
  // A cancelled search has found nothing, so keep the state.
  const state = context.cancel.aborted ? undefined : oldState;
  if (state !== undefined) clearState(state);
  const size = `${formatCount(toSend.length, 'file')} (${formatBytes(totalSize(toSend))})`;
  if (toSend.length > 0)
    context.log.line(`Uploading ${size} to sandbox ${sandboxId} at ${baseUrl}`);
  using progress = logProgress(toSend, context);
  const changes = { toSend, unchanged };
  const { files, ...totals } = await uploadFiles(changes, inputs, client, context, progress);
  const stored = files.filter(isStored);
  const isComplete = stored.length === files.length;
  const notWritten = state !== undefined && isComplete ? writeState(state, stored) : [];
  const warnings = [...plan.warnings, ...notWritten];
  // Drop orphaned paths just written through another target, such as a link in the sandbox.
  const storedPaths = new Set(stored.map(({ path }) => path));
  const orphaned = plan.orphaned.filter(orphan => !storedPaths.has(orphan));
  return { ...plan, orphaned, warnings, dryRun: false, files, digest: digestOf(files), ...totals };
}

const PROGRESS_INTERVAL_MS = 15_000;

export function logProgress(
  files: readonly PlannedFile[],
  { now, log }: Pick<Context, 'now' | 'log'>,
) {
  const startedAt = now();
  const total = totalSize(files);
  let stored = 0;
  let sent = 0;
  const line = () => {
    // The bytes sent include multipart framing and failed attempts, so they may exceed the total.
    const bytes = Math.min(sent, total);
    const counts = `${formatNumber(stored)} of ${formatCount(files.length, 'file')}`;
    const sizes = `${formatBytes(bytes)} of ${formatBytes(total)}`;
    return `${counts}, ${sizes}, ${formatRate(bytes, now() - startedAt)}`;
  };
  const timer = setInterval(() => log.line(line()), PROGRESS_INTERVAL_MS).unref();
  return {
    onSent: (bytes: number) => void (sent += bytes),
    onStored: (count: number) => void (stored += count),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Lists checksums of stored files like `sha256sum`, with the paths that the agent returned. */
export function checksumsOf(rows: readonly UploadRow[]): string {
  const lines = rows.filter(isStored).flatMap(({ sha256, path }) => checksumLine(sha256, path));
  return lines.join('');
}

/**
 * Hashes the sorted checksum lines of all targets. Returns '' if there are no files, or if one
 * failed or was not hashed: only a complete build has a digest.
 */
export function digestOf(
  rows: readonly { readonly target: string; readonly sha256?: string | undefined }[],
): string {
  const lines = rows.flatMap(({ sha256, target }) => checksumLine(sha256, target));
  if (lines.length === 0 || lines.length < rows.length) return '';
  // Compare bytes, not UTF-16, so that users can reproduce the digest with `LC_ALL=C sort`.
  const sorted = lines.map(line => Buffer.from(line)).sort((one, other) => one.compare(other));
  return `sha256:${hash('sha256', Buffer.concat(sorted))}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

function checksumLine(sha256: string | undefined, name: string): string[] {
  if (sha256 === undefined) return [];
  const escaped = name.replaceAll(/[\\\n\r]/g, character => ESCAPES[character] ?? character);
  // sha256sum marks an escaped name with a leading backslash.
  return [`${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`];
}
