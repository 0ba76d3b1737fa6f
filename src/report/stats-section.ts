import { breachesOf, type Gate, type GateJudgement, judge } from '../gate/judge.ts';
import { AGGREGATE_NAMES, aggregateOf, METRICS } from '../gate/metrics.ts';
import type { Sample } from '../stats/samples.ts';
import { formatCount, formatNumber, formatTime, listSome } from '../text/format.ts';
import { parseFields } from '../text/json.ts';
import { drawCharts } from './chart.ts';
import {
  describeUsage,
  figuresTable,
  formatFigure,
  formatJudged,
  formatMetric,
  judgementLine,
} from './figures.ts';
import { withMarkup } from './reason.ts';
import type { Report } from './report.ts';
import type { SectionView } from './verdict.ts';

export interface MeasuredSection {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly gate: Gate;
  /** The time that a monitor or a run covers, in Unix milliseconds. */
  readonly monitored?: { readonly from: number; readonly to: number };
}

export const NOT_MEASURED: MeasuredSection = {
  samples: [],
  gate: { state: 'none', judgements: [] },
};

export function viewMeasured(section: MeasuredSection, report: Report): SectionView {
  const { samples, gate, monitored } = section;
  const last = samples.at(-1);
  const aggregates = aggregatesOf(section);
  const breaches = breachesOf(gate.judgements);
  // Without samples, every breach would only repeat that there are no stats.
  const breachesToReport = samples.length === 0 ? [] : breaches;
  const linesFor = (level: GateJudgement['level']) =>
    breachesToReport
      .filter(breach => breach.level === level)
      .map(breach => withMarkup(describeBreach(breach, samples)));
  const entries = breaches.map(breachEntry);
  return {
    level: LEVELS[gate.state],
    ...describeSamples(section, breachesToReport, report),
    reasons: linesFor('fail').map(line => [line]),
    warnings: linesFor('warn'),
    outputs: {
      ...figureOutputs(last),
      stats: last?.json ?? '',
      gate: gate.state,
      breaches: JSON.stringify(entries),
      aggregates: JSON.stringify(aggregates),
    },
    blocks: [...figuresTable(section), ...drawCharts(section)],
    json: {
      monitored,
      gate: { state: gate.state, breaches: entries },
      figures: last === undefined ? null : Object.fromEntries(last.figures),
      aggregates,
      samples: samples.map(({ at, figures }) => ({ at, figures: Object.fromEntries(figures) })),
      stats: last === undefined ? null : parseFields(last.json),
    },
  };
}

const LEVELS = {
  passed: 'success',
  none: 'success',
  warned: 'warning',
  failed: 'failure',
} as const;

/** Describes the samples and the gate, such as `The gate failed: memory 93 % > 90 %.` */
function describeSamples(
  { samples, gate: { state } }: MeasuredSection,
  breaches: readonly GateJudgement[],
  { errors, cancelled }: Report,
): Pick<SectionView, 'headline' | 'gateSentence'> {
  if (samples.length === 0) {
    const isExplained = errors.some(({ title }) => title !== undefined);
    return { headline: isExplained ? '' : 'No stats were read' };
  }
  const usage = describeUsage(samples);
  const decisive = breaches.filter(({ level }) => level === breaches[0]?.level);
  const tripped = decisive.filter(({ holds }) => holds);
  // A cancelled job lacks samples, so only mention the gate if a condition has tripped.
  if (cancelled && tripped.length === 0) return { headline: usage };
  // Errors already explain why conditions were not judged, so only name those that tripped.
  const named = tripped.length > 0 || errors.length > 0 ? tripped : decisive;
  // If a job that was not cancelled has breaches, their figures matter more than the usage.
  const headline = cancelled || breaches.length === 0 ? usage : '';
  return { headline, gateSentence: gateSentence(state, named) };
}

// Few fit in a sentence; the reasons below the title list all of them.
const MAX_BREACHES = 3;

function gateSentence(state: Gate['state'], breaches: readonly GateJudgement[]): string {
  if (state === 'none') return '';
  const names = listSome(breaches.map(formatBreach), MAX_BREACHES);
  return names === '' ? `The gate ${state}.` : `The gate ${state}: ${names}.`;
}

/** Describes a breach in a few words, such as `memory 93 % > 90 %`. */
function formatBreach(breach: GateJudgement): string {
  const { condition } = breach;
  const { text, metric, aggregate, operator, limit } = condition;
  if (breach.holds === undefined) return `\`${text}\` cannot be judged`;
  const figure = formatJudged(condition, breach.figure);
  const comparison = `${figure} ${operator} ${formatFigure(metric, limit)}`;
  return [formatMetric(metric), aggregate ?? [], comparison].flat().join(' ');
}

function describeBreach(breach: GateJudgement, samples: readonly Sample[]): string {
  const line = judgementLine(breach);
  const { condition } = breach;
  if (breach.holds === undefined || samples.length < 2) return line;
  const allSamples = formatCount(samples.length, 'sample');
  if (condition.aggregate !== undefined) return `${line} over ${allSamples}`;
  const first = samples.find(({ figures }) => figures.get(condition.metric) === breach.figure);
  const count = samples.filter(sample => judge(condition, [sample]).holds).length;
  return `${line} at ${formatTime(first?.at ?? 0)}, in ${formatNumber(count)} of ${allSamples}`;
}

function figureOutputs(sample: Sample | undefined): Record<string, string> {
  const figures = Object.entries(METRICS).map(([metric, { decimals }]) => {
    const figure = sample?.figures.get(metric);
    const text = decimals === undefined ? String(figure) : figure?.toFixed(decimals);
    return [metric.replaceAll('_', '-'), figure === undefined ? '' : text];
  });
  return Object.fromEntries(figures);
}

function aggregatesOf({ gate, samples }: MeasuredSection): object {
  const judged = gate.judgements.map(({ condition }) => condition.metric);
  const aggregates = [...new Set([...Object.keys(METRICS), ...judged])].map(metric => {
    const entries = AGGREGATE_NAMES.map(name => [name, aggregateOf(name, metric, samples)]);
    return [metric, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(aggregates.filter(([, { last }]) => last !== undefined));
}

function breachEntry(breach: GateJudgement): object {
  const { level, condition } = breach;
  const { text, metric, limit } = condition;
  const figure = breach.holds === undefined ? null : breach.figure;
  return { level, condition: text, metric, figure, limit };
}
