import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { WITHOUT_SIGNALS } from '../system.ts';
import {
  type Inputs,
  manyFiles,
  openWorld,
  runAction,
  runBadly,
  type Task,
  type WorldOptions,
} from './harness.ts';

const LIMIT_MS = 5000;
const CONCURRENCY = 2;
const MODULE = import.meta.resolve('./signal-at.js');

/**
 * When the signal comes: when the action prints a line, at its nth request, or when it starts to
 * search.
 */
interface Moment {
  readonly line?: string;
  readonly request?: number;
  readonly task?: Task;
  readonly inputs?: Inputs;
  readonly world?: WorldOptions;
  /** Files uploaded, failed and not attempted. */
  readonly totals?: readonly number[];
}

const NEVER = { 'wait-until': 'cpu_used_pct < 1', 'sample-interval': '200ms' };
const BUSY = { kind: 'status', status: 503, headers: { 'Retry-After': '600' } } as const;
const MUTE: WorldOptions = { faults: [{ on: 'stats', do: { kind: 'stall', at: 'answering' } }] };

function stalling(at: 'reading' | 'answering'): Moment {
  const files = { ...manyFiles(20), 'f6.txt': Buffer.alloc(24 * 1024 * 1024) };
  const world: WorldOptions = {
    files,
    faults: [{ on: 'upload', skip: 5, do: { kind: 'stall', at } }],
  };
  return { world, request: 7, totals: [5, 2, 13] };
}

/** Each costs a matcher many milliseconds and matches nothing. */
const SLOW_NAMES = Object.fromEntries(
  Array.from({ length: 1000 }, (_, index) => [`d/${'-'.repeat(240)}${index}`, '']),
);

const MOMENTS: Readonly<Record<string, Moment>> = {
  'while the files are searched': { world: { files: manyFiles(3000) } },
  'before a dry run has found its files': {
    inputs: { 'dry-run': 'true' },
    world: { files: manyFiles(3000) },
  },
  'while names are matched that take long': {
    line: '^::debug::Search path',
    inputs: { files: 'd/*-*-*-x', 'if-no-files-found': 'ignore', 'dry-run': 'true' },
    world: { files: SLOW_NAMES },
  },
  'while it waits for the sandbox': { inputs: NEVER, request: 2, totals: [0, 0, 1] },
  'while the stats task waits': { task: 'stats', inputs: NEVER, request: 2 },
  'while small files are sent': { world: { files: manyFiles(400) }, request: 50 },
  'while the agent does not read': stalling('reading'),
  'while the agent does not answer': stalling('answering'),
  'before it tries again': {
    line: '^Attempt 1 .* next in 1 min: ',
    world: { faults: [{ on: 'upload', do: BUSY }] },
    totals: [0, 1, 0],
  },
  'while the stats are read': { request: 2, world: MUTE, totals: [1, 0, 0] },
  'while the stats task reads': { task: 'stats', request: 1, world: MUTE },
};

suite('a job that is cancelled', { concurrency: 2, skip: WITHOUT_SIGNALS }, () => {
  for (const [when, moment] of Object.entries(MOMENTS)) {
    test(`${when} ends at once, and says everywhere that it was`, async () => {
      const { line, request: due, task = 'sync', inputs = {}, world: options, totals } = moment;
      const name = when === 'while small files are sent' ? 'SIGTERM' : 'SIGINT';
      await using world = await openWorld(options);
      let seen = 0;
      let sentAt = performance.now();
      const itself = { NODE_OPTIONS: `--import=${MODULE}`, SIGNAL: name, SIGNAL_AT: line };
      const fixed = task === 'sync' ? { concurrency: `${CONCURRENCY}` } : {};
      const result = await runBadly(
        world,
        { ...fixed, ...inputs },
        {
          task,
          env: due === undefined ? itself : {},
          onRequest(_request, signal) {
            seen += 1;
            if (seen !== due) return;
            sentAt = performance.now();
            signal(name);
          },
        },
      );
      assert.ok(performance.now() - sentAt < LIMIT_MS);
      assert.ok(seen <= (due ?? 1) + 2 * CONCURRENCY, `${seen} requests`);
      assert.match(result.annotations('error').at(-1) ?? '', /^Cancelled/);
      assert.match(result.summary, /^<h3>⛔ Sandbox Sync \(.*\): Cancelled/);
      assert.deepEqual([result.report.cancelled, result.report.succeeded], [true, false]);
      if (totals === undefined) return;
      const { uploaded, failed, notAttempted } = result.report.totals;
      assert.deepEqual([uploaded, failed, notAttempted], totals);
      const counts = ['uploaded-count', 'failed-count'].map(output =>
        Number(result.outputs[output]),
      );
      assert.deepEqual(counts, totals.slice(0, 2));
    });
  }

  // The work is done by then and the verdict stands; all outputs must agree on it.
  test('while the results are published leaves them whole and at one', async () => {
    await using world = await openWorld({ files: manyFiles(50) });
    const env = { NODE_OPTIONS: `--import=${MODULE}`, SIGNAL: 'SIGINT', SIGNAL_AT: '^::group::' };
    const result = await runAction(world, {}, { env });
    const { succeeded, totals } = result.report;
    assert.equal(result.exitCode === 0, succeeded, result.stdout);
    assert.equal(result.summary.startsWith('<h3>✅'), succeeded);
    assert.equal(result.outputs['uploaded-count'], String(totals['uploaded']));
    assert.equal(result.stderr, '');
  });
});
