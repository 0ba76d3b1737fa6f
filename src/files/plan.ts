import path from 'node:path';
import type { UploadFile } from '../agent/body.ts';
import { InputError } from '../inputs/input-error.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Shard } from '../inputs/upload-fields.ts';
import { abbreviate } from '../text/format.ts';
import type { Redact } from '../text/redact.ts';
import { quote } from '../text/visible.ts';
import type { Matches } from './find.ts';
import { pathWithin, toPosix } from './links.ts';
import { explainNoMatch } from './unmatched.ts';
import { BROKEN_LINK, type FoundFile, NOT_REGULAR, type SkippedEntry } from './walk.ts';

/** A file and where it goes. */
export interface PlannedFile extends UploadFile {
  /** The file as a reader knows it: relative to the workspace if it is inside, with slashes. */
  readonly source: string;
  readonly isExecutable: boolean;
}

/** What to upload, each target once, in the order found. The paths of entries are like `source`. */
export interface Plan {
  readonly files: readonly PlannedFile[];
  readonly skipped: readonly SkippedEntry[];
  /** Hidden files and folders of which no other pattern takes anything. */
  readonly hidden: readonly SkippedEntry[];
  readonly warnings: readonly string[];
}

export interface PlanOptions
  extends Pick<Inputs<'upload'>, 'target' | 'ifNoFilesFound' | 'workingDirectory'> {
  readonly workspace: string;
  /** Names that this would change are refused: they reach outputs, summary and report. */
  readonly redact: Redact;
}

// The messages of one kind; the rest is counted.
const MAX_MESSAGES = 10;

/**
 * Decides where each file goes: the fixed part of its pattern is dropped. @throws InputError for
 * patterns without a match, names that cannot be used, and two files for one place.
 */
export function planFiles(matches: readonly Matches[], options: PlanOptions): Plan {
  const { workspace, workingDirectory, ifNoFilesFound, redact } = options;
  const nameOf = (file: string) => toPosix(pathWithin(workspace, file) ?? file);
  const directory = path.resolve(workspace, workingDirectory);
  const planned = matches.flatMap(({ files, pattern }) =>
    files.map(({ path: file, relative, ...rest }): PlannedFile => {
      const target = targetOf({ path: file, relative }, pattern.target, options.target);
      return { ...rest, source: nameOf(file), target };
    }),
  );
  const { files, conflicts } = byTarget(planned);
  const unique = (entries: readonly SkippedEntry[]) => uniqueEntries(entries, nameOf);
  const skipped = unique(matches.flatMap(match => match.skipped));
  const hidden = unique(matches.flatMap(match => match.hidden));
  const empty =
    ifNoFilesFound === 'ignore' ? [] : matches.filter(({ files: all }) => all.length === 0);
  const unmatched = empty.map(match => explainNoMatch(match, directory, nameOf));
  const entries = [...skipped, ...hidden];
  const problems = [
    ...(ifNoFilesFound === 'error' ? unmatched : []),
    ...conflicts,
    ...unwritable(files),
    ...secretNames([...files.map(file => file.source), ...entries.map(each => each.path)], redact),
  ];
  if (problems.length > 0)
    throw new InputError(problems.map(message => ({ input: 'files', message })));
  const warnings = [...(ifNoFilesFound === 'warn' ? unmatched : []), ...oddities(skipped)];
  return { files, skipped, hidden: withoutTaken(hidden, files), warnings: warnings.map(redact) };
}

/**
 * The files of one shard, in plan order: the same on every machine, whatever the order in which
 * files were found. The weights of the shards differ by one file at most.
 */
export function shardOf<F extends Pick<PlannedFile, 'target' | 'size'>>(
  files: readonly F[],
  { index, count }: Shard,
): F[] {
  const loads = Array.from({ length: count }, () => 0);
  const own = new Set<F>();
  for (const file of files.toSorted(heaviestFirst)) {
    const lightest = loads.indexOf(Math.min(...loads));
    loads[lightest] = (loads[lightest] ?? 0) + file.size + REQUEST_BYTES;
    if (lightest === index - 1) own.add(file);
  }
  return files.filter(file => own.has(file));
}

// What a request costs beside the content: thousands of empty files are work too.
const REQUEST_BYTES = 1024;

function heaviestFirst(one: Pick<PlannedFile, 'target' | 'size'>, other: typeof one): number {
  if (one.size !== other.size) return other.size - one.size;
  return one.target < other.target ? -1 : 1;
}

/** Two patterns may match the same entry. */
function uniqueEntries(
  entries: readonly SkippedEntry[],
  nameOf: (file: string) => string,
): SkippedEntry[] {
  const byPath = new Map(entries.map(entry => [entry.path, entry]));
  return [...byPath.values()].map(entry => ({ ...entry, path: nameOf(entry.path) }));
}

/** The hidden entries of which no pattern takes anything. */
function withoutTaken(
  hidden: readonly SkippedEntry[],
  files: readonly PlannedFile[],
): SkippedEntry[] {
  const taken = new Set<string>();
  for (const { source } of hidden.length === 0 ? [] : files) {
    for (let at = source; !taken.has(at); at = path.posix.dirname(at)) taken.add(at);
  }
  return hidden.filter(entry => !taken.has(entry.path));
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

/** The files, each target once, and messages for targets that two sources claim. */
function byTarget(planned: readonly PlannedFile[]): { files: PlannedFile[]; conflicts: string[] } {
  const owners = new Map<string, PlannedFile>();
  const conflicts: string[] = [];
  for (const file of planned) {
    const owner = owners.get(file.target);
    if (owner === undefined) owners.set(file.target, file);
    // In a file system that ignores case, one file may be spelled in two ways.
    else if (
      owner.realPath !== file.realPath ||
      owner.source.toLowerCase() !== file.source.toLowerCase()
    )
      conflicts.push(conflict(owner, file));
  }
  return {
    files: [...owners.values()],
    conflicts: cut([...conflicts, ...nestedTargets(owners)]),
  };
}

/** Messages for targets that would be a file and a directory at once. */
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

/** A warning for each kind of entry that nobody asked to skip. */
function oddities(skipped: readonly SkippedEntry[]): string[] {
  return [BROKEN_LINK, NOT_REGULAR].flatMap(reason => {
    const [first, ...others] = skipped.filter(entry => entry.reason === reason);
    if (first === undefined) return [];
    const more = others.length === 0 ? ',' : ` and ${others.length} more, each`;
    return [`Skipped: ${quote(first.path)}${more} ${reason}.`];
  });
}

function unwritable(files: readonly PlannedFile[]): string[] {
  const wrong = files.filter(({ target }) => !target.isWellFormed());
  const why = 'has a name that cannot be written as UTF-8. Rename or exclude it.';
  return cut(wrong.map(({ source }) => `${JSON.stringify(source)} ${why}`));
}

function secretNames(names: readonly string[], redact: Redact): string[] {
  const wrong = names.filter(name => redact(name) !== name);
  const why = 'has a name that contains the token or another secret. Rename or exclude it.';
  return cut(wrong.map(name => `${quote(redact(name))} ${why}`));
}

function cut(messages: readonly string[]): string[] {
  return abbreviate(messages, MAX_MESSAGES, {
    show: message => message,
    more: rest => `And ${rest} more of this kind.`,
  });
}
