import { stringifyExactly } from '../text/exact-json.ts';
import { aggregatesOf, breachEntry } from './gate-json.ts';
import { type Report, totals } from './report.ts';

// A job's outputs hold 1 MB together, as UTF-16. One list that grows with the job may not take more than half of it.
const MAX_JSON_BYTES = 256 * 1024;

const STATS_OUTPUTS = [
  'ts',
  'cpu_count',
  'cpu_used_pct',
  'mem_total',
  'mem_used',
  'mem_total_mib',
  'mem_used_mib',
  'disk_total',
  'disk_used',
  'mem_used_pct',
  'mem_free',
  'disk_used_pct',
  'disk_free',
] as const;

/** Step outputs by name. */
export type Outputs = Readonly<Record<string, string>>;

/** The outputs of the upload and a notice for each that is left empty for its size. */
export function uploadOutputs(report: Report): { outputs: Outputs; notices: string[] } {
  const { uploaded, unchanged, failed, skipped, uploadedBytes } = totals(report);
  const list = uploadedList(report);
  return {
    outputs: {
      'uploaded-count': String(uploaded),
      'unchanged-count': String(unchanged),
      'failed-count': String(failed),
      'skipped-count': String(skipped),
      'uploaded-bytes': String(uploadedBytes),
      uploaded: list ?? '',
    },
    notices: list === undefined ? [tooLong('uploaded')] : [],
  };
}

/** The outputs of the stats, each empty where it was not reported, and a notice for one that is too long. */
export function statsOutputs({ stats }: Report): { outputs: Outputs; notices: string[] } {
  const figures = STATS_OUTPUTS.map(name => [
    name.replaceAll('_', '-'),
    formatFigure(name, stats?.figures.get(name)),
  ]);
  const json = bounded(stats?.json ?? '');
  return {
    outputs: { ...Object.fromEntries(figures), stats: json ?? '' },
    notices: json === undefined ? [tooLong('stats')] : [],
  };
}

/** The outputs of the gate: its state, what tripped, and each metric's aggregates over the samples. */
export function gateOutputs({ gate, samples }: Report): { outputs: Outputs; notices: string[] } {
  const breaches = bounded(stringifyExactly(gate.breaches.map(breachEntry)));
  const aggregates = bounded(stringifyExactly(aggregatesOf(samples)));
  return {
    outputs: { gate: gate.state, breaches: breaches ?? '', aggregates: aggregates ?? '' },
    notices: [
      ...(breaches === undefined ? [tooLong('breaches')] : []),
      ...(aggregates === undefined ? [tooLong('aggregates')] : []),
    ],
  };
}

/** The uploaded files as JSON; undefined as soon as it is too long. */
function uploadedList({ files }: Report): string | undefined {
  const entries: string[] = [];
  let bytes = '[]'.length;
  for (const result of files) {
    if (result.status !== 'uploaded') continue;
    const entry = JSON.stringify({ source: result.file.source, path: result.path, size: result.size });
    bytes += Buffer.byteLength(entry) + (entries.length > 0 ? ','.length : 0);
    if (bytes > MAX_JSON_BYTES) return undefined;
    entries.push(entry);
  }
  return `[${entries.join(',')}]`;
}

function formatFigure(name: string, figure: bigint | number | undefined): string {
  if (figure === undefined) return '';
  const isDerivedPercentage = name === 'mem_used_pct' || name === 'disk_used_pct';
  return isDerivedPercentage && typeof figure === 'number' ? figure.toFixed(2) : String(figure);
}

function bounded(json: string): string | undefined {
  return Buffer.byteLength(json) > MAX_JSON_BYTES ? undefined : json;
}

function tooLong(output: string): string {
  return `The output ${output} is empty: it would be longer than 256 KiB. The file named by the output report has it all.`;
}
