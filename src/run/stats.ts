import { openStatsReader } from '../agent/stats-client.ts';
import { gateOf } from '../gate/judge.ts';
import type { StatsTask } from '../inputs/tasks.ts';
import { EMPTY_REPORT, type Report } from '../report/report.ts';
import { exchangeOptions } from './exchange-options.ts';
import { measure, waitFor } from './measuring.ts';
import type { Surroundings } from './surroundings.ts';

/** Waits for the sandbox, measures and judges it. What fails on the way is in the report. */
export async function stats(task: StatsTask, surroundings: Surroundings): Promise<Report> {
  const { sandboxId, baseUrl } = task.connection;
  // Until there are stats, nothing can be judged, and the gate stays shut.
  const gate = gateOf(task.measurement.gate, []);
  const base = { ...EMPTY_REPORT, task: 'stats', sandboxId, baseUrl, gate } as const;
  const reader = openStatsReader(task.connection, exchangeOptions(surroundings));
  try {
    const { cancel } = surroundings;
    const obstacle = await waitFor(task, reader.stats, surroundings);
    if (obstacle !== undefined) return { ...base, errors: [obstacle], cancelled: cancel.aborted };
    return { ...base, ...(await measure(task, reader.stats, surroundings)), cancelled: cancel.aborted };
  } finally {
    await reader.close();
  }
}
