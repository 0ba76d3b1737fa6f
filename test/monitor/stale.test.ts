import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ASKED } from '../../src/monitor/sampler.ts';
import { decoded } from '../stats/given.ts';
import { runPost } from './monitoring.ts';

const S = 1000;

/** Samples every 2 s whose clocks show these seconds. */
function runClock(clock: readonly (number | undefined)[], level: string) {
  return runPost({ 'sample-interval': '2s', [level]: 'mem_used_pct > 90' }, recorder => {
    const start = Date.now() - clock.length * 2 * S;
    recorder.start(start);
    for (const [index, ts] of clock.entries())
      recorder.sample(start + index * 2 * S, decoded(statsAt(ts)));
    recorder.end({ at: Date.now(), what: ASKED });
  });
}

function statsAt(ts: number | undefined): string {
  return JSON.stringify({ ts, mem_total: 1000, mem_used: 100 });
}

const CLOCKS: Readonly<
  Record<string, readonly [clock: readonly (number | undefined)[], isStale: boolean]>
> = {
  'goes on': [[1, 3, 5, 7, 9, 11, 13], false],
  'stands still for 10 s': [[1, 3, 5, 5, 5, 5, 5, 5, 15], true],
  'stands still for 8 s': [[1, 3, 5, 5, 5, 5, 5, 13], false],
  'stands still to the end': [[1, 3, 5, 5, 5, 5, 5, 5], true],
  'is not reported': [Array(8).fill(undefined), false],
  'is always 0': [Array(8).fill(0), false],
};

suite('a monitor of a sandbox whose clock', { concurrency: 2 }, () => {
  for (const [what, [clock, isStale]] of Object.entries(CLOCKS)) {
    for (const level of isStale ? ['fail-if', 'warn-if'] : ['fail-if']) {
      const state = !isStale ? 'passed' : level === 'fail-if' ? 'failed' : 'warned';
      test(`${what} has ${state} with ${level}`, async () => {
        const post = await runClock(clock, level);
        assert.deepEqual(
          [post.outputs['gate'], post.exitCode],
          [state, state === 'failed' ? 1 : 0],
        );
        const said = post.annotations(state === 'failed' ? 'error' : 'warning').join('\n');
        const says =
          /^The sandbox was not seen from \S+ UTC to \S+ UTC, since its clock \(ts\) stood still for 10 s: the stats were stale or cached\.$/m;
        if (isStale) assert.match(said, says);
        else assert.equal(said, '');
      });
    }
  }
});
