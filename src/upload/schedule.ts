import { BUFFER_BYTES } from '../agent/body.ts';
import type { AgentError } from '../agent/failure.ts';
import { sharedBytes } from '../agent/shared-body.ts';
import type { PlannedFile } from './plan.ts';

/** A planned file on its way. */
export interface Entry {
  readonly file: PlannedFile;
  /** Its place in the plan, from 0. */
  readonly index: number;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Why the last of them failed, of which a part may have arrived. */
  readonly error?: AgentError;
}

/** The order in which files are sent. */
export interface Schedule {
  /** What to send next with one request, several files only where they may share it; undefined if nothing is left. */
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
 * `perRequest` small files share a request: the first of these goes ahead by itself, so that an agent that cannot take it
 * harms no more than that.
 */
export function openSchedule(
  files: readonly PlannedFile[],
  { perRequest, lanes: lanesAtFirst }: { readonly perRequest: number; readonly lanes: number },
): Schedule {
  const isLarge = ({ file }: Entry) => lanesAtFirst > 1 && file.size > LARGE_BYTES;
  const entries = files.map((file, index): Entry => ({ file, index, attempts: 0 }));
  const large = entries.filter(isLarge).sort((a, b) => b.file.size - a.file.size);
  const small = queueOf(entries.filter(entry => !isLarge(entry)));
  const again: Entry[] = [];
  let sharing: 'untried' | 'on trial' | 'trusted' | 'off' = perRequest > 1 ? 'untried' : 'off';
  let [largeNow, nextLarge] = [0, 0];

  function nextSmall(): readonly Entry[] {
    if (sharing === 'off' || sharing === 'on trial') return small.take(1, () => 0);
    const together = small.take(perRequest, ({ file }) => sharedBytes(file));
    if (together.length > 1 && sharing === 'untried') sharing = 'on trial';
    return together;
  }

  return {
    next(lanes) {
      const retried = again.shift();
      if (retried !== undefined) return [retried];
      const candidate = large[nextLarge];
      if (candidate === undefined || (small.left() > 0 && largeNow >= Math.floor(lanes / 2))) {
        return small.left() > 0 ? nextSmall() : undefined;
      }
      [largeNow, nextLarge] = [largeNow + 1, nextLarge + 1];
      return [candidate];
    },
    ended(done, rest) {
      largeNow -= done.filter(isLarge).length;
      again.push(...rest.again);
      if (rest.refused) sharing = 'off';
      else if (done.length > 1 && sharing === 'on trial') sharing = 'trusted';
    },
  };
}

function queueOf(entries: readonly Entry[]) {
  let position = 0;
  return {
    left: () => entries.length - position,
    /** The next entries, up to `count` as far as their bytes fit in a buffer; one where its bytes are unknown. */
    take(count: number, bytesOf: (entry: Entry) => number | undefined): readonly Entry[] {
      const start = position;
      let room = BUFFER_BYTES;
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
