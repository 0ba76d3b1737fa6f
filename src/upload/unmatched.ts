import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { firstOf } from '../text/cut.ts';
import { quote, visibleCut } from '../text/visible.ts';
import type { Matches } from './discover.ts';
import { pathWithin, toPosix } from './sources.ts';

export interface UnmatchedOptions {
  /** Absolute path that relative patterns start at. */
  readonly directory: string;
  /** What a reader calls a file, of its absolute path. */
  readonly name: (file: string) => string;
}

/** A sentence on a pattern that matches no files, with the likeliest reason; how far its path exists, if no other. */
export function nothingFound(match: Matches, { directory, name }: UnmatchedOptions): string {
  const { pattern } = match.pattern;
  const found = `${quote(pattern)} matches no files to upload`;
  const reason = passedOver(match, name) ?? slipIn(pattern, directory);
  if (reason !== undefined) return `${found} (${reason}).`;
  const extent = extentOf(match, directory);
  const where = extent === undefined ? found : `${found} (${extent})`;
  return `${where}. Did the build run before this step? Is working-directory right?`;
}

function passedOver({ hidden, leftOut }: Matches, name: (file: string) => string): string | undefined {
  const dotted = `${hidden.length} with a name that starts with a dot`;
  if (hidden.length > 0) return `${dotted}; set include-hidden-files: true to include them`;
  return leftOut[0] && `${leftOut.length} left out, such as ${name(leftOut[0].path)}: ${leftOut[0].reason}`;
}

const SLIPS: readonly { readonly slip: RegExp; readonly advice: string }[] = [
  { slip: /^(["'`]).*\1$/, advice: 'remove the quotes around it; a line is taken literally' },
  { slip: /^-\s/, advice: 'remove the dash; files is text with one pattern per line, not a list' },
  { slip: /->/, advice: 'write => instead of ->' },
  { slip: /\{.*\}/, advice: 'braces have no meaning in patterns; write one line for each' },
  { slip: /,/, advice: 'a comma is part of a name; write each pattern on its own line' },
  { slip: /\[.*\]/, advice: '[ and ] enclose a set of characters; write [[] for a [ in a name' },
  { slip: /=>/, advice: 'write a space on each side of =>' },
  { slip: /\s#/, advice: 'a comment needs its own line' },
  ...(path.sep === '/' ? [{ slip: /\\/, advice: 'write / instead of \\, which escapes the next character' }] : []),
];

function slipIn(pattern: string, directory: string): string | undefined {
  const slip = SLIPS.find(each => each.slip.test(pattern));
  if (slip !== undefined) return slip.advice;
  const [first = '', ...others] = pattern.split(/\s+/);
  const isWhole = /[*?]/.test(first) || existsSync(path.resolve(directory, first));
  const joined =
    'several patterns on one line; if the workflow has them on several, write files: | instead of files: >';
  return others.length > 0 && isWhole ? joined : undefined;
}

/** How far the path exists that a pattern spells out, and what is there in its place; undefined where none of it does. */
function extentOf({ root, pattern: { pattern } }: Matches, directory: string): string | undefined {
  const { at, missing } = deepest(root, directory);
  const place = at === directory ? 'the working directory' : quote(toPosix(pathWithin(directory, at) ?? at));
  const names = namesIn(at);
  if (names === undefined) {
    if (!existsSync(at)) return undefined;
    const isWhole = missing === undefined && !/[*?]/.test(pattern);
    return `${place} is ${isWhole ? 'left out by a ! line' : 'not a folder'}`;
  }
  if (names.length === 0) return `${place} is empty`;
  const holds = `${place} exists and contains ${shown(names)}`;
  if (missing === undefined) return `${holds}; nothing in it matches, or a ! line leaves it out`;
  const other = names.find(name => name.toLowerCase() === missing.toLowerCase());
  if (other !== undefined) return `there is no ${quote(missing)}, only ${quote(other)}: case matters`;
  return `${holds}; there is no ${quote(missing)} in it`;
}

/** The last part of the way to a path that exists, and the name that is missing there. */
function deepest(root: string, directory: string): { readonly at: string; readonly missing: string | undefined } {
  const below = pathWithin(directory, root);
  let at = below === undefined ? path.parse(root).root : directory;
  for (const part of (below ?? root.slice(at.length)).split(path.sep)) {
    const next = path.join(at, part);
    if (!existsSync(next)) return { at, missing: part };
    at = next;
  }
  return { at, missing: undefined };
}

const MAX_NAMES = 10;

function shown(names: readonly string[]): string {
  const inSight = names.filter(name => !name.startsWith('.'));
  const all = inSight.length === 0 ? names : inSight;
  return firstOf(all, MAX_NAMES, { show: name => visibleCut(name, 100), more: rest => `${rest} more` }).join(', ');
}

/** Undefined of what is not a folder, or cannot be read. */
function namesIn(place: string): string[] | undefined {
  try {
    return readdirSync(place).sort();
  } catch {
    return undefined;
  }
}
