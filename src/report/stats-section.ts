import { describeJudgement, formatJudged, type GateJudgement, judge } from '../gate/judge.ts';
import {
  AGGREGATE_NAMES,
  aggregateOf,
  formatFigure,
  METRICS,
  type Sample,
} from '../gate/metrics.ts';
import type { FailedAttempt } from '../stats/samples.ts';
import type { Gap, MonitoredTime, StatsResult } from '../stats/stats.ts';
import { formatCount, formatNumber, formatTime, listSome } from '../text/format.ts';
import { parseFields } from '../text/json.ts';
import { drawCharts } from './chart.ts';
import { describeUsage, figuresTable, formatMetric } from './figures.ts';
import {
  type Reason,
  type ReasonLine,
  type RenderedSection,
  reasonOfFailure,
  withMarkup,
} from './section.ts';

interface Step {
  readonly cancelled: boolean;
  /** False if the step has done something else, which matters more than the figures. */
  readonly isOnlyResult: boolean;
}

export function renderStats(result: StatsResult, step: Step): RenderedSection {
  const { samples, gate } = result;
  const tripped = gate.judgements.filter(each => each.result === 'true');
  const unjudged = gate.judgements.filter(each => each.result === 'unknown');
  const entries = { tripped: tripped.map(entryOf), unjudged: unjudged.map(entryOf) };
  const aggregates = aggregatesOf(result);
  return {
    level: LEVELS[gate.state],
    problems: problemsOf(result, step),
    done: describeStats(result, step),
    warnings: warningsOf(result),
    outputs: {
      ...figureOutputs(samples.at(-1)),
      stats: result.response,
      gate: gate.state,
      tripped: JSON.stringify(entries.tripped),
      unjudged: JSON.stringify(entries.unjudged),
      aggregates: JSON.stringify(aggregates),
    },
    blocks: showsFigures(result) ? [...figuresTable(result), ...drawCharts(result)] : [],
    json: { ...jsonOf(result), gate: { state: gate.state, ...entries }, aggregates },
  };
}

/** A command that nobody judges and that was over after one sample needs no figures. */
function showsFigures({ monitored, samples, gate }: StatsResult): boolean {
  return monitored === undefined || samples.length > 1 || gate.state !== 'none';
}

const LEVELS = {
  passed: 'success',
  none: 'success',
  warned: 'warning',
  failed: 'failure',
} as const;

/** Lists problems, worst first: what tripped, why samples are missing, what was not judged. */
function problemsOf(result: StatsResult, { cancelled }: Step): Reason[] {
  const { samples, error } = result;
  const failing = notPassedAt('fail', result);
  const isTripped = failing.some(each => each.result === 'true');
  const gaps = isGapAProblem(result) ? gapsOf(result) : [];
  // Missing samples explain why conditions were not judged.
  const isExplained = cancelled || error !== undefined || gaps.length > 0 || samples.length === 0;
  const isGateAProblem = failing.length > 0 && (isTripped || !isExplained);
  return [
    ...(isGateAProblem ? [explainGate(result, failing)] : []),
    ...(error === undefined
      ? []
      : [[withMarkup('The stats could not be read.'), ...reasonOfFailure(error)]]),
    ...gaps.map(explainGap),
  ];
}

function notPassedAt(level: GateJudgement['level'], { gate }: StatsResult): GateJudgement[] {
  return gate.judgements.filter(each => each.level === level && each.result !== 'false');
}

/** A gap fails a step with `fail-if`, and is a warning otherwise. */
function isGapAProblem({ gate }: StatsResult): boolean {
  return gate.judgements.some(({ level }) => level === 'fail');
}

function gapsOf(result: StatsResult): readonly Gap[] {
  return result.monitored?.gaps ?? [];
}

function warningsOf(result: StatsResult): ReasonLine[] {
  const gaps = isGapAProblem(result) ? [] : gapsOf(result);
  // Without samples, every line would only repeat that there are no stats.
  const conditions = result.samples.length === 0 ? [] : notPassedAt('warn', result);
  // A gap says what failed in it. Without conditions, single failures do not matter.
  const isSaid = result.gate.state === 'none' || gapsOf(result).length > 0;
  return [
    ...conditions.map(each => withMarkup(explainJudgement(each, result.samples))),
    ...(isSaid ? [] : describeFailures(result.monitored?.failures ?? [])),
    ...gaps.flatMap(explainGap),
  ];
}

function explainGap({ from, to, samplingEnd, failures }: Gap): Reason {
  const title = `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}.`;
  const end = samplingEnd === 'requested' ? [] : [`Sampling had ended: ${samplingEnd.early}.`];
  return [withMarkup(title), ...describeFailures(failures), ...end.map(text => ({ text }))];
}

