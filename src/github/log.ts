import { endGroup, error, info, notice, startGroup, warning } from '@actions/core';
import { harmless } from '../text/visible.ts';

// The platform shows 10 annotations of a level, of 4,096 characters each.
const MAX_MESSAGE = 4000;

/** One line of the log. */
export function logLine(text: string): void {
  info(harmless(text));
}

/** Lines folded under a title. */
export function logGroup(title: string, lines: readonly string[]): void {
  startGroup(harmless(title));
  for (const line of lines) logLine(line);
  endGroup();
}

/** Annotations on the run, of several lines each. */
export const annotate = {
  error: (lines: readonly string[]) => error(messageOf(lines)),
  warning: (lines: readonly string[]) => warning(messageOf(lines)),
  notice: (lines: readonly string[]) => notice(messageOf(lines)),
};

/** Lines as one annotation shows them. */
export function messageOf(lines: readonly string[]): string {
  const whole = lines.map(harmless).join('\n');
  return whole.length > MAX_MESSAGE ? `${whole.slice(0, MAX_MESSAGE).toWellFormed()}…` : whole;
}
