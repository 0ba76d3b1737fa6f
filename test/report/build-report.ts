import { gateOf } from '../../src/gate/judge.ts';
import type { CommandSection } from '../../src/report/command-section.ts';
import { type MeasuredSection, NOT_MEASURED } from '../../src/report/measured-section.ts';
import type { Report } from '../../src/report/report.ts';
import type { UploadSection } from '../../src/report/upload-section.ts';
import type { Reason } from '../../src/report/verdict.ts';
import type { Sample } from '../../src/stats/sample.ts';
import type { Stats } from '../../src/stats/stats.ts';
import { parse } from '../gate/parse-condition.ts';

const GIB = 2 ** 30;

/** The time of the first sample: 09:05:00 UTC. */
export const START = Date.UTC(2026, 0, 5, 9, 5);

export type Reading = Readonly<Record<string, number>>;

export function statsOf(figures: Reading): Stats {
  return { figures: new Map(Object.entries(figures)), json: JSON.stringify(figures) };
}

/** Takes one sample per second, and judges them by the conditions. */
export function judged(
  readings: readonly Reading[],
  failIf: readonly string[] = [],
  warnIf: readonly string[] = [],
) {
  const samples = readings.map((reading, index): Sample => {
    return { at: START + 1000 * index, ...statsOf(reading) };
  });
  const gate = gateOf({ failIf: failIf.map(parse), warnIf: warnIf.map(parse) }, samples);
  return { samples, gate };
}

/** Returns the figures of a sandbox with 4 cores, of which it uses these percentages. */
export function reading(cpu: number, mem: number, disk = 12.5): Reading {
  return {
    cpu_count: 4,
    cpu_used_pct: cpu,
    mem_total: 4 * GIB,
    mem_used: (mem / 100) * 4 * GIB,
    mem_used_pct: mem,
    mem_free: (1 - mem / 100) * 4 * GIB,
    mem_cache: 0.25 * GIB,
    disk_total: 20 * GIB,
    disk_used: (disk / 100) * 20 * GIB,
    disk_used_pct: disk,
    disk_free: (1 - disk / 100) * 20 * GIB,
  };
}

/** Returns the text of each reason, followed by those of its details. */
export function reasonTexts(reasons: readonly Reason[]): string[] {
  return reasons.flatMap(({ text, details = [] }) => [text, ...reasonTexts(details)]);
}

export type Parts = Partial<
  Report & UploadSection & MeasuredSection & { readonly command: CommandSection }
>;

/** Sorts the parts into the sections that a report of the task has (by default sync). */
export function report(parts: Parts = {}): Report {
  const { task = 'sync', name = '', cancelled = false, errors = [], warnings = [] } = parts;
  const { sandboxId = 'i1a2b3', baseUrl = 'https://sandbox.example.com' } = parts;
  const { samples = [], gate = NOT_MEASURED.gate, monitored, command } = parts;
  const { dryRun = false, shard, files = [], skipped: skippedEntries = [] } = parts;
  const { digest = '', orphaned = [], retries = 0, durationMs = 2000 } = parts;
  const sent = { dryRun, shard, files, skipped: skippedEntries, digest };
  const upload = { ...sent, orphaned, retries, durationMs };
  const measured = { samples, gate, ...(monitored && { monitored }) };
  const info = { task, name, sandboxId, baseUrl, cancelled, errors, warnings };
  if (task === 'upload') return { ...info, upload };
  if (command !== undefined) return { ...info, command, measured };
  return task === 'sync' ? { ...info, upload, measured } : { ...info, measured };
}
