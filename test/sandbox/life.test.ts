import assert from 'node:assert/strict';
import path from 'node:path';
import { suite, test } from 'node:test';
import type { Failure } from '../../dev/agent/control-plane.ts';
import { runStep } from '../../dev/runner/step.ts';
import { WITHOUT_SIGNALS } from '../system.ts';
import { asked, openService, shownBy, TRACE } from './service.ts';

const CREATED = 'POST /sandboxes 201';
const DELETED = 'DELETE /sandboxes/ID 204';

suite('a sandbox', { concurrency: 2 }, () => {
  test('is created as the inputs say, can be used, and is deleted at the end', async () => {
    await using service = await openService({ templates: ['node'] });
    const inputs = {
      template: 'node',
      lifetime: '90s',
      metadata: 'suite=api\nempty=',
      env: 'URL=https://example.com/?a=b',
    };
    const main = await service.run(inputs);
    assert.equal(main.exitCode, 0, main.stdout);
    const [sandbox] = service.plane.created;
    assert.deepEqual(main.outputs, { id: sandbox?.id, token: sandbox?.token, domain: 'e2b.app' });
    const [body] = service.plane.bodies;
    const metadata = { suite: 'api', empty: '', ...TRACE, 'sandbox-sync-id': traceIn(body) };
    const envVars = { URL: 'https://example.com/?a=b' };
    assert.deepEqual(body, { templateID: 'node', timeout: 90, secure: true, metadata, envVars });
    const { id = '', token = '' } = main.outputs;
    const stats = await runStep({
      ...service.places,
      action: path.resolve(import.meta.dirname, '../../stats'),
      inputs: { 'sandbox-id': id, token, 'base-url': service.plane.url, 'header-prefix': 'E2b' },
    });
    assert.equal(stats.exitCode, 0, stats.stdout);
    const post = await service.run(inputs, { post: main });
    assert.equal(post.exitCode, 0, post.stdout);
    assert.deepEqual(asked(service), [CREATED, DELETED]);
    const said = [main, post].flatMap(({ lines }) => lines.filter(line => !/^(::|$)/.test(line)));
    assert.deepEqual(said, [
      `Created sandbox ${id} from node, for 1 min 30 s`,
      `Deleted sandbox ${id}`,
    ]);
    assert.equal(main.summary + post.summary, '');
  });

  test('is connected to by its ID, and left alone at the end', async () => {
    await using service = await openService();
    const { id, token } = await service.plane.create('i1--a_b');
    const inputs = { 'sandbox-id': id, lifetime: '1.5s' };
    const main = await service.run(inputs);
    assert.equal(main.exitCode, 0, main.stdout);
    assert.deepEqual(main.outputs, { id, token, domain: 'e2b.app' });
    assert.deepEqual(service.plane.bodies, [{ timeout: 2 }]);
    const post = await service.run(inputs, { post: main });
    assert.deepEqual(asked(service), ['POST /sandboxes/ID/connect 200']);
    assert.match(main.stdout + post.stdout, /^Connected to sandbox i1--a_b, for at least/m);
  });

  test('is not deleted if it was created with delete: false', async () => {
    await using service = await openService();
    const main = await service.run({ delete: 'false' });
    await service.run({ delete: 'false' }, { post: main });
    assert.deepEqual(asked(service), [CREATED]);
  });

  for (const status of [404, 500]) {
    test(`is deleted with delete: true although connecting to it answered ${status}`, async () => {
      await using service = await openService({ failures: [status] });
      const { id } = await service.plane.create();
      const inputs = { 'sandbox-id': id, delete: 'true', retries: '0' };
      const main = await service.run(inputs);
      assert.equal(main.exitCode, 1);
      assert.match(main.annotations('error').join(), RegExp(`answered ${status} .*"Not now"`));
      await service.run(inputs, { post: main });
      assert.deepEqual(asked(service), [`POST /sandboxes/ID/connect ${status}`, DELETED]);
    });
  }

  test('that has gone is neither connected to nor missed at the end', async () => {
    await using service = await openService();
    const inputs = { 'sandbox-id': 'gone', delete: 'true' };
    const main = await service.run(inputs);
    assert.match(main.annotations('error').join(), /gone was not found.*\n.* has expired is gone/);
    const post = await service.run(inputs, { post: main });
    assert.equal(post.exitCode, 0);
    assert.match(post.stdout, /^Sandbox gone was already gone$/m);
    assert.deepEqual(post.annotations('warning'), []);
  });
});

