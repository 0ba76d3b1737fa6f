import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { create } from '@actions/glob';
import type { FilePattern } from '../inputs/files.ts';
import { InputError, inputError, type Problem } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { quote } from '../text/escape.ts';
import { formatNumber } from '../text/format.ts';
import {
  createClassifier,
  describeLinks,
  type ForbiddenLink,
  type FoundFile,
  type SkippedEntry,
} from './classify.ts';
import {
  displayPath,
  escapeGlob,
  isLink,
  namesHidden,
  pathWithin,
  statIfExists,
  toAbsolutePattern,
} from './paths.ts';

/** What one pattern matches. */
export interface Matches {
  readonly pattern: FilePattern;
  /** Absolute path up to the pattern's first wildcard. */
  readonly root: string;
  readonly skipsHidden: boolean;
  readonly files: readonly FoundFile[];
  readonly skipped: readonly SkippedEntry[];
  readonly links: readonly ForbiddenLink[];
}

// Folders that link to each other can yield an almost endless number of paths.
const MAX_FILES = 1_000_000;

/**
 * Finds the files of each pattern; returns none if cancelled.
 * @throws InputError if an exclude is useless, links point out of the workspace or to something
 * hidden, or a link to a folder matches while `followSymlinks` is undefined
 */
export async function findFiles(
  inputs: Inputs<'upload'>,
  workspace: string,
  cancel: AbortSignal,
  maxFiles = MAX_FILES,
): Promise<readonly Matches[]> {
  const { workingDirectory, stateFile } = inputs;
  const { patterns, excludes } = inputs.files;
  const directory = path.resolve(workspace, workingDirectory);
  requireDirectory(directory, workingDirectory);
  if (cancel.aborted) return [];
  const absolute = (line: string) => toAbsolutePattern(line, directory);
  // The state file is not part of the build.
  const stateExclude = stateFile === '' ? [] : [escapeGlob(path.resolve(workspace, stateFile))];
  const allExcludes = [...excludes.map(absolute), ...stateExclude];
  const searches = patterns.map(pattern =>
    search(pattern, allExcludes, inputs, workspace, maxFiles),
  );
  // The glob only yields on a match, so it cannot notice a cancelled job by itself.
  const aborted = once(cancel, 'abort').then(() => []);
  const results = await Promise.race([Promise.all(searches), aborted]);
  if (cancel.aborted) return [];
  const links = results.flatMap(result => result.links);
  const problems = [
    ...describeLinks(links, workspace),
    ...(await findUselessExcludes(excludes, results, directory)),
  ];
  if (problems.length > 0) throw new InputError(problems);
  return results;
}

/** Lists hidden entries except `.git`, directly below the folders where searches began. */
export function listHidden(matches: readonly Matches[], workspace: string): string[] {
  const roots = new Set(matches.filter(match => match.skipsHidden).map(match => match.root));
  const folders = [...roots].filter(root => statIfExists(root)?.isDirectory());
  return folders.flatMap(folder =>
    readdirSync(folder)
      .filter(name => name.startsWith('.') && name !== '.git')
      .map(name => displayPath(path.join(folder, name), workspace)),
  );
}

function requireDirectory(directory: string, workingDirectory: string): void {
  if (statIfExists(directory)?.isDirectory()) return;
  const name = workingDirectory === '' ? 'the workspace' : quote(workingDirectory);
  const message = `${name} is not a directory on the runner (${directory}).`;
  throw inputError('working-directory', message, 'packages/app');
}

async function search(
  pattern: FilePattern,
  excludes: readonly string[],
  { workingDirectory, followSymlinks, includeHiddenFiles }: Inputs<'upload'>,
  workspace: string,
  maxFiles: number,
): Promise<Matches> {
  const directory = path.resolve(workspace, workingDirectory);
  const absolutePattern = toAbsolutePattern(pattern.pattern, directory);
  const root = await rootOf(absolutePattern);
  const skipsHidden = !includeHiddenFiles && !namesHidden(absolutePattern, root);
  // The glob ignores an exclude that precedes its pattern.
  const lines = [absolutePattern, ...excludes.map(exclude => `!${exclude}`)].join('\n');
  const paths = new Set<string>();
  for await (const file of pathsOf(lines, root, skipsHidden, followSymlinks)) {
    paths.add(file);
    if (paths.size <= maxFiles) continue;
    const message = `${quote(pattern.pattern)} matches more than ${formatNumber(maxFiles)} files. Do links form a loop? Exclude what you do not need.`;
    throw inputError('files', message);
  }
  const classify = createClassifier(root, workspace, skipsHidden, followSymlinks);
  const found = [...paths].sort().flatMap(classify);
  return {
    pattern,
    root,
    skipsHidden,
    files: found.filter(each => 'realPath' in each),
    skipped: found.filter(each => 'reason' in each),
    links: found.filter(each => 'leadsTo' in each),
  };
}

async function rootOf(absolutePattern: string): Promise<string> {
  const [root = ''] = (await create(absolutePattern)).getSearchPaths();
  return root;
}

async function* pathsOf(
  lines: string,
  root: string,
  skipsHidden: boolean,
  followSymlinks: boolean | undefined,
): AsyncGenerator<string> {
  // The glob does not enter a root that is a link, and only some patterns make it yield the root.
  if (isLink(root) && statIfExists(root)?.isDirectory()) yield root;
  // When the glob follows links, it omits broken ones and names that are not UTF-8, so search twice.
  for (const followSymbolicLinks of followSymlinks ? [false, true] : [false]) {
    const globber = await create(lines, {
      followSymbolicLinks,
      matchDirectories: false,
      // The glob would skip a root that is itself hidden.
      excludeHiddenFiles: skipsHidden && !path.basename(root).startsWith('.'),
    });
    yield* globber.globGenerator();
  }
}

/**
 * Finds excludes that can match nothing because no pattern searches there, such as `!secret.txt`
 * beside `dist/**`. A pattern counts as searching its whole top-level folder.
 */
async function findUselessExcludes(
  excludes: readonly string[],
  matches: readonly Matches[],
  directory: string,
): Promise<Problem[]> {
  const folders = matches.map(({ root }) => firstFolderOf(root, directory));
  const isSearched = (place: string) => folders.some(folder => overlap(folder, place));
  const problems: Problem[] = [];
  for (const line of excludes) {
    if (isSearched(await rootOf(toAbsolutePattern(line, directory)))) continue;
    const name = line.replace(/^([~.*]*[\\/])+/, '');
    const anywhere = isSearched(directory)
      ? `, or write ${quote(`!**/${name}`)} to exclude it wherever it is`
      : '';
    const message = `${quote(`!${line}`)} excludes nothing, since no pattern begins there. Begin it like a pattern${anywhere}.`;
    problems.push({ input: 'files', message });
  }
  return problems;
}

function firstFolderOf(root: string, directory: string): string {
  const [first = ''] = pathWithin(directory, root)?.split(path.sep) ?? [];
  return first === '' ? root : path.join(directory, first);
}

function overlap(one: string, other: string): boolean {
  return pathWithin(one, other) !== undefined || pathWithin(other, one) !== undefined;
}
