import type { Report } from '../report/report.ts';
import { STATUS } from '../report/status.ts';
import { formatNumber } from '../report/units.ts';
import type { FileResult } from '../upload/transfer.ts';
import { logGroup } from './log.ts';

const MAX_LINES = 1000;

/** Logs what became of each file, in a folded group. A plan is shown whole; of many results, trouble comes first. */
export function logFiles({ files, leftOut, dryRun }: Report): void {
  if (files.length + leftOut.length === 0) return;
  const ordered = dryRun
    ? files
    : [...files.filter(isTrouble), ...files.filter(result => !isTrouble(result))];
  const lines = ordered.slice(0, dryRun ? files.length : MAX_LINES).map(fileLine);
  const rest = files.length - lines.length;
  const more = rest > 0 ? [`and ${formatNumber(rest)} more; the report file has them all`] : [];
  const left = leftOut.slice(0, MAX_LINES).map(({ path, reason }) => `left out: ${path} (${reason})`);
  logGroup('Files', [...lines, ...more, ...left]);
}

function isTrouble({ status }: FileResult): boolean {
  return status === 'failed' || status === 'not-attempted';
}

function fileLine(result: FileResult): string {
  const { source, target } = result.file;
  const line = `${STATUS[result.status]}: ${source} → ${result.status === 'uploaded' ? result.path : target}`;
  return result.status === 'failed' ? `${line} (${result.error.message})` : line;
}
