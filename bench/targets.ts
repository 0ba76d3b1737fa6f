import { BASELINE } from './cold-start.ts';
import type { Results, Row } from './results.ts';

/** What is asked of the action, and what came of it. */
export interface Target {
  readonly what: string;
  /** The most that the value may be. */
  readonly limit: number;
  readonly unit: 'ratio' | 'bytes';
  /** Null where it was not measured. */
  readonly value: number | null;
  readonly reached: boolean | null;
}

const MIB = 1024 ** 2;

/** What is asked of the action as it comes, and whether a run showed it. */
export function judge(measured: Pick<Results, 'rows' | 'coldStarts' | 'samplerPeakBytes'>): Target[] {
  const { rows, coldStarts, samplerPeakBytes } = measured;
  const startOf = (entry: string) => coldStarts.find(start => start.entry === entry)?.medianMs;
  const toCurl = (limit: number, title: string, at: Place) => {
    const [action, curl] = ['action', 'curl -Z'].map(contender => find(rows, contender, at)?.medianMs);
    return ratio(limit, `${title}: action ÷ curl -Z`, [action, curl]);
  };
  const memory = (limit: number, title: string, at: Place) =>
    bytes(limit, `${title}: memory of action`, find(rows, 'action', at)?.peakBytes);
  return [
    toCurl(3.6, '2,000 × 4 KiB', { workload: 'small' }),
    toCurl(1.3, '2,000 × 4 KiB, 20 ms latency', { workload: 'small', latencyMs: 20 }),
    toCurl(2, '20,000 × 1 KiB', { workload: 'many' }),
    toCurl(2.2, 'mixed sizes', { workload: 'mixed' }),
    toCurl(1.6, '1 GiB', { workload: 'large' }),
    memory(110 * MIB, '1 GiB', { workload: 'large' }),
    memory(110 * MIB, '4 GiB', { workload: 'huge' }),
    ratio(4.3, `cold start: stats ÷ ${BASELINE}`, [startOf('stats'), startOf(BASELINE)]),
    bytes(70 * MIB, "memory of the monitor's sampler", samplerPeakBytes),
  ];
}

interface Place {
  readonly workload: string;
  readonly latencyMs?: number;
}

function find(rows: readonly Row[], contender: string, { workload, latencyMs = 0 }: Place): Row | undefined {
  return rows.find(row => row.workload === workload && row.contender === contender && row.latencyMs === latencyMs);
}

type Quotient = readonly (number | undefined)[];

function ratio(limit: number, what: string, [dividend, divisor]: Quotient): Target {
  const value = dividend === undefined || divisor === undefined ? null : dividend / divisor;
  return { what, limit, unit: 'ratio', value, reached: isReached(value, limit) };
}

function bytes(limit: number, what: string, value: number | null = null): Target {
  return { what, limit, unit: 'bytes', value, reached: isReached(value, limit) };
}

function isReached(value: number | null, limit: number): boolean | null {
  return value === null ? null : value <= limit;
}
