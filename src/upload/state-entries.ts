import { posix } from 'node:path';
import type { FileResult } from './result.ts';
import type { Entries, StateEntry } from './state.ts';

/**
 * The entries that stay true while the targets are sent, whatever comes of it: all but those of the targets themselves, and
 * of what may be one of these places in another spelling, such as `app/x` and `/home/user/app/x`.
 */
export function without(entries: Entries, targets: readonly string[]): Entries {
  const sent = new Map(targets.map(target => [target, placeOf(entries.get(target))]));
  const isTouched = touchedBy(sent);
  return new Map(
    [...entries].filter(([target, entry]) => !sent.has(target) && !isTouched(target, placeOf(entry))),
  );
}

/** Where files end up that share a request, if the agent takes the last part of a filename alone for a path. */
export function misplaced(targets: readonly string[]): string[] {
  return targets.filter(target => target.includes('/')).map(target => posix.basename(target));
}

/** The entries after a transfer: what was acknowledged is in, what was tried and failed is out, the rest is as it was. */
export function afterTransfer(entries: Entries, results: readonly FileResult[]): Entries {
  const stored = new Map(results.flatMap(acknowledged));
  const tried = results.filter(({ status }) => status === 'uploaded' || status === 'failed');
  const sent = new Map(
    tried.map(({ file: { target } }) => [target, placeOf(stored.get(target) ?? entries.get(target))]),
  );
  const isTouched = touchedBy(sent);
  const kept = [...entries].filter(([target]) => !sent.has(target));
  return new Map([...kept, ...stored].filter(([target, entry]) => !isTouched(target, placeOf(entry))));
}

function acknowledged(result: FileResult): [target: string, entry: StateEntry][] {
  if (result.status !== 'uploaded' || result.sha256 === undefined) return [];
  const { file, path, size, sha256 } = result;
  return [[file.target, { path, size, sha256 }]];
}

/** Where a target lies, as far as that is known. Only the agent's own absolute paths can tell spellings apart. */
type Place = string | undefined;

function placeOf(entry: StateEntry | undefined): Place {
  return entry !== undefined && posix.isAbsolute(entry.path) ? entry.path : undefined;
}

/**
 * Says whether one of the targets sent may lie where another target does. Two absolute targets are two places, and so are
 * two relative ones. An absolute and a relative one may be the same where their last names are, unless both places are known.
 */
function touchedBy(sent: ReadonlyMap<string, Place>): (target: string, place: Place) => boolean {
  const byPlace = Map.groupBy(sent, ([, place]) => place);
  const names = new Set([...sent.keys()].map(nameOf));
  const unplaced = new Set(byPlace.get(undefined)?.map(([target]) => nameOf(target)));
  return (target, place) => {
    const respelt = otherNameOf(target);
    if (place === undefined) return names.has(respelt);
    return unplaced.has(respelt) || (byPlace.get(place)?.some(([other]) => other !== target) ?? false);
  };
}

function nameOf(target: string): string {
  return `${posix.isAbsolute(target) ? '/' : ''}${posix.basename(target)}`;
}

/** The `nameOf` of the same place in the other spelling. */
function otherNameOf(target: string): string {
  return `${posix.isAbsolute(target) ? '' : '/'}${posix.basename(target)}`;
}
