import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openProxy } from '../proxy.ts';
import { WITHOUT_SIGNALS } from '../system.ts';
import { METRICS } from './agent-answers.ts';
import { INJECTIONS } from './injections.ts';
import type { Result } from './result.ts';
import { expectFailure, expectSuccess, type RunOptions, runAction } from './run-action.ts';
import {
  answer,
  fileEntryJson,
  openScriptedAgent,
  type ReceivedRequest,
  type Responder,
  type Responders,
  sendBytes,
} from './scripted-agent.ts';
import { openJob, openJobWithFault } from './test-job.ts';

/** Differs in every encoding, and is not a valid percent-encoding itself. */
const SECRET = 'zq-7/tok+en=%41%zz&~?';
const SIGNATURE = 'v1_sig/na+ture=';
const HEADER = 'hush-7/hidden+value=';
const PASSWORD = 'p@ss+word/7';

/** The encodings in which a secret could be left behind. */
function formsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret)];
}

/** Everything that a sandbox receives; it never sees the proxy's password. */
const SENT = [SECRET, SIGNATURE, HEADER].flatMap(formsOf);

const FORMS = [...SENT, ...formsOf(PASSWORD)];

/** Asserts that secrets are nowhere but in `add-mask` commands. */
function assertRedacted({ allOutput, masked }: Result): void {
  assert.ok(masked.includes(SECRET), 'the token is masked');
  for (const form of FORMS) {
    const at = allOutput.indexOf(form);
    const context = JSON.stringify(allOutput.slice(Math.max(at - 200, 0), at + 200));
    assert.equal(at, -1, `${form} is in ${context}`);
  }
}

/** Asserts that the token is the value of one header and nowhere else in a request. */
function assertSentOnce({ line, headers, body }: ReceivedRequest): void {
  const carrying = headers.filter(each => /^x-access-token: /i.test(each));
  assert.deepEqual(
    carrying.map(each => each.replace(/^[^:]*: /, '')),
    [SECRET],
  );
  const rest = [line, ...headers.filter(each => !carrying.includes(each)), body.toString()];
  for (const form of formsOf(SECRET))
    for (const part of rest) assert.ok(!part.includes(form), part.slice(0, 300));
}

/** Repeats the token in all its forms, and every header that was received. */
const echo = ({ headers }: ReceivedRequest) => [...SENT, ...headers].join(' ');

const repeating = (code: number): Responder =>
  answer(code, request => JSON.stringify({ message: echo(request) }));

const ESCAPED = Array.from(
  SECRET,
  character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
).join('');

interface Scenario extends Responders {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly exitCode?: number;
}

/** Agents that repeat what they receive; each upload has an answer of its own. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'acknowledgements and stats repeat them': {
    exitCode: 0,
    uploads: {
      a: answer(200, request =>
        fileEntryJson(request.target, { path: `/${SECRET} ${SIGNATURE}/a`, metadata: SECRET }),
      ),
      good: answer(200, fileEntryJson('good')),
    },
    stats: answer(200, request => {
      const figures = { ...METRICS, [echo(request)]: 1, [SECRET]: 2, note: [echo(request)] };
      return `{"escaped":"${ESCAPED}",${JSON.stringify(figures).slice(1)}`;
    }),
    inputs: { 'warn-if': 'gpu_used > 1', samples: '2', 'sample-interval': '200ms' },
  },
  'metrics are named like them': {
    stats: answer(200, JSON.stringify({ [SECRET]: 1 })),
    inputs: { 'fail-if': 'gpu_used > 1' },
  },
  'errors repeat them': {
    uploads: {
      'another name': answer(200, request => fileEntryJson(echo(request))),
      'no JSON': answer(200, echo),
      'a page': answer(400, request => `<p>${Object.values(INJECTIONS).join(echo(request))}</p>`),
      'another shape': answer(
        400,
        JSON.stringify({ detail: [{ sent: SECRET, [SECRET]: SECRET }] }),
      ),
      'JSON in JSON': answer(400, JSON.stringify({ detail: JSON.stringify({ sent: SECRET }) })),
      'escapes of JSON': answer(400, `{"message":"sent ${ESCAPED}"}`),
      'words that are cut': answer(400, `${'x'.repeat(295)}${SECRET}`),
      'a redirect': answer(302, '', [`Location: http://127.0.0.1:1/${encodeURIComponent(SECRET)}`]),
      'a status line': sendBytes(`HTTP/1.1 404 ${SECRET}\r\nContent-Length: 0\r\n\r\n`),
      'no HTTP': (socket, request) => void socket.end(echo(request)),
      404: repeating(404),
      413: repeating(413),
      422: repeating(422),
    },
    stats: repeating(500),
  },
  'an error that ends the transfer repeats them': { uploads: { a: repeating(401) } },
};

/** Inputs that hold the token by mistake. */
const MISPLACED: Readonly<Record<string, string>>[] = [
  {
    'base-url': SECRET,
    headers: `${SECRET}: x\n${SECRET}`,
    concurrency: SECRET,
    timeout: SECRET,
    'dry-run': SECRET,
    'fail-if': SECRET,
    'wait-until': `cpu_used_pct > ${SECRET}`,
    'upload-path': SECRET,
  },
  { 'base-url': `http://user:${encodeURIComponent(SECRET)}@127.0.0.1:1/`, port: SECRET },
  { token: `${SECRET}\n${SECRET}` },
];