function describeFailures(failures: readonly FailedAttempt[]): Reason {
  const last = failures.at(-1);
  if (last === undefined) return [];
  const suffix = failures.length === 1 ? '' : ', the last';
  return [{ text: `${formatCount(failures.length, 'sample')} failed${suffix}: ${last.message}` }];
}

// Few fit in a title; the lines below it list all of them.
const MAX_NAMED = 3;

function explainGate({ samples }: StatsResult, failing: readonly GateJudgement[]): Reason {
  const tripped = failing.filter(({ result }) => result === 'true');
  const names = (tripped.length > 0 ? tripped : failing).map(summarizeJudgement);
  return [
    withMarkup(`The gate failed: ${listSome(names, MAX_NAMED)}.`),
    ...failing.map(each => withMarkup(explainJudgement(each, samples))),
  ];
}

/** Says what passed, or what the figures are if nothing else was done. */
function describeStats(result: StatsResult, { cancelled, isOnlyResult }: Step): string {
  const { samples, gate, error } = result;
  if (samples.length === 0) return error === undefined && isOnlyResult ? 'No stats were read.' : '';
  // The conditions that fail a gate name their figures.
  const showsUsage = isOnlyResult && (cancelled || gate.state !== 'failed');
  const suffix = gate.state === 'none' ? '; no gate.' : '.';
  const usage = showsUsage ? `${describeUsage(samples)}${suffix}` : '';
  // A cancelled step lacks samples, so its gate has not passed.
  const verdict = cancelled ? '' : describeGate(result);
  return [usage, verdict].filter(sentence => sentence !== '').join(' ');
}

function describeGate(result: StatsResult): string {
  if (result.gate.state === 'passed') return 'The gate passed.';
  if (result.gate.state !== 'warned') return '';
  return `The gate warned: ${listSome(notPassedAt('warn', result).map(summarizeJudgement), MAX_NAMED)}.`;
}

/** Describes a judgement in a few words, such as `memory 93 % > 90 %`. */
function summarizeJudgement(judgement: GateJudgement): string {
  const { condition } = judgement;
  const { text, metric, aggregate, operator, limit } = condition;
  if (judgement.result === 'unknown') return `\`${text}\` cannot be judged`;
  const figure = formatJudged(condition, judgement.figure);
  const comparison = `${figure} ${operator} ${formatFigure(metric, limit)}`;
  return [formatMetric(metric), aggregate ?? [], comparison].flat().join(' ');
}

function explainJudgement(judgement: GateJudgement, samples: readonly Sample[]): string {
  const line = describeJudgement(judgement);
  const { condition } = judgement;
  if (judgement.result === 'unknown' || samples.length < 2) return line;
  const allSamples = formatCount(samples.length, 'sample');
  if (condition.aggregate !== undefined) return `${line} over ${allSamples}`;
  const first = samples.find(({ figures }) => figures.get(condition.metric) === judgement.figure);
  const count = samples.filter(sample => judge(condition, [sample]).result === 'true').length;
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

function aggregatesOf({ gate, samples }: StatsResult): object {
  const judged = gate.judgements.map(({ condition }) => condition.metric);
  const aggregates = [...new Set([...Object.keys(METRICS), ...judged])].map(metric => {
    const entries = AGGREGATE_NAMES.map(name => [name, aggregateOf(name, metric, samples)]);
    return [metric, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(aggregates.filter(([, { last }]) => last !== undefined));
}

function entryOf(judgement: GateJudgement): object {
  const { level, condition } = judgement;
  const { text, metric, limit } = condition;
  const entry = { level, condition: text, metric, limit };
  return judgement.result === 'unknown'
    ? { ...entry, why: judgement.why }
    : { ...entry, figure: judgement.figure };
}

function jsonOf(result: StatsResult): object {
  const { samples, response } = result;
  const last = samples.at(-1);
  return {
    monitored: result.monitored && monitoredJson(result.monitored),
    figures: last === undefined ? null : Object.fromEntries(last.figures),
    samples: samples.map(({ at, figures }) => ({ at, figures: Object.fromEntries(figures) })),
    response: response === '' ? null : parseFields(response),
  };
}

function monitoredJson({ from, to, gaps, failures }: MonitoredTime): object {
  return {
    from,
    to,
    gaps: gaps.map(gap => ({ from: gap.from, to: gap.to })),
    failures: failures.map(({ askedAt, at, message }) => ({ askedAt, answeredAt: at, message })),
  };
}
