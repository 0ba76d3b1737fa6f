import type { FaultAction } from '../../../dev/agent/faults.ts';

/** How many attempts a fault lasts. */
export const LASTS = { once: 1, 'for a while': 2, 'for ever': Number.POSITIVE_INFINITY } as const;

/** Retries in every cell: more than "for a while" needs. */
export const RETRIES = 3;

export interface Row {
  readonly name: string;
  readonly fault: FaultAction;
  readonly kind: string;
}

const says = (message: string) => JSON.stringify({ sandboxId: 'i1', message, code: 502 });

const status = (code: number, more: object = {}): FaultAction => ({
  kind: 'status',
  status: code,
  ...more,
});

function answers(kind: string, codes: readonly number[]): Row[] {
  return codes.flatMap(code => [
    { name: `${code}`, fault: status(code), kind },
    { name: `${code} before the body`, fault: status(code, { early: true }), kind },
  ]);
}

const BREAKS: readonly Row[] = (['before-body', 'during-body', 'after-body'] as const).flatMap(at =>
  (['reset', 'hang-up'] as const).map(kind => ({
    name: `${kind} ${at}`,
    fault: { kind, at },
    kind: 'connection',
  })),
);

// Half an answer, then nothing.
const HALF: FaultAction = {
  kind: 'answer',
  body: '[{"path":',
  headers: { 'Content-Length': '60' },
};

/** A stall leads to another attempt. */
export const STALLS: readonly Row[] = [
  { name: 'stall while sending', fault: { kind: 'stall', at: 'reading' }, kind: 'stalled' },
  { name: 'stall while answering', fault: { kind: 'stall', at: 'answering' }, kind: 'stalled' },
  { name: 'stall half-way through the answer', fault: HALF, kind: 'stalled' },
];

/** Transient faults: retried; once retries are used up, the other files go on. */
export const PASSING: readonly Row[] = [
  ...BREAKS,
  { name: 'answer cut off', fault: { kind: 'truncate' }, kind: 'connection' },
  ...answers('busy', [408, 409, 425, 429]),
  ...answers('server', [500, 503, 504]),
  {
    name: '502 port not open',
    fault: status(502, { body: says('The sandbox is running but port is not open') }),
    kind: 'server',
  },
];

/** Faults of one file: it fails at once, the others go on. */
export const ALONE: readonly Row[] = [
  ...answers('not-found', [404]),
  ...answers('too-large', [413]),
];

/** Fatal faults: nothing else is attempted. */
export const FINAL: readonly Row[] = [
  {
    name: '502 sandbox not found',
    fault: status(502, { body: says('The sandbox was not found') }),
    kind: 'sandbox-not-found',
  },
  ...answers('disk-full', [507]),
  ...answers('unauthorized', [401]),
  ...answers('forbidden', [403]),
];
