import type { AgentError } from '../agent/failure.ts';

/** How many uploads may be in flight at once. */
export interface Level {
  readonly highest: number;
  readonly now: () => number;
  /** Told of bytes that left. */
  readonly sent: (bytes: number) => void;
  /** Told of an attempt that begins; the function returned is told how it ended. */
  readonly begin: () => (error?: AgentError) => void;
}

/** A level that became another. */
export interface LevelChange {
  readonly from: number;
  readonly to: number;
  /** The sign of an overload; undefined where more uploads at once made the transfer faster. */
  readonly error: AgentError | undefined;
}

/** A level for the input `concurrency`. `clock` gives milliseconds. */
export function openLevel(
  concurrency: number | 'auto',
  clock: () => number,
  onChange: (change: LevelChange) => void,
): Level {
  const highest = highestLevel(concurrency);
  if (concurrency !== 'auto') return { highest, now: () => highest, sent: () => {}, begin: () => () => {} };
  return { highest, ...adaptiveLevel(clock, onChange) };
}

/** The highest that a level for the input `concurrency` can be. */
export function highestLevel(concurrency: number | 'auto'): number {
  return concurrency === 'auto' ? MAX : concurrency;
}

/** The level that a transfer starts with for the input `concurrency`. */
export function firstLevel(concurrency: number | 'auto'): number {
  return concurrency === 'auto' ? START : concurrency;
}

// Services have been seen to fail from 30 connections on.
const MAX = 24;
const START = 8;

// More uploads at once must make the transfer so much faster to be worth a further step.
const GAIN = 1.1;

// About what a request costs beside its bytes, in bytes, so that files per second count as well.
const RATED_BYTES = 64 * 1024;

// The longest time between two looks, in milliseconds, where no upload ends.
const LOOK_MS = 1000;

/**
 * A level that starts low, and doubles as long as more is sent per time than ever before: as many uploads as may be in
 * flight, or a second. When the sandbox or the way to it is overloaded, it halves, and from then on grows by one.
 */
function adaptiveLevel(clock: () => number, onChange: (change: LevelChange) => void): Omit<Level, 'highest'> {
  let [level, best, steady] = [START, 0, false];
  let since = clock();
  let [bytes, ended, period] = [0, 0, 0];

  function look(): void {
    const elapsed = clock() - since;
    if (ended < level && elapsed < LOOK_MS) return;
    const rate = (bytes + ended * RATED_BYTES) / Math.max(elapsed, 1);
    if (rate > best * GAIN) {
      best = rate;
      change(steady ? level + 1 : level * 2);
    }
    restart();
  }

  function backOff(error: AgentError): void {
    [best, steady] = [0, true];
    // What is in flight was begun at the old level: its failures say nothing about the new one.
    period += 1;
    change(Math.floor(level / 2), error);
    restart();
  }

  function change(wanted: number, error?: AgentError): void {
    const from = level;
    level = Math.min(MAX, Math.max(1, wanted));
    if (level !== from) onChange({ from, to: level, error });
  }

  function restart(): void {
    since = clock();
    [bytes, ended] = [0, 0];
  }

  return {
    now: () => level,
    sent(count) {
      bytes += count;
      look();
    },
    begin() {
      const begun = period;
      return error => {
        if (error !== undefined && isOverload(error)) {
          if (begun === period) backOff(error);
          return;
        }
        ended += 1;
        look();
      };
    },
  };
}

function isOverload({ kind, status }: AgentError): boolean {
  return status === 429 || status === 503 || kind === 'connection' || kind === 'unreachable';
}
