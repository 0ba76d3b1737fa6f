import { posix } from 'node:path';
import type { StoredFile } from '../agent/uploader.ts';
import type { Inputs } from '../inputs/table.ts';
import { fitting } from '../text/cut.ts';
import { fieldsOf, parseFieldsOf } from '../text/exact-json.ts';
import { quote } from '../text/visible.ts';
import type { FileResult } from './result.ts';

/** An upload that the agent acknowledged. */
export type StateEntry = Required<StoredFile>;

/** What a sandbox is known to hold, by target. */
export type Entries = ReadonlyMap<string, StateEntry>;

/**
 * What a state is true of. Relative targets start at the user's home, so each user has a state of its own; an empty
 * username is the sandbox's default user.
 */
export interface StateScope extends Pick<Inputs<'upload'>, 'sandboxId' | 'baseUrl' | 'username'> {
  /** Such as `2/4`, empty is none. With another number of shards, other runners send what this one sent. */
  readonly shard: string;
}

// Counts up with every change of the format.
const SCHEMA = 1;

const SCOPE = [
  ['sandboxId', 'sandbox'],
  ['baseUrl', 'base URL'],
  ['username', 'user'],
  ['shard', 'shard'],
] as const;

const DAMAGED = 'is damaged';

/** A state as JSON of at most `maxBytes`: an entry a line, sorted by target, so that the same state is the same text. */
export function encodeState(scope: StateScope, entries: Entries, maxBytes: number): string {
  const head = JSON.stringify({ schema: SCHEMA, ...scope });
  const sorted = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  const all = sorted.map(([target, { path, size, sha256 }]) => JSON.stringify({ target, path, size, sha256 }));
  // What is left out is sent again; a state that is too long to be read would be lost whole.
  const lines = fitting(all, maxBytes - Buffer.byteLength(head) - 20, line => Buffer.byteLength(line) + 2);
  return `${head.slice(0, -1)},"files":[\n${lines.join(',\n')}\n]}\n`;
}

/** The entries of a state, or why none hold for this scope: what the text is, to follow its name. Undefined of no state. */
export function decodeState(text: string, scope: StateScope): Entries | string | undefined {
  if (!/^\{"schema":\d+,"sandboxId":./.test(text)) return undefined;
  const fields = parseFieldsOf(text);
  const { schema, files } = fields;
  if (typeof schema !== 'number') return DAMAGED;
  if (schema !== SCHEMA) return `has schema ${schema}, but this version of the action uses ${SCHEMA}`;
  for (const [field, name] of SCOPE) {
    const found = fields[field];
    if (typeof found !== 'string') return DAMAGED;
    if (found !== scope[field]) return `belongs to another ${name}, ${quote(found)} instead of ${quote(scope[field])}`;
  }
  return (Array.isArray(files) ? decodeEntries(files) : undefined) ?? DAMAGED;
}

/** The entries that stay true while targets are sent: not theirs, nor what may be one of them spelt otherwise, absolute or not. */
export function without(entries: Entries, targets: readonly string[]): Entries {
  const sent = new Set(targets);
  const respelt = new Set(targets.map(target => nameOf(target, true)));
  const paths = new Set(targets.flatMap(target => entries.get(target)?.path ?? []));
  return new Map(
    [...entries].filter(
      ([target, { path }]) => !sent.has(target) && !respelt.has(nameOf(target, false)) && !paths.has(path),
    ),
  );
}

/** The entries after a transfer: what was acknowledged is in, what was tried and failed is out, the rest is as it was. */
export function afterTransfer(entries: Entries, results: readonly FileResult[]): Entries {
  const stored = new Map(results.flatMap(acknowledged));
  const tried = results
    .filter(({ status }) => status === 'uploaded' || status === 'failed')
    .map(({ file: { target } }) => target);
  const byPath = Map.groupBy(tried, target => (stored.get(target) ?? entries.get(target))?.path);
  const respelt = new Set(tried.map(target => nameOf(target, true)));
  const kept = [...without(entries, tried)].filter(([, { path }]) => !byPath.has(path));
  const sure = [...stored].filter(
    ([target, { path }]) => byPath.get(path)?.length === 1 && !respelt.has(nameOf(target, false)),
  );
  return new Map([...kept, ...sure]);
}

function acknowledged(result: FileResult): [target: string, entry: StateEntry][] {
  if (result.status !== 'uploaded' || result.sha256 === undefined) return [];
  const { file, path, size, sha256 } = result;
  return [[file.target, { path, size, sha256 }]];
}

/** The last part of a target, and whether it is absolute; `respelt`, that of the same place in the other spelling. */
function nameOf(target: string, respelt: boolean): string {
  return `${posix.isAbsolute(target) === respelt ? '' : '/'}${posix.basename(target)}`;
}

/** Undefined where one cannot be read or is there twice: something else wrote this. */
function decodeEntries(files: readonly unknown[]): Entries | undefined {
  const entries = new Map<string, StateEntry>();
  for (const file of files) {
    const { target, path, size, sha256 } = fieldsOf(file);
    if (typeof target !== 'string' || typeof path !== 'string' || entries.has(target)) return undefined;
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    entries.set(target, { path, size, sha256 });
  }
  return entries;
}
