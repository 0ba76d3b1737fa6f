import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canBeNamed } from '../system.ts';
import { assertHarmless, TEXTS } from './harmless.ts';
import {
  assertDelivered,
  goodBetween,
  type Inputs,
  METRICS,
  openWorld,
  type Result,
  runAction,
  runBadly,
  runWell,
  status,
} from './harness.ts';
import { answer, entryText, openRaw, saying, type Talk, type Talks } from './raw-agent.ts';

const DEBUG = { env: { RUNNER_DEBUG: '1' } };
const MIB = 1024 * 1024;

interface Run extends Talks {
  readonly inputs?: Inputs;
}

/** Runs the action with the debug log against a server, and asserts that nothing acts on anybody. */
async function runAgainst({ inputs = {}, ...talks }: Run): Promise<Result> {
  await using server = await openRaw(talks);
  const names = Object.keys(talks.uploads ?? {});
  // Requests that run at once need no good ones between them.
  const between = goodBetween(inputs['concurrency'] === undefined ? names : []);
  const files = Object.fromEntries(names.map(name => [name, 'text']));
  await using world = await openWorld({ files: { ...files, ...between } });
  const run = { 'base-url': server.url, retries: '0', concurrency: '1', ...inputs };
  const result = await runAction(world, run, DEBUG);
  assertHarmless(result);
  return result;
}

/** Asserts that each upload fails by its talk, as one of these kinds. */
async function eachFails(
  uploads: Readonly<Record<string, Talk>>,
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

/** Answers to an upload that acknowledge nothing. */
const UNTRUSTED: Readonly<Record<string, Talk>> = {
  page: answer(200, '<!doctype html><h1>It works</h1><script>alert(1)</script>'),
  'no content': answer(204, ''),
  bytes: saying(Buffer.from(`${head(200, ['Content-Length: 7'])}\xff\xfe\0\xc3(\x1b[`, 'latin1')),
  cut: answer(200, ({ target }) => entryText(target).slice(0, -1)),
  'two values': answer(200, ({ target }) => entryText(target).repeat(2)),
  'within an object': answer(200, ({ target }) => `{"files":[${entryText(target)}]}`),
  'key twice': answer(200, ({ target }) =>
    entryText(target).replace('"type"', '"name":"b","type"'),
  ),
  prototype: answer(200, ({ target }) => `{"__proto__":${entryText(target)}}`),
  constructor: answer(200, ({ target }) => `{"constructor":{"prototype":${entryText(target)}}}`),
  'other letters': answer(200, entryText('OTHER LETTERS')),
  'unseen mark': answer(200, ({ target }) => entryText(`${target}\u200b`)),
  'path is a number': answer(200, ({ target }) => entryText(target, { path: 1e300 })),
  'name is an object': answer(200, ({ target }) => entryText(target, { name: { toString: 1 } })),
  'long path': answer(200, ({ target }) => entryText(target, { path: '/'.repeat(MIB) })),
  'thousand entries': answer(
    200,
    ({ target }) => `[${`${entryText(target)},`.repeat(999)}${entryText(target)}]`,
  ),
  'deep lists': answer(200, '['.repeat(50_000).concat(']'.repeat(50_000))),
  'deep objects': answer(200, '{"a":'.repeat(15_000).concat('0', '}'.repeat(15_000))),
};

/** The beginning of an answer. */
function head(code: number, headers: readonly string[] = []): string {
  return `${[`HTTP/1.1 ${code} Whatever`, ...headers].join('\r\n')}\r\n\r\n`;
}

/** Repeats a piece as long as the client reads it. */
function endlessly(piece: string, first = ''): Talk {
  return socket => {
    socket.write(first);
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pour);
    pour();
  };
}

const CHUNKED = head(200, ['Transfer-Encoding: chunked']);
const FLOOD = 'x'.repeat(65_536);

/** Answers that never end, or never come. */
const ENDLESS: Readonly<Record<string, Talk>> = {
  'a body in chunks': endlessly(`10000\r\n${FLOOD}\r\n`, CHUNKED),
  'an error': endlessly(FLOOD, head(500)),
  'one header': endlessly(FLOOD, 'HTTP/1.1 200 OK\r\nX-Long: '),
  'many headers': endlessly('X-More: x\r\n'.repeat(1000), 'HTTP/1.1 200 OK\r\n'),
  trailers: endlessly('X-Trailer: x\r\n'.repeat(1000), `${CHUNKED}2\r\n{}\r\n0\r\n`),
  'announcements of an answer': endlessly(head(100)),
  'the extension of a chunk': endlessly(FLOOD, `${CHUNKED}1;`),
  'half an answer': saying(`${head(200, ['Content-Length: 100'])}[{"path":`),
  nothing: () => {},
};

