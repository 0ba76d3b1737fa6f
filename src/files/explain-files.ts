import { readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { InputProblem } from '../inputs/input-error.ts';
import { findMistake } from '../inputs/mistakes.ts';
import { quote } from '../text/escape.ts';
import { formatNumber } from '../text/format.ts';
import { listSome } from '../text/shorten.ts';
import {
  type Exclude,
  type ForbiddenLink,
  LINK_TO_FOLDER,
  type Matches,
  type SkippedEntry,
} from './find.ts';
import {
  canReach,
  deepestExisting,
  deepestLinkIn,
  displayPath,
  statIfExists,
  toAbsolutePattern,
} from './paths.ts';

/** Advice comes first and lists of names last, since summaries cut the middle of long texts. */
export function explainNoMatch(match: Matches, directory: string): string {
  const { pattern } = match.pattern;
  const mistake = findMistake('unmatched-pattern', pattern);
  const advice = mistake === undefined ? '' : ` It ${mistake}`;
  const [first] = match.skipped;
  const why =
    first === undefined
      ? describeRoot(match, directory)
      : `Skipped ${formatNumber(match.skipped.length)}, such as ${quote(first.path)} (${first.reason}).`;
  return `${quote(pattern)} matches no files to upload.${advice} ${why}`;
}

function describeRoot({ root, skipsHidden }: Matches, directory: string): string {
  const existing = deepestExisting(root);
  const name =
    existing === directory ? 'the working directory' : quote(displayPath(existing, directory));
  const [missing] = path.relative(existing, root).split(path.sep);
  const content = describeContent(existing);
  if (missing) return `There is no ${quote(missing)} in ${name}. ${content}`;
  const hint = skipsHidden ? '; names that start with a dot need include-hidden-files: true' : '';
  return `Nothing in ${name} matches, or a ! line excludes it${hint}. ${content}`;
}

function describeContent(file: string): string {
  if (!statSync(file).isDirectory()) return 'It is a file.';
  const names = readdirSync(file).sort().map(quote);
  if (names.length > 0) return `Found there: ${listSome(names)}.`;
  return 'It is empty: did actions/checkout or the build run in this job?';
}

/** Returns a warning for each reason that a user may not expect, naming one entry. */
export function warnOfSkipped(skipped: readonly SkippedEntry[]): string[] {
  const unexpected = skipped.filter(({ reason }) => reason !== LINK_TO_FOLDER);
  return [...Map.groupBy(unexpected, ({ reason }) => reason)].map(([reason, entries]) => {
    const names = entries.map(entry => quote(entry.path));
    return `Skipped (${reason}): ${listSome(names, 1)}.`;
  });
}

/** Lists hidden names in the folders that a pattern matches as a whole, except for `.git`. */
export function findHiddenNames(matches: readonly Matches[], workspace: string): string[] {
  const files = matches
    .filter(({ skipsHidden, pattern }) => skipsHidden && WHOLE_FOLDER.test(pattern.pattern))
    .filter(({ root }) => statIfExists(root)?.isDirectory())
    .flatMap(({ root }) => readdirSync(root).map(name => path.join(root, name)));
  const hidden = files.filter(file => /^\.(?!git$)/.test(path.basename(file)));
  return Array.from(new Set(hidden), file => displayPath(file, workspace));
}

const WHOLE_FOLDER = /^[^*?[]*$|^([^*?[]*[\\/])?\*\*?$/;

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

export function describeLinks(links: readonly ForbiddenLink[], workspace: string): InputProblem[] {
  const nameOf = (file: string) => quote(displayPath(file, workspace));
  return [...Map.groupBy(links, ({ leadsTo }) => leadsTo)].map(([leadsTo, group]) => {
    const unique = new Set(group.map(({ entry }) => deepestLinkIn(entry)));
    const linkDescriptions = Array.from(
      unique,
      link => `${nameOf(link)} to ${nameOf(realpathSync.native(link))}`,
    );
    const message = `${adviseOn(leadsTo, linkDescriptions)}. Links: ${listSome(linkDescriptions)}.`;
    return { input: leadsTo === 'folder' ? 'follow-symlinks' : 'files', message };
  });
}

function adviseOn(leadsTo: ForbiddenLink['leadsTo'], linkDescriptions: readonly string[]): string {
  if (leadsTo === 'folder')
    return `is not set, and the patterns match links to folders. Decide: true sends what they lead to, false skips them. Or exclude them with ! lines, or send an archive: ${ARCHIVE}`;
  if (leadsTo === 'outside')
    return 'links lead outside the workspace. Exclude them with ! lines, or copy what they lead to into the workspace';
  const isPnpm = linkDescriptions.some(link => link.includes('/.pnpm/'));
  const pnpm = isPnpm ? ', let pnpm install with node-linker=hoisted' : '';
  return `links lead to something hidden. Exclude them with ! lines${pnpm}, or send an archive: ${ARCHIVE}`;
}

/** Finds excludes that no pattern can reach, such as `!secret.txt` or `!*.map` beside `dist/**`. */
export function findUselessExcludes(
  excludes: readonly Exclude[],
  matches: readonly Matches[],
  directory: string,
): InputProblem[] {
  const patterns = matches.map(match => toAbsolutePattern(match.pattern.pattern, directory));
  const isReached = (line: string) =>
    patterns.some(pattern => canReach(pattern, toAbsolutePattern(line, directory)));
  return excludes.flatMap(({ line, mistake }): InputProblem[] => {
    const start = `${quote(`!${line}`)} excludes nothing`;
    if (mistake !== undefined) return [{ input: 'files', message: `${start}. It ${mistake}` }];
    if (isReached(line)) return [];
    const everywhere = `**/${line.replace(/^([~.*]*[\\/])+/, '')}`;
    const anywhere = isReached(everywhere)
      ? `, or write ${quote(`!${everywhere}`)} to exclude it wherever it is`
      : '';
    const message = `${start}, since no pattern begins there. Begin it like a pattern${anywhere}.`;
    return [{ input: 'files', message }];
  });
}

// With `files: server.js`, `target: app/server.js` would become a folder.
export function findMistakenTargets(matches: readonly Matches[], target: string): InputProblem[] {
  const mistaken = matches.filter(({ pattern, files: [file] }) => {
    if (file?.relative !== '' || pattern.target !== undefined || target.endsWith('/')) return false;
    return path.posix.basename(target) === path.posix.basename(file.source);
  });
  return mistaken.map(({ pattern: { pattern } }) => ({
    input: 'target',
    message: `${quote(target)} is a folder, and the file would land in it under its own name. For one file, leave target empty and write the line ${quote(`${pattern} => ${target}`)} in files; for a folder of that name, end it with a slash.`,
  }));
}
