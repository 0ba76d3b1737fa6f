import { SHARED_BYTES, sharedBytes } from '../agent/body.ts';
import { BUFFER_BYTES } from '../agent/file.ts';
import { fitting } from '../text/cut.ts';
import type { Entry } from './attempt.ts';
import type { PlannedFile } from './plan.ts';

/** Entries that go with one request. */
export interface Batch {
  readonly entries: readonly Entry[];
  readonly isLarge: boolean;
}

/** The order in which files are sent. */
export interface Queue {
  /** Shows by itself, before all else, whether the agent takes several files in one request, and in their directories. */
  readonly trial: readonly Entry[];
  /** What to send next: a large file only where it is `welcome` or nothing else is left; undefined at the end. */
  readonly next: (welcome: boolean) => Batch | undefined;
  /** Whether only large files are left. */
  readonly isSmallDone: () => boolean;
  /** From now on, every file goes alone. */
  readonly stopSharing: () => void;
}

/** Small files go in plan order, up to `perRequest` together, large ones the largest first; `inOrder`, all in plan order. */
export function openQueue(
  files: readonly PlannedFile[],
  { perRequest, inOrder }: { readonly perRequest: number; readonly inOrder: boolean },
): Queue {
  const isLarge = ({ file }: Entry) => !inOrder && file.size > BUFFER_BYTES;
  const entries = files.map((file, index): Entry => ({ file, index }));
  const trial = perRequest > 1 ? trialOf(entries) : [];
  const large = entries.filter(isLarge).sort((a, b) => b.file.size - a.file.size);
  const small = entries.filter(entry => !isLarge(entry) && !trial.includes(entry));
  let most = trial.length > 0 ? perRequest : 1;
  let [nextLarge, nextSmall] = [0, 0];
  const isSmallDone = () => nextSmall >= small.length;
  return {
    trial,
    isSmallDone,
    stopSharing: () => {
      most = 1;
    },
    next(welcome) {
      const candidate = large[nextLarge];
      if (candidate !== undefined && (welcome || isSmallDone())) {
        nextLarge += 1;
        return { entries: [candidate], isLarge: true };
      }
      const batch = together(small, nextSmall, most);
      nextSmall += batch.length;
      return batch.length === 0 ? undefined : { entries: batch, isLarge: false };
    },
  };
}

/** The entries from `start` on that fit into one request, at most `most`; one by itself always does. */
function together(entries: readonly Entry[], start: number, most: number): readonly Entry[] {
  const sizeOf = ({ file }: Entry) => sharedBytes(file) ?? Number.POSITIVE_INFINITY;
  const fit = fitting(entries.slice(start, start + most), SHARED_BYTES, sizeOf);
  return fit.length > 0 ? fit : entries.slice(start, start + 1);
}

// Two show as much as many, and harm less.
const TRIAL_FILES = 2;

/** The smallest, so that they fit, one in a directory first: an agent that drops directories cannot store it where it belongs. */
function trialOf(entries: readonly Entry[]): readonly Entry[] {
  const sharable = entries
    .filter(({ file }) => sharedBytes(file) !== undefined)
    .sort((a, b) => a.file.size - b.file.size);
  const inDirectory = sharable.find(({ file }) => file.target.includes('/'));
  const others = sharable.filter(entry => entry !== inDirectory);
  const trial = together(inDirectory === undefined ? others : [inDirectory, ...others], 0, TRIAL_FILES);
  return trial.length === TRIAL_FILES ? trial : [];
}