const INPUTS = {
  token: SECRET,
  signature: SIGNATURE,
  headers: `X-Api-Key: ${HEADER}`,
  retries: '0',
  checksums: 'true',
  'state-file': '.state.json',
  concurrency: '1',
};

const env = {
  RUNNER_DEBUG: '1',
  HTTPS_PROXY: `http://me:${encodeURIComponent(PASSWORD)}@127.0.0.1:1`,
};

for (const [name, { inputs, exitCode = 1, ...responders }] of Object.entries(SCENARIOS))
  test(`secrets are redacted everywhere if ${name}`, async () => {
    await using server = await openScriptedAgent(responders);
    const names = Object.keys(responders.uploads ?? { a: '' });
    await using job = await openJob({
      files: Object.fromEntries(names.map(each => [each, 'x'])),
    });
    const run = { 'base-url': server.url, ...INPUTS, ...inputs };
    const result = await runAction(job, run, { env });
    assert.equal(result.exitCode, exitCode, result.stdout);
    assertRedacted(result);
    server.requests.forEach(assertSentOnce);
    assert.notEqual(server.requests.length, 0);
  });

test('secrets in invalid inputs are not repeated', async () => {
  await using job = await openJob({ token: SECRET });
  for (const inputs of MISPLACED) {
    const result = await runAction(job, { ...INPUTS, ...inputs }, { env });
    assert.equal(result.exitCode, 1, result.stdout);
    for (const form of formsOf(SECRET))
      assert.ok(!result.allOutput.includes(form), `${form} of ${JSON.stringify(inputs)}`);
  }
  assert.equal(job.agent.connections(), 0);
});

test('secrets are redacted if the job is cancelled', { skip: WITHOUT_SIGNALS }, async () => {
  const stall = { kind: 'stall', at: 'answering' } as const;
  await using job = await openJobWithFault(stall, {}, { token: SECRET });
  const onRequest: RunOptions['onRequest'] = (_, signal) => signal('SIGINT');
  const result = await expectFailure(job, INPUTS, { env, onRequest });
  assert.equal(result.report.cancelled, true);
  assertRedacted(result);
});

test('secrets are redacted by a monitor and its post step', async () => {
  await using job = await openJob({ token: SECRET });
  const inputs = { token: SECRET, headers: INPUTS.headers, 'sample-interval': '1h' };
  const main = await expectSuccess(job, inputs, { task: 'monitor', env });
  assertRedacted(main);
  const post = await expectSuccess(job, inputs, { task: 'monitor', post: main, env });
  for (const form of FORMS) assert.ok(!post.allOutput.includes(form), form);
});

test('the password of a proxy is redacted if the agent behind it fails', async () => {
  await using job = await openJob({ token: SECRET });
  await using proxy = await openProxy({ agent: job.agent.url });
  job.agent.addFaults({ on: 'any', do: { kind: 'status', status: 400, body: 'no' } });
  const HTTP_PROXY = `http://me:${encodeURIComponent(PASSWORD)}@${proxy.address}`;
  const inputs = { ...INPUTS, 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };
  const result = await expectFailure(job, inputs, { env: { ...env, HTTP_PROXY } });
  assertRedacted(result);
});

test('values that only look secret are neither masked nor redacted', async () => {
  const files = { 'releases/production/a.js': 'a' };
  await using job = await openJob({ files });
  const headers = 'X-Cache-Key: production\nX-Plain: as-it-is';
  const inputs = { headers, files: 'releases/**' };
  const { report, masked } = await expectSuccess(job, inputs);
  assert.equal(report.files[0]?.path, '/home/user/production/a.js');
  assert.ok(!masked.includes('production'));
});
