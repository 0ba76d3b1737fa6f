import { type Breach, type Gate, NO_GATE } from '../gate/judge.ts';
import { AGGREGATE_NAMES, aggregateOf, METRICS } from '../gate/metrics.ts';
import type { Sample } from '../stats/sample.ts';
import { listSome } from '../text/format.ts';
import { parseFields } from '../text/json.ts';
import { drawCharts } from './chart.ts';
import { breachLine, describeUsage, figuresTable, nameBreach } from './figures.ts';
import type { ReportHeader } from './report.ts';
import type { Reason, SectionView } from './verdict.ts';

export interface MeasuredSection {
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly gate: Gate;
  /** The time that a monitor or a run covers, in Unix milliseconds. */
  readonly monitored?: { readonly from: number; readonly to: number };
}

export const NOT_MEASURED: MeasuredSection = { samples: [], gate: NO_GATE };

export function viewMeasured(section: MeasuredSection, info: ReportHeader): SectionView {
  const { gate } = section;
  const aggregates = aggregatesOf(section);
  return {
    level: LEVELS[gate.state],
    headline: headlineOf(section, info),
    judgement: describeGate(section, info),
    reasons: breachLines(section, 'fail'),
    warnings: breachLines(section, 'warn'),
    outputs: { ...statsOutputs(section), ...gateOutputs(gate, aggregates) },
    blocks: [...figuresTable(section), ...drawCharts(section)],
    json: jsonOf(section, aggregates),
  };
}

const LEVELS = {
  passed: 'success',
  none: 'success',
  warned: 'warning',
  failed: 'failure',
} as const;

function headlineOf(
  { samples, gate }: MeasuredSection,
  { errors, cancelled }: ReportHeader,
): string {
  if (samples.length === 0 && errors.some(({ title }) => title !== undefined)) return '';
  // The gate's sentence already names the figures that tripped it.
  const hasBreaches = samples.length > 0 && gate.breaches.length > 0;
  return hasBreaches && !cancelled ? '' : describeUsage(samples);
}

const MAX_BREACHES = 3;

/** Returns a sentence such as `The gate failed: memory 93 % > 90 %.` */
function describeGate(
  { samples, gate }: MeasuredSection,
  { errors, cancelled }: ReportHeader,
): string {
  const { state, breaches } = gate;
  if (state === 'none' || samples.length === 0) return '';
  const level = state === 'failed' ? 'fail' : 'warn';
  const decisive = breaches.filter(breach => breach.level === level);
  const tripped = decisive.filter(({ holds }) => holds);
  if (cancelled && tripped.length === 0) return '';
  // An error already says why conditions were not judged.
  const named = tripped.length > 0 || errors.length > 0 ? tripped : decisive;
  const names = listSome(named.map(nameBreach), MAX_BREACHES);
  return names === '' ? `The gate ${state}.` : `The gate ${state}: ${names}.`;
}

function breachLines({ samples, gate }: MeasuredSection, level: Breach['level']): Reason[] {
  // Without samples, an error already says why nothing was judged.
  if (samples.length === 0) return [];
  return gate.breaches
    .filter(breach => breach.level === level)
    .map(breach => ({ text: breachLine(breach, samples), isUntrusted: false }));
}

function statsOutputs({ samples }: MeasuredSection): Record<string, string> {
  const last = samples.at(-1);
  const figures = Object.entries(METRICS).map(([metric, { decimals }]) => {
    const figure = last?.figures.get(metric);
    const text = decimals === undefined ? String(figure) : figure?.toFixed(decimals);
    return [metric.replaceAll('_', '-'), figure === undefined ? '' : text];
  });
  return { ...Object.fromEntries(figures), stats: last?.json ?? '' };
}

function gateOutputs({ state, breaches }: Gate, aggregates: object): Record<string, string> {
  return {
    gate: state,
    breaches: JSON.stringify(breaches.map(breachEntry)),
    aggregates: JSON.stringify(aggregates),
  };
}

function jsonOf({ samples, gate, monitored }: MeasuredSection, aggregates: object): object {
  const last = samples.at(-1);
  return {
    monitored,
    gate: { state: gate.state, breaches: gate.breaches.map(breachEntry) },
    figures: last === undefined ? null : Object.fromEntries(last.figures),
    aggregates,
    samples: samples.map(({ at, figures }) => ({ at, figures: Object.fromEntries(figures) })),
    stats: last === undefined ? null : parseFields(last.json),
  };
}

function aggregatesOf({ gate, samples }: MeasuredSection): object {
  const judged = [...gate.failIf, ...gate.warnIf].map(({ metric }) => metric);
  const aggregates = [...new Set([...Object.keys(METRICS), ...judged])].map(metric => {
    const entries = AGGREGATE_NAMES.map(name => [name, aggregateOf(name, metric, samples)]);
    return [metric, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(aggregates.filter(([, { last }]) => last !== undefined));
}

function breachEntry(breach: Breach): object {
  const { level, condition } = breach;
  const { text, metric, limit } = condition;
  const figure = breach.holds === undefined ? null : breach.figure;
  return { level, condition: text, metric, figure, limit };
}
