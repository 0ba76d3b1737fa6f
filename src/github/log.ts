import { endGroup, error, info, notice, startGroup, warning } from '@actions/core';
import { visible } from '../report/plain-text.ts';

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

/**
 * A line the runner only shows. It takes a line that begins with `::`, and one that holds `##[` anywhere, for a command
 * to itself; names and answers from elsewhere could hold either.
 */
export function harmless(text: string): string {
  return visible(text)
    .replace(/^\s*::/, '\\$&')
    .replaceAll('##[', '##\\[');
}
