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
  const { unchanged, concurrency, filesPerRequest } = options;
  const sending = startSending(options);
  const { results } = sending;
  for (const [file, known] of unchanged) results.set(file, { status: 'unchanged', file, ...known });
  const changed = files.filter(file => !unchanged.has(file));
  const inPlanOrder = concurrency === 1;
  await sendAll(sending, batchesOf(changed, { filesPerRequest, inPlanOrder }));
  const { isMisplaced } = sending.state;
  if (isMisplaced) await sendAllAgain(sending, files);
  const reason = reasonToStop(sending);
  const all = files.map(
    (file): FileResult => results.get(file) ?? { status: 'not-attempted', file, reason },
  );
  return { files: failOverwritten(all), gaveUp: whyGivenUp(sending), isMisplaced };
}

/** A file in a wrong place may have overwritten any other, so nothing that arrived counts. */
async function sendAllAgain(sending: Sending, files: readonly PlannedFile[]): Promise<void> {
  const { results, state, onEvent } = sending;
  for (const [file, { status }] of results) if (status !== 'failed') results.delete(file);
  onEvent({ kind: 'restart', files });
  state.isMisplaced = false;
  await sendAll(
    sending,
    files.map(file => [file]),
  );
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
