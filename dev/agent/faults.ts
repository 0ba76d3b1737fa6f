/** The operations of the agent. */
export type Operation = 'upload' | 'stats';

/**
 * What a fault does to a request. Unless said otherwise, the form is read and its files are stored.
 * - `status`: answers after reading the body, or at once with `early`; stores nothing.
 * - `delay`: waits before reading the body, then goes on as usual.
 * - `reset`: resets the connection (TCP RST) on the headers, on the first bytes of the body, or
 *   instead of answering. The first two store nothing.
 * - `truncate`: announces the whole answer, sends half of it and closes the connection.
 * - `stall`: never reads the body (and stores nothing), or never answers.
 * - `answer`: answers this instead.
 */
export type FaultAction =
  | ({ readonly kind: 'status'; readonly status: number; readonly early?: boolean } & Content)
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'reset'; readonly at: 'before-body' | 'during-body' | 'after-body' }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'stall'; readonly at: 'reading' | 'answering' }
  | ({ readonly kind: 'answer'; readonly status?: number } & Content);

interface Content {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A rule of misbehaviour. It only sees valid requests, so that it hides no client's mistake. */
export interface Fault {
  readonly on: Operation | 'any';
  /** Only uploads of this path: the decoded query, or the filename of a file in a batch. */
  readonly path?: string;
  /** How many matching requests pass first. Default 0. */
  readonly skip?: number;
  /** How many requests it then applies to. Default: all. */
  readonly times?: number;
  readonly do: FaultAction;
}

/** The rules in force, each with its own count. */
export interface FaultQueue {
  readonly add: (...faults: readonly Fault[]) => void;
  /** The action of the first rule that applies. Rules after it do not count the request. */
  readonly next: (operation: Operation, paths: readonly string[]) => FaultAction | undefined;
  /** True if a rule asks for a path, so that the filenames of a batch matter. */
  readonly hasPaths: () => boolean;
  /** The rules that no request has matched. */
  readonly unmatched: () => Fault[];
}

export function createFaultQueue(faults: readonly Fault[] = []): FaultQueue {
  const rules = faults.map(toRule);
  return {
    add: (...added) => void rules.push(...added.map(toRule)),
    next: (operation, paths) =>
      rules.find(rule => matches(rule.fault, operation, paths) && isDue(rule))?.fault.do,
    hasPaths: () => rules.some(({ fault }) => fault.path !== undefined),
    unmatched: () => rules.filter(({ seen }) => seen === 0).map(({ fault }) => fault),
  };
}

interface Rule {
  readonly fault: Fault;
  seen: number;
}

function toRule(fault: Fault): Rule {
  return { fault, seen: 0 };
}

function matches({ on, path }: Fault, operation: Operation, paths: readonly string[]): boolean {
  return (on === 'any' || on === operation) && (path === undefined || paths.includes(path));
}

/** Counts the request. */
function isDue(rule: Rule): boolean {
  const { skip = 0, times = Number.POSITIVE_INFINITY } = rule.fault;
  const before = rule.seen;
  rule.seen += 1;
  return before >= skip && before < skip + times;
}
