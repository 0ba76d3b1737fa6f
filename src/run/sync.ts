import { openClient } from '../agent/client.ts';
import type { AgentError } from '../agent/failure.ts';
import { type RetryPolicy, withRetries } from '../agent/retry.ts';
import type { SyncInputs } from '../inputs/sync.ts';
import { EMPTY_REPORT, type SyncReport } from '../report/report.ts';
import { reportedError } from '../report/verdict.ts';
import { decodeStats, type Stats } from '../stats/decode.ts';
import { discover } from '../upload/discover.ts';
import { type Plan, plan } from '../upload/plan.ts';
import { type FileResult, type TransferEvent, transfer } from '../upload/transfer.ts';

/** What a run depends on beside its inputs. */
export interface Surroundings {
  /** Absolute path of the workspace. */
  readonly workspace: string;
  readonly userAgent: string;
  /** Ends the run early; it still reports. */
  readonly cancel: AbortSignal;
  readonly sleep: RetryPolicy['sleep'];
  readonly random: () => number;
  /** Told what happens as it happens. */
  readonly observer: Observer;
}

/** Whoever shows a run while it goes on. */
export interface Observer {
  planned(plan: Plan, inputs: SyncInputs): void;
  event(event: TransferEvent): void;
}

/**
 * Finds the files, plans, transfers, and measures the sandbox. What fails between the action and the sandbox is in the
 * report.
 * @throws InputError where the files cannot be found or planned; nothing has been sent then.
 */
export async function sync(inputs: SyncInputs, surroundings: Surroundings): Promise<SyncReport> {
  const { sandboxId, baseUrl } = inputs.connection;
  const files = await findFiles(inputs, surroundings);
  surroundings.observer.planned(files, inputs);
  const base = {
    ...EMPTY_REPORT,
    sandboxId,
    baseUrl,
    dryRun: inputs.dryRun,
    leftOut: files.leftOut,
    warnings: files.warnings,
  };
  if (inputs.dryRun) return { ...base, files: files.files.map(skipped) };
  return { ...base, ...(await send(files, inputs, surroundings)) };
}

async function findFiles({ upload }: SyncInputs, { workspace }: Surroundings): Promise<Plan> {
  const { workingDirectory, includeHidden, followSymlinks, target, ifNoFilesFound } = upload;
  const options = { workspace, workingDirectory, includeHidden, followSymlinks };
  return plan(await discover(upload.rules, options), { workspace, target, ifNoFilesFound });
}

async function send(
  { files, warnings }: Plan,
  { connection, upload }: SyncInputs,
  { userAgent, cancel, sleep, random, observer }: Surroundings,
): Promise<Pick<SyncReport, 'files' | 'durationMs' | 'stats' | 'errors' | 'warnings' | 'cancelled'>> {
  const { query, concurrency } = upload;
  const client = openClient(connection, {
    connections: concurrency,
    query,
    userAgent,
    cancel,
    now: Date.now,
  });
  const retry = { retries: connection.retries, sleep, random };
  const clock = () => performance.now();
  const start = clock();
  try {
    const onEvent = (event: TransferEvent) => observer.event(event);
    const results = await transfer(files, { client, concurrency, retry, cancel, onEvent, clock });
    const durationMs = Math.round(clock() - start);
    const measured = isPointless(results, cancel)
      ? {}
      : await readStats(() => client.stats(), {
          ...retry,
          stop: cancel,
          onRetry: retry => onEvent({ kind: 'retry', subject: 'the stats', retry }),
        });
    return {
      files: results,
      durationMs,
      stats: measured.stats,
      errors: measured.error === undefined ? [] : [reportedError(measured.error)],
      warnings: [...warnings, ...(measured.stats?.warnings ?? [])],
      cancelled: cancel.aborted,
    };
  } finally {
    await client.close();
  }
}

/** Whether the stats cannot be had either; those of a full disk can, and they explain it. */
function isPointless(results: readonly FileResult[], cancel: AbortSignal): boolean {
  return (
    cancel.aborted ||
    results.some(
      result => result.status === 'failed' && result.error.final && result.error.kind !== 'disk-full',
    )
  );
}

async function readStats(
  read: () => Promise<string>,
  policy: Parameters<typeof withRetries>[1],
): Promise<{ stats?: Stats; error?: AgentError }> {
  const outcome = await withRetries(async () => decodeStats(await read()), policy);
  return 'error' in outcome ? { error: outcome.error } : { stats: outcome.value };
}

function skipped(file: Plan['files'][number]): FileResult {
  return { status: 'skipped', file, reason: 'dry run' };
}
