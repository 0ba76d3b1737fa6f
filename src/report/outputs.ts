import { AGGREGATES } from '../gate/conditions.ts';
import { aggregateOf, type Breach, figuresOf } from '../gate/judge.ts';
import { METRICS } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { takeWithin } from '../text/format.ts';
import type { FileResult } from '../upload/result.ts';
import { countFiles, isUpload, type Report, succeeded } from './report.ts';
import { adviceFor, headline } from './verdict.ts';

// All outputs of a job may have 1 MB together, in UTF-16; other steps have outputs too.
const MAX_CHARACTERS = 450_000;

/** One output may not take the room of all others. */
const MAX_OUTPUT_BYTES = 256 * 1024;

/** Output values by name; undefined if the value would be too long. */
type Drafts = Readonly<Record<string, string | undefined>>;

/** The outputs by name, beside those that name files; a notice for each that is too long. */
export function outputsOf(report: Report, aggregates: object) {
  const { task, digest } = report;
  const drafts: Drafts = {
    ...(isUpload(report) ? { ...uploadCounts(report), digest } : {}),
    ...(task === 'upload' ? {} : { ...statsOutputs(report), ...gateOutputs(report, aggregates) }),
    // Last, since it is the longest, and the report file has every file.
    ...(isUpload(report) ? { uploaded: uploadedList(report) } : {}),
  };
  let left = MAX_CHARACTERS;
  const outputs: Record<string, string> = {};
  const notices: string[] = [];
  for (const [name, value] of Object.entries(drafts)) {
    const fits = value !== undefined && value.length <= left && isShortEnough(value);
    outputs[name] = fits ? value : emptyOf(name);
    left -= outputs[name].length;
    if (!fits) notices.push(tooLong(name, value === undefined || !isShortEnough(value)));
  }
  return { outputs, notices };
}

function isShortEnough(value: string): boolean {
  return Buffer.byteLength(value) <= MAX_OUTPUT_BYTES;
}

/** What takes the place of a value that is too long: `fromJSON` fails on an empty text. */
function emptyOf(output: string): string {
  return output === 'uploaded' ? '[]' : '';
}

function tooLong(output: string, isByItself: boolean): string {
  const why = isByItself
    ? 'it would exceed 256 KiB'
    : 'the outputs would exceed 900 KB together, as GitHub counts them';
  return `The output ${output} is ${emptyOf(output) || 'empty'}: ${why}. The file named by the output report has everything.`;
}

function uploadCounts(report: Report): Drafts {
  const { uploaded, unchanged, failed, skipped, uploadedBytes } = countFiles(report);
  return {
    'uploaded-count': String(uploaded),
    'unchanged-count': String(unchanged),
    'failed-count': String(failed),
    'skipped-count': String(skipped),
    'hidden-count': String(report.hidden.length),
    'uploaded-bytes': String(uploadedBytes),
  };
}

/** The uploaded files as JSON; undefined as soon as it is too long. */
function uploadedList({ files }: Report): string | undefined {
  const uploaded = files.filter(result => result.status === 'uploaded');
  const entries = uploaded
    .values()
    .map(({ file: { source }, path, size }) => JSON.stringify({ source, path, size }));
  const sizeWithComma = (entry: string) => Buffer.byteLength(entry) + 1;
  const taken = takeWithin(entries, MAX_OUTPUT_BYTES - 1, sizeWithComma);
  return taken.length < uploaded.length ? undefined : `[${taken.join(',')}]`;
}

/** Each is empty if it was not reported. */
function statsOutputs({ stats }: Report): Drafts {
  const figures = Object.keys(METRICS).map(metric => [
    metric.replaceAll('_', '-'),
    stats?.digits.get(metric) ?? '',
  ]);
  return { ...Object.fromEntries(figures), stats: stats?.json ?? '' };
}

function gateOutputs({ gate }: Report, aggregates: object): Drafts {
  return {
    gate: gate.state,
    breaches: JSON.stringify(gate.breaches.map(breachEntry)),
    aggregates: JSON.stringify(aggregates),
  };
}

/** Each metric's aggregates. For 50,000 samples, this takes a while. */
export function aggregatesOf(samples: readonly Sample[]): object {
  const all = samples.map(({ figures }) => figures);
  const metrics = new Set(all.flatMap(figures => [...figures.keys()]));
  const aggregates = [...metrics].map(metric => {
    const figures = figuresOf(metric, all);
    const entries = AGGREGATES.map(kind => [kind, figures && aggregateOf(kind, figures)]);
    return [metric, Object.fromEntries(entries)];
  });
  return Object.fromEntries(aggregates);
}

const FILES_PER_PIECE = 500;

// Bump the number for every breaking change. New keys are not one.
const SCHEMA =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

/** The report file, in pieces: 20,000 files in one string would take much memory. */
export function* reportJson(report: Report, aggregates: object): Generator<string> {
  const { task, files, stats, samples, gate, couldBatch: _, ...rest } = report;
  const document = {
    $schema: SCHEMA,
    task,
    succeeded: succeeded(report),
    headline: headline(report),
    totals: countFiles(report),
    ...rest,
    gate: { state: gate.state, breaches: gate.breaches.map(breachEntry) },
    figures: stats === undefined ? null : Object.fromEntries(stats.figures),
    aggregates,
    samples: samples.map(({ at, figures }) => ({ at, figures: Object.fromEntries(figures) })),
  };
  // As the agent sent them: deeply nested JSON cannot always be written again.
  yield `${JSON.stringify(document).slice(0, -1)},\n"stats": ${stats?.json || 'null'},\n"files": [`;
  for (let start = 0; start < files.length; start += FILES_PER_PIECE) {
    const piece = files.slice(start, start + FILES_PER_PIECE);
    const lines = piece.map(result => `\n${JSON.stringify(fileEntry(result, report))}`);
    yield `${start === 0 ? '' : ','}${lines.join(',')}`;
  }
  yield '\n]\n}\n';
}

/** The figure is null if the metric was not reported. */
function breachEntry(breach: Breach): object {
  const { level, condition } = breach;
  const { text, metric, limit } = condition;
  const figure = breach.holds === undefined ? null : breach.figure;
  return { level, condition: text, metric, figure, limit };
}

function fileEntry({ file, ...result }: FileResult, report: Report): object {
  const { source, target, size } = file;
  if (result.status !== 'failed') return { source, target, size, ...result };
  const { kind, status, message } = result.error;
  const error = { kind, status, message, hint: adviceFor(result.error, report) };
  return { source, target, size, ...result, error };
}
