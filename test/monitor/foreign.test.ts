import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { openRecorder, type Recorder } from '../../src/monitor/recorder.ts';
import { ASKED } from '../../src/monitor/sampler.ts';
import { openWorld, runAction } from '../action/harness.ts';
import { decoded } from '../stats/given.ts';
import { WITHOUT_SIGNALS } from '../system.ts';
import { runPost, startJob, until } from './monitoring.ts';

const CALM = decoded('{"mem_total":1000,"mem_used":100}');

// An ordinary user; root could remove everything.
const NOBODY = 65_534;
const AS_NOBODY = {
  NODE_OPTIONS: `--import=${import.meta.resolve('../faults/files/nobody.js')}`,
};

const GATED = { 'fail-if': 'mem_used_pct > 90' };

/** Replaces a file of a complete, calm record. */
const replacing =
  (name: string, replace: (file: string) => void) => (recorder: Recorder, directory: string) => {
    recorder.start(Date.now());
    recorder.sample(Date.now(), CALM);
    recorder.end({ at: Date.now(), what: ASKED });
    rmSync(path.join(directory, name), { force: true });
    replace(path.join(directory, name));
  };

const makePipe = (file: string) => execFileSync('mkfifo', [file]);

const FOREIGN: Readonly<Record<string, readonly [replace: (file: string) => void, says: RegExp]>> =
  {
    'a pipe': [makePipe, /cannot be used: it is not a regular file\.$/m],
    'a directory': [mkdirSync, /cannot be used: it is not a regular file\.$/m],
    'a link': [
      file => symlinkSync('/etc/passwd', file),
      /cannot be used: it is not a regular file\.$/m,
    ],
    'a file of 3 GiB': [
      file => {
        writeFileSync(file, '');
        truncateSync(file, 3 * 2 ** 30);
      },
      /cannot be used: it is larger than 33 MiB\.$/m,
    ],
    'a file of 600,000 lines': [
      file => writeFileSync(file, '{"at":1,"figures":{"ts":1}}\n'.repeat(600_000)),
      /cannot be used: it has more than 50,100 lines\.$/m,
    ],
    nothing: [() => {}, /^The sandbox was never sampled\.$/m],
  };

suite('a record that was replaced by', { concurrency: 2, skip: WITHOUT_SIGNALS }, () => {
  for (const [what, [replace, says]] of Object.entries(FOREIGN)) {
    test(`${what} fails the gate, and the post step says why`, async () => {
      const post = await runPost(GATED, replacing('record.jsonl', replace));
      assert.deepEqual([post.exitCode, post.outputs['gate'], post.stderr], [1, 'failed', '']);
      assert.match(post.annotations('error').join('\n'), says);
      assert.notEqual(post.summary, '');
    });
  }
});

suite('the last stats that were replaced by', { concurrency: 2, skip: WITHOUT_SIGNALS }, () => {
  for (const what of ['a pipe', 'a directory', 'a file of 3 GiB'] as const) {
    test(`${what} leave the output stats empty, and the figures as they were judged`, async () => {
      const [replace] = FOREIGN[what] ?? assert.fail();
      const { exitCode, outputs, report } = await runPost(GATED, replacing('last.json', replace));
      assert.equal(report.stats, null);
      assert.deepEqual(
        [exitCode, outputs['gate'], outputs['stats'], outputs['mem-used'], outputs['mem-used-pct']],
        [0, 'passed', '', '100', '10.00'],
      );
    });
  }

  test('a link do not put its target into the outputs', async () => {
    const write = (recorder: Recorder, directory: string) => {
      const secret = path.join(directory, 'secret.json');
      writeFileSync(secret, '{"auth":"another file"}');
      replacing('last.json', file => symlinkSync(secret, file))(recorder, directory);
    };
    const post = await runPost(GATED, write);
    assert.equal(post.outputs['stats'], '');
    assert.doesNotMatch(post.everything, /another file/);
  });
});

