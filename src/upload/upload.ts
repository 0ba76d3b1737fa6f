import { type Client, openAgent } from '../agent/client.ts';
import type { Context } from '../agent/context.ts';
import type { PlannedFile } from '../files/targets.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { formatBytes, formatCount, formatNumber, formatRate, totalSize } from '../text/format.ts';
import { planUpload, type UploadPlan } from './plan.ts';
import { hashFile } from './read-file.ts';
import { removeState, writeState } from './state-file.ts';
import { uploadFiles } from './upload-files.ts';
import { digestOf, isStored, type UploadedFile } from './uploaded-file.ts';

export interface UploadResult
  extends Pick<UploadPlan, 'shard' | 'skipped' | 'orphaned' | 'warnings'> {
  readonly dryRun: boolean;
  /** In the order of the plan, unchanged files last. */
  readonly files: readonly UploadedFile[];
  /** Empty if there are no files, or if one failed or was not hashed. */
  readonly digest: string;
  readonly retries: number;
  readonly durationMs: number;
}

/** @throws InputError before anything is sent, or AgentError if a dry run cannot hash a file */
export async function upload(inputs: Inputs<'upload'>, context: Context): Promise<UploadResult> {
  const plan = await planUpload(inputs, context);
  if (inputs.dryRun) return showPlan(plan, inputs, context);
  await using client = openAgent(inputs, context);
  return await sendPlan(plan, inputs, client, context);
}

/** Returns the result of a dry run. @throws AgentError if a file cannot be hashed */
export async function showPlan(
  plan: UploadPlan,
  { checksums }: Inputs<'upload'>,
  { cancel }: Context,
): Promise<UploadResult> {
  const planned: UploadedFile[] = [];
  for (const file of plan.toSend) {
    const sha256 = checksums ? await hashFile(file, cancel) : undefined;
    planned.push({ status: 'planned', file, sha256 });
  }
  const files = [...planned, ...unchangedFiles(plan)];
  return { ...resultOf(plan, files), dryRun: true, digest: digestOf(files) };
}

/** Sends the files and updates the state file. @throws InputError if that cannot be replaced */
export async function sendPlan(
  plan: UploadPlan,
  inputs: Inputs<'upload'>,
  client: Client,
  context: Context,
): Promise<UploadResult> {
  const { state, toSend } = plan;
  if (state !== undefined && !context.cancel.aborted) removeState(state);
  if (toSend.length > 0) context.log.line(announcementOf(plan, inputs));
  using progress = logProgress(toSend, context);
  const { files, ...totals } = await uploadFiles(plan, inputs, client, context, progress);
  const stored = files.filter(isStored);
  const isComplete = stored.length === files.length;
  const warnings = state !== undefined && isComplete ? writeState(state, stored) : [];
  // Drop orphaned paths just written through another target, such as a link in the sandbox.
  const storedPaths = new Set(stored.map(({ path }) => path));
  return {
    ...resultOf(plan, files),
    ...totals,
    digest: digestOf(files),
    orphaned: plan.orphaned.filter(orphan => !storedPaths.has(orphan)),
    warnings: [...plan.warnings, ...warnings],
  };
}

function unchangedFiles({ unchanged }: UploadPlan): UploadedFile[] {
  return unchanged.map(stored => ({ status: 'unchanged', ...stored }));
}

function resultOf(
  { shard, skipped, orphaned, warnings }: UploadPlan,
  files: readonly UploadedFile[],
): UploadResult {
  const totals = { retries: 0, durationMs: 0 };
  return { shard, skipped, orphaned, warnings, dryRun: false, files, digest: '', ...totals };
}

function announcementOf(
  { toSend, shard }: UploadPlan,
  { sandboxId, baseUrl }: Inputs<'upload'>,
): string {
  const size = `${formatCount(toSend.length, 'file')} (${formatBytes(totalSize(toSend))})`;
  const line = `Uploading ${size} to sandbox ${sandboxId} at ${baseUrl}`;
  if (shard === undefined) return line;
  const counts = `${formatNumber(shard.files)} of ${formatCount(shard.planned, 'file')}`;
  return `${line}, shard ${shard.index} of ${shard.count}: ${counts}`;
}

const PROGRESS_INTERVAL_MS = 15_000;

/** Logs the progress of an upload every 15 s, to be declared with `using`. */
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
    onSent: (bytes: number) => void (sent += bytes),
    onStored: (count: number) => void (stored += count),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
