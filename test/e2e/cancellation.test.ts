import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STALL, statusFault } from '../support/faults.ts';
import { expectFailure, type Inputs, type Signal } from '../support/run-action.ts';
import { SKIP_WITHOUT_SIGNALS } from '../support/system.ts';
import { manyFiles, openJob, type TestJobOptions } from '../support/test-job.ts';

/** A job to cancel at the nth request, or when a log line matches. */
interface CancelledJob {
  readonly request?: number;
  readonly line?: RegExp;
  readonly task?: 'stats' | 'monitor' | 'run';
  /** Default: SIGINT, which GitHub's runner sends first. Other runners may send SIGTERM. */
  readonly name?: 'SIGTERM';
  readonly inputs?: Inputs;
  readonly setup?: TestJobOptions;
  /** Expected numbers of uploaded, failed and unattempted files. */
  readonly totals?: readonly number[];
}

const CANCELLED: Readonly<Record<string, CancelledJob>> = {
  'while it waits for the sandbox': {
    inputs: { 'wait-until': 'cpu_used_pct < 1', 'sample-interval': '200ms' },
    request: 2,
    totals: [0, 0, 1],
  },
  'while a monitor takes its first sample': {
    task: 'monitor',
    setup: { faults: [{ on: 'stats', do: STALL }] },
    request: 1,
  },
  'before a command starts': {
    task: 'run',
    inputs: { run: 'true', 'fail-if': 'mem_used_pct > 90' },
    setup: { faults: [{ on: 'stats', do: STALL }] },
    request: 1,
  },
  'while files are sent': {
    inputs: { concurrency: '2' },
    setup: { files: manyFiles(400) },
    request: 50,
    name: 'SIGTERM',
  },
  'during a Retry-After pause': {
    line: /^Attempt 1 .* next in 1 min/,
    setup: {
      faults: [{ on: 'upload', do: statusFault(503, '', { headers: { 'Retry-After': '600' } }) }],
    },
    totals: [0, 1, 0],
  },
  'while the stats are read': {
    request: 2,
    setup: { faults: [{ on: 'stats', do: STALL }] },
    totals: [1, 0, 0],
  },
  'between two samples': {
    task: 'stats',
    inputs: { samples: '2', 'sample-interval': '1h' },
    line: /^::debug::Stats: /,
  },
};

describe('cancellation', { concurrency: 3, skip: SKIP_WITHOUT_SIGNALS }, () => {
  for (const [when, { request: due, setup, ...cancelled }] of Object.entries(CANCELLED))
    test(`a cancelled job reports it and sends nothing more [${when}]`, async () => {
      await using job = await openJob(setup);
      const { task = 'sync', name = 'SIGINT', line, inputs, totals } = cancelled;
      let seen = 0;
      let before = 0;
      const cancel = (signal: Signal) => {
        before = seen;
        signal(name);
      };
      const result = await expectFailure(
        job,
        { timeout: '10m', ...inputs },
        {
          task,
          env: { RUNNER_DEBUG: '1' },
          onLine: (text, signal) => line?.test(text) && cancel(signal),
          onRequest(_, signal) {
            seen += 1;
            if (seen === due) cancel(signal);
          },
        },
      );
      assert.ok(seen <= before + 4, `${seen} requests, ${before} before`);
      assert.match(result.annotations('error').at(-1) ?? '', /^Cancelled/);
      assert.match(result.summary, /^<h3>⛔ .*Cancelled/);
      assert.deepEqual([result.report.cancelled, result.report.succeeded], [true, false]);
      for (const { status, reason } of task === 'sync' ? result.report.upload.files : [])
        if (status === 'not-attempted') assert.equal(reason, 'the step was cancelled');
      if (totals === undefined) return;
      const { uploaded, failed, notAttempted } = result.report.upload.totals;
      assert.deepEqual([uploaded, failed, notAttempted], totals);
    });
});
