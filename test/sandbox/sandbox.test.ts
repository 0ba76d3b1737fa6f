import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { addressOf } from '../../src/sandbox/sandbox.ts';
import { statusFault } from '../support/faults.ts';
import {
  API_KEY,
  type ApiFault,
  apiRequests,
  jobMetadataIn,
  openJobWithApi,
} from '../support/job-with-api.ts';
import { openRelay } from '../support/relay.ts';
import type { Result } from '../support/result.ts';
import { type Inputs, preload, type Signal } from '../support/run-action.ts';
import { pollUntil } from '../support/running-monitor.ts';
import { SKIP_WITHOUT_BASH, SKIP_WITHOUT_SIGNALS } from '../support/system.ts';

type JobWithApi = Awaited<ReturnType<typeof openJobWithApi>>;

const CREATED = 'POST /sandboxes 201';
const DELETED = 'DELETE /sandboxes/ID 204';
const CANCELLED = 'Cancelled while the sandbox was created';

test('a sandbox is created with template, lifetime, metadata, env and create-options, and deleted by the post step', async () => {
  await using job = await openJobWithApi();
  const network = { allowOut: ['s3cret.example.com'] };
  const inputs = {
    template: 'node',
    lifetime: '90s',
    metadata: 'suite=api\nempty=\ngithub-job=another',
    env: 'URL=https://x.io\nMODE<<END\n"t"\nEND',
    'create-options': JSON.stringify({ network }),
  };
  const main = await job.runSandbox(inputs, { env: { RUNNER_DEBUG: '1' } });
  assert.equal(main.exitCode, 0, main.stdout);
  const { id = '', token = '' } = job.service.created[0] ?? {};
  const where = { 'base-url': job.service.url, 'header-prefix': 'E2b' };
  assert.deepEqual(main.outputs, { id, token, domain: 'e2b.app', ...where });
  const [body] = job.service.bodies;
  assert.deepEqual(body, {
    templateID: 'node',
    timeout: 90,
    secure: true,
    autoPause: false,
    metadata: { suite: 'api', empty: '', ...jobMetadataIn(body) },
    envVars: { URL: 'https://x.io', MODE: '"t"' },
    network,
  });
  assert.doesNotMatch(main.allOutput, /x\.io|"t"|s3cret/, 'values may be secret');
  const post = await endQuietly(job, main);
  assert.deepEqual(apiRequests(job), [CREATED, DELETED]);
  const log = `${main.stdout}\n${post.stdout}`.split('\n').filter(line => !/^(::|$)/.test(line));
  const lines = [
    `Created sandbox ${id} from node, for 1 min 30 s`,
    `Its URL: ${job.service.url}`,
    `Deleted sandbox ${id}`,
  ];
  assert.deepEqual([...log, main.summary, post.summary], [...lines, '', '']);
});

test('connecting with sandbox-id extends the lifetime, and the post step does not delete', async () => {
  await using job = await openJobWithApi();
  const { id, token } = job.service.create('i1--a_b');
  const startedAt = Date.now();
  const main = await job.runSandbox({ 'sandbox-id': id, lifetime: '1.5s' });
  assert.deepEqual([main.outputs['id'], main.outputs['token']], [id, token], main.stdout);
  assert.deepEqual(job.service.bodies, [{ timeout: 2 }]);
  // It may live longer, so a later command does not have to end with this lifetime.
  const saved = readFileSync(path.join(job.temp, `sandbox-sync-sandbox-${id}.json`), 'utf8');
  assert.doesNotMatch(saved, /endsAt/);
  // The post step has nothing to delete, so it needs no key.
  const { stdout } = await endQuietly(job, main, { 'api-key': '' });
  assert.match(stdout, /It lives at least until .* GMT, perhaps longer\./);
  assertEnds(stdout, startedAt, 1500);
  assert.deepEqual(apiRequests(job), ['POST /sandboxes/ID/connect 200']);
});

