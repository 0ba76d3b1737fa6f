import { judgementLine } from '../report/breaches.ts';
import type { Wait } from '../stats/sample.ts';
import { formatDuration } from '../text/format.ts';
import { logLine } from './log.ts';

const WAIT_INTERVAL_MS = 15_000;

/** Logs what a wait waits for: unreported metrics at once, all every 15 s, and how long it took. */
export function waitLog(log = logLine): (wait: Wait) => void {
  let dueMs = WAIT_INTERVAL_MS;
  let wasSampled = false;
  return ({ held, waitedMs, unmet, error }) => {
    const duration = formatDuration(waitedMs);
    if (held) return log(`The sandbox was ready after ${duration}`);
    const isDue = waitedMs >= dueMs;
    if (isDue) dueMs = waitedMs + WAIT_INTERVAL_MS;
    const unreported = wasSampled ? [] : unmet.filter(({ holds }) => holds === undefined);
    wasSampled ||= error === undefined;
    const lines = (isDue ? unmet : unreported).map(judgementLine);
    if (isDue && error !== undefined) lines.push(error.message);
    if (lines.length > 0) log(`Waited ${duration}: ${lines.join('; ')}`);
  };
}
