import {
  describeJudgement,
  formatJudged,
  type Gate,
  type GateJudgement,
  judge,
} from '../gate/judge.ts';
import {
  AGGREGATE_NAMES,
  aggregateOf,
  formatFigure,
  METRICS,
  type Sample,
} from '../gate/metrics.ts';
import type { FailedObservation } from '../stats/sampling.ts';
import type { Gap, MonitoredTime, StatsResult } from '../stats/stats.ts';
import { formatCount, formatNumber, formatTime, listSome } from '../text/format.ts';
import { parseFields } from '../text/json.ts';
import { drawChart } from './chart.ts';
import { describeUsage, figuresTable, formatMetric } from './figures.ts';
import {
  type Reason,
  type ReasonLine,
  type RenderedSection,
  reasonOfFailure,
  withMarkup,
} from './section.ts';

interface View {
  readonly cancelled: boolean;
  /** False if the step has done something else, which matters more than the figures. */
  readonly isOnlyResult: boolean;
}

export function renderStats(result: StatsResult, view: View): RenderedSection {
  const { samples, response, gate, monitored } = result;
  const tripped = gate.judgements.filter(each => each.result === 'true').map(entryOf);
  const unjudged = gate.judgements.filter(each => each.result === 'unknown').map(entryOf);
  const aggregates = aggregatesOf(result);
  const figures = Object.fromEntries(samples.at(-1)?.figures ?? []);
  return {
    problems: problemsOf(result, view),
    done: describeStats(result, view),
    warnings: warningsOf(result, view),
    outputs: {
      ...figureOutputs(figures),
      stats: response,
      gate: gate.state,
      tripped: JSON.stringify(tripped),
      unjudged: JSON.stringify(unjudged),
      aggregates: JSON.stringify(aggregates),
    },
    blocks: showsFigures(result) ? [...figuresTable(result), ...drawChart(result)] : [],
    json: {
      monitored: monitored && monitoredJson(monitored),
      figures,
      samples: samples.map(({ at, figures: each }) => ({ at, figures: Object.fromEntries(each) })),
      response: parseFields(response),
      gate: { state: gate.state, tripped, unjudged },
      aggregates,
    },
  };
}

/** A command that nobody judges and that was over after one sample needs no figures. */
function showsFigures({ monitored, samples, gate }: StatsResult): boolean {
  return monitored === undefined || samples.length > 1 || gate.state !== 'none';
}

/** Lists problems, worst first: what tripped, why samples are missing, what was not judged. */
function problemsOf(result: StatsResult, { cancelled }: View): Reason[] {
  const { samples, error, gate, monitored } = result;
  const failIf = gate.judgements.filter(({ level }) => level === 'fail');
  const tripped = failIf.filter(each => each.result === 'true');
  // A cancelled step lacks samples.
  const unjudged = cancelled ? [] : failIf.filter(each => each.result === 'unknown');
  const named = tripped.length > 0 ? tripped : unjudged;
  const verdict = [
    withMarkup(`The gate failed: ${summarizeJudgements(named)}.`),
    ...[...tripped, ...unjudged].map(each => withMarkup(explainJudgement(each, samples))),
  ];
  const unread = error && [withMarkup('The stats could not be read.'), ...reasonOfFailure(error)];
  // Without `fail-if`, a gap is a warning.
  const gaps = failIf.length === 0 ? [] : (monitored?.gaps ?? []);
  return [
    ...(tripped.length > 0 ? [verdict] : []),
    ...(unread === undefined ? [] : [unread]),
    ...gaps.map(explainGap),
    ...(named === unjudged && unjudged.length > 0 ? [verdict] : []),
  ];
}

function warningsOf({ samples, gate, monitored }: StatsResult, { cancelled }: View): ReasonLine[] {
  const { gaps = [], failures = [] } = monitored ?? {};
  const hasFailIf = gate.judgements.some(({ level }) => level === 'fail');
  return [
    ...warningJudgements(gate)
      .filter(({ result }) => result === 'true' || !cancelled)
      .map(each => withMarkup(explainJudgement(each, samples))),
    // A gap says what failed in it. Without conditions, single failures do not matter.
    ...(gate.state === 'none' || gaps.length > 0 ? [] : describeFailures(failures)),
    ...(hasFailIf ? [] : gaps.flatMap(explainGap)),
  ];
}

function warningJudgements({ judgements }: Gate): GateJudgement[] {
  return judgements.filter(({ level, result }) => level === 'warn' && result !== 'false');
}

function explainGap({ from, to, samplingEnd, failures }: Gap): Reason {
  const title = `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}.`;
  const end = samplingEnd === 'requested' ? [] : [`Sampling had ended: ${samplingEnd.early}.`];
  return [withMarkup(title), ...describeFailures(failures), ...end.map(text => ({ text }))];
}

function describeFailures(failures: readonly FailedObservation[]): Reason {
  const last = failures.at(-1);
  if (last === undefined) return [];
  const suffix = failures.length === 1 ? '' : ', the last';
  return [{ text: `${formatCount(failures.length, 'sample')} failed${suffix}: ${last.message}` }];
}

/** Says what passed, or what the figures are if nothing else was done. */
function describeStats({ samples, gate, error }: StatsResult, view: View): string {
  const { cancelled, isOnlyResult } = view;
  if (samples.length === 0) return error === undefined && isOnlyResult ? 'No stats were read.' : '';
  const suffix = gate.state === 'none' ? '; no gate.' : '.';
  const usage = isOnlyResult ? `${describeUsage(samples)}${suffix}` : '';
  // A cancelled step lacks samples, so its gate has not passed.
  return [usage, cancelled ? '' : describeGate(gate)].filter(Boolean).join(' ');
}

function describeGate(gate: Gate): string {
  if (gate.state === 'passed') return 'The gate passed.';
  if (gate.state !== 'warned') return '';
  return `The gate warned: ${summarizeJudgements(warningJudgements(gate))}.`;
}

// Few fit in a title; the lines below it list all of them.
const MAX_NAMED = 3;

function summarizeJudgements(judgements: readonly GateJudgement[]): string {
  return listSome(judgements.map(summarizeJudgement), MAX_NAMED);
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

function figureOutputs(figures: Readonly<Record<string, number>>): Record<string, string> {
  const outputs = Object.keys(METRICS).map(metric => {
    return [metric.replaceAll('_', '-'), String(figures[metric] ?? '')];
  });
  return Object.fromEntries(outputs);
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
