import type { Redact } from './redact.ts';
import { formatCount } from './units.ts';
import { visibleCut } from './visible.ts';

/** Writes what tells why a run went as it did; of each `kind`, such as `request`, so much at most. */
export type Debug = (kind: string, text: string) => void;

/** A debug log, and what to say at its end. */
export type DebugLog = ReturnType<typeof openDebugLog>;

// Failures say more than the rest; but where everything fails, the first thousand say it all.
const MAX_OF_A_KIND = 200;
const MAX_FAILURES = 1000;

const MAX_LINE = 2000;

/** A debug log that hands over its lines without secrets, each cut to a length, as far as there are not too many of a kind. */
export function openDebugLog(write: (line: string) => void, redact: Redact) {
  const counts = new Map<string, number>();
  const limitOf = (kind: string) => (kind.startsWith('failed') ? MAX_FAILURES : MAX_OF_A_KIND);
  const writeLines = (text: string) => {
    for (const line of redact(text).split('\n')) write(visibleCut(line, MAX_LINE));
  };
  const debug: Debug = (kind, text) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count <= limitOf(kind)) writeLines(text);
  };
  return {
    debug,
    /** Says how much of each kind was not written. */
    end() {
      for (const [kind, count] of counts) {
        const rest = count - limitOf(kind);
        if (rest > 0) writeLines(`Not shown: ${formatCount(rest, `further ${kind}`)}`);
      }
    },
  };
}
