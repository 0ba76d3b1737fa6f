import { hash } from 'node:crypto';
import path from 'node:path';
import type { Shard } from '../inputs/fields.ts';
import { InputError, type Problem } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { abbreviate, andMore } from '../text/format.ts';
import { quote } from '../text/visible.ts';
import { explainNoMatch } from './explain-no-match.ts';
import {
  BROKEN_LINK,
  type FoundFile,
  HIDDEN_END,
  type Matches,
  NOT_REGULAR,
  type SkippedEntry,
} from './find.ts';
import { nameFor } from './paths.ts';

export interface PlannedFile {
  /** For display: relative to the workspace if inside, with slashes. */
  readonly source: string;
  /** POSIX path, absolute or relative to the user's home. */
  readonly target: string;
  /** Absolute, with links resolved. */
  readonly realPath: string;
  readonly size: number;
  readonly isExecutable: boolean;
}

/** Lists each target once, in the order found. */
export interface Plan {
  readonly files: readonly PlannedFile[];
  readonly skipped: readonly SkippedEntry[];
  readonly warnings: readonly string[];
}

export interface PlanOptions
  extends Pick<Inputs<'upload'>, 'target' | 'ifNoFilesFound' | 'workingDirectory'> {
  readonly workspace: string;
}

const MAX_MESSAGES = 10;

/**
 * Decides where each file goes, dropping the fixed part of its pattern.
 * @throws InputError if a pattern matches nothing, targets conflict or `target` looks like a file
 */
export function planFiles(matches: readonly Matches[], options: PlanOptions): Plan {
  const { workspace, workingDirectory, ifNoFilesFound, target } = options;
  const planned = matches.flatMap(({ files, pattern }) =>
    files.map(file => planFile(file, pattern.target, options)),
  );
  const byTarget = new Map<string, PlannedFile>();
  for (const file of planned) if (!byTarget.has(file.target)) byTarget.set(file.target, file);
  const directory = path.resolve(workspace, workingDirectory);
  const unmatched = matches
    .filter(({ files }) => files.length === 0 && ifNoFilesFound !== 'ignore')
    .map(match => explainNoMatch(match, directory, workspace));
  const problems = [
    ...(ifNoFilesFound === 'error' ? unmatched : []),
    ...abbreviated([...conflicts(planned, byTarget), ...nestedTargets(byTarget)]),
  ].map((message): Problem => ({ input: 'files', message }));
  for (const match of matches)
    if (isTargetMistaken(match, target)) problems.push(mistakenTarget(match, target));
  if (problems.length > 0) throw new InputError(problems);
  const skipped = skippedIn(matches, workspace);
  const warnings = [...(ifNoFilesFound === 'warn' ? unmatched : []), ...skipWarnings(skipped)];
  return { files: [...byTarget.values()], skipped, warnings };
}

/** Returns one shard's files; a file's shard depends only on its target. */
export function shardOf<F extends Pick<PlannedFile, 'target'>>(
  files: readonly F[],
  { index, count }: Shard,
): F[] {
  return files.filter(
    ({ target }) => hash('sha256', target, 'buffer').readUInt32BE(0) % count === index - 1,
  );
}

function planFile(file: FoundFile, own: string | undefined, options: PlanOptions): PlannedFile {
  const { path: source, realPath, size, isExecutable } = file;
  const target = targetOf(file, own, options.target);
  return { source: nameFor(source, options.workspace), target, realPath, size, isExecutable };
}

function targetOf(
  { path: file, relative }: Pick<FoundFile, 'path' | 'relative'>,
  own: string | undefined,
  general: string,
): string {
  const target =
    own !== undefined && path.posix.isAbsolute(own) ? own : path.posix.join(general, own ?? '');
  const isDirectory = own === undefined || relative !== '' || /(^|\/)\.?$/.test(own);
  if (!isDirectory) return path.posix.normalize(target);
  return path.posix.join(target, relative === '' ? path.basename(file) : relative);
}

// With `files: server.js`, `target: app/server.js` would become a folder.
function isTargetMistaken({ files, pattern }: Matches, target: string): boolean {
  const [file] = files;
  if (file === undefined || file.relative !== '' || pattern.target !== undefined) return false;
  return !target.endsWith('/') && path.posix.basename(target) === path.basename(file.path);
}

function mistakenTarget({ pattern: { pattern } }: Matches, target: string): Problem {
  return {
    input: 'target',
    message: `${quote(target)} is a folder, and the file would land in it under its own name. For one file, leave target empty and write the line ${quote(`${pattern} => ${target}`)} in files; for a folder of that name, end it with a slash.`,
  };
}

function conflicts(
  planned: readonly PlannedFile[],
  byTarget: ReadonlyMap<string, PlannedFile>,
): string[] {
  return planned.flatMap(file => {
    const owner = byTarget.get(file.target) ?? file;
    // On a case-insensitive file system, one file may be spelled in two ways.
    const isSame =
      owner.realPath === file.realPath && owner.source.toLowerCase() === file.source.toLowerCase();
    if (isSame) return [];
    const sources = `${JSON.stringify(owner.source)} and ${JSON.stringify(file.source)}`;
    return [`${sources} would both go to ${JSON.stringify(file.target)}. ${ADVICE}`];
  });
}

const ADVICE = 'Give one line another target, or exclude one.';

function nestedTargets(byTarget: ReadonlyMap<string, PlannedFile>): string[] {
  const dirname = (target: string) => path.posix.dirname(target);
  const messages: string[] = [];
  const checked = new Set<string>();
  for (const file of byTarget.values()) {
    for (let at = dirname(file.target); !checked.has(at) && at !== dirname(at); at = dirname(at)) {
      checked.add(at);
      const owner = byTarget.get(at);
      if (owner !== undefined) messages.push(nested(owner, file));
    }
  }
  return messages;
}

function nested(...files: readonly [PlannedFile, PlannedFile]): string {
  const [one, other] = files.map(
    ({ source, target }) => `${JSON.stringify(source)} would go to ${JSON.stringify(target)}`,
  );
  return `${one} and ${other}: a file cannot also be a directory. ${ADVICE}`;
}

// Two patterns may match the same entry.
function skippedIn(matches: readonly Matches[], workspace: string): SkippedEntry[] {
  const all = matches.flatMap(match => match.skipped);
  const byPath = new Map(all.map(entry => [entry.path, entry]));
  return [...byPath.values()].map(({ path: file, reason }) => ({
    path: nameFor(file, workspace),
    reason,
  }));
}

function skipWarnings(skipped: readonly SkippedEntry[]): string[] {
  return [BROKEN_LINK, NOT_REGULAR, HIDDEN_END].flatMap(reason => {
    const [first, ...others] = skipped.filter(entry => entry.reason === reason);
    if (first === undefined) return [];
    return [`Skipped (${reason}): ${andMore(quote(first.path), others.length)}.`];
  });
}

function abbreviated(messages: readonly string[]): string[] {
  return abbreviate(messages, MAX_MESSAGES, {
    show: message => message,
    more: rest => `And ${rest} more of this kind.`,
  });
}
