import { BUFFER_BYTES } from '../agent/body.ts';
import { SHARED_BYTES, sharedBytes } from '../agent/shared-body.ts';
import type { PlannedFile } from './plan.ts';
import type { FileResult } from './result.ts';

/** A planned file on its way. */
export interface Entry {
  readonly file: PlannedFile;
  /** Its place in the plan, from 0. */
  readonly index: number;
  /** Attempts made so far. */
  readonly attempts: number;
  /** How it ends if it is not sent again; undefined where it was not sent yet. */
  readonly failed?: FileResult;
}

/** The order in which files are sent. */
export interface Schedule {
  /** What to send next with one request, several files only where they may share it; undefined if there is nothing now. */
  readonly next: (lanes: number) => readonly Entry[] | undefined;
  /**
   * Told of entries whose request has ended, and which of them are to be sent again, each alone. Once an agent has refused
   * to take files together, every file is sent alone.
   */
  readonly ended: (entries: readonly Entry[], rest: { again: readonly Entry[]; refused: boolean }) => void;
}

/** Larger files are streamed. */
const LARGE_BYTES = BUFFER_BYTES;

/**
 * Small files go in plan order; large ones begin at once, the largest first, so that none is left over at the end, but as
 * long as there are small ones they take at most half of the lanes. In a single lane, all go in plan order. Up to
 * `perRequest` small files share a request. The first of these goes by itself, before everything else: an agent that cannot
 * take it harms no more than that, and one that drops the directories of filenames may overwrite with it what went before.
 */
export function openSchedule(
  files: readonly PlannedFile[],
  { perRequest, lanes: lanesAtFirst }: { readonly perRequest: number; readonly lanes: number },
): Schedule {
  const isLarge = ({ file }: Entry) => lanesAtFirst > 1 && file.size > LARGE_BYTES;
  const entries = files.map((file, index): Entry => ({ file, index, attempts: 0 }));
  const large = entries.filter(isLarge).sort((a, b) => b.file.size - a.file.size);
  const trial = perRequest > 1 ? trialOf(entries) : [];
  const tried = new Set(trial);
  const small = queueOf(entries.filter(entry => !isLarge(entry) && !tried.has(entry)));
  const again: Entry[] = [];
  let sharing: 'untried' | 'on trial' | 'trusted' | 'off' = trial.length > 0 ? 'untried' : 'off';
  let [largeNow, nextLarge] = [0, 0];

  function nextUntried(lanes: number): readonly Entry[] | undefined {
    const candidate = large[nextLarge];
    if (candidate === undefined || (small.left() > 0 && largeNow >= Math.floor(lanes / 2))) {
      if (small.left() === 0) return undefined;
      return sharing === 'off' ? small.take(1, () => 0) : small.take(perRequest, bytesOf);
    }
    [largeNow, nextLarge] = [largeNow + 1, nextLarge + 1];
    return [candidate];
  }

  return {
    next(lanes) {
      if (sharing === 'on trial') return undefined;
      if (sharing === 'untried') {
        sharing = 'on trial';
        return trial;
      }
      const retried = again.shift();
      return retried === undefined ? nextUntried(lanes) : [retried];
    },
    ended(done, rest) {
      largeNow -= done.filter(isLarge).length;
      again.push(...rest.again);
      // Without one of its files, a trial shows little.
      const isRefused = rest.refused || (sharing === 'on trial' && rest.again.length > 0);
      if (isRefused) sharing = 'off';
      else if (sharing === 'on trial') sharing = 'trusted';
    },
  };
}

// Two show as much as many, and harm less.
const TRIAL_FILES = 2;

/**
 * The files that show whether the agent takes several in one request: one in a directory first, which an agent that drops
 * directories cannot store where it belongs, and the smallest, so that they fit. None where fewer than two can share one.
 */
function trialOf(entries: readonly Entry[]): readonly Entry[] {
  const sharable = entries
    .filter(entry => (bytesOf(entry) ?? Number.POSITIVE_INFINITY) <= SHARED_BYTES)
    .sort((a, b) => a.file.size - b.file.size);
  const inDirectory = sharable.find(({ file }) => file.target.includes('/'));
  const others = sharable.filter(entry => entry !== inDirectory);
  const trial = queueOf(inDirectory === undefined ? others : [inDirectory, ...others]).take(
    TRIAL_FILES,
    bytesOf,
  );
  return trial.length > 1 ? trial : [];
}

function bytesOf({ file }: Entry): number | undefined {
  return sharedBytes(file);
}

function queueOf(entries: readonly Entry[]) {
  let position = 0;
  return {
    left: () => entries.length - position,
    /** The next entries, up to `count` as far as they fit in a shared body; one where its bytes are unknown. */
    take(count: number, bytesOf: (entry: Entry) => number | undefined): readonly Entry[] {
      const start = position;
      let room = SHARED_BYTES;
      for (; position < entries.length && position - start < count; position += 1) {
        const entry = entries[position];
        room -= (entry && bytesOf(entry)) ?? Number.POSITIVE_INFINITY;
        if (room < 0) break;
      }
      // One by itself always goes, whatever its size.
      position = Math.max(position, start + 1);
      return entries.slice(start, position);
    },
  };
}
