import { endGroup, error, info, notice, startGroup, warning } from '@actions/core';
import { moreInReport, type Report, STATUS } from '../report/report.ts';
import { fitting } from '../text/cut.ts';
import { harmless } from '../text/visible.ts';
import type { FileResult } from '../upload/result.ts';

/** One line of the log. */
export function logLine(text: string): void {
  info(harmless(text));
}

// The platform shows 10 annotations of a level, of 4,096 characters each.
const MAX_MESSAGE = 4000;

/** Lines as one annotation shows them. */
export function messageOf(lines: readonly string[]): string {
  const whole = lines.map(harmless).join('\n');
  return whole.length > MAX_MESSAGE ? `${whole.slice(0, MAX_MESSAGE).toWellFormed()}…` : whole;
}

/** Annotations on the run, of several lines each. */
export const annotate = {
  error: (lines: readonly string[]) => error(messageOf(lines)),
  warning: (lines: readonly string[]) => warning(messageOf(lines)),
  notice: (lines: readonly string[]) => notice(messageOf(lines)),
};

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
  const byRank = (one: FileResult, other: FileResult) => RANKS[one.status] - RANKS[other.status];
  const lines = dryRun ? files.map(fileLine) : cut(files.toSorted(byRank), fileLine);
  const left = cut(leftOut, ({ path, reason }) => harmless(`left out: ${path} (${reason})`));
  startGroup('Files');
  // At once: a line by itself takes microseconds.
  info([...lines, ...left].join('\n'));
  endGroup();
}

/** The lines of the first items, as many as are not too long together. */
function cut<T>(items: readonly T[], lineOf: (item: T) => string): string[] {
  const lines = fitting(items.slice(0, MAX_LINES).map(lineOf), MAX_CHARACTERS, line => line.length);
  const rest = items.length - lines.length;
  return rest > 0 ? [...lines, moreInReport(rest)] : lines;
}

function fileLine(result: FileResult): string {
  const { source, target } = result.file;
  const line = `${STATUS[result.status]}: ${source} → ${'path' in result ? result.path : target}`;
  return harmless(result.status === 'failed' ? `${line} (${result.error.message})` : line);
}
