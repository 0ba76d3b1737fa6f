import { homedir } from 'node:os';
import path from 'node:path';
import { Minimatch, type MinimatchOptions } from 'minimatch';

const WINDOWS = process.platform === 'win32';

// As @actions/glob reads patterns, so that both see the same.
const OPTIONS: MinimatchOptions = {
  nobrace: true,
  nocase: WINDOWS,
  nocomment: true,
  noext: true,
  nonegate: true,
};

/** Says of a path that a pattern's search came across what the pattern means by it. */
export interface Matcher {
  /** Whether the pattern matches the path and nothing excludes it. */
  readonly wants: (file: string) => boolean;
  /** Whether a name that begins with a dot leads to the path through a wildcard: the pattern does not spell it out. */
  readonly hides: (file: string) => boolean;
}

/** A matcher for an absolute pattern and absolute excludes. */
export function matcher(pattern: string, excludes: readonly string[]): Matcher {
  const wanted = matchAny([pattern], true);
  const excluded = matchAny(excludes, true);
  const visible = matchAny([pattern], false);
  return {
    wants: file => wanted(file) && !excluded(file),
    hides: file => !visible(file),
  };
}

/** The pattern made absolute: relative ones start in `directory`, `~` is the home directory. */
export function anchor(pattern: string, directory: string): string {
  const trimmed = pattern.replace(WINDOWS ? /(?<=.)[\\/]+$/ : /(?<=.)\/+$/, '');
  if (/^~(?=$|[\\/])/.test(trimmed)) return escaped(homedir()) + trimmed.slice(1);
  if (path.isAbsolute(trimmed)) return trimmed;
  const [climb = ''] = /^(\.{1,2}([\\/]|$))*/.exec(trimmed) ?? [];
  const base = path.resolve(directory, climb === '' ? '.' : climb);
  const rest = trimmed.slice(climb.length);
  if (rest === '') return escaped(base);
  return `${escaped(base)}${base.endsWith(path.sep) ? '' : path.sep}${rest}`;
}

// A directory that matches means everything in it, so each pattern has a second form.
function matchAny(patterns: readonly string[], dot: boolean): (file: string) => boolean {
  const matchers = patterns
    .map(pattern => (WINDOWS ? pattern.replaceAll('\\', '/') : pattern))
    .flatMap(pattern => [pattern, `${pattern}/**`])
    .map(pattern => new Minimatch(pattern, { ...OPTIONS, dot }));
  return file => matchers.some(each => each.match(file));
}

function escaped(literal: string): string {
  const backslashes = WINDOWS ? literal : literal.replaceAll('\\', '\\\\');
  return backslashes.replace(/[[?*]/g, '[$&]');
}
