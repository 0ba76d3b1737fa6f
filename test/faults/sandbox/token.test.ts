import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  METRICS,
  openFaulty,
  openWorld,
  type Result,
  runAction,
  runBadly,
  runWell,
  type Signal,
} from '../../action/harness.ts';
import { WITHOUT_SIGNALS } from '../../system.ts';
import { telling } from '../../telling.ts';
import { SECRET, spellings } from './arbitraries.ts';
import { answer, entryOf, type Hostile, openHostile, type Received, type Talk } from './hostile.ts';
import { TEXTS } from './texts.ts';
import { leftBy } from './token-run.ts';

const SIGNATURE = 'v1_sig/na+ture=';
const HEADER = 'hush-7/hidden+value=';
const OTHERS = { signature: SIGNATURE, headers: `X-Key: ${HEADER}` };

/** JSON within JSON escapes once more. */
function formsOf(secret: string): string[] {
  return spellings(secret).flatMap(form => [form, JSON.stringify(form).slice(1, -1)]);
}

const TOKEN_FORMS = formsOf(SECRET);
const FORMS = [...TOKEN_FORMS, ...formsOf(SIGNATURE)];

/** Every character as a JSON escape. */
const ESCAPED = Array.from(
  SECRET,
  one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
).join('');

/** Asserts that only the mask command contains the token. */
function assertKept(result: Result, forms = FORMS): void {
  const masked = `::add-mask::${SECRET.replaceAll('%', '%25')}`;
  assert.equal(result.lines[0], masked, 'it is masked before anything else');
  const rest = withoutMasks(result.everything);
  for (const form of forms)
    assert.ok(!rest.includes(form), `${form} is in ${contextOf(rest, form)}`);
  const debug = result.lines.filter(line => line.startsWith('::debug::')).join('\n');
  for (const form of formsOf(HEADER))
    assert.ok(!debug.includes(form), `${form} is in ${contextOf(debug, form)}`);
}

function contextOf(text: string, form: string): string {
  const at = text.indexOf(form);
  return JSON.stringify(text.slice(Math.max(at - 200, 0), at + 200));
}

/** Asserts that the token is the value of one header and nowhere else in the requests. */
function assertSentOnce({ requests }: Hostile): void {
  for (const request of requests) {
    const carrying = request.headers.filter(line => /^x-access-token: /i.test(line));
    assert.deepEqual(
      carrying.map(line => line.replace(/^[^:]*: /, '')),
      [SECRET],
    );
    const others = request.headers.filter(line => !carrying.includes(line));
    const rest = [
      request.line,
      ...others,
      request.body.toString('latin1'),
      request.body.toString(),
    ];
    for (const form of TOKEN_FORMS) {
      for (const part of rest)
        assert.ok(!part.includes(form), `${form} is in ${part.slice(0, 300)}`);
    }
  }
}

/** What was sent, in all its spellings. */
function echo({ headers }: Pick<Received, 'headers'>): string {
  return [...spellings(SECRET), ...spellings(SIGNATURE), ...headers].join(' ');
}

const status = (code: number): Talk =>
  answer(code, request => JSON.stringify({ message: echo(request) }));

interface Scenario {
  readonly upload?: Talk;
  readonly stats?: Talk;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly code?: number;
}

const RESET: Talk = { at: 'headers', say: socket => void socket.resetAndDestroy() };
const SILENT: Talk = { say: () => {} };

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a success': { code: 0 },
  'a dry run': { code: 0, inputs: { 'dry-run': 'true' } },
  'an acknowledgement and stats that repeat it': {
    code: 0,
    upload: answer(200, request =>
      entryOf(request.name, { path: `/${echo(request)}/${request.name}`, metadata: SECRET }),
    ),
    stats: answer(200, request =>
      JSON.stringify({ ...METRICS, [echo(request)]: 1, [SECRET]: 2, note: [echo(request)] }),
    ),
    inputs: { 'warn-if': 'gpu_used > 1', samples: '3', 'sample-interval': '200ms' },
  },
  'a shut gate whose metrics are named like it': {
    stats: answer(200, JSON.stringify({ [SECRET]: 1 })),
    inputs: { 'fail-if': 'gpu_used > 1' },
  },
  'a wait that is not won': {
    stats: answer(200, JSON.stringify({ [SECRET]: 1 })),
    inputs: { 'wait-until': 'gpu_used > 1', 'wait-timeout': '300ms', 'sample-interval': '200ms' },
  },
  'another name': { upload: answer(200, request => entryOf(echo(request))) },
  'no JSON': { upload: answer(200, echo), stats: answer(200, echo) },
  'a page that repeats it among commands': {
    upload: answer(400, request => `<p>${Object.values(TEXTS).join(echo(request))}</p>`),
  },
  'an error of another shape': {
    upload: answer(400, () => JSON.stringify({ detail: [{ sent: SECRET, [SECRET]: SECRET }] })),
  },
  'an error in JSON within JSON': {
    upload: answer(400, JSON.stringify({ detail: JSON.stringify({ sent: SECRET }) })),
  },
  'an error in escapes of JSON': { upload: answer(400, `{"message":"sent ${ESCAPED}"}`) },
  'stats in escapes of JSON': { code: 0, stats: answer(200, `{"ts":7,"note":"${ESCAPED}"}`) },
  'words that are cut': { upload: answer(400, `${'x'.repeat(295)}${SECRET}`) },
  'a redirect to it': {
    upload: answer(302, '', [`Location: http://127.0.0.1/${encodeURIComponent(SECRET)}`]),
  },
  'a status line that repeats it': {
    upload: {
      say: socket => void socket.write(`HTTP/1.1 500 ${SECRET}\r\nContent-Length: 0\r\n\r\n`),
    },
  },
  'no HTTP, but its words': {
    upload: { say: (socket, request) => void socket.end(echo(request)) },
  },
  'a connection that is reset': { upload: RESET, stats: RESET, inputs: { retries: '1' } },
  'an agent that is silent': { upload: SILENT, stats: SILENT, inputs: { timeout: '200ms' } },
  'an unreachable host': { inputs: { 'base-url': 'http://127.0.0.1:1' } },
  ...Object.fromEntries(
    [401, 403, 404, 429, 503, 507].map(code => [
      `${code} with words that repeat it`,
      { upload: status(code), stats: status(code), inputs: code === 503 ? { retries: '1' } : {} },
    ]),
  ),
};

