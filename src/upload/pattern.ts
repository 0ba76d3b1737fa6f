import { homedir } from 'node:os';
import path from 'node:path';
import { Minimatch, type MinimatchOptions } from 'minimatch';

const WINDOWS = process.platform === 'win32';

// Patterns mean what they mean in GitHub's own actions.
const OPTIONS: MinimatchOptions = {
  nobrace: true,
  nocase: WINDOWS,
  nocomment: true,
  noext: true,
  nonegate: true,
};

/** Says of a path what a pattern means by it. */
export interface Matcher {
  /** The pattern itself, absolute. */
  readonly pattern: string;
  /** Whether the pattern matches the path and nothing excludes it. */
  readonly wants: (file: string) => boolean;
  /** Whether a name that begins with a dot leads to the path through a wildcard: the pattern does not spell it out. */
  readonly hides: (file: string) => boolean;
  readonly excludes: (file: string) => boolean;
  /** Whether a directory is excluded, and nothing in it will be looked at. */
  readonly prunes: (directory: string) => boolean;
  /** Whether there may be something in a directory that the pattern wants. */
  readonly mayHold: (directory: string) => boolean;
}

/** What lines exclude that `absolute` makes absolute; `idle` are those that have excluded nothing so far. */
export function excludesOf(lines: readonly string[], absolute: (line: string) => string) {
  const all = lines.map(line => ({ line, matches: matches(absolute(line), true), isIdle: true }));
  const excludes: Matcher['excludes'] = file => {
    let isExcluded = false;
    for (const each of all) {
      // One that has excluded something before need not be asked where another does.
      if ((isExcluded && !each.isIdle) || !each.matches(file)) continue;
      each.isIdle = false;
      isExcluded = true;
    }
    return isExcluded;
  };
  const prunes: Matcher['prunes'] = directory => {
    if (!excludes(directory)) return false;
    // There may be something in it that these would have excluded.
    for (const each of all) each.isIdle &&= !each.matches(directory, true);
    return true;
  };
  return { excludes, prunes, idle: () => all.filter(({ isIdle }) => isIdle).map(({ line }) => line) };
}

/** A matcher for an absolute pattern. */
export function matcher(pattern: string, { excludes, prunes }: Pick<Matcher, 'excludes' | 'prunes'>): Matcher {
  const wanted = matches(pattern, true);
  const visible = matches(pattern, false);
  return {
    pattern,
    wants: file => wanted(file) && !excludes(file),
    // Most paths have no such name, and asking the pattern costs more than this look.
    hides: file => /[\\/]\./.test(file) && !visible(file),
    excludes,
    prunes,
    mayHold: directory => wanted(directory, true) && !excludes(directory),
  };
}

/** The pattern made absolute: relative ones start in `directory`, `~` is the home directory. */
export function anchor(pattern: string, directory: string): string {
  const trimmed = pattern.replace(WINDOWS ? /(?<=[^:])[\\/]+$/ : /(?<=.)\/+$/, '');
  if (/^~(?=$|[\\/])/.test(trimmed)) return escaped(homedir()) + trimmed.slice(1);
  // On Windows, what begins with a single backslash lies on the current drive.
  if (WINDOWS && /^[\\/](?![\\/])/.test(trimmed)) return path.parse(directory).root + trimmed.slice(1);
  if (path.isAbsolute(trimmed)) return trimmed;
  const [climb = ''] = /^(\.{1,2}([\\/]|$))*/.exec(trimmed) ?? [];
  const base = path.resolve(directory, climb === '' ? '.' : climb);
  const rest = trimmed.slice(climb.length);
  if (rest === '') return escaped(base);
  return `${escaped(base)}${base.endsWith(path.sep) ? '' : path.sep}${rest}`;
}

// What matches means itself and, if it is a directory, everything in it; a ** at the end adds nothing to that. `partial`
// asks whether something below the path could match.
function matches(pattern: string, dot: boolean): (file: string, partial?: boolean) => boolean {
  const slashed = WINDOWS ? pattern.replaceAll('\\', '/') : pattern;
  const own = slashed.replace(/(\/\*\*)+$/, '');
  const matchers = [`${own}/**`, own].map(each => new Minimatch(each, { ...OPTIONS, dot }));
  return (file, partial) => matchers.some(each => each.match(file, partial));
}

/** A pattern for the very path. */
export function escaped(literal: string): string {
  const backslashes = WINDOWS ? literal : literal.replaceAll('\\', '\\\\');
  return backslashes.replace(/[[?*]/g, '[$&]');
}
