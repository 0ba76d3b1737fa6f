import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openProxy } from '../proxy.ts';
import { WITHOUT_SIGNALS } from '../system.ts';
import { TEXTS } from './harmless.ts';
import {
  METRICS,
  openFaulty,
  openWorld,
  type Result,
  type RunOptions,
  runAction,
  runBadly,
  runWell,
  type World,
  type WorldOptions,
} from './harness.ts';
import {
  answer,
  entryText,
  openRaw,
  type Received,
  saying,
  type Talk,
  type Talks,
} from './raw-agent.ts';

/** Differs in every encoding. */
const SECRET = 'zq-7/tok+en=%41&~?';
const SIGNATURE = 'v1_sig/na+ture=';
const HEADER = 'hush-7/hidden+value=';
const PASSWORD = 'p@ss+word/7';

/** Spellings of a secret that could be left behind. */
function formsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret)];
}

/** What a sandbox can know. It never sees the proxy's password. */
const SEEN = [SECRET, SIGNATURE, HEADER].flatMap(formsOf);

const FORMS = [...SEEN, ...formsOf(PASSWORD)];

/** Asserts that no secret is left anywhere, except in the commands that mask it. */
function assertKept({ everything, masked }: Result): void {
  assert.ok(masked.includes(SECRET), 'the token is masked');
  for (const form of FORMS) {
    const at = everything.indexOf(form);
    const context = JSON.stringify(everything.slice(Math.max(at - 200, 0), at + 200));
    assert.equal(at, -1, `${form} is in ${context}`);
  }
}

/** Asserts that the token is the value of one header and nowhere else in a request. */
function assertSentOnce({ line, headers, body }: Received): void {
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
const echo = ({ headers }: Received) => [...SEEN, ...headers].join(' ');

const repeating = (code: number): Talk =>
  answer(code, request => JSON.stringify({ message: echo(request) }));

const ESCAPED = Array.from(
  SECRET,
  character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
).join('');

interface Scenario extends Talks {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly exitCode?: number;
}

/** What a server may do with what it was sent; each upload has an answer of its own. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'acknowledgements and stats that repeat it': {
    exitCode: 0,
    uploads: {
      a: answer(200, request =>
        entryText(request.target, { path: `/${SECRET} ${SIGNATURE}/a`, metadata: SECRET }),
      ),
      good: answer(200, entryText('good')),
    },
    stats: answer(200, request => {
      const figures = { ...METRICS, [echo(request)]: 1, [SECRET]: 2, note: [echo(request)] };
      return `{"escaped":"${ESCAPED}",${JSON.stringify(figures).slice(1)}`;
    }),
    inputs: { 'warn-if': 'gpu_used > 1', samples: '2', 'sample-interval': '200ms' },
  },
  'a gate whose metrics are named like it': {
    stats: answer(200, JSON.stringify({ [SECRET]: 1 })),
    inputs: { 'fail-if': 'gpu_used > 1' },
  },
  'errors that repeat it': {
    uploads: {
      'another name': answer(200, request => entryText(echo(request))),
      'no JSON': answer(200, echo),
      'a page': answer(400, request => `<p>${Object.values(TEXTS).join(echo(request))}</p>`),
      'another shape': answer(
        400,
        JSON.stringify({ detail: [{ sent: SECRET, [SECRET]: SECRET }] }),
      ),
      'JSON in JSON': answer(400, JSON.stringify({ detail: JSON.stringify({ sent: SECRET }) })),
      'escapes of JSON': answer(400, `{"message":"sent ${ESCAPED}"}`),
      'words that are cut': answer(400, `${'x'.repeat(295)}${SECRET}`),
      'a redirect': answer(302, '', [`Location: http://127.0.0.1:1/${encodeURIComponent(SECRET)}`]),
      'a status line': saying(`HTTP/1.1 404 ${SECRET}\r\nContent-Length: 0\r\n\r\n`),
      'no HTTP': (socket, request) => void socket.end(echo(request)),
      404: repeating(404),
      413: repeating(413),
      422: repeating(422),
    },
    stats: repeating(500),
  },
  'an error that ends all': { uploads: { a: repeating(401) } },
};

/** The secret in the wrong input. */
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

function open(options: WorldOptions = {}): Promise<World> {
  return openWorld({ token: SECRET, ...options });
}

describe('no secret is left in log, annotations, outputs, summary, report, state or files', () => {
  for (const [name, { inputs, exitCode = 1, ...talks }] of Object.entries(SCENARIOS))
    test(`after ${name}`, async () => {
      await using server = await openRaw(talks);
      const names = Object.keys(talks.uploads ?? { a: '' });
      await using world = await open({ files: Object.fromEntries(names.map(each => [each, 'x'])) });
      const run = { 'base-url': server.url, ...INPUTS, ...inputs };
      const result = await runAction(world, run, { env });
      assert.equal(result.exitCode, exitCode, result.stdout);
      assertKept(result);
      server.requests.forEach(assertSentOnce);
      assert.notEqual(server.requests.length, 0);
    });

  test('after wrong inputs that hold it', async () => {
    await using world = await open();
    for (const inputs of MISPLACED) {
      const result = await runAction(world, { ...INPUTS, ...inputs }, { env });
      assert.equal(result.exitCode, 1, result.stdout);
      for (const form of formsOf(SECRET))
        assert.ok(!result.everything.includes(form), `${form} of ${JSON.stringify(inputs)}`);
    }
    assert.equal(world.agent.connections(), 0);
  });

  test('after a cancelled job', { skip: WITHOUT_SIGNALS }, async () => {
    const stall = { kind: 'stall', at: 'answering' } as const;
    await using world = await openFaulty(stall, {}, { token: SECRET });
    const onRequest: RunOptions['onRequest'] = (_, signal) => signal('SIGINT');
    const result = await runBadly(world, INPUTS, { env, onRequest });
    assert.equal(result.report.cancelled, true);
    assertKept(result);
  });

  test('after a monitor', async () => {
    await using world = await open();
    const inputs = { token: SECRET, headers: INPUTS.headers, 'sample-interval': '1h' };
    const main = await runWell(world, inputs, { task: 'monitor', env });
    assertKept(main);
    const post = await runWell(world, inputs, { task: 'monitor', post: main, env });
    for (const form of FORMS) assert.ok(!post.everything.includes(form), form);
  });

  test('after an error of the agent behind a proxy with a password', async () => {
    await using world = await open();
    await using proxy = await openProxy({ agent: world.agent.url });
    world.agent.addFaults({ on: 'any', do: { kind: 'status', status: 400, body: 'no' } });
    const HTTP_PROXY = `http://me:${encodeURIComponent(PASSWORD)}@${proxy.address}`;
    const inputs = { ...INPUTS, 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };
    const result = await runBadly(world, inputs, { env: { ...env, HTTP_PROXY } });
    assertKept(result);
  });
});

describe('redaction', () => {
  test('leaves alone what only looks secret', async () => {
    const files = { 'releases/production/a.js': 'a' };
    await using world = await openWorld({ files });
    const headers = 'X-Cache-Key: production\nX-Plain: as-it-is';
    const inputs = { headers, files: 'releases/**' };
    const { report, masked } = await runWell(world, inputs);
    assert.equal(report.files[0]?.path, '/home/user/production/a.js');
    assert.ok(!masked.includes('production'));
  });

  test('copes with per cent signs in the token', async () => {
    const token = '50%ff-token%zz%41';
    await using world = await openWorld({ token });
    await runWell(world, { token }, { task: 'stats' });
  });
});
