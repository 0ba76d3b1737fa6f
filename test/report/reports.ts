import { AgentError } from '../../src/agent/failure.ts';
import { EMPTY_REPORT, type Report } from '../../src/report/report.ts';
import type { Stats } from '../../src/stats/stats.ts';
import type { FileResult } from '../../src/upload/result.ts';
import { decoded } from '../stats/given.ts';

type Planned = FileResult['file'];

export const BUSY = new AgentError('busy', 'POST https://h/files answered 429.', { status: 429 });
export const FULL = new AgentError('disk-full', 'POST https://h/files answered 507.', {
  status: 507,
});

export const SHA256 = 'ab'.repeat(32);

export function file(name: string, size = 10): Planned {
  return {
    source: name,
    realPath: `/w/${name}`,
    target: `app/${name}`,
    size,
    isExecutable: false,
    identity: '',
  };
}

/** @param sent the bytes that arrived; not those planned if the file has grown */
export function uploaded(name: string, size = 10, sent = size): FileResult {
  const path = `/home/user/app/${name}`;
  return {
    status: 'uploaded',
    file: file(name, size),
    attempts: 1,
    durationMs: 5,
    path,
    size: sent,
  };
}

export function failed(name: string, error: AgentError = BUSY): FileResult {
  return { status: 'failed', file: file(name), attempts: 3, durationMs: 7, error };
}

export function unchanged(name: string, size = 10): FileResult {
  return {
    status: 'unchanged',
    file: file(name, size),
    path: `/home/user/app/${name}`,
    sha256: SHA256,
  };
}

export function skipped(name: string): FileResult {
  return { status: 'skipped', file: file(name), reason: 'dry run' };
}

export function notAttempted(name: string): FileResult {
  return { status: 'not-attempted', file: file(name), reason: 'the job was cancelled' };
}

export function statsOf(figures: Readonly<Record<string, number | string>>): Stats {
  const fields = Object.entries(figures).map(([name, value]) => `"${name}":${value}`);
  return decoded(`{${fields.join(',')}}`, ...Object.keys(figures));
}

export const STATS = statsOf({
  ts: 1_700_000_000,
  cpu_count: 4,
  cpu_used_pct: 12.345,
  mem_total: 4_294_967_296,
  mem_used: 1_073_741_824,
  mem_total_mib: 4096,
  mem_used_mib: 1024,
  disk_total: '9223372036854775807',
  disk_used: 1024,
  mem_cache: 7,
});

/** A report with these parts. */
export function report(parts: Partial<Report> = {}): Report {
  return {
    ...EMPTY_REPORT,
    sandboxId: 'i1a2b3',
    baseUrl: 'https://sandbox.example.com',
    durationMs: 2000,
    ...parts,
  };
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
