import { inlineCode } from '../text/escape.ts';
import { formatCount, formatNumber } from '../text/format.ts';
import { listSome } from '../text/shorten.ts';
import {
  AGGREGATES,
  type Aggregate,
  figureOf,
  formatFigure,
  type Sample,
  valuesOf,
} from './metrics.ts';

export interface Condition {
  /** The condition as shown to users, with normalized spacing: `mem_used_pct.max >= 90%`. */
  readonly text: string;
  readonly metric: string;
  /** If undefined, any single sample can trip the condition. */
  readonly aggregate: Aggregate | undefined;
  readonly operator: Operator;
  /** In the metric's own unit. */
  readonly limit: number;
  /** The limit as it was written, with its unit: `0.01 %`. */
  readonly limitText: string;
}

export const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const;
type Operator = (typeof OPERATORS)[number];

export interface Gate {
  readonly state: 'none' | 'passed' | 'warned' | 'failed';
  /** In the order of `fail-if`, then `warn-if`. */
  readonly judgements: readonly GateJudgement[];
}

export type GateJudgement = Judgement & { readonly level: 'fail' | 'warn' };

/** How the samples compare with a condition. In a gate, `true` means that it trips. */
export type Judgement = { readonly condition: Condition } & (
  | { readonly result: 'true' | 'false'; readonly figure: number }
  | { readonly result: 'unknown'; readonly why: string }
);

export type GateConditions = Readonly<Record<'failIf' | 'warnIf', readonly Condition[]>>;

export function judgeGate(
  { failIf, warnIf }: GateConditions,
  samples: readonly Sample[],
  isIncomplete: boolean,
): Gate {
  const judgeAs = (level: GateJudgement['level'], conditions: readonly Condition[]) =>
    conditions.map(each => ({ ...judge(each, samples, isIncomplete), level }));
  const judgements = [...judgeAs('fail', failIf), ...judgeAs('warn', warnIf)];
  return { state: stateOf(judgements), judgements };
}

function stateOf(judgements: readonly GateJudgement[]): Gate['state'] {
  if (judgements.length === 0) return 'none';
  const [worst] = judgements.filter(({ result }) => result !== 'false');
  if (worst === undefined) return 'passed';
  return worst.level === 'fail' ? 'failed' : 'warned';
}

/** Judges a condition. If samples are missing (`isIncomplete`), the others can only make it true. */
export function judge(
  condition: Condition,
  samples: readonly Sample[],
  isIncomplete: boolean,
): Judgement {
  const { metric, aggregate = 'last', operator, limit } = condition;
  const unknown = (why: string) => ({ condition, result: 'unknown', why }) as const;
  const why = whyNotJudged(metric, samples);
  if (why !== undefined) return unknown(why);
  const figures = valuesOf(metric, samples);
  const figure = AGGREGATES[aggregate](figures);
  const candidates = condition.aggregate === undefined ? mostExtreme(operator, figures) : [figure];
  const match = candidates.find(candidate => COMPARE[operator](candidate, limit));
  if (match !== undefined) return { condition, result: 'true', figure: match };
  return isIncomplete ? unknown('samples are missing') : { condition, result: 'false', figure };
}

/** Returns true if this sample alone makes the condition true. */
export function isTrueFor(condition: Condition, sample: Sample): boolean {
  return judge(condition, [sample], false).result === 'true';
}

function whyNotJudged(metric: string, samples: readonly Sample[]): string | undefined {
  if (samples.length === 0) return 'there are no stats';
  const lacking = samples.filter(({ figures }) => figureOf(metric, figures) === undefined);
  const [first] = lacking;
  if (first === undefined) return undefined;
  if (lacking.length < samples.length)
    return `${formatNumber(lacking.length)} of ${formatCount(samples.length, 'sample')} do not report ${inlineCode(metric)}`;
  return `the sandbox does not report ${inlineCode(metric)}; it reports ${namesIn(first)}`;
}

const COMPARE: Readonly<Record<Operator, (figure: number, limit: number) => boolean>> = {
  '>': (figure, limit) => figure > limit,
  '>=': (figure, limit) => figure >= limit,
  '<': (figure, limit) => figure < limit,
  '<=': (figure, limit) => figure <= limit,
  '==': (figure, limit) => figure === limit,
  '!=': (figure, limit) => figure !== limit,
};

// Conditions with > or < report the most extreme figure; with == or !=, the first that trips them.
function mostExtreme(operator: Operator, figures: readonly number[]): readonly number[] {
  if (operator.startsWith('>')) return [AGGREGATES.max(figures)];
  return operator.startsWith('<') ? [AGGREGATES.min(figures)] : figures;
}

// Agents may report hundreds of metrics, so do not list them all.
const MAX_REPORTED = 30;

function namesIn({ figures }: Sample): string {
  return listSome(Object.keys(figures).sort().map(inlineCode), MAX_REPORTED) || 'nothing';
}

/** Describes a judgement that is not true. */
export function describeJudgement(judgement: Judgement): string {
  const { condition } = judgement;
  const text = inlineCode(condition.text);
  if (judgement.result === 'unknown') return `${text} cannot be judged: ${judgement.why}`;
  return `${text} is false: it was ${formatJudged(condition, judgement.figure)}`;
}

/** Formats a judged figure, and adds it unrounded if it would look equal to the limit. */
export function formatJudged({ metric, limit, limitText }: Condition, figure: number): string {
  const text = formatFigure(metric, figure);
  const isMisleading = figure !== limit && text === limitText;
  return isMisleading ? `${text} (${figure})` : text;
}
