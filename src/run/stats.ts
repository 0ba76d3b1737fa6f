import { gateOf } from '../gate/gate.ts';
import type { StatsTask } from '../inputs/tasks.ts';
import { EMPTY_REPORT, type Report } from '../report/report.ts';
import { measure, waitFor } from './measuring.ts';
import { type Surroundings, withClient } from './surroundings.ts';

// A reading at a time.
const ALONE = { concurrency: 1, query: {} };

/** Waits for the sandbox, measures and judges it. What fails on the way is in the report. */
export async function stats(task: StatsTask, surroundings: Surroundings): Promise<Report> {
  const { sandboxId, baseUrl } = task.connection;
  // Until there are stats, nothing can be judged, and the gate stays shut.
  const base = {
    ...EMPTY_REPORT,
    task: 'stats',
    sandboxId,
    baseUrl,
    gate: gateOf(task.measurement.gate, []),
  } as const;
  return withClient(task.connection, ALONE, surroundings, async client => {
    const obstacle = await waitFor(task, client, surroundings);
    const { cancel } = surroundings;
    if (obstacle !== undefined) return { ...base, errors: [obstacle], cancelled: cancel.aborted };
    return { ...base, ...(await measure(task, client, surroundings)), cancelled: cancel.aborted };
  });
}