const TELLING = [
  'a success',
  'an acknowledgement and stats that repeat it',
  'a shut gate whose metrics are named like it',
  'no JSON',
  'a page that repeats it among commands',
  'an error in JSON within JSON',
  'stats in escapes of JSON',
  'words that are cut',
  'a status line that repeats it',
  'no HTTP, but its words',
  '401 with words that repeat it',
];

const INVALID: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'where the base URL belongs': { 'base-url': SECRET },
  'within the base URL': { 'base-url': `http://user:${encodeURIComponent(SECRET)}@127.0.0.1:1/` },
  'where numbers belong': { port: SECRET, concurrency: SECRET, retries: SECRET, timeout: SECRET },
  'where switches and words belong': {
    'dry-run': SECRET,
    'if-no-files-found': SECRET,
    'header-prefix': SECRET,
  },
  'as the name of a header': { headers: `${SECRET}: x\n${SECRET}` },
  'as a pattern that nothing matches': { files: SECRET },
  'as a condition': { 'fail-if': SECRET, 'wait-until': `cpu_used_pct > ${SECRET}` },
  'as a path': { 'upload-path': SECRET, 'working-directory': SECRET },
  'with a line break in it': { token: `${SECRET}\n${SECRET}` },
};

suite('the token is in one header of the requests, and no secret is anywhere else', {
  concurrency: 2,
}, () => {
  for (const [name, { inputs, code = 1, ...talks }] of telling(SCENARIOS, TELLING)) {
    // The debug log contains all of the plain log.
    for (const debug of name === 'a success' ? ['', '1'] : ['1']) {
      test(`${name}${debug === '' ? '' : ', with the debug log'}`, async () => {
        await using hostile = await openHostile(talks);
        const result = await leftBy(hostile, SECRET, {
          inputs: { ...OTHERS, ...inputs },
          env: { RUNNER_DEBUG: debug },
        });
        assert.equal(result.exitCode, code, result.stdout);
        // Not even a part or an unknown spelling may appear.
        assertKept(result, [...FORMS, SECRET.slice(0, 4)]);
        assertSentOnce(hostile);
        const isSent =
          name !== 'a dry run' && name !== 'an unreachable host' && talks.upload !== RESET;
        if (isSent) assert.ok(hostile.requests.length > 0);
      });
    }
  }

  for (const [name, inputs] of telling(INVALID, [
    'within the base URL',
    'where numbers belong',
    'as a condition',
    'with a line break in it',
  ])) {
    test(`given ${name}`, async () => {
      await using hostile = await openHostile();
      const result = await leftBy(hostile, SECRET, {
        inputs: { ...OTHERS, ...inputs },
        env: { RUNNER_DEBUG: '1' },
      });
      assert.equal(result.exitCode, 1, result.stdout);
      if (inputs['token'] === undefined) assertKept(result);
      else
        for (const form of TOKEN_FORMS)
          assert.ok(!withoutMasks(result.everything).includes(form), form);
      assert.equal(hostile.requests.length, 0);
    });
  }

  test('when the job is cancelled', { skip: WITHOUT_SIGNALS }, async () => {
    await using world = await openFaulty({ kind: 'stall', at: 'answering' }, {}, { token: SECRET });
    const cancelled = {
      env: { RUNNER_DEBUG: '1' },
      onRequest: (_: unknown, signal: Signal) => signal('SIGINT'),
    };
    const result = await runBadly(world, { token: SECRET, ...OTHERS }, cancelled);
    assert.equal(result.report.cancelled, true);
    assertKept(result);
  });

  test('whatever per cent signs are in it', async () => {
    for (const token of ['50%ff-token', '%', '%zz%41']) {
      await using world = await openWorld({ token });
      await runWell(world, { token });
    }
  });

  test('without breaking stats that hold a figure of the same digits', async () => {
    const token = '8589934592';
    await using world = await openWorld({ token });
    const result = await runAction(world, { token });
    assert.equal(result.outputs['uploaded-count'], '1', result.stdout);
    assert.equal(result.outputs['cpu-count'], '4');
  });
});

function withoutMasks(text: string): string {
  return text.replace(/^::add-mask::.*$/gm, '');
}
