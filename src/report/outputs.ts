import { type SyncReport, totals } from './report.ts';

// A job's outputs hold 1 MB together, as UTF-16; these two must leave room for others.
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
export function uploadOutputs(report: SyncReport): { outputs: Outputs; notices: string[] } {
  const { uploaded, failed, skipped, uploadedBytes } = totals(report);
  const list = bounded(JSON.stringify(uploadedFiles(report)));
  return {
    outputs: {
      'uploaded-count': String(uploaded),
      'failed-count': String(failed),
      'skipped-count': String(skipped),
      'uploaded-bytes': String(uploadedBytes),
      uploaded: list ?? '',
    },
    notices: list === undefined ? [tooLong('uploaded')] : [],
  };
}

/** The outputs of the stats, each empty where it was not reported, and a notice for one that is too long. */
export function statsOutputs({ stats }: SyncReport): { outputs: Outputs; notices: string[] } {
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

function uploadedFiles({ files }: SyncReport): { source: string; path: string; size: number }[] {
  return files.flatMap(result =>
    result.status === 'uploaded'
      ? [{ source: result.file.source, path: result.path, size: result.size }]
      : [],
  );
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
