// Lines in which common tools say what failed. `npm error` also begins codes, paths and stacks.
const CAUSES: readonly RegExp[] = [
  /error(?: ?\[\w+\]| TS\d+)?: .*\w/i,
  /Exception: |panicked at /,
  /^npm (?:error|ERR!) (?!(?:code|errno|syscall|path|command|location|workspace|aliases:?) )[A-Z\d`"]/i,
  /^\s*(?:--- )?FAIL(?:ED|URE)?\b.*\w/,
  /^\s*(?:panic|fatal|[\w./-]+_test\.go:\d+): /,
  /^\s*(?:not ok \d|✖ (?!failing tests)|● .*\w)/,
  /^(?:E {2,}\S|make.*: \*\*\* |\.?[\w./-]+\.go:\d+:\d+: )/,
];

const POSSIBLE_CAUSES = /\b(?:cannot|can't|could not|couldn't|not found|no such|denied)\b|^bash: /i;

// What went well, and the last lines of npm and Node.
const NO_CAUSE =
  /[✓✔√]|\bPASS(?:ED)?\b|(?<!not )\bok\b|^npm (?:error|ERR!) (?:A complete log|Run "npm help|Lifecycle script)|^Node\.js v\d/;

const MAX_CAUSES = 3;

/** Returns the first lines of an output that name a cause, or []. */
export function findCause(lines: readonly string[]): string[] {
  const telling = lines.filter(line => !NO_CAUSE.test(line));
  const sure = telling.filter((line, at) => {
    const isPanic = /panicked at .*:$/.test(telling[at - 1] ?? '');
    return isPanic || endsTraceback(telling, at) || CAUSES.some(cause => cause.test(line));
  });
  const causes = sure.length > 0 ? sure : telling.filter(line => POSSIBLE_CAUSES.test(line));
  return [...new Set(causes.map(line => line.trim()))].slice(0, MAX_CAUSES);
}

/** Python indents all lines of a traceback but the last, which has the exception. */
function endsTraceback(lines: readonly string[], at: number): boolean {
  const start = lines.slice(0, at).findLastIndex(line => /^\S/.test(line));
  return /^\S/.test(lines[at] ?? '') && (lines[start]?.startsWith('Traceback (') ?? false);
}
