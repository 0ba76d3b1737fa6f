import assert from 'node:assert/strict';
import path from 'node:path';
import { suite, test } from 'node:test';
import { type Inputs, manyFiles, openWorld, runBadly, type WorldOptions } from '../../action/harness.ts';

const LIMIT_MS = 5000;
const MODULE = path.join(import.meta.dirname, 'signal-at.js');
const CONCURRENCY = 4;

/** When the signal comes: at a line that the action prints, at its so-manyth request, or as it begins to search. */
interface Moment {
  readonly line?: string;
  readonly request?: number;
  readonly task?: 'stats';
  readonly inputs?: Inputs;
  readonly world?: WorldOptions;
}

const NEVER = { 'wait-until': 'cpu_used_pct < 1', 'sample-interval': '200ms' };
const BUSY = { kind: 'status', status: 503, headers: { 'Retry-After': '600' } } as const;
const SILENT = { kind: 'stall', at: 'answering' } as const;

const MOMENTS: Readonly<Record<string, Moment>> = {
  'while the files are searched': { world: { files: manyFiles(3000) } },
  'before a dry run has found its files': {
    inputs: { 'dry-run': 'true' },
    world: { files: manyFiles(3000) },
  },
  'while it waits for the sandbox': { inputs: NEVER, request: 2 },
  'while the stats task waits': { task: 'stats', inputs: NEVER, request: 2 },
  'while small files are sent': { world: { files: manyFiles(400) }, request: 50 },
  'while a large file is sent': { world: { files: { large: Buffer.alloc(256 * 1024 * 1024) } }, request: 1 },
  'before it tries again': { line: '^Attempt 1', world: { faults: [{ on: 'upload', do: BUSY }] } },
  'while the stats are read': { request: 2, world: { faults: [{ on: 'stats', do: SILENT }] } },
  'while the stats task reads': {
    task: 'stats',
    request: 1,
    world: { faults: [{ on: 'stats', do: SILENT }] },
  },
};

suite('a signal', { concurrency: 2, skip: process.platform === 'win32' }, () => {
  for (const [when, moment] of Object.entries(MOMENTS)) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      test(`${signal} ${when} ends the step, which says everywhere that it was cancelled`, async () => {
        const { line, request: due, task = 'sync', inputs = {}, world: options } = moment;
        await using world = await openWorld(options);
        let seen = 0;
        let sentAt: number | undefined;
        const self = { NODE_OPTIONS: `--import=${MODULE}`, SIGNAL: signal, ...(line && { SIGNAL_AT: line }) };
        const started = performance.now();
        const all = task === 'sync' ? { ...inputs, concurrency: String(CONCURRENCY) } : inputs;
        const result = await runBadly(world, all, {
          task,
          ...(due === undefined && { env: self }),
          onRequest(_request, action) {
            seen += 1;
            if (seen !== due) return;
            sentAt = performance.now();
            action.kill(signal);
          },
        });
        assert.ok(performance.now() - (sentAt ?? started) < LIMIT_MS);
        assert.ok(seen <= (due ?? 1) + 2 * CONCURRENCY, `${seen} requests`);
        assert.match(result.annotations('error').at(-1) ?? '', /^Cancelled/);
        assert.match(result.summary, /^<h3>⛔ Cancelled/);
        assert.deepEqual([result.report.cancelled, result.report.succeeded], [true, false]);
        assert.ok('report' in result.outputs);
      });
    }
  }
});
