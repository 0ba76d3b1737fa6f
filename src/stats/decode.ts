import { CONTRACT, type Figure, type Figures, metricKind } from '../gate/metrics.ts';
import { fieldsOf, parseExactly } from '../text/exact-json.ts';

/** The stats of one reading. */
export interface Stats {
  /** The figures reported, under the contract's names, and those derived. What is missing was not reported. */
  readonly figures: Figures;
  /** The stats as the service sent them. */
  readonly json: string;
  /** A sentence for each known field that holds something other than its kind of number. */
  readonly warnings: readonly string[];
}

const MAX_INT64 = 2n ** 63n - 1n;

// A hostile agent could report names and digits without end, with every reading.
const MAX_FIGURES = 256;
const MAX_NAME = 100;
const LONG = 10n ** 40n;
const LEFT_OUT = `Some of the sandbox's figures are left out: beyond the standard ones, ${MAX_FIGURES} are kept, with names of up to ${MAX_NAME} characters and numbers of up to 40 digits.`;

/** Reads the agent's figures from a JSON object's text, and what follows from them, those `judged` before others. */
export function decodeStats(json: string, judged: ReadonlySet<string> = new Set()): Stats {
  const body = fieldsOf(parseExactly(json));
  const figures = new Map<string, Figure>();
  const others: [string, Figure][] = [];
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const figure = figureIn(name, value);
    if (!Object.hasOwn(CONTRACT, name) && !judged.has(name)) {
      if (figure !== undefined) others.push([name, figure]);
    } else if (figure !== undefined && isShort(figure)) figures.set(name, figure);
    else if (value !== null) warnings.push(`The sandbox's ${name} cannot be used: it is not a valid number.`);
  }
  const kept = others.filter(([name, figure]) => name.length <= MAX_NAME && isShort(figure)).slice(0, MAX_FIGURES);
  if (kept.length < others.length) warnings.push(LEFT_OUT);
  for (const [name, figure] of fromMebibytes(body, figures)) figures.set(name, figure);
  // Some services report totals of 0 where they do not know: what is used of nothing is not known either.
  for (const name of ['mem', 'disk'].filter(each => figures.get(`${each}_total`) === 0n))
    figures.delete(`${name}_used`);
  return { figures: new Map([...figures, ...kept, ...derive(figures)]), json, warnings };
}

function isShort(figure: Figure): boolean {
  return typeof figure === 'number' || (-LONG < figure && figure < LONG);
}

/** The number that a field holds, if it is one of its kind. */
function figureIn(name: string, value: unknown): Figure | undefined {
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isFinite(value))) return undefined;
  if (!Object.hasOwn(CONTRACT, name)) return value;
  if (metricKind(name) !== 'percentage') return toWhole(value);
  const percentage = Number(value);
  return Number.isFinite(percentage) && percentage >= 0 ? percentage : undefined;
}

/** A non-negative int64; `4.0` and `4e9` are whole numbers too. */
function toWhole(number: Figure): bigint | undefined {
  const whole = Number.isSafeInteger(number) ? BigInt(number) : number;
  return typeof whole === 'bigint' && whole >= 0n && whole <= MAX_INT64 ? whole : undefined;
}

/** The memory in bytes, of a service that reports it in MiB alone. What is there and no number is not made up for. */
function fromMebibytes(body: Readonly<Record<string, unknown>>, figures: Figures): [string, Figure][] {
  const [used, total] = [figures.get('mem_used_mib'), figures.get('mem_total_mib')];
  const isReported = ['mem_used', 'mem_total'].some(name => body[name] != null);
  if (isReported || typeof used !== 'bigint' || typeof total !== 'bigint') return [];
  return [
    ['mem_used', used * 2n ** 20n],
    ['mem_total', total * 2n ** 20n],
  ];
}

/** Free and used shares, where both parts are reported. */
function derive(figures: Figures): [string, Figure][] {
  return ['mem', 'disk'].flatMap((name): [string, Figure][] => {
    const [used, total] = [figures.get(`${name}_used`), figures.get(`${name}_total`)];
    if (typeof used !== 'bigint' || typeof total !== 'bigint') return [];
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
