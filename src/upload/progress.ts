import type { Context } from '../agent/context.ts';
import type { PlannedFile } from '../files/targets.ts';
import { formatBytes, formatCount, formatNumber, formatRate, totalSize } from '../text/format.ts';

const PROGRESS_INTERVAL_MS = 15_000;

/** Logs the progress of an upload every 15 s, to be declared with `using`. */
export function logProgress(
  files: readonly PlannedFile[],
  { clock, log }: Pick<Context, 'clock' | 'log'>,
) {
  const startedAt = clock();
  const total = totalSize(files);
  let stored = 0;
  let sent = 0;
  const line = () => {
    // The bytes sent include multipart framing and failed attempts, so they may exceed the total.
    const bytes = Math.min(sent, total);
    const counts = `${formatNumber(stored)} of ${formatCount(files.length, 'file')}`;
    const sizes = `${formatBytes(bytes)} of ${formatBytes(total)}`;
    return `${counts}, ${sizes}, ${formatRate(bytes, clock() - startedAt)}`;
  };
  const timer = setInterval(() => log.line(line()), PROGRESS_INTERVAL_MS).unref();
  return {
    onSent: (bytes: number) => void (sent += bytes),
    onStored: (count: number) => void (stored += count),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
