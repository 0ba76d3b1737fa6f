import { stringifyExactly } from '../agent/exact-json.ts';
import type { AgentError } from '../agent/failure.ts';
import type { FileResult } from '../upload/result.ts';
import { aggregatesOf, breachEntry } from './gate-json.ts';
import { type Report, succeeded, totals } from './report.ts';
import { adviceOn, headline } from './verdict.ts';

/** The report as the JSON text of the file that the output `report` names. */
export function reportJson(report: Report): string {
  const { schema, task, files, stats, samples, gate, ...rest } = report;
  const document = {
    schema,
    task,
    succeeded: succeeded(report),
    headline: headline(report),
    totals: totals(report),
    ...rest,
    gate: { state: gate.state, breaches: gate.breaches.map(breachEntry) },
    figures: stats === undefined ? null : Object.fromEntries(stats.figures),
    aggregates: aggregatesOf(samples),
    samples: samples.map(({ at, stats: { figures } }) => ({ at, figures: Object.fromEntries(figures) })),
  };
  // Put together by hand, a line for each file, since one tree of many thousands would take much memory; and with the
  // stats as they came, since what is nested deeply can be read but not always be written again.
  const lines = files.map(result => JSON.stringify(fileEntry(result, report)));
  const parts = [`"stats": ${stats?.json ?? 'null'}`, `"files": [\n${lines.join(',\n')}\n]`];
  return `${stringifyExactly(document).slice(0, -1)},\n${parts.join(',\n')}\n}\n`;
}

function fileEntry(result: FileResult, report: Report): object {
  const { file, ...outcome } = result;
  const { source, target, size } = file;
  const ended =
    outcome.status === 'failed' ? { ...outcome, error: errorEntry(outcome.error, report) } : outcome;
  return { source, target, size, ...ended };
}

function errorEntry(error: AgentError, report: Report): object {
  const { kind, status, message } = error;
  return { kind, status, message, hint: adviceOn(error, report) };
}
