import { AGGREGATES } from '../gate/conditions.ts';
import { aggregateOf, type Breach } from '../gate/judge.ts';
import { METRICS } from '../gate/metrics.ts';
import type { FileResult } from '../transfer/transfer.ts';
import { countFiles, isUpload, listUploaded, type Report, succeeded } from './report.ts';
import type { Verdict } from './verdict.ts';

type Outputs = Readonly<Record<string, string>>;

export function outputsOf(report: Report): Outputs {
  return {
    ...(isUpload(report) ? uploadOutputs(report) : {}),
    ...(report.task === 'upload' ? {} : { ...statsOutputs(report), ...gateOutputs(report) }),
  };
}

function uploadOutputs(report: Report): Outputs {
  const { uploaded, unchanged, failed, skipped, uploadedBytes } = countFiles(report);
  return {
    'uploaded-count': String(uploaded),
    'unchanged-count': String(unchanged),
    'failed-count': String(failed),
    'skipped-count': String(skipped),
    'uploaded-bytes': String(uploadedBytes),
    // `fromJSON` fails on an empty string.
    uploaded: listUploaded(report) ?? '[]',
    digest: report.digest,
  };
}

function statsOutputs({ samples }: Report): Outputs {
  const stats = samples.at(-1);
  const figures = Object.keys(METRICS).map(metric => {
    const figure = stats?.figures.get(metric);
    return [metric.replaceAll('_', '-'), figure === undefined ? '' : formatOutput(metric, figure)];
  });
  return { ...Object.fromEntries(figures), stats: stats?.json ?? '' };
}

const TWO_DECIMALS = new Set(['mem_used_pct', 'disk_used_pct']);

function formatOutput(metric: string, figure: number): string {
  return TWO_DECIMALS.has(metric) ? figure.toFixed(2) : String(figure);
}

function gateOutputs({ gate, samples }: Report): Outputs {
  return {
    gate: gate.state,
    breaches: JSON.stringify(gate.breaches.map(breachEntry)),
    aggregates: JSON.stringify(aggregatesOf({ gate, samples })),
  };
}

function aggregatesOf({ gate, samples }: Pick<Report, 'gate' | 'samples'>): object {
  const judged = [...gate.failIf, ...gate.warnIf].map(({ metric }) => metric);
  const aggregates = [...new Set([...Object.keys(METRICS), ...judged])].map(metric => {
    const entries = AGGREGATES.map(kind => [kind, aggregateOf(kind, metric, samples)]);
    return [metric, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(aggregates.filter(([, { last }]) => last !== undefined));
}

// Bump the number for breaking changes only; new keys do not count.
const SCHEMA =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

export function reportJson(report: Report, { title }: Verdict): string {
  const { task, files, samples, gate, ...otherFields } = report;
  const stats = samples.at(-1);
  const document = {
    $schema: SCHEMA,
    task,
    succeeded: succeeded(report),
    headline: title,
    totals: countFiles(report),
    ...otherFields,
    gate: { state: gate.state, breaches: gate.breaches.map(breachEntry) },
    figures: stats === undefined ? null : Object.fromEntries(stats.figures),
    aggregates: aggregatesOf(report),
    samples: samples.map(({ at, figures }) => ({ at, figures: Object.fromEntries(figures) })),
    files: files.map(fileEntry),
  };
  // Copy the agent's text: JSON.stringify() may fail on deeply nested JSON.
  return `${JSON.stringify(document).slice(0, -1)},"stats":${stats?.json || 'null'}}\n`;
}

function breachEntry(breach: Breach): object {
  const { level, condition } = breach;
  const { text, metric, limit } = condition;
  const figure = breach.holds === undefined ? null : breach.figure;
  return { level, condition: text, metric, figure, limit };
}

function fileEntry({ file, ...result }: FileResult): object {
  const { source, target, size } = file;
  return { source, target, size, ...result };
}
