import { badAnswer } from '../agent/answer.ts';
import type { Client } from '../agent/client.ts';
import { CONTRACT, type Figures, METRICS, metricKind } from '../gate/metrics.ts';
import { digitsOf, parseWithDigits } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';

/** The stats of one sample. */
export interface Stats {
  /** The contract's metrics, those derived, and those that conditions name, if reported. */
  readonly figures: Figures;
  /** The same as text: the digits that the agent sent, derived percentages with two decimals. */
  readonly digits: ReadonlyMap<string, string>;
  /** The agent's JSON, to the letter unless it holds a secret. */
  readonly json: string;
  /** A sentence for each of these metrics that is not a valid number. */
  readonly warnings: readonly string[];
}

/** Gets the stats once; `judged` are the metrics that conditions name. @throws AgentError */
export async function readStats(
  client: Pick<Client, 'send' | 'redact'>,
  statsPath: string,
  judged: ReadonlySet<string>,
): Promise<Stats> {
  // A cached answer would pass for a sandbox that is not there any more.
  const headers = { 'Cache-Control': 'no-cache' };
  const answer = await client.send({ method: 'GET', path: statsPath, headers });
  const stats = decodeStats(answer.text, judged, client.redact);
  if (stats instanceof Error) throw badAnswer(answer, stats.message);
  return stats;
}

/** Decodes the agent's stats, or returns an error that says why they are none. */
export function decodeStats(
  text: string,
  judged: ReadonlySet<string>,
  redact: Redact = same => same,
): Stats | Error {
  try {
    const body = parseWithDigits(text, redact);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      return new Error('it is not a JSON object');
    // JSON escapes allow many spellings of a secret, so only its parsed strings can be redacted.
    const isClean = !text.includes('\\') && redact(text) === text;
    const json = isClean ? text.trim() : JSON.stringify(body);
    return { ...figuresIn(new Map(Object.entries(body)), judged), json };
  } catch (error) {
    // A RangeError means that it is nested too deeply.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    // Without its cause: V8 quotes the text, and a quoted part of a secret cannot be redacted.
    return new Error('it is not JSON');
  }
}

function figuresIn(
  fields: ReadonlyMap<string, unknown>,
  judged: ReadonlySet<string>,
): Omit<Stats, 'json'> {
  const digits = new Map<string, string>();
  const warnings: string[] = [];
  for (const metric of new Set([...Object.keys(METRICS), ...judged])) {
    const value = fields.get(metric);
    const found = plainDigits(metric, digitsOf(value));
    const isExpected = Object.hasOwn(CONTRACT, metric) || judged.has(metric);
    if (found !== undefined) digits.set(metric, found);
    else if (isExpected && value !== undefined && value !== null)
      warnings.push(`The sandbox's ${metric} cannot be used: it is not a valid number.`);
  }
  dropUnknown(digits);
  const isMemoryReported = ['mem_used', 'mem_total'].some(name => fields.get(name) != null);
  if (!isMemoryReported) addFromMebibytes(digits);
  addDerived(digits);
  const figures = new Map([...digits].map(([metric, text]) => [metric, Number(text)] as const));
  return { figures, digits, warnings };
}

const MAX_INT64 = 2n ** 63n - 1n;

/** The digits of a number that is valid for the metric: in the contract, none is negative. */
function plainDigits(metric: string, sent: string | undefined): string | undefined {
  if (sent === undefined) return undefined;
  const figure = Number(sent);
  const isWhole = /^\d+$/.test(sent);
  const digits = isWhole ? sent : String(figure);
  if (!Object.hasOwn(CONTRACT, metric)) return Number.isFinite(figure) ? digits : undefined;
  if (metricKind(metric) === 'percentage')
    return Number.isFinite(figure) && figure >= 0 ? digits : undefined;
  // `4.0` and `4e9` are whole numbers too.
  const isInt64 = isWhole ? BigInt(sent) <= MAX_INT64 : Number.isSafeInteger(figure) && figure >= 0;
  return isInt64 ? digits : undefined;
}

const TOTALS = { mem_used: 'mem_total', mem_used_mib: 'mem_total_mib', disk_used: 'disk_total' };

/** A total of 0 means that the service does not know, so what is used of it is not known either. */
function dropUnknown(digits: Map<string, string>): void {
  for (const [used, total] of Object.entries(TOTALS))
    if (digits.has(total) && Number(digits.get(total)) === 0) digits.delete(used);
}

/** Adds the memory in bytes, for a service that reports it only in MiB. */
function addFromMebibytes(digits: Map<string, string>): void {
  const used = digits.get('mem_used_mib');
  const total = digits.get('mem_total_mib');
  if (used === undefined || total === undefined) return;
  digits.set('mem_used', String(BigInt(used) * 2n ** 20n));
  digits.set('mem_total', String(BigInt(total) * 2n ** 20n));
}

/** Adds free bytes and used percent. */
function addDerived(digits: Map<string, string>): void {
  for (const name of ['mem', 'disk']) {
    const total = BigInt(digits.get(`${name}_total`) ?? 0);
    const used = digits.get(`${name}_used`);
    if (total === 0n || used === undefined) continue;
    digits.set(`${name}_used_pct`, percentage(BigInt(used), total));
    digits.set(`${name}_free`, String(total - BigInt(used)));
  }
}

/** Percent with two decimals, rounded half up, in whole numbers since floats are inexact. */
function percentage(used: bigint, total: bigint): string {
  const hundredths = (used * 20_000n + total) / (total * 2n);
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`;
}