describe('a hostile sandbox', () => {
  test('acknowledges nothing but by the one right entry, with 200 or 201', async () => {
    await eachFails(UNTRUSTED, /^bad-answer$/);
  });

  test('gives words that act on nobody, in what succeeds', async () => {
    const talks = Object.entries(TEXTS).map(([name, text]) => {
      const more = { metadata: { [text]: text }, [text]: [text] };
      const body = ({ target }: { readonly target: string }) =>
        entryText(target, { path: `/${text}/${target}`, ...more });
      return [name, answer(201, body)] as const;
    });
    const named = Object.fromEntries(Object.values(TEXTS).map((text, index) => [text, index]));
    const stats = answer(200, JSON.stringify({ ...METRICS, ...named, note: named }));
    const inputs = { 'warn-if': 'gpu_used > 1' };
    const result = await runAgainst({ uploads: Object.fromEntries(talks), stats, inputs });
    assert.equal(result.exitCode, 0, result.stdout);
    for (const [name, text] of Object.entries(TEXTS))
      assert.equal(result.file(name).path, `/${text}/${name}`);
    assert.equal(result.outputs['gate'], 'warned');
  });

  test('gives words that act on nobody, in what fails', async () => {
    const all = Object.values(TEXTS).join('');
    const raw =
      'HTTP/1.1 400 ::error::x <b>##[group]\r\nX-Y: ::set-output name=a::b\r\nRetry-After: ::error::\r\n' +
      'Content-Length: 2\r\n\r\n{}';
    const texts = Object.entries(TEXTS).flatMap(([name, text]) => [
      [`${name}, JSON`, answer(400, JSON.stringify({ code: text, message: text }))] as const,
      [`${name}, text`, answer(422, text)] as const,
    ]);
    const uploads: Readonly<Record<string, Talk>> = {
      ...Object.fromEntries(texts),
      'as a name': answer(200, entryText(all)),
      'as a type': answer(200, ({ target }) => entryText(target, { type: all })),
      'as headers': saying(raw),
    };
    await eachFails(uploads, /^(rejected|bad-answer)$/, { stats: answer(400, all) });
  });

  test('cannot redirect to another place', async () => {
    await using other = await openRaw();
    const places = [
      `${other.url}/files?path=a.txt`,
      'http://169.254.169.254/latest/meta-data/',
      '::error::x',
    ];
    const talks = [300, 301, 302, 303, 305, 307, 308].flatMap(code =>
      places.map(
        (place, index) => [`${code} ${index}`, answer(code, '', [`Location: ${place}`])] as const,
      ),
    );
    const redirect = answer(302, '', [`Location: ${other.url}`]);
    const result = await eachFails(Object.fromEntries(talks), /./, { stats: redirect });
    assert.match(result.file('302 0').error?.message ?? '', /answered 302.*[Rr]edirect/);
    assert.equal(other.connections(), 0);
  });

  test('cannot keep a run from its end by endless answers', async () => {
    const inputs = { timeout: '500ms', concurrency: '50' };
    const stats = endlessly(FLOOD, head(200));
    const { errors } = await eachFails(ENDLESS, /./, { inputs, stats });
    assert.match(errors, /GET http/);
  });

  test('may send any text: 100 random answers do no harm', async () => {
    const answers = fc.sample(fc.record({ text: ANSWER, code: CODE, after: AFTER }), {
      seed: 1,
      numRuns: 100,
    });
    const talks = answers.map(
      ({ text, code, after }, index) =>
        [`f${index}`, answer(code, text, [`Retry-After: ${after}`])] as const,
    );
    const stats = answers.find(({ text }) => text.startsWith('{"') && text.length < 9000);
    const result = await runAgainst({
      uploads: Object.fromEntries(talks),
      stats: answer(200, stats?.text ?? '{}'),
      inputs: { concurrency: '100', 'warn-if': 'gpu_used > 1\nmem_used < 1GiB' },
    });
    assert.equal(result.report.files.length, 100);
  });
});

/** JSON, JSON with a piece replaced, and bytes, with texts that act. */
const UNIT = fc.constantFrom(
  ...Object.values(TEXTS),
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

const NAMES = [
  'a\nb',
  '\n::error::injected',
  'a\r\nb',
  '%0A::warning::injected',
  '::set-output name=x::y',
  '##[group]x',
  '-rf',
  '\u202etxt.exe',
  'middle ##[error]forged',
  '\u001b[31mred\u001b[2J',
  'right\u202eto-left\u2028line\u200b',
  '<img src=x onerror=alert(1)>',
  '`code` **bold** _it_ | a | ~~no~~',
  '[link](https:||example.com) @someone #1 &amp; &lt;',
  '\n\n# heading\n\n- item',
  '<!-- comment',
  'n'.repeat(255),
  `${'ü'.repeat(127)}x`,
].filter(canBeNamed);

test('hostile names of files arrive as they are, and act on nobody', async () => {
  const files = Object.fromEntries(NAMES.map(name => [`d/${name}`, `content of ${name}`]));
  await using world = await openWorld({ files });
  const result = await runWell(world, { files: 'd' }, DEBUG);
  assertHarmless(result);
  assertDelivered(world, result);
  for (const name of NAMES) assert.equal(world.stored(name).toString(), `content of ${name}`);
  world.agent.addFaults({ on: 'any', do: status(422, NAMES.join()) });
  assertHarmless(await runBadly(world, { files: 'd', retries: '1' }, DEBUG));
});
