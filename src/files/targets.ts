import { hash } from 'node:crypto';
import path from 'node:path';
import type { FilePattern } from '../inputs/files.ts';
import { InputError, type InputProblem } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Shard } from '../inputs/parsers.ts';
import { firstOf } from '../text/shorten.ts';
import {
  describeLinks,
  explainNoMatch,
  findMistakenTargets,
  findUselessExcludes,
  warnOfSkipped,
} from './explain-files.ts';
import type { FoundFile, FoundFiles } from './find.ts';

export interface PlannedFile extends FoundFile {
  /** POSIX path, absolute or relative to the user's home. */
  readonly target: string;
}

const MAX_CONFLICTS = 10;

/**
 * Gives each file a target below the input `target` and the target of its line. Returns one file
 * per target, in the order found. @throws InputError for links, excludes and targets that are wrong
 */
export function planFiles(found: FoundFiles, inputs: Inputs<'upload'>, workspace: string) {
  const { matches } = found;
  const { ifNoFilesFound, target } = inputs;
  const directory = path.resolve(workspace, inputs.workingDirectory);
  const planned = matches.flatMap(({ files, pattern }) =>
    files.map((file): PlannedFile => ({ ...file, target: targetOf(file, pattern, target) })),
  );
  const unmatched = matches
    .filter(({ files, links }) => files.length + links.length === 0 && ifNoFilesFound !== 'ignore')
    .map(match => explainNoMatch(match, directory));
  const problems = findProblems(found, planned, ifNoFilesFound === 'error' ? unmatched : [], {
    directory,
    target,
    workspace,
  });
  if (problems.length > 0) throw new InputError(problems);
  // Two patterns may match the same entry.
  const allSkipped = matches.flatMap(match => match.skipped);
  const skipped = uniqueBy(allSkipped, entry => entry.path);
  const warnings = [...(ifNoFilesFound === 'warn' ? unmatched : []), ...warnOfSkipped(skipped)];
  // Conflicts were rejected above, so equal targets belong to one file that two patterns match.
  const files = uniqueBy(planned, file => file.target);
  return { files, skipped, warnings };
}

function findProblems(
  { matches, excludes }: FoundFiles,
  planned: readonly PlannedFile[],
  unmatched: readonly string[],
  { directory, target, workspace }: Record<'directory' | 'target' | 'workspace', string>,
): InputProblem[] {
  const more = (count: number) => `And ${count} more of this kind.`;
  const conflicts = firstOf(findConflicts(planned), MAX_CONFLICTS, more);
  const links = matches.flatMap(match => match.links);
  return [
    ...describeLinks(links, workspace),
    ...findUselessExcludes(excludes, matches, directory),
    ...[...unmatched, ...conflicts].map(message => ({ input: 'files', message })),
    ...findMistakenTargets(matches, target),
  ];
}

/** Returns one shard's files. A file's shard depends only on its target, so all runners agree. */
export function filesOfShard(
  files: readonly PlannedFile[],
  { index, count }: Shard,
): PlannedFile[] {
  return files.filter(
    ({ target }) => hash('sha256', target, 'buffer').readUInt32BE(0) % count === index - 1,
  );
}

function targetOf(
  { source, relative }: FoundFile,
  { target: lineTarget = '' }: FilePattern,
  target: string,
): string {
  const isBelowTarget = !/^(\/|~(\/|$))/.test(lineTarget);
  // A relative path is already relative to the user's home.
  const base = path.posix.join(isBelowTarget ? target : '', lineTarget).replace(/^~(\/|$)/, '');
  const isFile = relative === '' && !/(^|\/)\.?$|^~$/.test(lineTarget);
  return isFile ? base : path.posix.join(base, relative || path.posix.basename(source));
}

const ADVICE = 'Give one line another target, or exclude one.';

/** Describes files that have the target of another file, or a target below it, sorted by target. */
function findConflicts(planned: readonly PlannedFile[]): string[] {
  const quoted = JSON.stringify;
  // The trailing slash sorts a target directly before all targets at or below it.
  const sorted = planned.map(file => ({ file, key: `${file.target}/` }));
  sorted.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
  let top: PlannedFile | undefined;
  return sorted.flatMap(({ file, key }) => {
    if (top === undefined || !key.startsWith(`${top.target}/`)) {
      top = file;
      return [];
    }
    const { source, target } = file;
    if (top.target !== target)
      return `${quoted(top.source)} would go to ${quoted(top.target)} and ${quoted(source)} would go to ${quoted(target)}: a file cannot also be a directory. ${ADVICE}`;
    if (top.source === source) return [];
    return `${quoted(top.source)} and ${quoted(source)} would both go to ${quoted(target)}. ${ADVICE}`;
  });
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map(item => [keyOf(item), item])).values()];
}
