import { judgeGate } from '../../src/gate/judge.ts';
import {
  type CommandEnd,
  type CommandSection,
  explainFailure,
} from '../../src/report/command-section.ts';
import type { Report } from '../../src/report/report.ts';
import { type MeasuredSection, NOT_MEASURED } from '../../src/report/stats-section.ts';
import type { UploadSection } from '../../src/report/upload-section.ts';
import type { Stats } from '../../src/stats/sample.ts';
import type { Sample } from '../../src/stats/samples.ts';
import { parse } from './parse-condition.ts';

const GIB = 2 ** 30;

/** Time of the first sample, 09:05:00 UTC. */
export const START = Date.UTC(2026, 0, 5, 9, 5);

export type Reading = Readonly<Record<string, number>>;

export function statsOf(figures: Reading): Stats {
  return { figures: new Map(Object.entries(figures)), json: JSON.stringify(figures) };
}

/** Creates one sample per second from the readings, and judges them by the conditions. */
export function measuredSection(
  readings: readonly Reading[],
  failIf: readonly string[] = [],
  warnIf: readonly string[] = [],
  isIncomplete = false,
) {
  const samples = readings.map((reading, index): Sample => {
    return { at: START + 1000 * index, ...statsOf(reading) };
  });
  const rules = { failIf: failIf.map(parse), warnIf: warnIf.map(parse) };
  return { samples, gate: judgeGate(rules, samples, isIncomplete) };
}

/** Returns the figures of a sandbox with 4 cores that uses these percentages. */
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

export type Parts = Partial<Report & UploadSection & MeasuredSection>;

/** Builds the report of a task (by default sync) with only the sections that the task has. */
export function report(parts: Parts = {}): Report {
  const { task = 'sync', name = '', cancelled = false, errors = [], warnings = [] } = parts;
  const { sandboxId = 'i1a2b3', baseUrl = 'https://sandbox.example.com' } = parts;
  const info = { task, name, sandboxId, baseUrl, cancelled, errors, warnings };
  const { samples = [], gate = NOT_MEASURED.gate, monitored, command } = parts;
  const measured = { samples, gate, ...(monitored && { monitored }) };
  if (command !== undefined) return { ...info, command, measured };
  if (task !== 'sync' && task !== 'upload') return { ...info, measured };
  const { dryRun = false, shard, files = [], skipped = [], digest = '' } = parts;
  const { orphaned = [], retries = 0, durationMs = 2000 } = parts;
  const upload = { dryRun, shard, files, skipped, digest, orphaned, retries, durationMs };
  return task === 'upload' ? { ...info, upload } : { ...info, upload, measured };
}

export const COMMAND: CommandSection = {
  title: 'npm test',
  exitCode: 0,
  status: 'exit status 0',
  durationMs: 192_000,
  lastLines: [
    '> app@1.0.0 test',
    '',
    '✔ renders <App> & its children',
    '\tindented',
    '# [not a heading](https://example.com)',
  ],
};

export function commandEnd(exitCode: number | undefined, status = ''): CommandEnd {
  return { kind: 'ended', exitCode, status };
}

/** Builds the report of a `run` whose command ended like this. */
export function runReport(end: CommandEnd, parts: Parts = {}, stoppedBy?: StoppedBy): Report {
  const { exitCode, status = '' } = end.kind === 'ended' ? end : {};
  const errors = explainFailure(COMMAND, end, stoppedBy);
  const command = { ...COMMAND, exitCode, status, isExplained: errors.length > 0 };
  const cancelled = stoppedBy === 'cancellation';
  return report({ task: 'run', command, errors, cancelled, ...parts });
}

export type StoppedBy = Parameters<typeof explainFailure>[2];

/** Removes tags, and decodes the only entities that figures and conditions contain. */
export function stripHtml(html: string): string {
  const text = html.replace(/<[^>]*>/g, '');
  return text.replaceAll('&nbsp;', ' ').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
}
