import type { AgentError } from '../agent/failure.ts';
import { stringifyExactly } from '../text/exact-json.ts';
import type { FileResult } from '../upload/result.ts';
import { aggregatesOf, breachEntry } from './gate-json.ts';
import { type Report, succeeded, totals } from './report.ts';
import { adviceOn, headline } from './verdict.ts';

// The files of one piece of the text.
const FILES_PER_PIECE = 500;

/** The JSON text of the file that the output `report` names, in pieces: all of it at once would take much memory. */
export function* reportJson(report: Report): Generator<string> {
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
  // The stats as they came, since what is nested deeply can be read but not always be written again.
  yield `${stringifyExactly(document).slice(0, -1)},\n"stats": ${stats?.json ?? 'null'},\n"files": [`;
  for (let start = 0; start < files.length; start += FILES_PER_PIECE) {
    const piece = files.slice(start, start + FILES_PER_PIECE);
    const lines = piece.map(result => `\n${JSON.stringify(fileEntry(result, report))}`);
    yield `${start === 0 ? '' : ','}${lines.join(',')}`;
  }
  yield '\n]\n}\n';
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
