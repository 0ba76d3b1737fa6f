import assert from 'node:assert/strict';
import type { Failure } from '../../src/agent/failure.ts';
import { type Condition, parseCondition } from '../../src/gate/conditions.ts';
import { gateOf, NO_GATE } from '../../src/gate/judge.ts';
import type { MeasuredSection } from '../../src/report/measured-section.ts';
import type { Report, TaskInfo } from '../../src/report/report.ts';
import type { UploadSection } from '../../src/report/upload-section.ts';
import type { Sample } from '../../src/stats/sample.ts';
import type { Stats } from '../../src/stats/stats.ts';
import type { FileResult } from '../../src/transfer/transfer.ts';

const GIB = 2 ** 30;

/** 09:05:00 UTC. */
const START = Date.UTC(2026, 0, 5, 9, 5);

export const SHA256 = 'ab'.repeat(32);

export const BUSY: Failure = {
  kind: 'busy',
  status: 429,
  message: 'POST https://h/files answered 429.',
  hint: 'Set `concurrency` to 2.',
};

/** A failure whose message names its file, as those of the agent do. */
export function full(name: string): Failure {
  const message = `POST https://h/files?path=${name} answered 507: "no space left on device"`;
  return { kind: 'disk-full', status: 507, message, hint: "The sandbox's disk is full." };
}

export function file(name: string, size = 10): FileResult['file'] {
  const target = `/home/user/app/${name}`;
  return {
    source: name,
    realPath: `/w/${name}`,
    target,
    size,
    isExecutable: false,
  };
}

/** @param sent the bytes that arrived, if the file has grown */
export function uploaded(name: string, size = 10, sent = size, attempts = 1): FileResult {
  const planned = file(name, size);
  const path = planned.target;
  return { status: 'uploaded', file: planned, attempts, durationMs: 5, path, size: sent };
}

export function failed(name: string, error: Failure = BUSY): FileResult {
  return { status: 'failed', file: file(name), attempts: 3, durationMs: 7, error };
}

export function unchanged(name: string, size = 10): FileResult {
  const planned = file(name, size);
  return { status: 'unchanged', file: planned, path: planned.target, size, sha256: SHA256 };
}

export function skipped(name: string, size = 10): FileResult {
  return { status: 'skipped', file: file(name, size), reason: 'dry run' };
}

export function notAttempted(name: string): FileResult {
  return { status: 'not-attempted', file: file(name), reason: 'the sandbox was not ready' };
}

export type Reading = Readonly<Record<string, number>>;

export function statsOf(figures: Reading): Stats {
  return { figures: new Map(Object.entries(figures)), json: JSON.stringify(figures) };
}

export function parse(line: string): Condition {
  return parseCondition(line, message => assert.fail(message));
}

/** Samples 1 s apart, judged by conditions. */
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

/** What a sandbox of 4 cores reports when it uses these shares. */
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

export type Parts = Partial<TaskInfo & UploadSection & MeasuredSection>;

/** A report of a task (by default sync), with these parts in the sections where they belong. */
export function report(parts: Parts = {}): Report {
  const { task = 'sync', name = '', cancelled = false, errors = [], warnings = [] } = parts;
  const { sandboxId = 'i1a2b3', baseUrl = 'https://sandbox.example.com' } = parts;
  const { samples = [], gate = NO_GATE, monitored } = parts;
  const { dryRun = false, shard, files = [], skipped: skippedEntries = [] } = parts;
  const { digest = '', orphaned = [], retries = 0, durationMs = 2000 } = parts;
  const sent = { dryRun, shard, files, skipped: skippedEntries, digest };
  const upload = { ...sent, orphaned, retries, durationMs };
  const measured = { samples, gate, ...(monitored && { monitored }) };
  const info = { task, name, sandboxId, baseUrl, cancelled, errors, warnings };
  if (task === 'upload') return { ...info, upload };
  return task === 'sync' ? { ...info, upload, measured } : { ...info, measured };
}

/** Files that ended in every way, and a skipped entry. */
export const EVERY_END = {
  files: [
    uploaded('a', 7),
    failed('b'),
    skipped('c'),
    notAttempted('d'),
    unchanged('e'),
    uploaded('f', 3, 5),
  ],
  skipped: [{ path: 'l', reason: 'a broken link' }],
};

const many = (count: number, toResult: (name: string, size: number) => FileResult) =>
  Array.from({ length: count }, (_, index) => {
    const folder = ['assets', 'pages', 'fonts'][index % 3];
    return toResult(`dist/${folder}/${index}.js`, 200 * (index + 1));
  });

const CPU = [5, 12, 30, 64, 82, 95, 97, 71, 40, 22, 15, 8];
const MEMORY = [22, 25, 31, 48, 77, 84, 90.2, 88, 82, 60, 41, 30];
const busy = CPU.map((cpu, index) => reading(cpu, MEMORY[index] ?? 0));
const died = Array.from({ length: 20 }, (_, index) => reading(20 + 3 * index, 30 + 2 * index));

/** A report of each kind, as users meet them. */
export const KINDS: Readonly<Record<string, Report>> = {
  success: report({
    files: [uploaded('dist/run.sh', 300, 300, 5), ...many(240, uploaded)],
    retries: 4,
    durationMs: 310,
    digest: `sha256:${SHA256}`,
    skipped: [{ path: 'dist/latest', reason: 'a broken link' }],
    ...judged([reading(35.5, 42)], ['mem_used_pct > 80', 'disk_free < 512MiB']),
  }),
  'failed-files': report({
    files: [
      ...many(40, uploaded),
      ...many(60, name => failed(name, full(name))),
      failed('dist/index.html'),
      notAttempted('dist/last.js'),
    ],
    errors: [{ message: 'The transfer was given up: the disk is full.', details: [] }],
  }),
  'gate-failed': report({
    task: 'monitor',
    name: 'tests',
    ...judged(
      busy,
      ['mem_used_pct > 80', 'disk_free < 18GiB', 'load > 5'],
      ['cpu_used_pct > 90', 'cpu_used_pct.mean > 60'],
    ),
  }),
  'gate-warned': report({
    files: many(3, uploaded),
    ...judged([reading(91.4, 42)], ['mem_used_pct > 80'], ['cpu_used_pct > 90']),
  }),
  'dry-run': report({
    files: [...many(60, skipped), unchanged('dist/index.html')],
    dryRun: true,
  }),
  'dead-sandbox': report({
    task: 'monitor',
    ...judged(died.slice(0, 16), ['mem_used_pct > 80']),
    gate: gateOf(
      { failIf: [parse('mem_used_pct > 80')], warnIf: [] },
      died.slice(0, 16).map(statsOf),
      true,
    ),
    monitored: { from: START, to: START + 60_000 },
    errors: [
      {
        message:
          'The sandbox was not seen from 09:05:15 UTC to 09:06:00 UTC, since the monitor had ended: GET https://sandbox.example.com/metrics answered 502: "sandbox not found"',
        details: [],
      },
    ],
  }),
  unchanged: report({
    files: many(240, unchanged),
    orphaned: ['/home/user/app/old.js'],
    digest: `sha256:${SHA256}`,
    ...judged([reading(3, 12)]),
  }),
  cancelled: report({
    files: [...many(12, uploaded), ...many(30, notAttempted)],
    cancelled: true,
  }),
};
