import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WITHOUT_SIGNALS } from '../system.ts';
import { annotations, asked, openService, traceIn } from './service.ts';

const CREATED = 'POST /sandboxes 201';
const DELETED = 'DELETE /sandboxes/ID 204';

test('a sandbox is created as the inputs say, and deleted at the end', async () => {
  await using service = await openService({ templates: ['node'] });
  const main = await service.run({
    template: 'node',
    lifetime: '90s',
    metadata: 'suite=api\nempty=',
    env: 'URL=https://example.com/?a=b\nMODE="test"',
  });
  assert.equal(main.exitCode, 0, main.stdout);
  const { id = '', token = '' } = service.plane.created[0] ?? {};
  const where = { 'base-url': service.plane.url, 'header-prefix': 'E2b' };
  assert.deepEqual(main.outputs, { id, token, domain: 'e2b.app', ...where });
  const [body] = service.plane.bodies;
  assert.deepEqual(body, {
    templateID: 'node',
    timeout: 90,
    secure: true,
    autoPause: false,
    metadata: { suite: 'api', empty: '', ...traceIn(body) },
    envVars: { URL: 'https://example.com/?a=b', MODE: '"test"' },
  });
  assert.match(annotations(main, 'warning'), /^env: the value of MODE is sent with its quotation/);
  const post = await service.run({}, { post: main });
  assert.equal(post.exitCode, 0, post.stdout);
  assert.deepEqual(asked(service), [CREATED, DELETED]);
  const log = `${main.stdout}\n${post.stdout}`.split('\n').filter(line => !/^(::|$)/.test(line));
  const lines = [`Created sandbox ${id} from node, for 1 min 30 s`, `Deleted sandbox ${id}`];
  assert.deepEqual([...log, main.summary, post.summary], [...lines, '', '']);
});

test('a creation is repeated if the answer says that it had no effect', async () => {
  const body = JSON.stringify({ error_code: 'sandbox_create_failed', message: 'Try again' });
  await using service = await openService({ failures: [503, { answer: { status: 500, body } }] });
  const main = await service.run();
  assert.deepEqual([main.exitCode, annotations(main, 'warning')], [0, '']);
  assert.deepEqual(asked(service), ['POST /sandboxes 503', 'POST /sandboxes 500', CREATED]);
});

describe('connecting', () => {
  test('takes the ID of a sandbox, and leaves it alone at the end', async () => {
    await using service = await openService();
    const { id, token } = await service.plane.create('i1--a_b');
    const main = await service.run({ 'sandbox-id': id, lifetime: '1.5s' });
    assert.deepEqual([main.outputs['id'], main.outputs['token']], [id, token], main.stdout);
    assert.deepEqual(service.plane.bodies, [{ timeout: 2 }]);
    await service.run({}, { post: main });
    assert.deepEqual(asked(service), ['POST /sandboxes/ID/connect 200']);
  });

  test('that fails still leads to the deletion that was asked for', async () => {
    await using service = await openService({ failures: [500] });
    const inputs = {
      'sandbox-id': (await service.plane.create()).id,
      delete: 'true',
      retries: '0',
    };
    const main = await service.run(inputs);
    assert.equal(main.exitCode, 1);
    await service.run(inputs, { post: main });
    assert.deepEqual(asked(service), ['POST /sandboxes/ID/connect 500', DELETED]);
  });

  test('fails if the sandbox has gone, which the post step takes calmly', async () => {
    await using service = await openService();
    const main = await service.run({ 'sandbox-id': 'gone1', delete: 'true' });
    assert.match(annotations(main, 'error'), /gone1 was not found.*\n.* has expired is gone/);
    const post = await service.run({}, { post: main });
    assert.match(post.stdout, /^Sandbox gone1 was already gone$/m);
    assert.deepEqual([post.exitCode, annotations(post, 'warning')], [0, '']);
  });
});

describe('a deletion', () => {
  test('is repeated after a failure, where the sandbox was created', async () => {
    await using service = await openService({ failures: [0, 500, { answer: 'reset' }] });
    const main = await service.run();
    // A composite action may give its post step other inputs.
    const outer = { 'api-url': 'https://x.io', headers: 'none', retries: 'none', timeout: 'none' };
    const post = await service.run(outer, { post: main });
    assert.deepEqual([post.exitCode, annotations(post, 'warning')], [0, '']);
    const failed = [500, 'reset'].map(end => `DELETE /sandboxes/ID ${end}`);
    assert.deepEqual(asked(service), [CREATED, ...failed, DELETED]);
  });

  test('comes at once if no post step will know of the sandbox', async () => {
    await using service = await openService();
    // A folder, to which nothing can be written.
    const main = await service.run({}, { env: { GITHUB_STATE: service.temp } });
    assert.match(annotations(main, 'error'), /^GITHUB_STATE: the runner's file cannot be written/);
    assert.deepEqual(asked(service), [CREATED, DELETED]);
  });

  test('that fails leaves the job green, and a warning says when the sandbox ends', async () => {
    await using service = await openService({ failures: [0, 401] });
    const main = await service.run();
    const refused = await service.run({}, { post: main });
    // In nested composite actions, a post step may get no key.
    const keyless = await service.run({ 'api-key': '' }, { post: main });
    assert.deepEqual([refused.exitCode, keyless.exitCode], [0, 0]);
    const left = `^Sandbox ${main.outputs['id']} could not be deleted. It ends by itself at .* GMT`;
    assert.match(annotations(refused, 'warning'), RegExp(`${left}.*answered 401.*Check api-key`));
    assert.match(annotations(keyless, 'warning'), RegExp(`${left}.*api-key: is empty`));
  });
});

describe('a cancelled job', { skip: WITHOUT_SIGNALS }, () => {
  const env = { NODE_OPTIONS: `--import=${import.meta.resolve('./tell-signals.js')}` };

  test('still takes the answer to its creation, and still deletes the sandbox', async () => {
    const creating = interrupt('SIGTERM');
    const deleting = interrupt('SIGINT');
    const failures = [
      { waits: creating.arrived },
      { waits: deleting.arrived, answer: 'reset' },
    ] as const;
    await using service = await openService({ failures });
    const main = await service.run({}, { env, ...creating.watch });
    assert.equal(main.outputs['id'], service.plane.created[0]?.id, main.stdout);
    const post = await service.run({}, { env, post: main, ...deleting.watch });
    assert.equal(post.exitCode, 0, post.stdout);
    assert.deepEqual(asked(service), [CREATED, 'DELETE /sandboxes/ID reset', DELETED]);
  });

  test('names the metadata if its creation is not answered before the runner kills it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { arrived, watch } = interrupt('SIGTERM');
    const waits = () => arrived().then(() => promise);
    await using service = await openService({ failures: [{ waits, answer: 'reset' }] });
    const main = await service.run({}, { env, ...watch });
    resolve();
    assert.equal(main.exitCode, 1);
    const { 'sandbox-sync-id': id = '' } = traceIn(service.plane.bodies[0]);
    assert.ok(annotations(main, 'warning').includes(id), main.stdout);
  });
});

/** Sends the action a signal when the service asks for it, and resolves once it has arrived. */
function interrupt(signal: NodeJS.Signals) {
  let send: (name: NodeJS.Signals) => void = () => assert.fail('the action does not run');
  const { promise, resolve } = Promise.withResolvers<void>();
  const onStart = (signals: typeof send) => {
    send = signals;
  };
  const onLine = (line: string) => line === `got ${signal}` && resolve();
  return {
    watch: { onStart, onLine },
    arrived: () => {
      send(signal);
      return promise;
    },
  };
}