suite('a creation', { concurrency: 2 }, () => {
  test('is repeated after 429 and 503, not before Retry-After', async () => {
    const headers = { 'Retry-After': '1' };
    const failures = [429, 503].map(status => ({ answer: { status, headers, body: '' } }));
    await using service = await openService({ failures });
    const { exitCode, stdout } = await service.run();
    assert.equal(exitCode, 0, stdout);
    assert.equal(
      stdout.match(/^Attempt \d failed, next in [1-9].*: POST .* answered/gm)?.length,
      2,
    );
    assert.deepEqual(asked(service), ['POST /sandboxes 429', 'POST /sandboxes 503', CREATED]);
  });

  test('is repeated if the service could not be reached', async () => {
    await using service = await openService();
    const { plane, run } = service;
    await plane[Symbol.asyncDispose]();
    const main = await run({ retries: '1' });
    assert.match(main.stdout, /^Attempt 1 failed/m);
    assert.match(main.annotations('error').join(), /connection was refused.*\nCheck api-url/);
    assert.deepEqual(main.annotations('warning'), []);
  });

  const page = { status: 201, body: '<!doctype html><title>Welcome</title>' };
  const lost: Readonly<Record<string, Failure>> = {
    'whose answer was lost': { acts: true, answer: 'reset' },
    'whose answer is cut off': { acts: true, answer: { status: 201, body: '{"sandboxID":"i1' } },
    'whose answer names no sandbox': { answer: { status: 201, body: '{}' } },
    'whose answer is a page': { answer: page },
    'that answered 500': 500,
    'that answered 502': 502,
    'that answered 504': 504,
  };
  for (const [name, failure] of Object.entries(lost)) {
    test(`${name} is not repeated, and a warning names the metadata`, async () => {
      await using service = await openService({ failures: [failure] });
      const main = await service.run({ lifetime: '10m', metadata: 'mine=1' });
      assert.equal(main.exitCode, 1, main.stdout);
      assert.equal(service.plane.requests.length, 1);
      const trace = { ...TRACE, 'sandbox-sync-id': traceIn(service.plane.bodies[0]) };
      const metadata = Object.entries(trace).map(([key, value]) => `${key}=${value}`);
      const [warning = ''] = main.annotations('warning');
      assert.ok(warning.includes(`with the metadata ${metadata.join(', ')}.`), warning);
      assert.match(warning, /It ends by itself at \d\d:\d\d:\d\d UTC\.$/);
      assert.deepEqual([main.outputs, main.state], [{}, {}]);
    });
  }

  test('that does not answer is given up after timeout', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using service = await openService({
      failures: [{ waits: () => promise, answer: 'reset' }],
    });
    const main = await service.run({ timeout: '1s' });
    resolve();
    assert.match(main.annotations('error').join(), /did not finish within timeout/);
    assert.match(main.annotations('warning').join(), /with the metadata github-repository=octo/);
  });
});

