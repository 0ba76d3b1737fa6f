import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Failure } from '../../dev/agent/control-plane.ts';
import { API_KEY, annotations, type Inputs, openService, shownBy, traceIn } from './service.ts';

interface Situation {
  /** The answers to all requests but those that must not come, which would succeed. */
  readonly failures?: readonly Failure[];
  readonly inputs?: Inputs;
  /** Parts of the error. */
  readonly says: readonly string[];
  /** True if a warning names the metadata of a sandbox that may be under way. */
  readonly warns?: boolean;
}

const answers = (status: number, fields: object): Failure => ({
  answer: { status, body: JSON.stringify(fields) },
});
const limit = answers(429, { message: 'At most 20 sandboxes' });
const createFailed = answers(500, { error_code: 'sandbox_create_failed', message: 'Try again' });
const placementTimeout = answers(504, { error_code: 'sandbox_placement_timeout', message: 'Slow' });
const page: Failure = { answer: { status: 200, body: '<title>Sandboxes for everyone</title>' } };
const cut: Failure = { acts: true, answer: { status: 201, body: '{"sandboxID":"i1' } };
const created = { sandboxID: 'i1', envdAccessToken: 'token-of-i1', domain: 'e2b.app' };
const withKey = (field: string): Situation => ({
  failures: [answers(201, { ...created, [field]: `x${API_KEY}` })],
  says: ['it contains the API key'],
  warns: true,
});

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a wrong key': { inputs: { 'api-key': 'another' }, says: ['answered 401', 'Check api-key'] },
  'no such template': { inputs: { template: 'none' }, says: ["'none' not found", 'template,'] },
  'no API': { inputs: { 'api-url': 'http://127.0.0.1:1' }, says: ['failed', 'Check api-url'] },
  'a website': { failures: [page], says: ['it is not JSON', 'not of its website'] },
  'a limit': { failures: [limit, limit], says: ['It said: "At most 20', 'limits of your account'] },
  'creations that failed': { failures: [createFailed, createFailed], says: ['"Try again"'] },
  'a timeout': { failures: [placementTimeout], says: ['504', '"Slow"'], warns: true },
  'a request timeout': { failures: [408], says: ['408', 'run the job again'], warns: true },
  'an error': { failures: [500], says: ['answered 500', 'run the job again'], warns: true },
  'a lost answer': {
    failures: [{ acts: true, answer: 'reset' }],
    says: ['failed', 'run the job again'],
    warns: true,
  },
  'an answer that is cut off': { failures: [cut], says: ['201', 'it is not JSON'], warns: true },
  'an empty answer': { failures: [answers(201, {})], says: ['names no sandbox'], warns: true },
  'the API key as ID': withKey('sandboxID'),
  'the API key as token': withKey('envdAccessToken'),
  'the API key as domain': withKey('domain'),
};

describe('a creation ends with advice after', () => {
  for (const [name, { failures, inputs, says, warns = false }] of Object.entries(SITUATIONS))
    test(name, async () => {
      await using service = await openService(failures && { failures });
      const main = await service.run({ retries: '1', ...inputs });
      assert.equal(main.exitCode, 1, main.stdout);
      for (const words of says) assert.ok(annotations(main, 'error').includes(words), main.stdout);
      if (failures) assert.equal(service.plane.requests.length, failures.length);
      assert.deepEqual([main.outputs, main.state], [{}, {}]);
      assert.ok(!shownBy(main).includes(API_KEY), main.stdout);
      const trace = Object.entries(traceIn(service.plane.bodies[0]));
      const metadata = trace.map(([key, value]) => `${key}=${value}`).join(', ');
      const warning = annotations(main, 'warning');
      if (!warns) assert.equal(warning, '');
      else assert.ok(warning.includes(`with the metadata ${metadata}. It ends by itself`), warning);
    });

  test('no token, and the post step deletes the sandbox', async () => {
    await using service = await openService({ givesToken: false });
    const main = await service.run();
    assert.equal(main.exitCode, 1);
    assert.match(annotations(main, 'error'), /no token for sandbox i\w+\.\nNothing can be sent/);
    await service.run({}, { post: main });
    assert.deepEqual(service.plane.running(), []);
  });
});

test('a domain that is no host name is none', async () => {
  await using service = await openService({ domain: 'e2b.app/@example.com' });
  assert.equal((await service.run()).outputs['domain'], '');
});

test('all wrong inputs are reported together, before anything is sent', async () => {
  await using service = await openService();
  const url = { 'api-url': 'https://me:pass-word@host', 'api-key': '"e2b_1"' };
  const main = await service.run({ ...url, lifetime: '900', env: 'SECRET-VALUE' });
  for (const input of ['api-url', 'api-key', 'lifetime', 'env'])
    assert.match(annotations(main, 'error'), RegExp(`^${input}: `, 'm'));
  assert.doesNotMatch(shownBy(main), /pass-word|e2b_1|SECRET-VALUE/);
  assert.deepEqual(service.plane.requests, []);
});

test('secrets in what the service says are not shown', async () => {
  const secrets = [API_KEY, 'value-of-a-header'];
  await using service = await openService({
    failures: [answers(400, { message: secrets.join() })],
  });
  const inputs = { env: 'MODE=test', headers: `X-Secret: ${secrets[1]}` };
  const main = await service.run(inputs, { env: { RUNNER_DEBUG: '1' } });
  assert.match(annotations(main, 'error'), /It said: "\*\*\*,\*\*\*"/);
  assert.doesNotMatch(shownBy(main), /MODE/, 'env is not logged');
  for (const secret of secrets) {
    assert.ok(!shownBy(main).includes(secret), main.stdout);
    assert.match(main.stdout, RegExp(`^::add-mask::${secret}$`, 'm'));
  }
});

test('a sandbox that cannot resume, and a host that leads to none, get advice', async () => {
  const message = 'you have reached the maximum number of concurrent E2B sandboxes (20).';
  const said: Readonly<Record<string, readonly [status: number, body: string]>> = {
    a: [429, '{"message":"Sandbox limit reached","code":429}'],
    b: [429, JSON.stringify({ message, code: 429 })],
    c: [400, 'Invalid host\n'],
  };
  const faults = Object.entries(said).map(([name, [status, body]]) => {
    return { on: 'upload', path: `/srv/${name}`, do: { kind: 'status', status, body } } as const;
  });
  await using service = await openService({ agents: { faults } });
  const folder = path.join(service.workspace, 'dist');
  mkdirSync(folder);
  for (const name of Object.keys(said)) writeFileSync(path.join(folder, name), name);
  await service.run();
  const inputs = { files: 'dist', target: '/srv', retries: '0', 'files-per-request': '1' };
  const errors = annotations(await service.use('upload', inputs), 'error');
  assert.match(errors, /the account already runs as many as it may.*\n- dist\/a\n- dist\/b$/m);
  assert.match(errors, /It said: "Invalid host"\.\nCheck base-url and header-prefix/);
});
