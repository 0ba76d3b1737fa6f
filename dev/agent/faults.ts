/** The operations of the agent. */
export type Operation = 'upload' | 'stats' | 'download';

/**
 * What a fault does to a request. The form is read and its files are stored as usual, unless said
 * otherwise.
 * - `status`: answers it after reading the body, or at once with `early`; stores nothing.
 * - `delay`: waits before reading the body, then goes on as usual.
 * - `reset`: resets the connection (TCP RST) on the headers, on the first bytes of the body, or
 *   instead of answering. The first two store nothing.
 * - `hang-up`: closes the connection in an orderly way, at the same stages.
 * - `truncate`: announces the whole answer, sends half of it and closes the connection.
 * - `stall`: keeps the connection open, but never reads the body (and stores nothing), or never
 *   answers.
 * - `answer`: answers this instead.
 * - `drop`: answers as usual, but stores nothing.
 * - `endless`: answers 200 with `chunk` over and over until the client goes away.
 */
export type FaultAction =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: string | Buffer | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly early?: boolean | undefined;
    }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'reset'; readonly at: 'before-body' | 'during-body' | 'after-body' }
  | { readonly kind: 'hang-up'; readonly at: 'before-body' | 'during-body' | 'after-body' }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'stall'; readonly at: 'reading' | 'answering' }
  | {
      readonly kind: 'answer';
      readonly body: string | Buffer;
      /** Default 200. */
      readonly status?: number | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  | { readonly kind: 'drop' }
  | { readonly kind: 'endless'; readonly chunk: string | Buffer };

/** A rule of misbehaviour. It only sees valid requests, so that it hides no client's mistake. */
export interface Fault {
  readonly on: Operation | 'any';
  /** Only uploads of this path: the decoded query, or the filename of a file in a batch. */
  readonly path?: string | undefined;
  /** How many matching requests pass first. Default 0. */
  readonly skip?: number | undefined;
  /** How many requests it then applies to. Default: all. */
  readonly times?: number | undefined;
  readonly do: FaultAction;
}

/** The rules in force, each with its own count. */
export interface FaultQueue {
  readonly add: (faults: readonly Fault[]) => void;
  /**
   * The action of the first rule that applies to this request. Rules after it do not count the
   * request.
   */
  readonly next: (operation: Operation, paths: readonly string[]) => FaultAction | undefined;
  /** Whether any rule has a path, so that the filenames of a batch matter. */
  readonly hasPaths: () => boolean;
  /** The rules that no request has matched. */
  readonly unmatched: () => Fault[];
}

export function createFaultQueue(faults: readonly Fault[]): FaultQueue {
  const rules = faults.map(fault => ({ fault, seen: 0 }));
  return {
    add(added) {
      for (const fault of added) rules.push({ fault, seen: 0 });
    },
    next(operation, paths) {
      for (const rule of rules) {
        if (matches(rule.fault, operation, paths) && isDue(rule.fault, rule.seen++))
          return rule.fault.do;
      }
      return undefined;
    },
    hasPaths: () => rules.some(({ fault }) => fault.path !== undefined),
    unmatched: () => rules.filter(({ seen }) => seen === 0).map(({ fault }) => fault),
  };
}

function matches(fault: Fault, operation: Operation, paths: readonly string[]): boolean {
  if (fault.on !== 'any' && fault.on !== operation) return false;
  return fault.path === undefined || paths.includes(fault.path);
}

function isDue({ skip = 0, times = Number.POSITIVE_INFINITY }: Fault, seen: number): boolean {
  return seen >= skip && seen < skip + times;
}