suite('a cancelled job', { concurrency: 2, skip: WITHOUT_SIGNALS }, () => {
  const env = { NODE_OPTIONS: `--import=${import.meta.resolve('./tell-signals.js')}` };

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`still takes the answer to its creation after ${signal}, and deletes it`, async () => {
      const { waits, onStart, release } = sending(signal);
      await using service = await openService({ failures: [{ waits }] });
      const onLine = (line: string) => line === `got ${signal}` && release();
      const main = await service.run({}, { env, onStart, onLine });
      assert.equal(main.exitCode, 1);
      assert.match(main.annotations('error').join(), /^The job was cancelled\.$/);
      assert.equal(main.outputs['id'], service.plane.created[0]?.id);
      await service.run({}, { post: main });
      assert.deepEqual(asked(service), [CREATED, DELETED]);
    });
  }

  test('names the metadata if its creation is not answered before the runner kills it', async () => {
    const { waits, onStart, release } = sending('SIGTERM');
    await using service = await openService({ failures: [{ waits, answer: 'reset' }] });
    const main = await service.run({}, { onStart });
    release();
    assert.equal(main.exitCode, 1);
    assert.match(main.annotations('warning').join(), /sandbox-sync-id=[\da-f-]{36}/);
  });

  test('still deletes its sandbox if the post step gets the signal', async () => {
    const { waits, onStart, release } = sending('SIGINT');
    await using service = await openService({ failures: [0, { waits }] });
    const main = await service.run();
    const onLine = (line: string) => line === 'got SIGINT' && release();
    const post = await service.run({}, { env, post: main, onStart, onLine });
    assert.equal(post.exitCode, 0, post.stdout);
    assert.deepEqual(asked(service), [CREATED, DELETED]);
  });
});

suite('a deletion', { concurrency: 2 }, () => {
  test('is repeated after a failure', async () => {
    await using service = await openService({ failures: [0, 500, { answer: 'reset' }] });
    const main = await service.run();
    const post = await service.run({}, { post: main });
    assert.equal(post.exitCode, 0);
    assert.deepEqual(asked(service).slice(1), [
      'DELETE /sandboxes/ID 500',
      'DELETE /sandboxes/ID reset',
      DELETED,
    ]);
    assert.deepEqual(post.annotations('warning'), []);
  });

  test('that fails leaves the job green, and a warning names the ID and the end', async () => {
    await using service = await openService({ failures: [0, 401] });
    const main = await service.run();
    const post = await service.run({}, { post: main });
    assert.equal(post.exitCode, 0);
    const [warning = ''] = post.annotations('warning');
    assert.match(warning, /^Sandbox i\w+ could not be deleted\. It ends by itself at \d\d:\d\d:/);
    assert.ok(warning.includes(main.outputs['id'] ?? 'no ID'));
    assert.match(warning, /answered 401 .*"Not now".*Check api-key/);
  });

  for (const [what, inputs] of Object.entries({
    'another key': { 'api-key': 'key-of-something-else' },
    'no key': { 'api-key': '' },
  })) {
    test(`with ${what}, as nested composite actions hand it over, is not tried`, async () => {
      await using service = await openService();
      const main = await service.run();
      const post = await service.run({ ...inputs, 'api-url': '' }, { post: main });
      assert.equal(post.exitCode, 0);
      assert.match(post.annotations('warning').join(), /^Sandbox i\w+ could not be deleted/);
      assert.match(post.annotations('warning').join(), /api-key: is not the one that the sandbox/);
      assert.deepEqual(asked(service), [CREATED]);
    });
  }

  test('asks where the sandbox was created, whatever the inputs are by then', async () => {
    await using service = await openService();
    const main = await service.run();
    await service.run({ 'api-url': 'https://other.example.com' }, { post: main });
    assert.deepEqual(asked(service), [CREATED, DELETED]);
  });

  test('has nothing to do if nothing was created', async () => {
    await using service = await openService({ failures: [401] });
    const main = await service.run();
    const post = await service.run({}, { post: main });
    assert.deepEqual([post.exitCode, shownBy(post).trim()], [0, '']);
    assert.deepEqual(asked(service), ['POST /sandboxes 401']);
  });
});

/** Sends the action a signal when the service gets a request, and answers only after `release`. */
function sending(signal: NodeJS.Signals) {
  let send: (name: NodeJS.Signals) => void = () => assert.fail('the action does not run');
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    waits: () => {
      send(signal);
      return promise;
    },
    onStart: (signals: typeof send) => {
      send = signals;
    },
    release: () => resolve(),
  };
}

/** The ID that the action put into a creation's metadata. */
function traceIn(body: unknown): string {
  const id = /"sandbox-sync-id":"([\da-f-]{36})"/.exec(JSON.stringify(body))?.[1];
  return id ?? assert.fail(`no ID in ${JSON.stringify(body)}`);
}
