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
import type { Log } from '../tasks/context.ts';
import { escapeCommands, escapeOutput, truncate } from '../text/escape.ts';
import type { Redact } from '../text/redact.ts';

/** Redacts secrets and escapes workflow commands in every line. */
export interface StepLog extends Log {
  readonly group: (title: string, lines: readonly string[]) => void;
  readonly notice: (text: string) => void;
  readonly error: (lines: readonly string[]) => void;
  readonly fail: (lines: readonly string[]) => void;
}

// The runner cuts annotations at 4,096 characters (_maxIssueMessageLength in actions/runner).
const MAX_ANNOTATION_LENGTH = 4000;

export function openLog(redact: Redact): StepLog {
  const clean = (line: string) => escapeCommands(redact(line));
  const toMessage = (lines: readonly string[]) =>
    truncate(lines.map(clean).join('\n'), MAX_ANNOTATION_LENGTH);
  return {
    line: text => info(clean(text)),
    output: logOutput(redact),
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
    notice: text => notice(toMessage([text])),
    warning: text => warning(toMessage([text])),
    error: lines => error(toMessage(lines)),
    fail: lines => setFailed(toMessage(lines)),
  };
}

// A log of this size still opens in a browser.
const MAX_OUTPUT_LENGTH = 16 * 1024 * 1024;

function logOutput(redact: Redact): Log['output'] {
  let left = MAX_OUTPUT_LENGTH;
  return lines => {
    if (left <= 0) return;
    const text = escapeOutput(redact(lines)).slice(0, left);
    left -= text.length;
    info(text.replace(/\n$/, ''));
    if (left <= 0) info('The rest of the output is not shown, since the log is limited to 16 MiB.');
  };
}
