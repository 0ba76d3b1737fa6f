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
import { moreInReport } from '../report/html.ts';
import type { UploadSection } from '../report/upload-section.ts';
import { escapeCommands, truncate } from '../text/escape.ts';
import { limitList } from '../text/format.ts';
import type { Redact } from '../text/redact.ts';
import type { FileResult } from '../transfer/transfer.ts';

/** Redacts the secrets that users typed, and escapes workflow commands, in every line. */
export interface Log {
  readonly line: (text: string) => void;
  readonly debug: (text: string) => void;
  readonly group: (title: string, lines: readonly string[]) => void;
  readonly notice: (lines: readonly string[]) => void;
  readonly warning: (lines: readonly string[]) => void;
  readonly error: (lines: readonly string[]) => void;
  readonly fail: (lines: readonly string[]) => void;
}

// The runner cuts annotations at 4,096 characters (_maxIssueMessageLength in actions/runner).
const MAX_ANNOTATION_LENGTH = 4000;

export function openLog(redact: Redact): Log {
  const clean = (line: string) => escapeCommands(redact(line));
  const toMessage = (lines: readonly string[]) =>
    truncate(lines.map(clean).join('\n'), MAX_ANNOTATION_LENGTH);
  return {
    line: text => info(clean(text)),
    debug(text) {
      if (!isDebug()) return;
      for (const line of text.split('\n')) writeDebug(clean(line));
    },
    group(title, lines) {
      startGroup(title);
      // Calling info() for each of thousands of lines is slow.
      info(lines.map(clean).join('\n'));
      endGroup();
    },
    notice: lines => notice(toMessage(lines)),
    warning: lines => warning(toMessage(lines)),
    error: lines => error(toMessage(lines)),
    fail: lines => setFailed(toMessage(lines)),
  };
}

const STATUS_WORDS: Readonly<Record<FileResult['status'], string>> = {
  failed: 'failed',
  'not-attempted': 'not attempted',
  uploaded: 'uploaded',
  // Only a dry run skips files.
  skipped: 'would be uploaded',
  unchanged: 'unchanged',
};

const MAX_LINES = 1000;

/** Logs files in a collapsed group: all in a dry run, otherwise at most 1,000, failures first. */
export function logFiles({ files, skipped, dryRun }: UploadSection, log: Log): void {
  if (files.length + skipped.length === 0) return;
  const ordered = Object.keys(STATUS_WORDS).flatMap(status =>
    files.filter(file => file.status === status),
  );
  const lines = dryRun
    ? files.map(fileLine)
    : limitList(ordered.map(fileLine), MAX_LINES, moreInReport);
  const skippedLines = skipped.map(({ path, reason }) => `skipped: ${path} (${reason})`);
  log.group('Files', [...lines, ...limitList(skippedLines, MAX_LINES, moreInReport)]);
}

function fileLine(result: FileResult): string {
  const { source, target } = result.file;
  const line = `${STATUS_WORDS[result.status]}: ${source} → ${'path' in result ? result.path : target}`;
  return result.status === 'failed' ? `${line} (${result.error.message})` : line;
}
