import {
  type Condition,
  formatJudged,
  type Gate,
  type GateJudgement,
  isTrueFor,
} from '../gate/judge.ts';
import { aggregatesOf, type Figures, figureOf, METRICS, type Sample } from '../gate/metrics.ts';
import type { FailedObservation } from '../stats/sampling.ts';
import type { Gap, MonitoredTime, StatsResult } from '../stats/stats.ts';
import { inlineCode } from '../text/escape.ts';
import { formatCount, formatNumber, formatTime } from '../text/format.ts';
import { listSome } from '../text/shorten.ts';
import { drawChart } from './chart.ts';
import { describeUsage, figuresTable, formatMetric } from './figures.ts';
import { explainFailure, type Problem, type RenderedSection, sentenceCase } from './section.ts';

/** Renders the stats of a monitor, whose chart is worth a look without a gate, too. */
export function renderMonitor(result: StatsResult, cancelled: boolean): RenderedSection {
  const section = renderStats(result, cancelled);
  return result.gate.state === 'none' ? { ...section, blocks: drawChart(result) } : section;
}

export function renderStats(result: StatsResult, cancelled: boolean): RenderedSection {
  const { samples, response, gate, monitored } = result;
  const tripped = gate.judgements.filter(each => each.result === 'true').map(entryOf);
  const unjudged = gate.judgements.filter(each => each.result === 'unknown').map(entryOf);
  const aggregates = allAggregates(result);
  const figures = samples.at(-1)?.figures ?? {};
  return {
    problems: problemsOf(result, cancelled),
    done: describeStats(result, cancelled),
    warnings: warningsOf(result, cancelled),
    hasWarned: gate.state === 'warned',
    outputs: {
      ...figureOutputs(figures),
      stats: samples.length === 0 ? '' : JSON.stringify(response),
      gate: gate.state,
      tripped: JSON.stringify(tripped),
      unjudged: JSON.stringify(unjudged),
      aggregates: JSON.stringify(aggregates),
    },
    blocks: gate.state === 'none' ? [] : [...figuresTable(result), ...drawChart(result)],
    json: {
      monitored: monitored && monitoredJson(monitored),
      figures,
      samples: samples.map(({ at, figures: each }) => ({ at, figures: each })),
      response,
      gate: { state: gate.state, tripped, unjudged },
      aggregates,
    },
  };
}

/** Lists problems: what was not seen, since the rest follows from it, then what tripped. */
function problemsOf(
  { samples, error, gate, monitored }: StatsResult,
  cancelled: boolean,
): Problem[] {
  const failIf = gate.judgements.filter(({ level }) => level === 'fail');
  // Without `fail-if`, a gap is a warning.
  const gaps = failIf.length === 0 ? [] : (monitored?.gaps ?? []);
  const unseen = [
    ...(error === undefined ? [] : [{ verdict: UNREAD, lines: explainFailure(error) }]),
    ...gaps.map(gap => ({ verdict: describeGap(gap), lines: explainGap(gap) })),
  ];
  const tripped = failIf.filter(({ result }) => result === 'true');
  const unjudged = failIf
    .filter(({ result }) => result === 'unknown')
    .filter(
      // A cancelled step lacks samples, and what was not seen has been told.
      ({ condition }) => (!cancelled && unseen.length === 0) || isUnreported(condition, samples),
    );
  const named = tripped.length > 0 ? tripped : unjudged;
  if (named.length === 0) return unseen;
  const lines = [...tripped, ...unjudged].flatMap(each => explainJudgement(each, samples));
  return [...unseen, { verdict: `gate failed: ${summarizeJudgements(named)}`, lines }];
}

const UNREAD = 'the stats could not be read';

function isUnreported({ metric }: Condition, samples: readonly Sample[]): boolean {
  return samples.some(({ figures }) => figureOf(metric, figures) === undefined);
}

function warningsOf({ samples, gate, monitored }: StatsResult, cancelled: boolean): string[] {
  const { gaps = [], failures = [] } = monitored ?? {};
  const hasFailIf = gate.judgements.some(({ level }) => level === 'fail');
  const judged = warningJudgements(gate).filter(({ result }) => result === 'true' || !cancelled);
  return [
    ...judged.flatMap(each => explainJudgement(each, samples)),
    // A gap says what failed in it. Without conditions, single failures do not matter.
    ...(gate.state === 'none' || gaps.length > 0 ? [] : describeFailures(failures)),
    ...(hasFailIf
      ? []
      : gaps.map(gap => [`${sentenceCase(describeGap(gap))}.`, ...explainGap(gap)].join(' '))),
  ];
}

