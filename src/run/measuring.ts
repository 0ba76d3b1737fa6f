import { withRetries } from '../agent/retry.ts';
import type { ReadStats } from '../agent/stats-client.ts';
import { gateOf } from '../gate/judge.ts';
import type { StatsTask } from '../inputs/tasks.ts';
import type { Report, ReportedError } from '../report/report.ts';
import { reportedError, waitError } from '../report/verdict.ts';
import { decodeStats, type Stats } from '../stats/decode.ts';
import { takeSamples, waitUntil } from '../stats/sample.ts';
import type { Observer, Surroundings } from './surroundings.ts';

/** Waits until the task's conditions hold. What kept it from going on comes back, if anything did. */
export async function waitFor(
  { connection, measurement }: StatsTask,
  readStats: ReadStats,
  { sleep, cancel, clock, observer }: Surroundings,
): Promise<ReportedError | undefined> {
  const { wait, intervalMs } = measurement;
  if (wait.until.length === 0) return undefined;
  observer.waiting(connection, wait.timeoutMs);
  const read = () => reading(readStats, observer);
  const timing = { sleep, stop: cancel, now: clock };
  const end = await waitUntil(wait.until, read, { intervalMs, timeoutMs: wait.timeoutMs }, timing);
  return end.held ? undefined : waitError(end);
}

/** Reads the stats and judges them. Where they cannot be had, no condition can be met, and the gate is shut. */
export async function measure(
  { connection, measurement }: StatsTask,
  readStats: ReadStats,
  { sleep, random, cancel, now, observer }: Surroundings,
): Promise<Pick<Report, 'samples' | 'stats' | 'gate' | 'errors' | 'warnings'>> {
  const policy = { retries: connection.retries, sleep, random, stop: cancel };
  const onRetry = (retry: Parameters<Parameters<typeof withRetries>[1]['onRetry']>[0]) =>
    observer.event({ kind: 'retry', files: [], retry });
  const read = () => withRetries(() => reading(readStats, observer), { ...policy, onRetry });
  const { samples, error } = await takeSamples(read, measurement, { sleep, stop: cancel, now });
  const stats = samples.at(-1)?.stats;
  return {
    samples,
    stats,
    gate: gateOf(
      measurement.gate,
      samples.map(sample => sample.stats.figures),
    ),
    errors: error === undefined ? [] : [reportedError(error)],
    warnings: stats?.warnings ?? [],
  };
}

async function reading(readStats: ReadStats, observer: Observer): Promise<Stats> {
  const stats = decodeStats(await readStats());
  observer.fact?.({ kind: 'reading', stats });
  return stats;
}
