import { BASELINE } from './cold-start.ts';
import type { ColdStart, Row, Target } from './results.ts';

/** What the targets are judged by. */
export interface Measured {
  readonly rows: readonly Row[];
  readonly coldStarts: readonly ColdStart[];
}

const MIB = 1024 ** 2;
// What only finding and sending files needs.
const OF_UPLOADS = ['minimatch', 'undici'];

/** What is asked of the action as it comes, and whether it was shown. */
export function judge(measured: Measured): Target[] {
  return [...smallFiles(measured), ...manyFiles(measured), ...largeFiles(measured), ...starts(measured)];
}

/** Of the action as it comes, and where small files may share requests, which an agent must allow. */
function smallFiles({ rows }: Measured): Target[] {
  const curl = msOf(rows, 'small', 'curl -Z');
  return ['', ', files-per-request: 100'].flatMap(use => [
    atMost(1.1, `2,000 × 4 KiB: action${use} ÷ curl -Z`, [msOf(rows, 'small', `action${use}`), curl]),
    atMost(1, `2,000 × 4 KiB: engine${use} ÷ curl -Z`, [msOf(rows, 'small', `engine${use}`), curl]),
    ...[20, 100].map(latencyMs =>
      atMost(1, `2,000 × 4 KiB, ${latencyMs} ms latency: action${use} ÷ the fastest other`, [
        msOf(rows, 'small', `action${use}`, latencyMs),
        fastest(rows, 'small', row => /^(curl|e2b)/.test(row.kind), latencyMs),
      ]),
    ),
  ]);
}

function manyFiles({ rows }: Measured): Target[] {
  const few = find(rows, 'small', 'action');
  const many = find(rows, 'many', 'action');
  const perFile = (row: Row | undefined) => row && row.medianMs / row.files;
  const grown = difference(many?.peakBytes, few?.peakBytes);
  const added = difference(many?.files, few?.files);
  return [
    atMost(1.1, 'time per file: 20,000 × 1 KiB ÷ 2,000 × 4 KiB', [perFile(many), perFile(few)]),
    atMost(2048, 'memory per file, from 2,000 to 20,000', [grown, added], 'bytes'),
  ];
}

function largeFiles({ rows }: Measured): Target[] {
  const isE2b = (row: Row) => row.kind.startsWith('e2b');
  const large = msOf(rows, 'large', 'action');
  const mixed = msOf(rows, 'mixed', 'action');
  const memory = (workload: string) => find(rows, workload, 'action')?.peakBytes ?? undefined;
  return [
    atMost(1.2, '1 GiB: action ÷ curl', [large, msOf(rows, 'large', 'curl -Z')]),
    atMost(0.5, '1 GiB: action ÷ the fastest e2b', [large, fastest(rows, 'large', isE2b)]),
    atMost(130 * MIB, '1 GiB: memory of action', [memory('large'), 1], 'bytes'),
    atMost(130 * MIB, '4 GiB: memory of action', [memory('huge'), 1], 'bytes'),
    atMost(1.1, 'mixed sizes: action ÷ curl -Z', [mixed, msOf(rows, 'mixed', 'curl -Z')]),
    atMost(1, 'mixed sizes: action ÷ the fastest e2b', [mixed, fastest(rows, 'mixed', isE2b)]),
  ];
}

function starts({ coldStarts }: Measured): Target[] {
  const find = (entry: string) => coldStarts.find(start => start.entry === entry);
  const stats = find('stats');
  const unused = stats?.packages.filter(name => OF_UPLOADS.includes(name)).length;
  return [
    atMost(2.5, `cold start: stats ÷ ${BASELINE}`, [stats?.medianMs, find(BASELINE)?.medianMs]),
    atMost(0, 'packages for uploads that stats loads', [unused, 1], 'count'),
  ];
}

function difference(more: number | null | undefined, less: number | null | undefined): number | undefined {
  return typeof more === 'number' && typeof less === 'number' ? more - less : undefined;
}

type Quotient = readonly [dividend: number | undefined, divisor: number | undefined];

function atMost(
  limit: number,
  what: string,
  [dividend, divisor]: Quotient,
  unit: Target['unit'] = 'ratio',
): Target {
  const value = dividend === undefined || divisor === undefined ? null : dividend / divisor;
  return { what, limit, unit, value, reached: value === null ? null : value <= limit };
}

function find(rows: readonly Row[], workload: string, contender: string, latencyMs = 0): Row | undefined {
  return rows.find(
    row => row.workload === workload && row.contender === contender && row.latencyMs === latencyMs,
  );
}

function msOf(rows: readonly Row[], workload: string, contender: string, latencyMs = 0): number | undefined {
  return find(rows, workload, contender, latencyMs)?.medianMs;
}

function fastest(
  rows: readonly Row[],
  workload: string,
  counts: (row: Row) => boolean,
  latencyMs = 0,
): number | undefined {
  const among = rows.filter(row => row.workload === workload && row.latencyMs === latencyMs).filter(counts);
  return among.length === 0 ? undefined : Math.min(...among.map(row => row.medianMs));
}
