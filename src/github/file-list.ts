import type { Report } from '../report/report.ts';
import { STATUS } from '../report/report.ts';
import { formatNumber } from '../text/units.ts';
import { harmless } from '../text/visible.ts';
import type { FileResult } from '../upload/result.ts';
import { logGroup } from './log.ts';

const MAX_LINES = 1000;

// A path that an agent answered can have 4,096 characters, its words can be long too.
const MAX_CHARACTERS = 128 * 1024;

const RANKS: Readonly<Record<FileResult['status'], number>> = {
  failed: 0,
  'not-attempted': 0,
  uploaded: 1,
  skipped: 1,
  unchanged: 2,
};

/** Logs what became of each file, in a folded group. A plan is shown whole; of many results, trouble comes first, what did not change last. */
export function logFiles({ files, leftOut, dryRun }: Report): void {
  if (files.length + leftOut.length === 0) return;
  const ordered = dryRun ? files : files.toSorted((one, other) => RANKS[one.status] - RANKS[other.status]);
  const lines = dryRun ? ordered.map(fileLine) : fitting(ordered.slice(0, MAX_LINES).map(fileLine));
  const rest = files.length - lines.length;
  const more = rest > 0 ? [`and ${formatNumber(rest)} more; the report file has them all`] : [];
  const left = leftOut.slice(0, MAX_LINES).map(({ path, reason }) => `left out: ${path} (${reason})`);
  logGroup('Files', [...lines, ...more, ...left]);
}

/** The first lines that together are not too long as they are shown. */
function fitting(lines: readonly string[]): readonly string[] {
  let left = MAX_CHARACTERS;
  const end = lines.findIndex(line => {
    left -= harmless(line).length;
    return left < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function fileLine(result: FileResult): string {
  const { source, target } = result.file;
  const line = `${STATUS[result.status]}: ${source} → ${'path' in result ? result.path : target}`;
  return result.status === 'failed' ? `${line} (${result.error.message})` : line;
}
