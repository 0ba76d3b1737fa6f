import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { METRICS } from './agent-answers.ts';
import { assertNoInjection, INJECTIONS } from './injections.ts';
import { type Result } from './result.ts';
import { type Inputs, runAction } from './run-action.ts';
import {
  answer,
  fileEntryJson,
  openScriptedAgent,
  type Responder,
  type Responders,
  sendBytes,
} from './scripted-agent.ts';
import { goodFilesBetween, openJob } from './test-job.ts';

const DEBUG = { env: { RUNNER_DEBUG: '1' } };
const MIB = 1024 * 1024;

interface Run extends Responders {
  readonly inputs?: Inputs;
}

/** Runs the action with the debug log against a server, and asserts that nothing is injected. */
async function runAgainst({ inputs = {}, ...responders }: Run): Promise<Result> {
  await using server = await openScriptedAgent(responders);
  const names = Object.keys(responders.uploads ?? {});
  // The failures of concurrent requests are not in a row.
  const between = goodFilesBetween(inputs['concurrency'] === undefined ? names : []);
  const files = Object.fromEntries(names.map(name => [name, 'text']));
  await using job = await openJob({ files: { ...files, ...between } });
  const run = { 'base-url': server.url, retries: '0', concurrency: '1', ...inputs };
  const result = await runAction(job, run, DEBUG);
  assertNoInjection(result);
  return result;
}

/** Runs the action with a file for each responder, and asserts that each one fails. */
async function eachFails(
  uploads: Readonly<Record<string, Responder>>,
  kinds = /./,
  run: Run = {},
): Promise<Result> {
  const result = await runAgainst({ uploads, ...run });
  for (const name of Object.keys(uploads)) {
    const { status: ending, error } = result.file(name);
    assert.equal(ending, 'failed', name);
    assert.match(error?.kind ?? '', kinds, name);
  }
  return result;
}

/** Answers that do not acknowledge an upload. */
const UNTRUSTED: Readonly<Record<string, Responder>> = {
  page: answer(200, '<!doctype html><h1>It works</h1><script>alert(1)</script>'),
  'no content': answer(204, ''),
  bytes: sendBytes(
    Buffer.from(`${head(200, ['Content-Length: 7'])}\xff\xfe\0\xc3(\x1b[`, 'latin1'),
  ),
  cut: answer(200, ({ target }) => fileEntryJson(target).slice(0, -1)),
  'two values': answer(200, ({ target }) => fileEntryJson(target).repeat(2)),
  'within an object': answer(200, ({ target }) => `{"files":[${fileEntryJson(target)}]}`),
  'key twice': answer(200, ({ target }) =>
    fileEntryJson(target).replace('"type"', '"name":"b","type"'),
  ),
  prototype: answer(200, ({ target }) => `{"__proto__":${fileEntryJson(target)}}`),
  constructor: answer(
    200,
    ({ target }) => `{"constructor":{"prototype":${fileEntryJson(target)}}}`,
  ),
  'other letters': answer(200, fileEntryJson('OTHER LETTERS')),
  'unseen mark': answer(200, ({ target }) => fileEntryJson(`${target}\u200b`)),
  'path is a number': answer(200, ({ target }) => fileEntryJson(target, { path: 1e300 })),
  'name is an object': answer(200, ({ target }) =>
    fileEntryJson(target, { name: { toString: 1 } }),
  ),
  'long path': answer(200, ({ target }) => fileEntryJson(target, { path: '/'.repeat(MIB) })),
  'thousand entries': answer(
    200,
    ({ target }) => `[${`${fileEntryJson(target)},`.repeat(999)}${fileEntryJson(target)}]`,
  ),
  'deep lists': answer(200, '['.repeat(50_000).concat(']'.repeat(50_000))),
  'deep objects': answer(200, '{"a":'.repeat(15_000).concat('0', '}'.repeat(15_000))),
};

/** The status line and headers of an answer. */
function head(code: number, headers: readonly string[] = []): string {
  return `${[`HTTP/1.1 ${code} Whatever`, ...headers].join('\r\n')}\r\n\r\n`;
}

/** Sends a piece again and again until the client closes the connection. */
function endlessly(piece: string, first = ''): Responder {
  return socket => {
    socket.write(first);
    const fill = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', fill);
    fill();
  };
}

const CHUNKED = head(200, ['Transfer-Encoding: chunked']);
const FLOOD = 'x'.repeat(65_536);

/** Answers that never end, or never begin. */
const ENDLESS: Readonly<Record<string, Responder>> = {
  'a body in chunks': endlessly(`10000\r\n${FLOOD}\r\n`, CHUNKED),
  'an error': endlessly(FLOOD, head(500)),
  'one header': endlessly(FLOOD, 'HTTP/1.1 200 OK\r\nX-Long: '),
  'many headers': endlessly('X-More: x\r\n'.repeat(1000), 'HTTP/1.1 200 OK\r\n'),
  trailers: endlessly('X-Trailer: x\r\n'.repeat(1000), `${CHUNKED}2\r\n{}\r\n0\r\n`),
  'announcements of an answer': endlessly(head(100)),
  'the extension of a chunk': endlessly(FLOOD, `${CHUNKED}1;`),
  'half an answer': sendBytes(`${head(200, ['Content-Length: 100'])}[{"path":`),
  nothing: () => {},
};

