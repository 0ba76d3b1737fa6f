import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import { findFiles } from '../files/find.ts';
import { filesOfShard, type PlannedFile, planFiles } from '../files/targets.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type Report, reportOf } from '../report/report.ts';
import { digestOf, EMPTY_UPLOAD, type UploadSection } from '../report/upload-section.ts';
import { formatBytes, formatCount, formatNumber, formatRate, totalSize } from '../text/format.ts';
import { hashFile } from '../upload/read-file.ts';
import { compareWithState, readState, removeState, writeState } from '../upload/state-file.ts';
import { storeFiles } from '../upload/store-files.ts';
import { type FileResult, pendingIn, transfer } from '../upload/upload-files.ts';

/** @throws InputError before anything is sent, or AgentError if a dry run cannot hash a file */
export async function upload(inputs: Inputs<'upload'>, context: Context): Promise<Report> {
  const plan = await planUpload(inputs, context);
  const { cancel } = context;
  if (inputs.dryRun) return reportOf('upload', inputs, cancel, plan.beforeSending);
  await using client = openAgent(inputs, context);
  return reportOf('upload', inputs, cancel, await sendPlan(plan, inputs, client, context));
}

/**
 * Finds files, plans their targets and compares them with the state. `beforeSending` is the result
 * if nothing is sent.
 * @throws InputError, or AgentError if a dry run cannot hash a file
 */
export async function planUpload(inputs: Inputs<'upload'>, context: Context) {
  const { workspace, cancel } = context;
  const { shard, dryRun, checksums } = inputs;
  const state = readState(inputs, workspace);
  const plan = await findAndPlan(inputs, context);
  const ours = shard === undefined ? plan.files : filesOfShard(plan.files, shard);
  const results = ours.map(
    (file): FileResult =>
      dryRun
        ? { status: 'skipped', file, reason: 'dry run' }
        : { status: 'not-attempted', file, reason: 'the upload did not begin' },
  );
  const { files: compared, orphaned } = await compareWithState(results, state, cancel);
  const files = dryRun && checksums ? await hashSkipped(compared, cancel) : compared;
  const upload: UploadSection = {
    ...EMPTY_UPLOAD,
    dryRun,
    files,
    skipped: plan.skipped,
    shard: shard && { ...shard, files: ours.length, planned: plan.files.length },
    digest: dryRun ? digestOf(files) : '',
    orphaned,
  };
  const warnings = [...plan.warnings, ...(state?.warnings ?? [])];
  return { beforeSending: { upload, warnings }, state };
}

async function hashSkipped(
  files: readonly FileResult[],
  cancel: AbortSignal,
): Promise<FileResult[]> {
  const results: FileResult[] = [];
  for (const result of files) {
    const isSkipped = result.status === 'skipped';
    results.push(isSkipped ? { ...result, sha256: await hashFile(result.file, cancel) } : result);
  }
  return results;
}

async function findAndPlan(inputs: Inputs<'upload'>, { workspace, cancel, log }: Context) {
  const found = await findFiles(inputs, workspace, cancel);
  for (const { pattern, root, files, skipped } of found.matches) {
    const counts = `${formatCount(files.length, 'file')}, ${formatNumber(skipped.length)} skipped`;
    log.debug(`Pattern ${pattern.pattern}: ${counts}, from ${root}`);
  }
  return planFiles(found, inputs, workspace);
}

type UploadPlan = Awaited<ReturnType<typeof planUpload>>;

/** Sends the files and updates the state file. @throws InputError if that cannot be replaced */
export async function sendPlan(
  { beforeSending, state }: UploadPlan,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
): Promise<UploadPlan['beforeSending']> {
  if (context.cancel.aborted) return beforeSending;
  if (state !== undefined) removeState(state);
  const upload = await sendFiles(beforeSending.upload, inputs, client, context);
  const stateWarnings = state === undefined ? [] : writeState(state, upload.files);
  return { upload, warnings: [...beforeSending.warnings, ...stateWarnings] };
}

async function sendFiles(
  section: UploadSection,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
): Promise<UploadSection> {
  const files = pendingIn(section.files);
  if (files.length > 0) context.log.line(announcementOf(files, inputs, section));
  using progress = logProgress(files, context);
  const store = async (batch: readonly PlannedFile[]) => {
    const stored = await storeFiles(batch, inputs, client, context.cancel, progress.addSent);
    progress.addStored(batch.length);
    return stored;
  };
  const { files: results, ...totals } = await transfer(section.files, store, inputs, context);
  // Drop orphaned paths just written through another target, such as a link in the sandbox.
  const storedPaths = new Set(results.map(result => ('path' in result ? result.path : '')));
  return {
    ...section,
    ...totals,
    files: results,
    orphaned: section.orphaned.filter(orphan => !storedPaths.has(orphan)),
    digest: digestOf(results),
  };
}

function announcementOf(
  files: readonly PlannedFile[],
  { sandboxId, baseUrl }: Inputs<'upload'>,
  { shard }: UploadSection,
): string {
  const size = `${formatCount(files.length, 'file')} (${formatBytes(totalSize(files))})`;
  const line = `Uploading ${size} to sandbox ${sandboxId} at ${baseUrl}`;
  if (shard === undefined) return line;
  const counts = `${formatNumber(shard.files)} of ${formatCount(shard.planned, 'file')}`;
  return `${line}, shard ${shard.index} of ${shard.count}: ${counts}`;
}

const PROGRESS_INTERVAL_MS = 15_000;

export function logProgress(
  files: readonly PlannedFile[],
  { clock, log }: Pick<Context, 'clock' | 'log'>,
) {
  const startedAt = clock();
  const total = totalSize(files);
  let stored = 0;
  let sent = 0;
  const line = () => {
    // The bytes sent include multipart framing and failed attempts, so they may exceed the total.
    const bytes = Math.min(sent, total);
    const counts = `${formatNumber(stored)} of ${formatCount(files.length, 'file')}`;
    const sizes = `${formatBytes(bytes)} of ${formatBytes(total)}`;
    return `${counts}, ${sizes}, ${formatRate(bytes, clock() - startedAt)}`;
  };
  const timer = setInterval(() => log.line(line()), PROGRESS_INTERVAL_MS).unref();
  return {
    addSent: (bytes: number) => void (sent += bytes),
    addStored: (count: number) => void (stored += count),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
