import type { PlannedFile } from '../files/plan.ts';
import { formatBytes, formatCount, formatNumber, formatRate, totalSize } from '../text/format.ts';
import type { UploadProgress } from '../transfer/transfer.ts';
import type { Context } from './context.ts';

const INTERVAL_MS = 15_000;

/** Logs every 15 s how far an upload is, until it is disposed of. */
export function logProgress(
  files: readonly PlannedFile[],
  { clock, log }: Pick<Context, 'clock' | 'log'>,
): UploadProgress & Disposable {
  const startedAt = clock();
  const total = totalSize(files);
  let stored = 0;
  let sent = 0;
  const line = () => {
    // The bytes sent include multipart framing and failed attempts.
    const bytes = Math.min(sent, total);
    const counts = `${formatNumber(stored)} of ${formatCount(files.length, 'file')}`;
    const sizes = `${formatBytes(bytes)} of ${formatBytes(total)}`;
    return `${counts}, ${sizes}, ${formatRate(bytes, clock() - startedAt)}`;
  };
  const timer = setInterval(() => log.line(line()), INTERVAL_MS).unref();
  return {
    addSent(bytes) {
      sent += bytes;
    },
    addStored(count) {
      stored += count;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