test('an upload is acknowledged by nothing but a 200 or 201 with its own entry', async () => {
  await eachFails(UNTRUSTED, /^bad-answer$/);
});

test('hostile text in acknowledgements and stats is escaped in log and summary', async () => {
  const responders = Object.entries(INJECTIONS).map(([name, text]) => {
    const more = { metadata: { [text]: text }, [text]: [text] };
    const body = ({ target }: { readonly target: string }) =>
      fileEntryJson(target, { path: `/${text}/${target}`, ...more });
    return [name, answer(201, body)] as const;
  });
  const named = Object.fromEntries(Object.values(INJECTIONS).map((text, index) => [text, index]));
  const stats = answer(200, JSON.stringify({ ...METRICS, ...named, note: named }));
  const inputs = { 'warn-if': 'gpu_used > 1' };
  const result = await runAgainst({ uploads: Object.fromEntries(responders), stats, inputs });
  assert.equal(result.exitCode, 0, result.stdout);
  for (const [name, text] of Object.entries(INJECTIONS))
    assert.equal(result.file(name).path, `/${text}/${name}`);
  assert.equal(result.outputs['gate'], 'warned');
});

test('hostile text in error answers is escaped in log and summary', async () => {
  const all = Object.values(INJECTIONS).join('');
  const raw =
    'HTTP/1.1 400 ::error::x <b>##[group]\r\nX-Y: ::set-output name=a::b\r\nRetry-After: ::error::\r\n' +
    'Content-Length: 2\r\n\r\n{}';
  const texts = Object.entries(INJECTIONS).flatMap(([name, text]) => [
    [`${name}, JSON`, answer(400, JSON.stringify({ code: text, message: text }))] as const,
    [`${name}, text`, answer(422, text)] as const,
  ]);
  const uploads: Readonly<Record<string, Responder>> = {
    ...Object.fromEntries(texts),
    'as a name': answer(200, fileEntryJson(all)),
    'as a type': answer(200, ({ target }) => fileEntryJson(target, { type: all })),
    'as headers': sendBytes(raw),
  };
  await eachFails(uploads, /^(rejected|bad-answer)$/, { stats: answer(400, all) });
});

test('redirects are not followed', async () => {
  await using other = await openScriptedAgent();
  const places = [
    `${other.url}/files?path=a.txt`,
    'http://169.254.169.254/latest/meta-data/',
    '::error::x',
  ];
  const responders = [300, 301, 302, 303, 305, 307, 308].flatMap(code =>
    places.map(
      (place, index) => [`${code} ${index}`, answer(code, '', [`Location: ${place}`])] as const,
    ),
  );
  const redirect = answer(302, '', [`Location: ${other.url}`]);
  const result = await eachFails(Object.fromEntries(responders), /./, { stats: redirect });
  assert.match(result.file('302 0').error?.message ?? '', /answered 302.*[Rr]edirect/);
  assert.equal(other.connections(), 0);
});

test('endless answers end the request', async () => {
  const inputs = { timeout: '500ms', concurrency: '50' };
  const stats = endlessly(FLOOD, head(200));
  const { errors } = await eachFails(ENDLESS, /./, { inputs, stats });
  assert.match(errors, /GET http/);
});

test('100 random answers do not inject anything', async () => {
  const answers = fc.sample(fc.record({ text: ANSWER, code: CODE, after: AFTER }), {
    seed: 1,
    numRuns: 100,
  });
  const responders = answers.map(
    ({ text, code, after }, index) =>
      [`f${index}`, answer(code, text, [`Retry-After: ${after}`])] as const,
  );
  const stats = answers.find(({ text }) => text.startsWith('{"') && text.length < 9000);
  const result = await runAgainst({
    uploads: Object.fromEntries(responders),
    stats: answer(200, stats?.text ?? '{}'),
    inputs: { concurrency: '100', 'warn-if': 'gpu_used > 1\nmem_used < 1GiB' },
  });
  assert.equal(result.report.files.length, 100);
});

// Random answers: JSON, JSON with a piece replaced, and any bytes, all with injections.
const UNIT = fc.constantFrom(
  ...Object.values(INJECTIONS),
  'a',
  '::',
  '<',
  '`',
  '\n\n',
  '%0A',
  '__proto__',
);
const JSON_TEXT = fc.oneof(
  fc.json({ stringUnit: UNIT }),
  fc
    .tuple(fc.constantFrom('mem_used', 'cpu_used_pct', 'path', 'message'), fc.json())
    .map(([key, value]) => `{"${key}":${value},"ts":1e400}`),
);
const ANSWER = fc.oneof(
  JSON_TEXT,
  fc.tuple(JSON_TEXT, fc.nat(50), fc.string({ unit: UNIT })).map(([text, at, put]) => {
    return text.slice(0, at) + put + text.slice(at + put.length);
  }),
  fc.string({ unit: fc.oneof(UNIT, fc.string({ unit: 'binary' })) }),
);

const CODE = fc.constantFrom(200, 200, 200, 301, 400, 408, 409, 413, 418, 429, 500, 503);

const AFTER = fc.constantFrom('1', '-1', '1e9', 'NaN', '0x10', '::error::x');
