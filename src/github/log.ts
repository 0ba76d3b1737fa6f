import {
  endGroup,
  error,
  info,
  isDebug,
  notice,
  setFailed,
  startGroup,
  warning,
  debug as writeDebug,
} from '@actions/core';
import { moreInReport, type Report } from '../report/report.ts';
import { takeWithin } from '../text/format.ts';
import type { Redact } from '../text/redact.ts';
import { harmless, truncate, visible } from '../text/visible.ts';
import type { FileResult } from '../upload/transfer.ts';

/** Redacts secrets, and escapes what the runner would treat as a command. */
export interface Log {
  readonly line: (text: string) => void;
  readonly debug: (text: string) => void;
  readonly group: (title: string, lines: readonly string[]) => void;
  readonly notice: (lines: readonly string[]) => void;
  readonly warning: (lines: readonly string[]) => void;
  readonly error: (lines: readonly string[]) => void;
  readonly fail: (lines: readonly string[]) => void;
}

// GitHub shows 10 annotations per level, each with 4,096 characters.
const MAX_MESSAGE = 4000;

export function openLog(redact: Redact): Log {
  const clean = (line: string) => harmless(redact(line));
  const toMessage = (lines: readonly string[]) =>
    truncate(lines.map(clean).join('\n'), MAX_MESSAGE);
  return {
    line: text => info(clean(text)),
    debug(text) {
      if (!isDebug()) return;
      for (const line of text.split('\n')) writeDebug(clean(line));
    },
    group(title, lines) {
      startGroup(title);
      // Thousands of separate calls are noticeably slow.
      info(lines.map(clean).join('\n'));
      endGroup();
    },
    notice: lines => notice(toMessage(lines)),
    warning: lines => warning(toMessage(lines)),
    error: lines => error(toMessage(lines)),
    fail: lines => setFailed(toMessage(lines)),
  };
}

// Lower ranks are logged first. Only a dry run skips files.
const STATUS: Readonly<Record<FileResult['status'], { words: string; rank: number }>> = {
  failed: { words: 'failed', rank: 0 },
  'not-attempted': { words: 'not attempted', rank: 0 },
  uploaded: { words: 'uploaded', rank: 1 },
  skipped: { words: 'would be uploaded', rank: 1 },
  unchanged: { words: 'unchanged', rank: 2 },
};

const MAX_LINES = 1000;

// Paths have up to 4,096 characters, and the agent's messages can be long too.
const MAX_CHARACTERS = 128 * 1024;

/** Logs the files in a collapsed group: a dry run in full, otherwise failures first. */
export function logFiles({ files, skipped, dryRun }: Report, log: Log): void {
  if (files.length + skipped.length === 0) return;
  const ranked = files.toSorted((a, b) => STATUS[a.status].rank - STATUS[b.status].rank);
  const lines = dryRun ? files.map(fileLine) : cutLines(ranked.map(fileLine));
  const others = skipped.map(({ path, reason }) => visible(`skipped: ${path} (${reason})`));
  log.group('Files', [...lines, ...cutLines(others)]);
}

function fileLine(result: FileResult): string {
  const { source, target } = result.file;
  const { words } = STATUS[result.status];
  const line = `${words}: ${source} → ${'path' in result ? result.path : target}`;
  // Escape before counting characters.
  return visible(result.status === 'failed' ? `${line} (${result.error.message})` : line);
}

function cutLines(lines: readonly string[]): string[] {
  const taken = takeWithin(lines.slice(0, MAX_LINES), MAX_CHARACTERS, ({ length }) => length);
  const rest = lines.length - taken.length;
  return rest > 0 ? [...taken, moreInReport(rest)] : taken;
}