test('a pipe in place of the request to end does not hang the post step', {
  skip: WITHOUT_SIGNALS,
}, async () => {
  const post = await runPost(GATED, replacing('end', makePipe));
  assert.deepEqual([post.exitCode, post.outputs['gate']], [0, 'passed'], post.stdout);
});

test('a monitor goes on writing to its own record if a step puts a pipe in its place', {
  skip: WITHOUT_SIGNALS,
}, async () => {
  await using job = await startJob(GATED);
  await job.use(10, 1);
  renameSync(path.join(job.directory, 'record.jsonl'), path.join(job.directory, 'moved'));
  makePipe(path.join(job.directory, 'record.jsonl'));
  await job.use(10, 2);
  const post = await job.post();
  assert.equal(post.outputs['gate'], 'failed');
  assert.match(post.stdout, /record cannot be used: it is not a regular file/);
});

test('text that a step adds to the record is cut and shown harmlessly', async () => {
  const post = await runPost({}, (recorder, directory) => {
    recorder.start(Date.now());
    recorder.sample(Date.now(), CALM);
    recorder.gap({ at: Date.now(), what: `\n::error::forged ${'x'.repeat(5000)}` });
    recorder.end({ at: Date.now(), what: ASKED });
    appendFileSync(
      path.join(directory, 'record.jsonl'),
      '{"at":1,"warning":"\\n::error::forged"}\n',
    );
  });
  assert.deepEqual(post.annotations('error'), []);
  assert.ok(post.stdout.length < 5000);
});

test('a line with a million warnings is cut to some', async () => {
  const post = await runPost({}, (recorder, directory) => {
    recorder.start(Date.now());
    recorder.sample(Date.now(), CALM);
    recorder.end({ at: Date.now(), what: ASKED });
    const warning = Array.from({ length: 1_000_000 }, (_, index) => index.toString(36)).join('\n');
    const line = JSON.stringify({ at: Date.now(), warning });
    appendFileSync(path.join(directory, 'record.jsonl'), `${line}\n`);
  });
  assert.match(post.stdout, /^::warning::And 93 more\.$/m);
  assert.ok(post.reportText.length < 10_000);
});

test('a record that cannot be removed does not fail the job', {
  skip: WITHOUT_SIGNALS,
}, async () => {
  await using world = await openWorld();
  const directory = path.join(world.temp, 'sandbox-sync-monitor-played');
  const closed = path.join(directory, 'closed');
  mkdirSync(path.join(closed, 'in'), { recursive: true });
  const recorder = openRecorder(directory);
  recorder.start(Date.now());
  recorder.sample(Date.now(), CALM);
  recorder.end({ at: Date.now(), what: ASKED });
  chmodSync(closed, 0o500);
  if (process.getuid?.() === 0)
    for (const place of ['', ...readdirSync(directory)])
      chownSync(path.join(directory, place), NOBODY, NOBODY);
  const inputs = { 'sandbox-id': 'sandbox1', 'base-url': world.agent.url, 'fail-if': '' };
  const post = { state: { directory, inputs: JSON.stringify(inputs) } };
  const result = await runAction(world, {}, { task: 'monitor', post, env: AS_NOBODY });
  chmodSync(closed, 0o700);
  assert.deepEqual([result.exitCode, result.stderr], [0, '']);
});

test('a monitor that crashes says why', async () => {
  await using job = await startJob(GATED);
  await job.use(10, 3);
  // The next sample finds a directory in place of its file.
  await until(() => {
    try {
      mkdirSync(path.join(job.directory, 'last.json.new'));
      return true;
    } catch {
      return undefined;
    }
  });
  const post = await job.post();
  assert.deepEqual([post.exitCode, post.outputs['gate']], [1, 'failed']);
  assert.match(
    post.annotations('error').join('\n'),
    /was not seen from .*, since the monitor crashed: Error: (EEXIST|EISDIR): .*last\.json\.new/,
  );
});
