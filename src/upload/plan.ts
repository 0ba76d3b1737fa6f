import path from 'node:path';
import type { UploadFile } from '../agent/body.ts';
import { InputError } from '../inputs/parse.ts';
import type { Inputs, Shard } from '../inputs/table.ts';
import { firstOf } from '../text/cut.ts';
import { quote } from '../text/visible.ts';
import type { Matches } from './discover.ts';
import { BROKEN_LINK, type LeftOut, NOT_REGULAR, pathWithin, type SourceFile, toPosix } from './sources.ts';
import { nothingFound } from './unmatched.ts';

/** One upload to be made. */
export interface PlannedFile extends UploadFile {
  /** The file as a reader knows it: relative to the workspace where it lies in it, with slashes. */
  readonly source: string;
  readonly isExecutable: boolean;
}

/** All that will be uploaded, each target once, in the order found. */
export interface Plan {
  readonly files: readonly PlannedFile[];
  /** What was matched and is not uploaded; `path` as in `source`. */
  readonly leftOut: readonly LeftOut[];
  /** What was passed over for its name, and no other pattern takes. */
  readonly hidden: readonly LeftOut[];
  readonly warnings: readonly string[];
}

export interface PlanOptions extends Pick<Inputs<'upload'>, 'target' | 'ifNoFilesFound' | 'workingDirectory'> {
  readonly workspace: string;
}

// So many of a kind are named in one message; the rest is counted.
const NAMED = 10;

/** Says where each file goes: the fixed part of a pattern is dropped. @throws InputError for no match, or two for one place. */
export function plan(matches: readonly Matches[], options: PlanOptions): Plan {
  const name = (file: string) => toPosix(pathWithin(options.workspace, file) ?? file);
  const directory = path.resolve(options.workspace, options.workingDirectory);
  const files = matches.flatMap(match =>
    match.files.map(file => {
      const { realPath, size, isExecutable } = file;
      const target = targetOf(file, match.pattern.target, options.target);
      return { source: name(file.path), realPath, target, size, isExecutable };
    }),
  );
  const unmatched = matches
    .filter(match => match.files.length === 0)
    .map(match => nothingFound(match, directory, name));
  const { unique, conflicts } = byTarget(files);
  const problems = [
    ...(options.ifNoFilesFound === 'error' ? unmatched : []),
    ...cut(conflicts),
    ...cut(unwritable(unique)),
  ];
  if (problems.length > 0) throw new InputError(problems.map(message => ({ input: 'files', message })));
  // Two patterns may match the same.
  const named = (items: readonly LeftOut[]) => [
    ...new Map(items.map(item => [item.path, { ...item, path: name(item.path) }])).values(),
  ];
  const leftOut = named(matches.flatMap(match => match.leftOut));
  const hidden = named(matches.flatMap(match => match.hidden));
  const taken = new Set(unique.map(({ source }) => source));
  return {
    files: unique,
    leftOut,
    hidden: hidden.filter(item => !taken.has(item.path)),
    warnings: [...(options.ifNoFilesFound === 'warn' ? unmatched : []), ...oddities(leftOut)],
  };
}

/** A shard's share in plan order. All shares are disjoint, make up the plan, and weigh the same but for at most one file. */
export function shareOf<F extends Pick<PlannedFile, 'target' | 'size'>>(
  files: readonly F[],
  { index, count }: Shard,
): F[] {
  const loads = Array.from({ length: count }, () => 0);
  const mine = new Set<F>();
  for (const file of files.toSorted(heaviestFirst)) {
    const lightest = loads.indexOf(Math.min(...loads));
    loads[lightest] = (loads[lightest] ?? 0) + file.size + REQUEST_BYTES;
    if (lightest === index - 1) mine.add(file);
  }
  return files.filter(file => mine.has(file));
}

// What a request costs beside the content, as so many bytes: its headers, its frame and its answer. Thousands of empty
// files are work too, and are dealt out like any other.
const REQUEST_BYTES = 1024;

// Greedy by weight, heaviest first, keeps the loads as close as the smallest files allow. Targets are compared by code
// units, which is the same on every machine.
function heaviestFirst(one: Pick<PlannedFile, 'target' | 'size'>, other: typeof one): number {
  if (one.size !== other.size) return other.size - one.size;
  return one.target < other.target ? -1 : 1;
}

function targetOf({ path: file, relative }: SourceFile, own: string | undefined, general: string): string {
  const target = own !== undefined && path.posix.isAbsolute(own) ? own : path.posix.join(general, own ?? '');
  const isDirectory = own === undefined || relative !== '' || /(^|\/)\.?$/.test(own);
  if (!isDirectory) return path.posix.normalize(target);
  return path.posix.join(target, relative === '' ? path.basename(file) : relative);
}

/** The files with each target once, and a message for each target that two sources claim. */
function byTarget(files: readonly PlannedFile[]): { unique: PlannedFile[]; conflicts: string[] } {
  const owners = new Map<string, PlannedFile>();
  const conflicts: string[] = [];
  for (const file of files) {
    const owner = owners.get(file.target);
    if (owner === undefined) owners.set(file.target, file);
    // Where the file system knows no case, one file may be spelt in two ways.
    else if (owner.realPath !== file.realPath || owner.source.toLowerCase() !== file.source.toLowerCase())
      conflicts.push(conflict(owner, file));
  }
  return { unique: [...owners.values()], conflicts: [...conflicts, ...nestedTargets(owners)] };
}

/** Messages for targets that would have to be a file and a directory at once. */
function nestedTargets(owners: ReadonlyMap<string, PlannedFile>): string[] {
  const messages: string[] = [];
  const checked = new Set<string>();
  const dirname = (place: string) => path.posix.dirname(place);
  for (const file of owners.values()) {
    for (let at = dirname(file.target); !checked.has(at) && at !== dirname(at); at = dirname(at)) {
      checked.add(at);
      const owner = owners.get(at);
      if (owner !== undefined) messages.push(nested(owner, file));
    }
  }
  return messages;
}

function conflict(one: PlannedFile, other: PlannedFile): string {
  const sources = `${JSON.stringify(one.source)} and ${JSON.stringify(other.source)}`;
  return `${sources} would both go to ${JSON.stringify(other.target)}. Give one line another target, or exclude one.`;
}

function nested(owner: PlannedFile, file: PlannedFile): string {
  const [one, other] = [owner, file].map(
    ({ source, target }) => `${JSON.stringify(source)} would go to ${JSON.stringify(target)}`,
  );
  return `${one} and ${other}: a file cannot also be a directory. Give one line another target, or exclude one.`;
}

/** A warning for each kind of what was left out without being asked for. */
function oddities(leftOut: readonly LeftOut[]): string[] {
  return [BROKEN_LINK, NOT_REGULAR].flatMap(reason => {
    const [first, ...others] = leftOut.filter(item => item.reason === reason);
    if (first === undefined) return [];
    const more = others.length === 0 ? ',' : ` and ${others.length} more, each`;
    return [`Left out: ${quote(first.path)}${more} ${reason}.`];
  });
}

function unwritable(files: readonly PlannedFile[]): string[] {
  return files
    .filter(({ target }) => !target.isWellFormed())
    .map(({ source }) => `${JSON.stringify(source)} has a name that cannot be written as UTF-8. Rename or exclude it.`);
}

function cut(messages: readonly string[]): string[] {
  return firstOf(messages, NAMED, { show: each => each, more: rest => `And ${rest} more of this kind.` });
}