test('a sandbox that was connected to for more than 1 h lets a command run as long', {
  skip: SKIP_WITHOUT_BASH,
}, async () => {
  await using job = await openJobWithApi({ runCommands: true });
  const { id } = job.service.create();
  await job.runSandbox({ 'sandbox-id': id, lifetime: '3h' });
  const { stdout } = await job.runAction('run', { run: 'true', 'max-duration': '4h' });
  assert.match(stdout, /^The sandbox may end at .* before max-duration \(4 h\)/m);
});

test('with delete: true, the post step deletes a sandbox that could not be connected to, even if it is gone', async () => {
  await using job = await openJobWithApi();
  const main = await job.runSandbox({ 'sandbox-id': 'gone1', delete: 'true' });
  assert.match(main.errors, /gone1.{1,2} doesn.t exist.*\n.* has expired is gone/);
  const { stdout } = await endQuietly(job, main);
  assert.match(stdout, /^Sandbox gone1 was already gone$/m);
  const requests = ['POST /sandboxes/gone1/connect 404', 'DELETE /sandboxes/gone1 404'];
  assert.deepEqual(apiRequests(job), requests);
});

test('no sandbox is created if GITHUB_STATE cannot be written', async () => {
  await using job = await openJobWithApi();
  // GITHUB_STATE is a folder, so writing the state fails.
  const { errors } = await job.runSandbox({}, { env: { GITHUB_STATE: job.temp } });
  assert.match(errors, /^E[A-Z]+: .*, (open|write)/);
  assert.deepEqual(apiRequests(job), []);
});

describe('a deletion', { concurrency: 3 }, () => {
  const faults: Readonly<Record<string, readonly [ApiFault, words: string, key?: string]>> = {
    'a refusal': [401, 'answered 401.*Check api-key'],
    // In nested composite actions, the post step may not get the key.
    'no key': [0, 'api-key: is empty', ''],
    'a 404 of a proxy': [statusFault(404, '<title>404</title>'), 'answered 404.*Check .*api-url'],
    'a 404 without a word': [statusFault(404), 'answered 404'],
    'a 404 with other JSON': [statusFault(404, '{"message":"no route"}'), 'said: "no route"'],
    'a web page': [statusFault(200, '<title>Hi</title>'), 'answered 200.* it is not JSON'],
  };
  for (const [name, [fault, words, key = API_KEY]] of Object.entries(faults))
    test(`a deletion that fails is a warning that says when the sandbox ends [${name}]`, async () => {
      await using job = await openJobWithApi({ faults: [0, fault] });
      const startedAt = Date.now();
      const main = await job.runSandbox();
      const post = await job.runSandbox({ 'api-key': key }, { post: main });
      assert.equal(post.exitCode, 0);
      assertEnds(post.warnings, startedAt);
      const left = `^Sandbox ${main.outputs['id']} could not be deleted\\. It ends by itself at .* GMT`;
      assert.match(post.warnings, RegExp(`${left}.*${words}`));
      assert.doesNotMatch(post.stdout, /^(Deleted|Sandbox)/m);
    });

  test('a deletion is retried, with the inputs of the main step', async () => {
    const faults = [0, 500, { kind: 'reset', at: 'before-body' }] as const;
    await using job = await openJobWithApi({ faults });
    const main = await job.runSandbox();
    // A composite action may pass other inputs to the post step than to the main step.
    const outer = { 'api-url': 'https://x.io', headers: 'none', retries: 'none', timeout: 'none' };
    await endQuietly(job, main, outer);
    const failed = [500, 'reset'].map(end => `DELETE /sandboxes/ID ${end}`);
    assert.deepEqual(apiRequests(job), [CREATED, ...failed, DELETED]);
  });
});

