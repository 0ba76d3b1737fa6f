import type { CommandEnd } from '../../src/command/follow.ts';
import type { CommandResult } from '../../src/command/run.ts';
import type { DownloadResult } from '../../src/download/download.ts';
import { judgeGate } from '../../src/gate/judge.ts';
import { renderCommand } from '../../src/report/command-section.ts';
import { type Report, redactTexts, renderReport } from '../../src/report/render.ts';
import { renderMonitor, renderStats } from '../../src/report/stats-section.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { renderDownload, renderUpload } from '../../src/report/transfer-section.ts';
import type { Gap, StatsResult } from '../../src/stats/stats.ts';
import { type Redact, redactor } from '../../src/text/escape.ts';
import type { UploadResult } from '../../src/upload/upload.ts';
import { parse } from './parse-condition.ts';

const GIB = 2 ** 30;

/** Time of the first sample, 09:05:00 UTC. */
export const START = Date.UTC(2026, 0, 5, 9, 5);

export type Reading = Readonly<Record<string, number>>;

/** Creates one sample per second from the readings, and judges them by the conditions. */
export function measured(
  readings: readonly Reading[],
  failIf: readonly string[] = [],
  warnIf: readonly string[] = [],
  isIncomplete = false,
): StatsResult {
  const samples = readings.map((figures, index) => ({ at: START + 1000 * index, figures }));
  const rules = { failIf: failIf.map(parse), warnIf: warnIf.map(parse) };
  const response = readings.at(-1) ?? {};
  return { samples, response, gate: judgeGate(rules, samples, isIncomplete) };
}

/** Adds a gap from one second to another to the stats of a monitor that took a minute. */
export function withGap(
  stats: StatsResult,
  fromSecond: number,
  toSecond: number,
  endReason?: Gap['endReason'],
): StatsResult {
  const [from, to] = [START + 1000 * fromSecond, START + 1000 * toSecond];
  const monitored = { from: START, to: START + 60_000, failures: [] };
  return { ...stats, monitored: { ...monitored, gaps: [{ from, to, endReason, failures: [] }] } };
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

export interface Parts extends Partial<Omit<Report, 'sections'>>, Partial<UploadResult> {
  readonly command?: CommandResult;
  readonly download?: DownloadResult;
  readonly stats?: StatsResult;
}

export const SANDBOX = { id: 'i1a2b3', baseUrl: 'https://sandbox.example.com' };

const NO_SECRETS = redactor([]);

/** Builds the report of a task (by default sync) with only the results that the task has. */
export function report(unredacted: Parts = {}, redact: Redact = NO_SECRETS): Report {
  const { task = 'sync', cancelled = false } = unredacted;
  const parts = redactTexts(unredacted, redact);
  const { name = '', error, command, download } = parts;
  const { sandbox = SANDBOX } = parts;
  const { gateNotJudged = false, stats = measured([]) } = parts;
  const info = { task, name, sandbox, cancelled, gateNotJudged, error };
  if (error !== undefined) return { ...info, sections: {} };
  const isUpload = ['sync', 'upload'].includes(task);
  const render = task === 'monitor' ? renderMonitor : renderStats;
  const sections = {
    ...(command && { command: renderCommand(command, cancelled, []) }),
    ...(isUpload && { upload: renderUpload(uploadOf(parts), cancelled) }),
    ...(task !== 'upload' && task !== 'download' && { stats: render(stats, cancelled) }),
    ...(download && { download: renderDownload(download, cancelled) }),
  };
  return { ...info, sections };
}

function uploadOf(parts: Parts): UploadResult {
  const { dryRun = false, shard, files = [], skipped = [], digest = '' } = parts;
  const { orphaned = [], retries = 0, durationMs = 2000, warnings = [] } = parts;
  return { dryRun, shard, files, skipped, digest, orphaned, retries, durationMs, warnings };
}

export const COMMAND: CommandResult = {
  title: 'npm test',
  end: { kind: 'exited', code: 0 },
  durationMs: 192_000,
  lastLines: [
    '> app@1.0.0 test',
    '',
    '✔ renders <App> & its children',
    '\tindented',
    '# [not a heading](https://example.com)',
  ],
  reconnects: 0,
  oomKills: 0,
  failed: undefined,
  topPrograms: undefined,
  outputs: { pairs: [], problems: [] },
};

type RunParts = Omit<Parts, 'command'> & { readonly command?: Partial<CommandResult> };

/** Builds the report of a `run` whose command ended like this. */
export function runReport(end: CommandEnd, { command, ...parts }: RunParts = {}): Report {
  const isStarted = end.kind !== 'not-started';
  const started = isStarted ? COMMAND : { ...COMMAND, durationMs: 0, lastLines: [] };
  return report({ task: 'run', command: { ...started, end, ...command }, ...parts });
}

export function summaryText(input: Report): string {
  return summaryOf(input, renderReport(input));
}

/** Removes tags, and decodes the only entities that figures and conditions contain. */
export function stripHtml(html: string): string {
  const text = html.replace(/<[^>]*>/g, '');
  return text.replaceAll('&nbsp;', ' ').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
}
