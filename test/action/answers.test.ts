import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FaultAction } from '../../dev/agent/faults.ts';
import { openWorld, runBadly, uploads } from './harness.ts';

const MIB = 1024 * 1024;

const entry = (name: string, more: object = {}) => ({
  path: `/home/user/${name}`,
  name,
  type: 'file',
  ...more,
});

const answer = (body: unknown): FaultAction => ({ kind: 'answer', body: JSON.stringify(body) });

const status = (code: number, more: object = {}): FaultAction => ({
  kind: 'status',
  status: code,
  ...more,
});

interface Case {
  readonly fault: FaultAction;
  readonly message: RegExp;
  readonly advice: RegExp;
  readonly size?: number;
}

const PATHS = /base-url|upload-path/;

/** Failures of one file, by its name. */
const CASES: Readonly<Record<string, Case>> = {
  'status-400': {
    fault: status(400, { body: '{"code":400,"message":"path is a directory"}' }),
    message: /answered 400 Bad Request\. It said: "path is a directory"/,
    advice: /directory in the sandbox/,
  },
  'status-404': { fault: status(404), message: /answered 404 Not Found/, advice: /upload-path/ },
  'status-413': {
    fault: status(413, { body: '<html><h1>413 Request Entity Too Large</h1></html>' }),
    message: /answered 413 .*It said: "413 Request Entity Too Large"/,
    advice: /limits the size/,
  },
  'status-500': { fault: status(500), message: /answered 500/, advice: /service's status/ },
  'no-entry': { fault: answer([]), message: /it lists 0 files instead of 1/, advice: PATHS },
  'two-entries': {
    fault: answer([entry('two-entries'), entry('two-entries')]),
    message: /it lists 2 files instead of 1/,
    advice: PATHS,
  },
  'html-page': {
    fault: { kind: 'answer', body: '<h1>Welcome</h1>' },
    message: /not JSON/,
    advice: PATHS,
  },
  'empty-body': { fault: { kind: 'answer', body: '' }, message: /not JSON/, advice: PATHS },
  'null-body': {
    fault: answer(null),
    message: /an unusable answer: its entry is no object/,
    advice: PATHS,
  },
  'number-entry': {
    fault: answer([7]),
    message: /an unusable answer: its entry is no object/,
    advice: PATHS,
  },
  'a-directory': {
    fault: answer([entry('a-directory', { type: 'directory' })]),
    message: /not of type "file"/,
    advice: PATHS,
  },
  'no-type': {
    fault: answer({ path: '/no-type', name: 'no-type' }),
    message: /not of type/,
    advice: PATHS,
  },
  'other-name': { fault: answer(entry('another')), message: /names another file/, advice: PATHS },
  'a/late': {
    fault: answer(entry('late', { path: '/home/user/b/late' })),
    message: /the path of another target/,
    advice: PATHS,
  },
  'no-path': {
    fault: answer({ name: 'no-path', type: 'file' }),
    message: /no path/,
    advice: PATHS,
  },
  'too-long': {
    fault: { kind: 'answer', body: JSON.stringify(entry('too-long')).padEnd(2 * MIB) },
    message: /128 KiB/,
    advice: PATHS,
  },
  endless: {
    fault: { kind: 'endless', chunk: ' '.repeat(1000) },
    message: /128 KiB/,
    advice: PATHS,
  },
  'too-early': {
    fault: status(200, { early: true, body: JSON.stringify(entry('too-early')) }),
    message: /before the whole file was sent/,
    advice: /./,
    size: 24 * MIB,
  },
};

suite('one file that cannot be stored', { concurrency: 2 }, () => {
  test('fails with its own reason and advice, and the others arrive', async t => {
    await using world = await openWorld({
      files: {
        ...Object.fromEntries(
          Object.entries(CASES).map(([name, { size = 4 }]) => [name, Buffer.alloc(size)]),
        ),
        'good.txt': 'good',
        'better.txt': 'better',
      },
      faults: Object.entries(CASES).map(([name, { fault }]) => ({
        on: 'upload',
        path: name,
        do: fault,
      })),
    });
    const result = await runBadly(world, { concurrency: '3', retries: '0' });
    for (const [name, { message, advice }] of Object.entries(CASES)) {
      await t.test(name, () => {
        const { status: ending, error } = result.file(name);
        assert.equal(ending, 'failed');
        assert.match(error?.message ?? '', message);
        assert.match(error?.message ?? '', /POST http:\S+\/files/, 'what was tried');
        assert.match(error?.hint ?? '', advice);
      });
    }
    assert.deepEqual(
      [result.outputs['uploaded-count'], result.outputs['failed-count']],
      ['2', '18'],
    );
    assert.equal(world.stored('good.txt').toString(), 'good');
    assert.equal(uploads(world).length, 20);
  });
});
