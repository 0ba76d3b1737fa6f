import { AgentError, failureOf } from '../agent/failure.ts';
import type { PlannedFile } from '../files/plan.ts';
import { abbreviate } from '../text/format.ts';
import { batchesOf } from './batches.ts';
import type { Changes } from './changes.ts';
import type { FileResult } from './result.ts';
import {
  reasonToStop,
  type Sending,
  type SendOptions,
  sendAll,
  startSending,
  whyGivenUp,
} from './send.ts';

export interface TransferOptions extends SendOptions {
  readonly filesPerRequest: number;
  readonly unchanged: Changes['unchanged'];
}

export interface Transfer {
  /** One result for each file, in plan order. */
  readonly files: FileResult[];
  /** Why the transfer ended early, if it did. */
  readonly gaveUp: string | undefined;
  /** True if a file of a batch may have been stored in a place that was not asked for. */
  readonly isMisplaced: boolean;
}

/** Uploads every file that has changed. Throws the first bug, once every request has ended. */
export async function transfer(
  files: readonly PlannedFile[],
  options: TransferOptions,
): Promise<Transfer> {
  const { unchanged, concurrency, filesPerRequest, onEvent } = options;
  const sending = startSending(options);
  const { results } = sending;
  for (const [file, known] of unchanged) results.set(file, { status: 'unchanged', file, ...known });
  const changed = files.filter(file => !unchanged.has(file));
  const inPlanOrder = concurrency === 1;
  const batches = batchesOf(changed, { filesPerRequest, inPlanOrder });
  onEvent({ kind: 'start', files: changed });
  const isMisplaced = await sendBatches(sending, batches, files).finally(() =>
    onEvent({ kind: 'end' }),
  );
  const reason = reasonToStop(sending);
  const all = files.map(
    (file): FileResult => results.get(file) ?? { status: 'not-attempted', file, reason },
  );
  return { files: failOverwritten(all), gaveUp: whyGivenUp(sending), isMisplaced };
}

/** Sends batches. If a file may be in a wrong place, sends every file again, alone, and says so. */
async function sendBatches(
  sending: Sending,
  batches: readonly (readonly PlannedFile[])[],
  files: readonly PlannedFile[],
): Promise<boolean> {
  const { results, state, onEvent } = sending;
  await sendAll(sending, batches);
  if (!state.isMisplaced) return false;
  // A file in a wrong place may have overwritten any other, so nothing that arrived counts.
  for (const [file, { status }] of results) if (status !== 'failed') results.delete(file);
  onEvent({ kind: 'start', files });
  state.isMisplaced = false;
  await sendAll(
    sending,
    files.map(file => [file]),
  );
  return true;
}

const MAX_NAMED = 10;

/** Fails files that the agent stored at one place, also in an earlier run: only one is there. */
function failOverwritten(results: readonly FileResult[]): FileResult[] {
  const byPath = Map.groupBy(results, result => ('path' in result ? result.path : ''));
  return results.map(result => {
    if (!('path' in result)) return result;
    const { file, path } = result;
    const same = byPath.get(path) ?? [];
    if (same.length < 2) return result;
    const sources = abbreviate(same, MAX_NAMED, {
      show: ({ file }) => file.source,
      more: rest => `${rest} more`,
    });
    const message = `${sources.join(' and ')} were stored at the same place, ${path}: only one of them is there.`;
    const { attempts, durationMs } =
      result.status === 'uploaded' ? result : { attempts: 0, durationMs: 0 };
    const error = failureOf(new AgentError('overwritten', message));
    return { status: 'failed', file, attempts, durationMs, error };
  });
}