describe('a repeated creation', { concurrency: 3 }, () => {
  test('a creation is repeated after a refusal, without a warning or a search at the end', async () => {
    const placementError = statusFault(500, '{"error_code":"sandbox_create_failed"}');
    await using job = await openJobWithApi({ faults: [429, placementError] });
    const main = await job.runSandbox();
    assert.deepEqual([main.exitCode, main.warnings], [0, '']);
    await endQuietly(job, main);
    const refused = ['POST /sandboxes 429', 'POST /sandboxes 500'];
    assert.deepEqual(apiRequests(job), [...refused, CREATED, DELETED]);
  });

  test('a creation is repeated after a 503, and the post step deletes what was lost, even if delete is false', async () => {
    const fault = statusFault(503, 'upstream connect error', { acts: true });
    await using job = await openJobWithApi({ faults: [fault, fault] });
    job.service.create('other');
    const main = await job.runSandbox({ delete: 'false' });
    assert.deepEqual([main.exitCode, main.warnings], [0, '']);
    const { stdout } = await endQuietly(job, main, { delete: 'false' });
    const lost = 'A failed attempt had created sandbox (\\S+)\nDeleted sandbox \\';
    assert.match(stdout, RegExp(`^${lost}1\n${lost}2$`, 'm'));
    assert.deepEqual(job.service.running(), ['other', main.outputs['id']]);
    const { 'sandbox-sync-id': id = '' } = jobMetadataIn(job.service.bodies[0]);
    const search = `GET /v2/sandboxes?metadata=sandbox-sync-id%3D${id} 200`;
    assert.deepEqual(apiRequests(job).slice(3), [search, DELETED, DELETED]);
  });
});

const OTHER = { sandboxID: 'other', metadata: { 'sandbox-sync-id': 'x' } };

describe('the search for a lost creation', { concurrency: 3 }, () => {
  test('the search for a lost creation leaves sandboxes of others, even if the list has them', async () => {
    const fault = statusFault(500, '', { acts: true });
    await using job = await openJobWithApi({ faults: [fault] });
    job.service.create('other');
    const main = await job.runSandbox();
    const { id: sandboxID = '', metadata } = job.service.created[1] ?? {};
    const list = JSON.stringify([OTHER, { sandboxID, metadata }, null]);
    job.addFaults({ on: 'api', times: 1, do: statusFault(200, list) });
    await endQuietly(job, main);
    assert.deepEqual(job.service.running(), ['other']);
  });

  type Answer = (metadata: object) => readonly [status: number, body: object];
  const answers: Readonly<Record<string, readonly [answer: Answer, words: string]>> = {
    'no route (404)': [() => [404, { message: 'No such operation' }], 'answered 404'],
    'no list': [metadata => [200, { sandboxID: 'i1', metadata }], 'it is no list'],
    'a list without ours': [() => [200, [OTHER]], 'does not list it yet'],
    'an ID with a slash': [
      metadata => [200, [{ sandboxID: '../x', metadata }]],
      'names no sandbox',
    ],
  };
  for (const [name, [answer, words]] of Object.entries(answers))
    test(`the search for a lost creation deletes nothing and warns if its answer is of no use [${name}]`, async () => {
      const fault = statusFault(500, '', { acts: true });
      await using job = await openJobWithApi({ faults: [fault] });
      const startedAt = Date.now();
      const main = await job.runSandbox();
      const [status, body] = answer(jobMetadataIn(job.service.bodies[0]));
      job.addFaults({ on: 'api', times: 1, do: statusFault(status, JSON.stringify(body)) });
      const post = await job.runSandbox({}, { post: main });
      assert.equal(post.exitCode, 0);
      assert.match(post.warnings, RegExp(`^A failed attempt .* GMT.*${words}`), post.stdout);
      assertEnds(post.warnings, startedAt);
      assert.equal(job.service.running().length, 1);
    });
});

