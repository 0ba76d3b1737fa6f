import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { abbreviate } from '../text/format.ts';
import { quote, visibleCut } from '../text/visible.ts';
import type { Matches } from './find.ts';
import { pathWithin, toPosix } from './links.ts';

/** Says why a pattern matches no file: the likeliest reason, or how far its path exists. */
export function explainNoMatch(
  match: Matches,
  directory: string,
  nameOf: (file: string) => string,
): string {
  const { hidden, skipped } = match;
  const { pattern } = match.pattern;
  const [first] = skipped;
  const found = `${quote(pattern)} matches no files to upload`;
  if (hidden.length > 0)
    return `${found} (${hidden.length} with a name that starts with a dot; set include-hidden-files: true to include them).`;
  if (first !== undefined)
    return `${found} (${skipped.length} skipped, such as ${nameOf(first.path)}: ${first.reason}).`;
  const slip = slipIn(pattern, directory);
  if (slip !== undefined) return `${found} (${slip}).`;
  const advice = 'Did the build run before this step? Is working-directory right?';
  return `${found} (${extentOf(match, directory)}). ${advice}`;
}

const MAX_NAMES = 10;

const PATTERN_SLIPS: readonly { readonly slip: RegExp; readonly advice: string }[] = [
  { slip: /^(["'`]).*\1$/, advice: 'remove the quotes around it; a line is taken literally' },
  { slip: /^-\s/, advice: 'remove the dash; files is text with one pattern per line, not a list' },
  { slip: /->/, advice: 'write => instead of ->' },
  { slip: /.[*\w]:[\w/.]/, advice: 'write => instead of :' },
  {
    slip: /[!@?+*]\(.*\)/,
    advice: 'parentheses have no meaning in patterns; exclude files with a ! line of their own',
  },
  { slip: /\{.*\}/, advice: 'braces have no meaning in patterns; write one line for each' },
  { slip: /[;|]/, advice: 'write each pattern on its own line, and => before a target' },
  {
    slip: /^[\^]|\.\+|[^/]\$$/,
    advice: 'it is a regular expression; patterns use *, as in dist/**/*.js',
  },
  { slip: /^(:!|-)/, advice: 'a line that excludes files begins with !' },
  { slip: /,/, advice: 'a comma is part of a name; write each pattern on its own line' },
  { slip: /\[.*\]/, advice: '[ and ] enclose a set of characters; write [[] for a [ in a name' },
  { slip: /=>/, advice: 'write a space on each side of =>' },
  { slip: /\s#/, advice: 'a comment needs its own line' },
  ...(path.sep === '/'
    ? [
        {
          slip: /\\\./,
          advice: 'it is a regular expression; patterns use *, as in dist/**/*.js',
        },
        { slip: /\\/, advice: 'write / instead of \\, which escapes the next character' },
      ]
    : []),
];

function slipIn(pattern: string, directory: string): string | undefined {
  const slip = PATTERN_SLIPS.find(each => each.slip.test(pattern));
  if (slip !== undefined) return slip.advice;
  const [below = ''] = /^\/[^/*?[]+/.exec(pattern) ?? [];
  if (below !== '' && !existsSync(below) && existsSync(path.join(directory, below)))
    return `a / at its start means the root of the file system; write ${pattern.slice(1)}`;
  const [first = '', ...others] = pattern.split(/\s+/);
  const isWhole = /[*?]/.test(first) || existsSync(path.resolve(directory, first));
  const joined =
    'several patterns on one line; if the workflow has them on several, write files: | instead of files: >';
  return others.length > 0 && isWhole ? joined : undefined;
}

/** How far the root of a pattern exists, and what is there. */
function extentOf({ root, pattern: { pattern } }: Matches, directory: string): string {
  let missing = '';
  let at = root;
  while (!existsSync(at)) {
    const above = path.dirname(at);
    // A drive or a network share of Windows that is not there.
    if (above === at) return `${quote(at)} does not exist`;
    missing = path.basename(at);
    at = above;
  }
  const place =
    at === directory ? 'the working directory' : quote(toPosix(pathWithin(directory, at) ?? at));
  const isSpelledOut = missing === '' && !/[*?]/.test(pattern);
  if (!statSync(at).isDirectory())
    return `${place} is ${isSpelledOut ? 'excluded by a ! line' : 'not a folder'}`;
  const names = namesIn(at);
  if (names.length === 0) return `${place} is empty`;
  const other = names.find(name => name.toLowerCase() === missing.toLowerCase());
  if (other !== undefined)
    return `there is no ${quote(missing)}, only ${quote(other)}: case matters`;
  const some = abbreviate(names, MAX_NAMES, {
    show: name => visibleCut(name, 100),
    more: rest => `${rest} more`,
  });
  const lacks =
    missing === ''
      ? 'nothing in it matches, or a ! line excludes it'
      : `there is no ${quote(missing)} in it`;
  return `${place} exists and contains ${some.join(', ')}; ${lacks}`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    // The folder exists but may not be read.
    return [];
  }
}
