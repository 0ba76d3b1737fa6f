import { slept } from '../agent/retry.ts';
import { gateOf } from '../gate/judge.ts';
import type { Inputs } from '../inputs/table.ts';
import { hasEnded, type MonitorRecord, readRecord } from '../monitor/record.ts';
import { ASKED } from '../monitor/sampler.ts';
import { EMPTY_REPORT, type Report, type ReportedError } from '../report/report.ts';
import type { Debug } from '../text/debug.ts';
import { formatCount } from '../text/units.ts';
import type { Surroundings } from './surroundings.ts';

// The sampling process gives its last reading 5 s; a little more, and it is gone.
const PATIENCE_MS = 8000;
const LOOK_MS = 50;

/** Waits for the end of a monitor that was asked for it, and judges what it recorded. */
export async function endMonitor(
  inputs: Inputs<'monitor'>,
  directory: string,
  surroundings: Surroundings,
): Promise<Report> {
  const { sandboxId, baseUrl } = inputs;
  const record = await lastRecord(directory, surroundings);
  if (surroundings.debug !== undefined) show(record, surroundings.debug);
  const figures = record.samples.map(({ stats }) => stats.figures);
  return {
    ...EMPTY_REPORT,
    task: 'monitor',
    sandboxId,
    baseUrl,
    samples: record.samples,
    stats: record.samples.at(-1)?.stats,
    gate: gateOf(inputs, figures),
    errors: nothingSampled(record),
    warnings: warningsOf(record),
  };
}

/** What was recorded when the monitor had ended, or had long had to. */
async function lastRecord(directory: string, { sleep, cancel, clock }: Surroundings): Promise<MonitorRecord> {
  const patience = clock() + PATIENCE_MS;
  while (!hasEnded(directory) && clock() < patience) {
    if (!(await slept(sleep(LOOK_MS, cancel)))) break;
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
  const early = end === undefined || end.what === ASKED ? [] : [`The monitor ended before the job did: ${end.what}.`];
  const killed = end === undefined ? ['The monitor was ended from outside, its last samples may be missing.'] : [];
  return [...missing, ...early, ...killed];
}

function show({ samples, gaps, end }: MonitorRecord, debug: Debug): void {
  debug('record', `Monitor: ${formatCount(samples.length, 'sample')}, ${formatCount(gaps.length, 'failed reading')}`);
  for (const { at, what } of gaps) debug('failed reading', `- ${new Date(at).toISOString()}: ${what}`);
  const when = end === undefined ? 'a time unknown' : `${new Date(end.at).toISOString()}: ${end.what}`;
  debug('record', `Monitor: ended at ${when}`);
}
