import { AgentError } from '../agent/failure.ts';
import type { Figure, Figures } from '../gate/metrics.ts';
import { parseExactly } from '../text/exact-json.ts';

/** The stats of one reading. */
export interface Stats {
  /** The figures reported, under the contract's names, and those derived. What is missing was not reported. */
  readonly figures: Figures;
  /** The stats as the service sent them. */
  readonly json: string;
  /** A sentence for each known field that holds something other than its kind of number. */
  readonly warnings: readonly string[];
}

/** The contract's whole-number fields (int64). */
export const WHOLE_FIELDS = [
  'ts',
  'cpu_count',
  'mem_total',
  'mem_used',
  'disk_used',
  'disk_total',
  'mem_used_mib',
  'mem_total_mib',
] as const;

const MAX_INT64 = 2n ** 63n - 1n;

/**
 * Reads the figures out of the agent's JSON and derives what follows from them.
 * @throws AgentError `bad-answer` where it is not a JSON object.
 */
export function decodeStats(json: string): Stats {
  const body = parse(json);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AgentError('bad-answer', 'The stats are not a JSON object.');
  }
  const figures = new Map<string, Figure>();
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const figure = toFigure(name, value);
    if (figure !== undefined) figures.set(name, figure);
    else if (isKnown(name) && value !== null)
      warnings.push(`The sandbox's ${name} cannot be used: it is not a number of its kind.`);
  }
  return { figures: new Map([...figures, ...derive(figures)]), json, warnings };
}

function parse(json: string): unknown {
  try {
    return parseExactly(json);
  } catch (cause) {
    throw new AgentError('bad-answer', 'The stats cannot be parsed.', { cause });
  }
}

/** Free and used shares, where both parts are reported and the total is not 0. */
function derive(figures: Figures): [string, Figure][] {
  return ['mem', 'disk'].flatMap((name): [string, Figure][] => {
    const used = figures.get(`${name}_used`);
    const total = figures.get(`${name}_total`);
    if (typeof used !== 'bigint' || typeof total !== 'bigint' || total === 0n) return [];
    return [
      [`${name}_used_pct`, percentage(used, total)],
      [`${name}_free`, total - used],
    ];
  });
}

/** Percent with two decimals, rounded half up, computed without a float until the end. */
function percentage(used: bigint, total: bigint): number {
  return Number((used * 20_000n + total) / (total * 2n)) / 100;
}

function toFigure(name: string, value: unknown): Figure | undefined {
  if (isWhole(name)) return toWhole(value);
  if (name === 'cpu_used_pct') return toPercentage(value);
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function toPercentage(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** A non-negative int64; `4.0` and `4e9` are whole numbers too. */
function toWhole(value: unknown): bigint | undefined {
  const whole = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof whole === 'bigint' && whole >= 0n && whole <= MAX_INT64 ? whole : undefined;
}

function isWhole(name: string): boolean {
  return WHOLE_FIELDS.some(field => field === name);
}

function isKnown(name: string): boolean {
  return isWhole(name) || name === 'cpu_used_pct';
}
