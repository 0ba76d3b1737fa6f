import { gateOf } from '../gate/gate.ts';
import type { MonitorTask } from '../inputs/tasks.ts';
import { type MonitorRecord, readRecord, removeRecord, requestEnd } from '../monitor/record.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import { formatCount } from '../report/units.ts';
import { slept } from '../stats/sample.ts';
import type { Surroundings } from './surroundings.ts';

// The sampling process gives its last reading 5 s; a little more, and it is gone.
const PATIENCE_MS = 8000;
const LOOK_MS = 50;

/** Ends the monitor that records in a directory, and judges what it recorded. */
export async function endMonitor(
  task: MonitorTask,
  directory: string,
  surroundings: Surroundings,
): Promise<Report> {
  const { sandboxId, baseUrl } = task.connection;
  const record = await lastRecord(directory, surroundings);
  removeRecord(directory);
  const figures = record.samples.map(({ stats }) => stats.figures);
  return {
    ...EMPTY_REPORT,
    task: 'monitor',
    sandboxId,
    baseUrl,
    samples: record.samples,
    stats: record.samples.at(-1)?.stats,
    gate: gateOf(task.gate, figures),
    errors: nothingSampled(record),
    warnings: warningsOf(record),
  };
}

async function lastRecord(directory: string, { sleep, cancel }: Surroundings): Promise<MonitorRecord> {
  requestEnd(directory);
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    const record = readRecord(directory);
    if (record.end !== undefined || !(await slept(sleep(LOOK_MS, cancel)))) return record;
  }
  return readRecord(directory);
}

function nothingSampled({ samples, gaps }: MonitorRecord): ReportedError[] {
  if (samples.length > 0) return [];
  return [{ message: 'The sandbox was not sampled once.', details: gaps.slice(-1).map(({ what }) => what) }];
}

function warningsOf({ samples, gaps, end }: MonitorRecord): string[] {
  const [first] = gaps;
  const missing =
    first === undefined || samples.length === 0
      ? []
      : [`${formatCount(gaps.length, 'reading')} failed, the first: ${first.what}`];
  const odd =
    end === undefined ? ['The monitor ended before the job did, its last samples may be missing.'] : [];
  return [...missing, ...odd];
}
