import { BASELINE } from './cold-start.ts';
import type { Results, Row } from './results.ts';

/** A target for the action, and what was measured. */
export interface Target {
  readonly what: string;
  /** The most that the value may be. */
  readonly limit: number;
  readonly unit: 'ratio' | 'bytes';
  /** Null if it was not measured. */
  readonly value: number | null;
  readonly reached: boolean | null;
}

const MIB = 1024 ** 2;

/** The targets for the action with its defaults, and whether a run met them. */
export function judge({ rows, coldStarts, samplerPeakBytes }: Measured): Target[] {
  const startOf = (entry: string) => coldStarts.find(start => start.entry === entry)?.medianMs;
  const cold = (limit: number, entry: string) =>
    ratio(limit, `cold start: ${entry} ÷ ${BASELINE}`, [startOf(entry), startOf(BASELINE)]);
  const against = (limit: number, rivals: Rivals, title: string, at: At) =>
    ratio(limit, `${title}: action ÷ ${rivals}`, [
      timeOf(rows, 'action', at),
      timeOf(rows, rivals, at),
    ]);
  const memory = (mebibytes: number, title: string, workload: string, contender = ACTION) => {
    const row = find(rows, { workload }).find(each => each.contender === contender);
    return bytes(mebibytes * MIB, `${title}: memory of ${contender}`, row?.peakBytes);
  };
  const oneByOne = ratio(4, `${SMALL}: ${ONE_BY_ONE} ÷ curl -Z`, [
    find(rows, { workload: 'small' }).find(({ contender }) => contender === ONE_BY_ONE)?.medianMs,
    timeOf(rows, 'curl -Z', { workload: 'small' }),
  ]);
  const distant = [
    [0.8, '20 ms latency'],
    [0.55, '100 ms latency'],
    [1, 'TLS, 20 ms latency'],
    [0.65, 'TLS, 100 ms latency'],
  ] as const;
  return [
    against(2.5, 'curl -Z', SMALL, { workload: 'small' }),
    against(1, 'e2b list', SMALL, { workload: 'small' }),
    oneByOne,
    ...distant.map(([limit, place]) =>
      against(limit, 'fastest other', `${SMALL}, ${place}`, { workload: 'small', place }),
    ),
    against(1.5, 'curl -Z', '20,000 × 1 KiB', { workload: 'many' }),
    against(0.5, 'fastest e2b', 'mixed sizes', { workload: 'mixed' }),
    against(1.1, 'the line', 'mixed sizes, 100 Mbit/s', {
      workload: 'uplink',
      place: '100 Mbit/s',
    }),
    against(1.8, 'curl -Z', '1 GiB', { workload: 'large' }),
    against(0.35, 'fastest e2b', '1 GiB', { workload: 'large' }),
    memory(110, '1 GiB', 'large'),
    memory(110, '4 GiB', 'huge'),
    memory(170, 'mixed sizes', 'mixed'),
    memory(260, '20,000 × 1 KiB', 'many'),
    memory(450, '20,000 × 1 KiB', 'many', ONE_BY_ONE),
    cold(4, 'upload'),
    cold(4.3, 'stats'),
    bytes(70 * MIB, "memory of the monitor's sampler", samplerPeakBytes),
  ];
}

type Measured = Pick<Results, 'rows' | 'coldStarts' | 'samplerPeakBytes'>;

interface At {
  readonly workload: string;
  readonly place?: string;
}

const SMALL = '2,000 × 4 KiB';
const ACTION = 'action';
const ONE_BY_ONE = 'action, files-per-request: 1';

type Rivals = 'curl -Z' | 'e2b list' | 'fastest e2b' | 'fastest other' | 'the line';

/** The shortest time of some rivals, in milliseconds; undefined if not measured. */
function timeOf(rows: readonly Row[], rivals: Rivals | 'action', at: At): number | undefined {
  const found = find(rows, at);
  if (rivals === 'the line')
    return found.find(({ lineMs }) => lineMs !== null)?.lineMs ?? undefined;
  const takesPart: Readonly<Record<typeof rivals, (row: Row) => boolean>> = {
    action: isAction,
    'curl -Z': ({ kind }) => kind === 'curl -Z',
    'e2b list': ({ kind }) => kind === 'e2b list',
    'fastest e2b': ({ kind }) => kind.startsWith('e2b'),
    'fastest other': ({ kind }) => kind !== 'action',
  };
  const times = found.filter(takesPart[rivals]).map(({ medianMs }) => medianMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

function isAction({ contender }: Row): boolean {
  return contender === ACTION;
}

function find(rows: readonly Row[], { workload, place = '' }: At): Row[] {
  return rows.filter(row => row.workload === workload && row.place === place);
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