function warningJudgements({ judgements }: Gate): GateJudgement[] {
  return judgements.filter(({ level, result }) => level === 'warn' && result !== 'false');
}

function describeGap({ from, to }: Gap): string {
  return `the sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}`;
}

function explainGap({ endReason, failures }: Gap): string[] {
  const end = endReason === undefined ? [] : [`Sampling had ended: ${endReason}.`];
  return [...describeFailures(failures), ...end];
}

function describeFailures(failures: readonly FailedObservation[]): string[] {
  const last = failures.at(-1);
  if (last === undefined) return [];
  const suffix = failures.length === 1 ? '' : ', the last';
  return [`${formatCount(failures.length, 'sample')} failed${suffix}: ${last.message}`];
}

/** Says what passed, and the figures if no table has them. */
function describeStats({ samples, gate, monitored }: StatsResult, cancelled: boolean): string {
  if (cancelled) return 'cancelled';
  if (gate.state === 'passed') return 'gate passed';
  if (gate.state === 'warned')
    return `gate warned: ${summarizeJudgements(warningJudgements(gate))}`;
  if (gate.state === 'failed') return '';
  if (samples.length === 0) return monitored === undefined ? '' : 'no stats were read';
  // Say that there is no gate: the variable that holds the conditions may be unset.
  return `${describeUsage(samples)} · no gate`;
}

// Few fit in a heading; the lines below it list all of them.
const MAX_NAMED = 3;

function summarizeJudgements(judgements: readonly GateJudgement[]): string {
  return listSome(judgements.map(summarizeJudgement), MAX_NAMED);
}

/** Describes a judgement in a few words, such as `memory 93 % > 90 %`. */
function summarizeJudgement(judgement: GateJudgement): string {
  const { condition } = judgement;
  const { text, metric, aggregate, operator, limitText } = condition;
  if (judgement.result === 'unknown') return `\`${text}\` cannot be judged`;
  const comparison = `${formatJudged(condition, judgement.figure)} ${operator} ${limitText}`;
  return [formatMetric(metric), aggregate ?? [], comparison].flat().join(' ');
}

/** Says how often a condition tripped, or why it cannot be judged, if the heading does not say it. */
function explainJudgement(judgement: GateJudgement, samples: readonly Sample[]): string[] {
  const { condition } = judgement;
  const { metric, aggregate } = condition;
  const text = inlineCode(condition.text);
  if (judgement.result === 'unknown') return [`${text}: ${judgement.why}.`];
  if (samples.length < 2 || aggregate !== undefined) return [];
  const allSamples = formatCount(samples.length, 'sample');
  const first = samples.find(({ figures }) => figureOf(metric, figures) === judgement.figure);
  const count = samples.filter(sample => isTrueFor(condition, sample)).length;
  const figure = formatJudged(condition, judgement.figure);
  const time = formatTime(first?.at ?? 0);
  return [`${text}: ${figure} at ${time}, in ${formatNumber(count)} of ${allSamples}.`];
}

function figureOutputs(figures: Figures): Record<string, string> {
  const outputs = Object.keys(METRICS).map(metric => {
    return [metric.replaceAll('_', '-'), String(figureOf(metric, figures) ?? '')];
  });
  return Object.fromEntries(outputs);
}

/** Returns all aggregates by metric. One that no sample has is undefined, so not in the JSON. */
function allAggregates({ gate, samples }: StatsResult): object {
  const judged = gate.judgements.map(({ condition }) => condition.metric);
  const metrics = [...Object.keys(METRICS), ...judged];
  return Object.fromEntries(metrics.map(metric => [metric, aggregatesOf(metric, samples)]));
}

function entryOf(judgement: GateJudgement): object {
  const { level, condition, result: _, ...outcome } = judgement;
  const { text, metric, limit } = condition;
  return { level, condition: text, metric, limit, ...outcome };
}

function monitoredJson({ from, to, gaps, failures }: MonitoredTime): object {
  return {
    from,
    to,
    gaps: gaps.map(gap => ({ from: gap.from, to: gap.to })),
    failures: failures.map(({ askedAt, at, message }) => ({ askedAt, answeredAt: at, message })),
  };
}
