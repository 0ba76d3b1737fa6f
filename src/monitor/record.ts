import { type Figures, METRICS } from '../gate/metrics.ts';
import type { Samples } from '../stats/sample.ts';
import { decodeStats, type Stats } from '../stats/stats.ts';
import { formatNumber } from '../text/format.ts';
import { fieldsOf, parseFieldsOf } from '../text/json.ts';
import { readCrash } from './crash.ts';
import { filesIn } from './directory.ts';
import { readForeign } from './foreign-file.ts';
import { MAX_RECORD_BYTES, MAX_SAMPLES, type Moment } from './recorder.ts';

/** All that a monitor wrote down, oldest first. */
export interface MonitorRecord extends Samples {
  /** When the monitor started, in milliseconds since 1970; undefined if it did not get that far. */
  readonly start: number | undefined;
  /** The samples that failed, and why. */
  readonly gaps: readonly Moment[];
  /** How the monitor ended; undefined if it crashed or was killed. */
  readonly end: Moment | undefined;
  /** Why the monitor crashed, if it did. */
  readonly crash: string | undefined;
  /** Why the record cannot be used, if so; it is then empty. */
  readonly problem: string | undefined;
}

// The recorder may exceed its limits by the lines that it was still writing.
const MAX_BYTES = MAX_RECORD_BYTES + 1024 * 1024;
const MAX_LINES = MAX_SAMPLES + 100;
const MAX_LAST_BYTES = 1024 * 1024;
const MAX_TEXT = 1000;
const MAX_WARNINGS = 100;

/** Reads the record of a monitor; `judged` are the metrics to keep beside the known ones. */
export async function readRecord(
  directory: string,
  judged: ReadonlySet<string>,
): Promise<MonitorRecord> {
  const files = filesIn(directory);
  const record = await readForeign(files.record, MAX_BYTES);
  const last = await readForeign(files.last, MAX_LAST_BYTES);
  const lines = record.text.split('\n', MAX_LINES + 1);
  const tooLong =
    lines.length > MAX_LINES ? `it has more than ${formatNumber(MAX_LINES)} lines` : undefined;
  const problem = record.problem ?? tooLong;
  const metrics = new Set([...Object.keys(METRICS), ...judged]);
  const parsed = parseRecord(problem === undefined ? lines : [], metrics);
  const lastFigures = parsed.samples.at(-1)?.figures;
  return {
    ...parsed,
    stats: lastFigures && lastStats(last.text, lastFigures, judged),
    crash: await readCrash(directory),
    problem,
  };
}

type ParsedRecord = Omit<MonitorRecord, 'stats' | 'crash' | 'problem'>;

function parseRecord(lines: readonly string[], metrics: ReadonlySet<string>): ParsedRecord {
  const written = lines.filter(line => line !== '');
  const entries = written.flatMap(line => parseLine(line, metrics) ?? []);
  const samples = entries.flatMap(({ at, figures }) => (figures ? [{ at, figures }] : []));
  const last = samples.at(-1);
  // After damage, a sample without figures keeps any gate from passing.
  if (entries.length < written.length && last !== undefined)
    samples.push({ at: last.at, figures: new Map() });
  const warnings = entries.flatMap(({ warning }) => warning?.split('\n', MAX_WARNINGS) ?? []);
  return {
    samples,
    gaps: entries.flatMap(({ at, gap }) => (gap === undefined ? [] : [{ at, what: gap }])),
    warnings: [...new Set(warnings.map(cut))].slice(0, MAX_WARNINGS),
    start: entries.findLast(({ isStart }) => isStart)?.at,
    end: entries.flatMap(({ at, end }) => (end === undefined ? [] : [{ at, what: end }])).at(-1),
  };
}

/** What is kept of one line. */
interface RecordLine {
  readonly at: number;
  readonly isStart: boolean;
  readonly figures: Figures | undefined;
  readonly gap: string | undefined;
  readonly end: string | undefined;
  readonly warning: string | undefined;
}

// The latest time that a Date can hold.
const MAX_TIME = 8.64e15;

/** Undefined for a damaged line. */
function parseLine(line: string, metrics: ReadonlySet<string>): RecordLine | undefined {
  const { at, start, figures, gap, end, warning } = parseFieldsOf(line);
  if (typeof at !== 'number' || Math.abs(at) > MAX_TIME) return undefined;
  return {
    at,
    isStart: start !== undefined,
    figures: figures === undefined ? undefined : keptFigures(fieldsOf(figures), metrics),
    gap: typeof gap === 'string' ? cut(gap) : undefined,
    end: typeof end === 'string' ? cut(end) : undefined,
    warning: typeof warning === 'string' && warning !== '' ? warning : undefined,
  };
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT);
}

function keptFigures(
  fields: Readonly<Record<string, unknown>>,
  metrics: ReadonlySet<string>,
): Figures {
  const figures = new Map<string, number>();
  for (const metric of metrics) {
    const figure = fields[metric];
    if (typeof figure === 'number' && Number.isFinite(figure)) figures.set(metric, figure);
  }
  return figures;
}

/** The last sample's stats as the agent sent them, or from the record if that text is gone. */
function lastStats(json: string, figures: Figures, judged: ReadonlySet<string>): Stats | undefined {
  const sent = decodeStats(json, judged);
  if (!(sent instanceof Error)) return sent;
  const recorded = decodeStats(JSON.stringify(Object.fromEntries(figures)), judged);
  return recorded instanceof Error ? undefined : { ...recorded, json: '' };
}