describe('cancellation', { concurrency: 2, skip: SKIP_WITHOUT_SIGNALS }, () => {
  const env = preload(
    "for (const s of ['SIGINT','SIGTERM']) process.on(s, () => console.log(`got ${s}`))",
  );

  test('a cancelled job waits for the created sandbox, and still deletes it', async () => {
    const creating = interrupt('SIGTERM');
    const deleting = interrupt('SIGINT');
    const faults = [creating.fault, { ...deleting.fault, resets: true }];
    await using job = await openJobWithApi({ faults });
    const main = await job.runSandbox({}, { env, ...creating.watch });
    assert.equal(main.outputs['id'], job.service.created[0]?.id, main.stdout);
    const post = await job.runSandbox({}, { env, post: main, ...deleting.watch });
    assert.equal(post.exitCode, 0, post.stdout);
    assert.deepEqual(apiRequests(job), [CREATED, 'DELETE /sandboxes/ID reset', DELETED]);
  });

  test('a cancelled post step deletes what was lost as well as its sandbox', async () => {
    const lost = statusFault(503, 'upstream connect error', { acts: true });
    const deleting = interrupt('SIGINT');
    await using job = await openJobWithApi({ faults: [lost, 0, deleting.fault] });
    const main = await job.runSandbox();
    assert.equal(job.service.running().length, 2, main.stdout);
    const post = await job.runSandbox({}, { env, post: main, ...deleting.watch });
    assert.deepEqual([post.exitCode, job.service.running()], [0, []], post.stdout);
  });

  test('a cancelled job does not repeat a creation', async () => {
    // The pause is far longer than a signal takes, and shorter than the grace after SIGINT.
    await using job = await openJobWithApi({
      faults: [statusFault(429, '', { headers: { 'Retry-After': '4' } })],
    });
    const onLine = (line: string, send: Signal) => line.startsWith('Attempt 1') && send('SIGINT');
    const main = await job.runSandbox({}, { onLine });
    assert.equal(main.exitCode, 1, main.stdout);
    assert.deepEqual(apiRequests(job), ['POST /sandboxes 429']);
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    test(`a step that ends during the creation leaves the search to the post step [${signal}]`, async () => {
      const { fault, watch, answer } = interrupt(signal);
      await using job = await openJobWithApi({ faults: [fault] });
      const main = await job.runSandbox({}, watch);
      answer();
      assert.equal(main.errors.split('\n')[0], signal === 'SIGTERM' ? CANCELLED : '', main.stdout);
      await pollUntil(() => job.service.running().length === 1);
      await endQuietly(job, main);
      assert.deepEqual(job.service.running(), []);
    });
});

describe('delete', { concurrency: 3 }, () => {
  type Row = readonly [saved: string, inputs: Inputs, isDeleted: boolean];
  const rows: Readonly<Record<string, Row>> = {
    'its own has become false': ['true', { delete: 'false' }, false],
    'its own has become true': ['false', { delete: 'True ' }, true],
    'its own is of another template': ['true', { template: 'other', delete: 'false' }, true],
    'its own is no boolean': ['false', { delete: 'yes' }, false],
  };
  for (const [name, [saved, inputs, isDeleted]] of Object.entries(rows))
    test(`the post step goes by its own delete, or else by that of the main step [${name}]`, async () => {
      await using job = await openJobWithApi();
      const main = await job.runSandbox({ delete: saved });
      const { annotations, summary } = await endQuietly(job, main, inputs);
      assert.equal(job.service.running().length, isDeleted ? 0 : 1);
      if (isDeleted) return assert.equal(summary, '');
      const id = main.outputs['id'] ?? '';
      const [notice = ''] = annotations('notice');
      assert.ok(notice.startsWith(`Sandbox \`${id}\` was kept. It ends by itself at `), notice);
      for (const words of ['GMT, unless', `sandbox connect ${id}`, `sandbox kill ${id}`])
        assert.ok(notice.includes(words) && summary.includes(words), summary);
    });
});

test('a sandbox that was kept is announced even if the summary cannot be written', async () => {
  await using job = await openJobWithApi();
  const main = await job.runSandbox({ delete: 'false' });
  const env = { GITHUB_STEP_SUMMARY: path.join(job.temp, 'missing') };
  const post = await job.runSandbox({ delete: 'false' }, { post: main, env });
  assert.equal(post.exitCode, 0, post.stdout);
  assert.equal(post.annotations('notice').length, 1);
  assert.match(post.warnings, /^The job summary could not be written: /);
});

test('a sandbox is reached at the domain that the API names, or at that of the API', () => {
  const rows: readonly (readonly [named: string | undefined, api: string, base: string])[] = [
    ['e2b.app', 'https://api.x.io', 'https://sandbox.e2b.app'],
    ['e2b.pro', 'https://api.x.io', 'https://sandbox.e2b.pro'],
    ['e2b-staging.dev', 'https://api.x.io', 'https://sandbox.e2b-staging.dev'],
    ['x.io', 'https://api.e2b.app', 'https://{port}-{sandbox-id}.x.io'],
    [undefined, 'https://api.e2b.dev/v1', 'https://sandbox.e2b.dev'],
    [undefined, 'https://api.mine.e2b.dev', 'https://{port}-{sandbox-id}.mine.e2b.dev'],
    [undefined, 'https://sandboxes.example.com', ''],
    ['e2b.app', 'http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  ];
  for (const [named, api, base] of rows) assert.equal(addressOf(named, api).baseUrl, base);
});

test('base-url and header-prefix of the action sandbox are kept for later steps, with placeholders filled in', async () => {
  await using job = await openJobWithApi({ headerPrefixes: ['Acme'] });
  const { service } = job;
  await using relay = await openRelay(service.url);
  const where = `http://${relay.host}`;
  const inputs = { 'base-url': `${where}/{sandbox-id}/{port}/`, 'header-prefix': 'Acme' };
  const main = await job.runSandbox({ ...inputs, 'base-url': where });
  assert.deepEqual([main.outputs['base-url'], main.outputs['header-prefix']], [where, 'Acme']);
  const stats = await job.runAction('stats', {});
  assert.equal(stats.exitCode, 0, stats.stdout);
  await job.runSandbox({}, { post: main });
  const other = await job.runSandbox(inputs);
  const id = service.created[1]?.id ?? '';
  assert.equal(other.outputs['base-url'], `${where}/${id}/49983/`);
  assert.match(other.stdout, RegExp(`^Its URL: ${where}/${id}/49983/$`, 'm'));
  const { errors } = await job.runAction('stats', {});
  assert.ok(errors.includes(`GET ${where}/${id}/49983/metrics`), errors);
});

test('a sandbox with sandbox-id, token and base-url is taken over without the API, and later steps use it', async () => {
  await using job = await openJobWithApi();
  const { service } = job;
  const { id, token } = service.create();
  const connection = { 'sandbox-id': id, token, 'base-url': service.url, 'header-prefix': 'E2b' };
  const taken = { ...connection, 'api-url': '', 'api-key': '' };
  const main = await job.runSandbox(taken);
  assert.equal(main.exitCode, 0, main.stdout);
  const where = { domain: '', 'base-url': service.url, 'header-prefix': 'E2b' };
  assert.deepEqual(main.outputs, { id, token, ...where });
  const stats = await job.runAction('stats', {});
  assert.equal(stats.exitCode, 0, stats.stdout);
  for (const { masked } of [main, stats]) assert.ok(masked.includes(token));
  await endQuietly(job, main, taken);
  assert.deepEqual([service.requests, service.running()], [[], [id]]);
  const none = await job.runAction('stats', {});
  assert.match(none.errors, /no earlier step of this job has left a sandbox/);
});

/** Asserts that a text names the end of a lifetime, by default of 15 min, that began since then. */
function assertEnds(text: string, startedAt: number, lifetime = 15 * 60_000): void {
  const [time = ''] = /\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/.exec(text) ?? [];
  const beganAt = Date.parse(time) - lifetime;
  // The text has whole seconds.
  assert.ok(beganAt > startedAt - 1000 && beganAt <= Date.now(), text);
}

/** Sends the action a signal at each request. With the fault, the action gets it before the answer. */
function interrupt(signal: NodeJS.Signals) {
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  const watch = {
    onRequest: (_: unknown, send: Signal) => send(signal),
    onLine: (line: string) => line === `got ${signal}` && answer(),
  };
  return { fault: { kind: 'wait', for: () => promise } as const, watch, answer };
}

/** Runs the post step, which must neither fail nor warn. */
async function endQuietly(job: JobWithApi, main: Result, inputs: Inputs = {}): Promise<Result> {
  const post = await job.runSandbox(inputs, { post: main });
  assert.deepEqual([post.exitCode, post.warnings], [0, ''], post.stdout);
  return post;
}
