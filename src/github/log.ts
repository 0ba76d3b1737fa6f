import {
  endGroup,
  error,
  info,
  isDebug,
  notice,
  startGroup,
  warning,
  debug as writeDebug,
} from '@actions/core';
import { moreInReport, type Report, STATUS } from '../report/report.ts';
import { takeWithin } from '../text/format.ts';
import type { Redact } from '../text/redact.ts';
import { harmless, truncate } from '../text/visible.ts';
import type { FileResult } from '../upload/result.ts';

export function logLine(text: string): void {
  info(harmless(text));
}

/** Writes a text to the debug log, without secrets: people paste it into bug reports. */
export function logDebug(text: string, redact: Redact): void {
  if (!isDebug()) return;
  for (const line of redact(text).split('\n')) writeDebug(harmless(line));
}

// The platform shows 10 annotations per level, of 4,096 characters each.
const MAX_MESSAGE = 4000;

/** Joins lines to the message of an annotation. */
export function toMessage(lines: readonly string[]): string {
  return truncate(lines.map(harmless).join('\n'), MAX_MESSAGE);
}

/** Annotations of the run, of several lines each. */
export const annotate = {
  error: (lines: readonly string[]) => error(toMessage(lines)),
  warning: (lines: readonly string[]) => warning(toMessage(lines)),
  notice: (lines: readonly string[]) => notice(toMessage(lines)),
};

const MAX_LINES = 1000;

// A path can have 4,096 characters, and the agent's words can be long too.
const MAX_CHARACTERS = 128 * 1024;

const RANKS: Readonly<Record<FileResult['status'], number>> = {
  failed: 0,
  'not-attempted': 0,
  uploaded: 1,
  skipped: 1,
  unchanged: 2,
};

/** Logs the files in a folded group: a plan in full; of many results, failures first. */
export function logFiles({ files, skipped, dryRun }: Report): void {
  if (files.length + skipped.length === 0) return;
  const ranked = files.toSorted((one, other) => RANKS[one.status] - RANKS[other.status]);
  const lines = dryRun ? files.map(fileLine) : cutLines(ranked.map(fileLine));
  const others = skipped.map(({ path, reason }) => harmless(`skipped: ${path} (${reason})`));
  startGroup('Files');
  // In one call: line by line, thousands take a noticeable time.
  info([...lines, ...cutLines(others)].join('\n'));
  endGroup();
}

function cutLines(lines: readonly string[]): string[] {
  const taken = takeWithin(lines.slice(0, MAX_LINES), MAX_CHARACTERS, ({ length }) => length);
  const rest = lines.length - taken.length;
  return rest > 0 ? [...taken, moreInReport(rest)] : taken;
}

function fileLine(result: FileResult): string {
  const { source, target } = result.file;
  const line = `${STATUS[result.status]}: ${source} → ${'path' in result ? result.path : target}`;
  return harmless(result.status === 'failed' ? `${line} (${result.error.message})` : line);
}
