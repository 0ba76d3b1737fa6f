import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ASKED } from '../../src/monitor/sampler.ts';
import { decoded } from '../stats/given.ts';
import { unlessLinux } from '../system.ts';
import { runPost, samplerIn, startJob, until } from './monitoring.ts';

const CALM = decoded('{"mem_total":1000,"mem_used":100}');
const S = 1000;

/**
 * When samples were taken, in seconds before the end of the job, and how the monitor ended unless
 * killed.
 */
interface Course {
  readonly at: readonly number[];
  readonly end?: string;
  /** The unseen time, if any, in seconds before the end. */
  readonly unseen?: readonly [from: number, to: number, says?: string];
}

const OVER = ', since the monitor had ended: ';

const COURSES: Readonly<Record<string, Course>> = {
  'seen to its end': { at: [100, 52, 3, 0], end: ASKED },
  'whose monitor had its time': {
    at: [100, 60, 20],
    end: 'its time',
    unseen: [20, 0, `${OVER}its time`],
  },
  'with a stall in it': { at: [100, 90, 39, 0], end: ASKED, unseen: [90, 39] },
  'with a stall at its end': { at: [100, 90, 51], end: ASKED, unseen: [51, 0] },
  'with a stall at its beginning': { at: [40, 0], end: ASKED, unseen: [100, 40] },
  'whose clock was put back': {
    at: [100, 90, 200, 160, 120, 80, 40, 0],
    end: ASKED,
    unseen: [90, 200],
  },
};

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 19).concat(' UTC');

suite('a job', { concurrency: 2 }, () => {
  for (const [what, { at, end, unseen }] of Object.entries(COURSES)) {
    for (const level of ['fail-if', 'warn-if']) {
      const state = unseen === undefined ? 'passed' : level === 'fail-if' ? 'failed' : 'warned';
      test(`${what} has ${state} with ${level}`, async () => {
        const now = Date.now();
        const inputs = { 'sample-interval': '5s', [level]: 'mem_used_pct > 90' };
        const post = await runPost(inputs, recorder => {
          recorder.start(now - 100 * S);
          for (const seconds of at) recorder.sample(now - seconds * S, CALM);
          if (end !== undefined) recorder.end({ at: now, what: end });
        });
        assert.deepEqual(
          [post.outputs['gate'], post.exitCode],
          [state, state === 'failed' ? 1 : 0],
          post.stdout,
        );
        const said = post.annotations(state === 'failed' ? 'error' : 'warning').join('\n');
        if (unseen === undefined) return assert.equal(said, '');
        const [from, to, says = ''] = unseen;
        const words = `The sandbox was not seen from ${timeOf(now - from * S)} to `;
        assert.ok(said.includes(words) && said.includes(`UTC${says}.`), said);
        if (to > 0) assert.ok(said.includes(`${words}${timeOf(now - to * S)}`), said);
        assert.ok(post.summary.includes('was not seen from'));
      });
    }
  }

  test('that was not seen a thousand times says so ten times', async () => {
    const post = await runPost(
      { 'sample-interval': '200ms', 'fail-if': 'mem_used_pct > 90' },
      recorder => {
        // The time before the first sample was not seen either.
        for (let second = 2997; second > 0; second -= 3)
          recorder.sample(Date.now() - second * S, CALM);
        recorder.end({ at: Date.now(), what: ASKED });
      },
    );
    const [said = ''] = post.annotations('error');
    assert.deepEqual(
      [said.match(/was not seen/g)?.length, /And 990 more times/.test(said)],
      [10, true],
      said,
    );
  });
});

test('a sampling process that is killed fails the gate', {
  skip: unlessLinux('reads /proc'),
}, async () => {
  await using job = await startJob({ 'fail-if': 'mem_used_pct > 90' });
  await job.use(10, 2);
  process.kill(await samplerIn(job.directory), 'SIGKILL');
  const post = await job.post();
  assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
  assert.match(
    post.annotations('error').join('\n'),
    /was not seen from .*, since something else ended the monitor\.$/m,
  );
});

test('a metric that is missing or malformed in some readings fails the gate, and is warned of', async () => {
  const values = ['5', '', '"full"', '1e400', '9'.repeat(41), '5'];
  let asked = 0;
  const metrics = () => {
    const value = values[Math.min(asked++, values.length - 1)] ?? '';
    return value === '' ? '{"ts":1}' : `{"mem_used":${value},"load":${value}}`;
  };
  const lines = [
    'mem_used > 9B',
    'mem_used.last > 9B',
    'load.max > 9',
    'load.min > 9',
    'load.mean > 9',
  ];
  const inputs = { 'fail-if': lines.join('\n') };
  await using job = await startJob(inputs, { metrics });
  await until(() => asked > values.length || undefined);
  const post = await job.post();
  assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
  const said = post.annotations('error').join('\n');
  for (const line of lines) {
    // A load of 41 digits is a number.
    const missing = line.startsWith('load') ? 3 : 4;
    const says = `^${line} cannot be judged: ${missing} of \\d+ samples do not report`;
    assert.match(said, RegExp(says, 'm'));
  }
  for (const name of ['mem_used', 'load'])
    assert.match(post.annotations('warning').join('\n'), RegExp(`${name} cannot be used`));
});

test('no sample is lost, whatever the names in it, and what is judged is kept alone', async () => {
  const others = Array.from({ length: 300 }, (_, index) => `"f${index}":${index}`);
  const judged = `${'n'.repeat(200)}`;
  let asked = 0;
  const metrics = () => {
    asked += 1;
    const used = asked === 2 ? 99 : 1;
    return `{${others.join()},"a\u2028b\u2029c":1,"${judged}":7,"mem_total":100,"mem_used":${used}}`;
  };
  const inputs = { 'fail-if': `mem_used_pct > 90\n${judged} > 6` };
  await using job = await startJob(inputs, { metrics });
  await until(() => asked > 2 || undefined);
  const post = await job.post();
  assert.match(
    post.annotations('error').join('\n'),
    /^mem_used_pct > 90: Memory .* 99 %.*\nn{200} > 6: n{200} .* 7 /m,
  );
  assert.deepEqual(post.annotations('warning'), []);
  assert.deepEqual(JSON.parse(post.reportText).samples[1].figures, {
    mem_total: 100,
    mem_used: 99,
    [judged]: 7,
    mem_used_pct: 99,
    mem_free: 1,
  });
});
