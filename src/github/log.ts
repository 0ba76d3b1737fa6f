import {
  endGroup,
  info,
  isDebug,
  setFailed,
  startGroup,
  warning,
  debug as writeDebug,
} from '@actions/core';
import { escapeCommands, escapeOutput, type Redact } from '../text/escape.ts';
import { cutEnd } from '../text/shorten.ts';

export type StepLog = ReturnType<typeof openLog>;

// The runner cuts annotations at 4,096 characters (_maxIssueMessageLength in actions/runner).
const MAX_ANNOTATION_LENGTH = 4000;

/** Opens a log that redacts secrets and escapes workflow commands in every line. */
export function openLog(redact: Redact) {
  const clean = (line: string) => escapeCommands(redact(line));
  const toMessage = (lines: readonly string[]) =>
    cutEnd(lines.map(clean).join('\n'), MAX_ANNOTATION_LENGTH);
  return {
    line: (text: string) => info(clean(text)),
    output: logOutput(redact),
    debug(text: string) {
      if (isDebug()) writeDebug(clean(text));
    },
    group(title: string, lines: readonly string[]) {
      startGroup(title);
      // Calling info() for each of thousands of lines is slow.
      info(lines.map(clean).join('\n'));
      endGroup();
    },
    warning: (text: string) => warning(toMessage(text.split('\n'))),
    fail: (lines: readonly string[]) => setFailed(toMessage(lines)),
  };
}

// A log of this size still opens in a browser.
const MAX_OUTPUT_LENGTH = 16 * 1024 * 1024;

function logOutput(redact: Redact): (lines: string) => void {
  let left = MAX_OUTPUT_LENGTH;
  return lines => {
    if (left <= 0) return;
    const text = escapeOutput(redact(lines)).slice(0, left);
    left -= text.length;
    info(text.replace(/\n$/, ''));
    if (left <= 0) info('The rest of the output is not shown, since the log is limited to 16 MiB.');
  };
}
