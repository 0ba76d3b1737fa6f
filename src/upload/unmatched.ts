import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { firstOf } from '../text/cut.ts';
import { quote, visibleCut } from '../text/visible.ts';
import type { Matches } from './discover.ts';
import { entriesOf } from './search.ts';
import { pathWithin, toPosix } from './sources.ts';

/** A sentence on a pattern that matches no file: the likeliest reason, or how far its path exists. `name` says what a path is called. */
export function nothingFound(match: Matches, directory: string, name: (file: string) => string): string {
  const {
    pattern: { pattern },
    hidden,
    leftOut: [first, ...others],
  } = match;
  const found = `${quote(pattern)} matches no file to upload`;
  if (hidden.length > 0)
    return `${found} (${hidden.length} with a name that begins with a dot; set include-hidden-files: true to include them).`;
  if (first !== undefined)
    return `${found} (${others.length + 1} left out, such as ${name(first.path)}: ${first.reason}).`;
  const slip = slipIn(pattern, directory);
  if (slip !== undefined) return `${found} (${slip}).`;
  const advice = 'Check that what makes it ran before this step, and working-directory.';
  return `${found} (${extentOf(match, directory)}). ${advice}`;
}

const MAX_NAMES = 10;

const SLIPS: readonly { readonly slip: RegExp; readonly advice: string }[] = [
  { slip: /^(["'`]).*\1$/, advice: 'remove the quotes round it; a line is taken as it stands' },
  { slip: /^-\s/, advice: 'remove the dash; files is text with a pattern a line, not a list' },
  { slip: /->/, advice: 'write => for ->' },
  { slip: /\{.*\}/, advice: 'braces have no meaning in a pattern; write a line for each' },
  { slip: /,/, advice: 'a comma is part of a name; write each pattern on a line of its own' },
  { slip: /\[.*\]/, advice: '[ and ] mean one of some characters; write [[] for a [ in a name' },
  { slip: /=>/, advice: 'write a space on each side of =>' },
  { slip: /\s#/, advice: 'a comment must be a line of its own' },
  ...(path.sep === '/' ? [{ slip: /\\/, advice: 'write / for \\, which takes the next character as it is' }] : []),
];

function slipIn(pattern: string, directory: string): string | undefined {
  const slip = SLIPS.find(each => each.slip.test(pattern));
  if (slip !== undefined) return slip.advice;
  const [first = '', ...others] = pattern.split(/\s+/);
  const isWhole = /[*?]/.test(first) || existsSync(path.resolve(directory, first));
  const joined = 'several patterns in one line; where they are lines of their own, write files: | in place of files: >';
  return others.length > 0 && isWhole ? joined : undefined;
}

/** How far the path exists that a pattern spells out, and what is there in its place. */
function extentOf({ root, pattern: { pattern } }: Matches, directory: string): string {
  let missing = '';
  let at = root;
  for (; !existsSync(at); at = path.dirname(at)) missing = path.basename(at);
  const place = at === directory ? 'the working directory' : quote(toPosix(pathWithin(directory, at) ?? at));
  if (!statSync(at).isDirectory())
    return `${place} is ${missing === '' && !/[*?]/.test(pattern) ? 'left out by a ! line' : 'no folder'}`;
  const names = entriesOf(at)
    .map(({ name }) => name)
    .sort();
  if (names.length === 0) return `${place} is empty`;
  const other = names.find(name => name.toLowerCase() === missing.toLowerCase());
  if (other !== undefined) return `there is no ${quote(missing)}, but ${quote(other)}, in another case`;
  const some = firstOf(names, MAX_NAMES, { show: name => visibleCut(name, 100), more: rest => `${rest} more` });
  const lacks =
    missing === '' ? 'nothing in it matches, or a ! line leaves it out' : `there is no ${quote(missing)} in it`;
  return `${place} exists and holds ${some.join(', ')}; ${lacks}`;
}
