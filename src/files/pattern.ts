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

/** What one pattern matches; all paths are absolute. */
export interface Matcher {
  /** True if the pattern matches the path and no line excludes it. */
  readonly wants: (file: string) => boolean;
  /** True if the pattern may match something below the path and no line excludes it. */
  readonly mayHold: (folder: string) => boolean;
  /** True if the pattern reaches the path only if a wildcard matches a name with a dot. */
  readonly hides: (file: string) => boolean;
  /** The same for what lies below the path. */
  readonly hidesBelow: (folder: string) => boolean;
}

/** The `!` lines, which remember whether they have excluded anything. */
export interface Excludes {
  readonly isExcluded: (file: string) => boolean;
  /** Like `isExcluded`, for a folder that is then not entered: lines about its content count as used. */
  readonly prunes: (folder: string) => boolean;
  /** Marks the lines that name a hidden entry as used, since it is skipped anyway. */
  readonly markUsed: (hidden: string) => void;
  /** The lines that have excluded nothing so far. */
  readonly unused: () => string[];
}

/** The excludes of some lines, relative to `directory`. */
export function excludesOf(lines: readonly string[], directory: string): Excludes {
  const all = lines.map(line => {
    const pattern = anchor(line, directory);
    return {
      line,
      matches: matches(pattern, true),
      spells: matches(pattern, false),
      isUnused: true,
    };
  });
  const isExcluded = (file: string) => {
    let isMatched = false;
    for (const each of all) {
      // A line that has been used before only matters if no other excludes the file.
      if ((isMatched && !each.isUnused) || !each.matches(file)) continue;
      each.isUnused = false;
      isMatched = true;
    }
    return isMatched;
  };
  const prunes = (folder: string) => {
    if (!isExcluded(folder)) return false;
    // Nothing in the folder is looked at, so a line about something in it may well be of use.
    for (const each of all) each.isUnused &&= !each.matches(folder, true);
    return true;
  };
  const markUsed = (hidden: string) => {
    for (const each of all) each.isUnused &&= !each.spells(hidden, true);
  };
  return {
    isExcluded,
    prunes,
    markUsed,
    unused: () => all.filter(({ isUnused }) => isUnused).map(({ line }) => line),
  };
}

/** A matcher for an absolute pattern; nothing is hidden if hidden files are included. */
export function matcherOf(
  pattern: string,
  isExcluded: (file: string) => boolean,
  includeHiddenFiles = false,
): Matcher {
  const wanted = matches(pattern, true);
  const visible = matches(pattern, false);
  // Few paths contain such a name, and testing the pattern costs more than testing for the name.
  const isDotted = (file: string) => !includeHiddenFiles && /[\\/]\./.test(file);
  return {
    wants: file => wanted(file) && !isExcluded(file),
    mayHold: folder => wanted(folder, true) && !isExcluded(folder),
    hides: file => isDotted(file) && !visible(file),
    hidesBelow: folder => isDotted(folder) && !visible(folder, true),
  };
}

/** Makes a pattern absolute: relative ones start in `directory`, `~` is the home directory. */
export function anchor(pattern: string, directory: string): string {
  const trimmed = pattern.replace(WINDOWS ? /(?<=[^:])[\\/]+$/ : /(?<=.)\/+$/, '');
  if (/^~(?=$|[\\/])/.test(trimmed)) return escaped(homedir()) + trimmed.slice(1);
  // On Windows, a path that starts with a single backslash is on the current drive.
  if (WINDOWS && /^[\\/](?![\\/])/.test(trimmed))
    return path.parse(directory).root + trimmed.slice(1);
  if (path.isAbsolute(trimmed)) return trimmed;
  const [climb = ''] = /^(\.{1,2}([\\/]|$))*/.exec(trimmed) ?? [];
  const base = path.resolve(directory, climb === '' ? '.' : climb);
  const rest = trimmed.slice(climb.length);
  if (rest === '') return escaped(base);
  return `${escaped(base)}${base.endsWith(path.sep) ? '' : path.sep}${rest}`;
}

/** A pattern that matches exactly this path. */
export function escaped(literal: string): string {
  const backslashes = WINDOWS ? literal : literal.replaceAll('\\', '\\\\');
  return backslashes.replace(/[[?*]/g, '[$&]');
}

/** The names in a path or a pattern. */
export function segmentsOf(pattern: string): string[] {
  return pattern.split(WINDOWS ? /[\\/]/ : '/').filter(segment => segment !== '');
}

// A pattern that matches a folder includes everything in it, so a ** at the end changes nothing.
// `partial` asks whether the pattern could match something below the path.
function matches(pattern: string, dot: boolean): (file: string, partial?: boolean) => boolean {
  const slashed = WINDOWS ? pattern.replaceAll('\\', '/') : pattern;
  const own = slashed.replace(/(\/\*\*)+$/, '');
  const matchers = [`${own}/**`, own].map(each => new Minimatch(each, { ...OPTIONS, dot }));
  return (file, partial) => matchers.some(each => each.match(file, partial));
}
