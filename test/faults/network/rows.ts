import type { FaultAction } from '../../../local-agent/faults.ts';
import type { FailureKind } from '../../../src/agent/failure.ts';
import { NOW } from './place.ts';

/** How long a fault lasts: so many attempts. */
export const LASTS = { once: 1, 'for a while': 2, 'for ever': Number.POSITIVE_INFINITY } as const;

export type Lasting = keyof typeof LASTS;

/** Further attempts that every cell allows: more than "for a while" needs. */
export const RETRIES = 3;

/** What is to come of a file, and of the run. */
export interface Outcome {
  readonly status: 'uploaded' | 'failed';
  readonly attempts: number;
  /** Whether the file after it is uploaded; it is not attempted otherwise. */
  readonly goesOn: boolean;
  readonly exitCode: number;
}

const ARRIVES = { status: 'uploaded', goesOn: true, exitCode: 0 } as const;
const ALONE = { status: 'failed', goesOn: true, exitCode: 1 } as const;
const ENDS = { status: 'failed', goesOn: false, exitCode: 1 } as const;

/** What comes of each sort of fault, by how long it lasts. */
export const OUTCOMES: Readonly<Record<Sort, Readonly<Record<Lasting, Outcome>>>> = {
  'may pass': {
    once: { ...ARRIVES, attempts: 2 },
    'for a while': { ...ARRIVES, attempts: 3 },
    'for ever': { ...ALONE, attempts: 4 },
  },
  'may pass, or concerns all': {
    once: { ...ARRIVES, attempts: 2 },
    'for a while': { ...ARRIVES, attempts: 3 },
    'for ever': { ...ENDS, attempts: 4 },
  },
  'concerns one': {
    once: { ...ALONE, attempts: 1 },
    'for a while': { ...ALONE, attempts: 1 },
    'for ever': { ...ALONE, attempts: 1 },
  },
  'concerns all': {
    once: { ...ENDS, attempts: 1 },
    'for a while': { ...ENDS, attempts: 1 },
    'for ever': { ...ENDS, attempts: 1 },
  },
};

type Sort = 'may pass' | 'may pass, or concerns all' | 'concerns one' | 'concerns all';

/** What is wrong with the way to the sandbox. */
export type Trouble = 'refused' | 'no such name' | 'wrong certificate' | 'no TLS';

/** One row of the matrix. */
export interface Row {
  readonly name: string;
  readonly fault: FaultAction | Trouble;
  readonly sort: Sort;
  readonly kind: FailureKind;
  /** The longest wait for progress, where the fault is that there is none. */
  readonly timeout?: string;
  /** The shortest wait that the answer asks for, in milliseconds. */
  readonly asksFor?: number;
  /** Bytes of the streamed file, where 300 KiB would fit into the buffers of the network. */
  readonly streamed?: number;
}

const MIB = 1024 * 1024;

const says = (message: string) => JSON.stringify({ sandboxId: 'i1', message, code: 502 });

const status = (code: number, more: object = {}): FaultAction => ({ kind: 'status', status: code, ...more });

function answers(sort: Sort, kind: FailureKind, codes: readonly number[]): Row[] {
  return codes.flatMap(code => [
    { name: `${code}`, fault: status(code), sort, kind },
    { name: `${code} before the body`, fault: status(code, { early: true }), sort, kind, streamed: MIB },
  ]);
}

function retryAfter(name: string, value: string, asksFor = 0, code = 429): Row {
  const fault = status(code, { headers: { 'Retry-After': value } });
  const kind = code === 429 ? 'busy' : 'server';
  return { name: `${code} with Retry-After: ${name}`, fault, sort: 'may pass', kind, asksFor };
}

const date = (ms: number) => new Date(NOW + ms).toUTCString();

const RESETS: readonly Row[] = (['before-body', 'during-body', 'after-body'] as const).flatMap(at =>
  (['reset', 'hang-up'] as const).map(kind => ({
    name: `${kind} ${at}`,
    fault: { kind, at },
    sort: 'may pass',
    kind: 'connection',
    streamed: MIB,
  })),
);

const stalls = { sort: 'may pass', kind: 'stalled', timeout: '800ms' } as const;

// Half an answer, and then nothing.
const HALF: FaultAction = { kind: 'answer', body: '[{"path":', headers: { 'Content-Length': '60' } };

export const ROWS: readonly Row[] = [
  { name: 'refused', fault: 'refused', sort: 'may pass, or concerns all', kind: 'unreachable' },
  { name: 'DNS failure', fault: 'no such name', sort: 'may pass, or concerns all', kind: 'unreachable' },
  { name: 'unknown certificate', fault: 'wrong certificate', sort: 'concerns all', kind: 'tls' },
  { name: 'no TLS at all', fault: 'no TLS', sort: 'concerns all', kind: 'tls' },
  ...RESETS,
  { name: 'stall while sending', fault: { kind: 'stall', at: 'reading' }, ...stalls, streamed: 24 * MIB },
  { name: 'stall while answering', fault: { kind: 'stall', at: 'answering' }, ...stalls },
  { name: 'stall half-way through the answer', fault: HALF, ...stalls },
  { name: 'answer cut off', fault: { kind: 'truncate' }, sort: 'may pass', kind: 'connection' },
  ...answers('may pass', 'busy', [408, 409, 425, 429]),
  retryAfter('seconds', '7', 7000),
  retryAfter('no seconds', '0'),
  retryAfter('a date', date(9000), 9000),
  retryAfter('a date past', date(-9000)),
  retryAfter('a year', '31536000', 60_000),
  retryAfter('a date far off', 'Fri, 31 Dec 9999 23:59:59 GMT', 60_000),
  retryAfter('more than a number holds', '9'.repeat(400), 60_000),
  retryAfter('less than nothing', '-7'),
  retryAfter('a word', 'later'),
  retryAfter('seconds', '7', 7000, 503),
  ...answers('may pass', 'server', [500, 503, 504]),
  {
    name: '502 port not open',
    fault: status(502, { body: says('The sandbox is running but port is not open') }),
    sort: 'may pass',
    kind: 'server',
  },
  {
    name: '502 sandbox not found',
    fault: status(502, { body: says('The sandbox was not found') }),
    sort: 'concerns all',
    kind: 'sandbox-not-found',
  },
  ...answers('concerns all', 'disk-full', [507]),
  ...answers('concerns all', 'unauthorized', [401]),
  ...answers('concerns all', 'forbidden', [403]),
  ...answers('concerns one', 'not-found', [404]),
  ...answers('concerns one', 'too-large', [413]),
];
