import { AGGREGATES } from '../gate/conditions.ts';
import { type ExactNumber, exactly, toFigure } from '../gate/exact-number.ts';
import { aggregateOf, type Breach, type SomeFigures } from '../gate/judge.ts';
import { type Figure, METRICS } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { fitting } from '../text/cut.ts';
import { stringifyExactly } from '../text/exact-json.ts';
import type { FileResult } from '../upload/result.ts';
import { type Report, succeeded, totals } from './report.ts';
import { adviceOn, headline } from './verdict.ts';

// A job's outputs hold 1 MB together, as UTF-16. One list that grows with the job may not take more than half of it.
const MAX_JSON_BYTES = 256 * 1024;

/** Outputs by name, undefined where one is too long. */
type Drafts = Readonly<Record<string, string | undefined>>;

/** The outputs that a task has beside the report file, by name, and a notice for each that is left empty for its size. */
export function outputsOf(report: Report, aggregates: object) {
  const { task } = report;
  const drafts: Drafts = {
    ...(task === 'sync' || task === 'upload' ? uploadOutputs(report) : {}),
    ...(task === 'upload' ? {} : { ...statsOutputs(report), ...gateOutputs(report, aggregates) }),
  };
  const entries = Object.entries(drafts);
  return {
    outputs: Object.fromEntries(entries.map(([name, value]) => [name, value ?? ''])),
    notices: entries.filter(([, value]) => value === undefined).map(([name]) => tooLong(name)),
  };
}

function uploadOutputs(report: Report): Drafts {
  const { uploaded, unchanged, failed, skipped, uploadedBytes } = totals(report);
  return {
    'uploaded-count': String(uploaded),
    'unchanged-count': String(unchanged),
    'failed-count': String(failed),
    'skipped-count': String(skipped),
    'hidden-count': String(report.hidden.length),
    'uploaded-bytes': String(uploadedBytes),
    uploaded: uploadedList(report),
  };
}

/** Each empty where it was not reported. */
function statsOutputs({ stats }: Report): Drafts {
  const figures = Object.keys(METRICS).map(metric => [
    metric.replaceAll('_', '-'),
    figureText(metric, stats?.figures.get(metric)),
  ]);
  return { ...Object.fromEntries(figures), stats: unlessTooLong(stats?.json ?? '') };
}

/** The gate's state, what tripped, and each metric's aggregates over the samples. */
function gateOutputs({ gate }: Report, aggregates: object): Drafts {
  return {
    gate: gate.state,
    breaches: unlessTooLong(stringifyExactly(gate.breaches.map(breachEntry))),
    aggregates: unlessTooLong(stringifyExactly(aggregates)),
  };
}

/** One figure of each kind for every metric that any sample reports. Takes a while for thousands of samples: once a run. */
export function aggregatesOf(samples: readonly Sample[]): object {
  const byMetric = new Map<string, [ExactNumber, ...ExactNumber[]]>();
  for (const { figures } of samples) {
    for (const [metric, figure] of figures) {
      const before = byMetric.get(metric);
      if (before === undefined) byMetric.set(metric, [exactly(figure)]);
      else before.push(exactly(figure));
    }
  }
  const aggregate = (figures: SomeFigures) => AGGREGATES.map(kind => [kind, toFigure(aggregateOf(kind, figures))]);
  return Object.fromEntries([...byMetric].map(([metric, figures]) => [metric, Object.fromEntries(aggregate(figures))]));
}

// The files of one piece of the text.
const FILES_PER_PIECE = 500;

/** The JSON text of the file that the output `report` names, in pieces: all of it at once would take much memory. */
export function* reportJson(report: Report, aggregates: object): Generator<string> {
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
    aggregates,
    samples: samples.map(({ at, figures }) => ({ at, figures: Object.fromEntries(figures) })),
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

function tooLong(output: string): string {
  return `The output ${output} is empty: it would exceed 256 KiB. The file named by the output report has everything.`;
}

function unlessTooLong(json: string): string | undefined {
  return Buffer.byteLength(json) > MAX_JSON_BYTES ? undefined : json;
}

/** The uploaded files as JSON; undefined as soon as it is too long. */
function uploadedList({ files }: Report): string | undefined {
  const uploaded = files.filter(result => result.status === 'uploaded');
  const entries = fitting(
    uploaded.values().map(({ file: { source }, path, size }) => JSON.stringify({ source, path, size })),
    // Each is followed by a comma or the closing bracket.
    MAX_JSON_BYTES - '['.length,
    entry => Buffer.byteLength(entry) + ','.length,
  );
  return entries.length < uploaded.length ? undefined : `[${entries.join(',')}]`;
}

function figureText(metric: string, figure: Figure | undefined): string {
  if (figure === undefined) return '';
  const isDerivedPercentage = metric === 'mem_used_pct' || metric === 'disk_used_pct';
  return isDerivedPercentage && typeof figure === 'number' ? figure.toFixed(2) : String(figure);
}

/** The figure is null where the metric was not reported. */
function breachEntry(breach: Breach): object {
  const { level, condition } = breach;
  const { text, metric, limit } = condition;
  const figure = breach.holds === undefined ? null : toFigure(breach.figure);
  return { level, condition: text, metric, figure, limit: toFigure(limit) };
}

function fileEntry({ file, ...outcome }: FileResult, report: Report): object {
  const { source, target, size } = file;
  if (outcome.status !== 'failed') return { source, target, size, ...outcome };
  const { kind, status, message } = outcome.error;
  const error = { kind, status, message, hint: adviceOn(outcome.error, report) };
  return { source, target, size, ...outcome, error };
}
