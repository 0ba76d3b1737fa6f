import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { METRICS } from '../../action/world.ts';
import { answer, entryOf, openHostile, type Talk } from './hostile.ts';
import { failsAs, runAgainst } from './running.ts';
import { ESCAPED, TEXTS } from './texts.ts';

const good = ({ name }: { readonly name: string }) => entryOf(name);

/** Answers with 200 that are no acknowledgement. */
const UNTRUSTED: Readonly<Record<string, Talk>> = {
  'a page': answer(200, '<!doctype html><h1>It works</h1><script>alert(1)</script>'),
  nothing: answer(200, ''),
  'no content': answer(204, ''),
  'bytes that are no text': answer(200, Buffer.from([0xff, 0xfe, 0, 0xc3, 0x28, 0x1b, 0x5b])),
  'JSON that is cut': answer(200, request => good(request).slice(0, -1)),
  'two values': answer(200, request => good(request).repeat(2)),
  'an entry within an object': answer(200, request => `{"files":[${good(request)}]}`),
  'a list of lists': answer(200, request => `[[${good(request)}]]`),
  'a key twice, the last of another file': answer(200, ({ name }) =>
    entryOf(name).replace('"type"', '"name":"b.txt","type"'),
  ),
  'an entry that only its prototype would make whole': answer(
    200,
    request => `{"__proto__":${good(request)}}`,
  ),
  'an entry by its constructor': answer(200, request => `{"constructor":{"prototype":${good(request)}}}`),
  'another file': answer(200, () => entryOf('b.txt')),
  'the same name in other letters': answer(200, () => entryOf('A.TXT')),
  'a name with a mark that is not seen': answer(200, () => entryOf('a.txt\u200b')),
  'a path that is a number': answer(200, ({ name }) => entryOf(name, { path: 1e300 })),
  'a path that is a list': answer(200, ({ name }) => entryOf(name, { path: ['/a.txt'] })),
  'a name that is an object': answer(200, ({ name }) => entryOf(name, { name: { toString: 1 } })),
  'a path of a megabyte': answer(200, ({ name }) => entryOf(name, { path: '/'.repeat(1_000_000) })),
  'a thousand entries': answer(200, request => `[${Array(1000).fill(good(request)).join(',')}]`),
  'a megabyte of lists in lists': answer(200, '['.repeat(500_000).concat(']'.repeat(500_000))),
  'a megabyte of objects in objects': answer(200, '{"a":'.repeat(170_000).concat('0', '}'.repeat(170_000))),
  'compressed bytes': answer(200, good, ['Content-Encoding: gzip']),
};

/** Those that are taken as they are: their words are true. */
const TAKEN = new Set(['compressed bytes']);

suite('200 with what is no acknowledgement', { concurrency: 2 }, () => {
  for (const [name, upload] of Object.entries(UNTRUSTED)) {
    test(name, async () => {
      if (TAKEN.has(name)) return assert.equal((await runAgainst({ upload })).result.code, 0);
      const { result } = await failsAs(/^bad-answer$/, { upload });
      assert.equal(result.outputs['uploaded-count'], '0');
      assert.equal(result.outputs['uploaded'], '[]');
    });
  }
});

suite('words that would act on the runner or on a reader', { concurrency: 2 }, () => {
  for (const [name, text] of Object.entries(TEXTS)) {
    test(`in everything that an acknowledgement and the stats hold: ${name}`, async () => {
      const upload = answer(200, request =>
        entryOf(request.name, { path: `/${text}`, metadata: { [text]: text }, [text]: [text] }),
      );
      const stats = answer(
        200,
        JSON.stringify({ ...METRICS, [text]: 5, note: text, more: { [text]: text } }),
      );
      const inputs = { 'warn-if': 'gpu_used > 1' };
      const { result } = await runAgainst({ upload, stats, inputs });
      assert.equal(result.code, 0, result.stdout);
      const path: unknown = JSON.parse(result.outputs['uploaded'] ?? '')[0].path;
      assert.equal(path, `/${text}`);
      assert.equal(result.outputs['mem-used'], String(METRICS.mem_used));
    });

    test(`in the words of an error: ${name}`, async () => {
      const talk = answer(400, JSON.stringify({ code: text, message: text }));
      await failsAs(/^rejected$/, { upload: talk, stats: talk });
      const plain = answer(500, text);
      await failsAs(/^server$/, { upload: plain, stats: plain });
    });
  }

  test('in name and type', async () => {
    const text = Object.values(TEXTS).join('');
    await failsAs(/^bad-answer$/, { upload: answer(200, () => entryOf(text)) });
    await failsAs(/^bad-answer$/, { upload: answer(200, ({ name }) => entryOf(name, { type: text })) });
  });

  test('in the status line and the headers', async () => {
    const talk: Talk = {
      say: socket =>
        void socket.write(
          'HTTP/1.1 400 ::error::x <b>##[group]\r\nX-Y: ::set-output name=a::b\r\nRetry-After: ::error::\r\n' +
            'Content-Length: 2\r\n\r\n{}',
        ),
    };
    await failsAs(/^rejected$/, { upload: talk, stats: talk });
  });

  test('as escapes that JSON alone knows', async () => {
    const upload = answer(200, ({ name }) => `{"path":"/${ESCAPED}","name":"${name}","type":"file"}`);
    const stats = answer(200, `{"ts":7,"${ESCAPED}":1,"note":"${ESCAPED}"}`);
    const { result } = await runAgainst({ upload, stats, inputs: { 'warn-if': 'gpu_used > 1' } });
    assert.equal(result.outputs['ts'], '7');
  });
});

const METADATA = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';

suite('a redirect is never followed', { concurrency: 2 }, () => {
  for (const status of [300, 301, 302, 303, 305, 307, 308]) {
    test(`with ${status}`, async () => {
      await using other = await openHostile();
      const talk = answer(status, '', [`Location: ${other.url}/files?path=a.txt`]);
      const { result } = await failsAs(/^redirected$/, { upload: talk, stats: talk });
      assert.equal(other.connections(), 0);
      assert.match(result.file('a.txt').error?.message ?? '', new RegExp(`answered ${status}`));
    });
  }

  const elsewhere = [
    METADATA,
    'http://[fd00:ec2::254]/',
    'file:///etc/passwd',
    '//evil.example/',
    '::error::x',
  ];
  for (const location of elsewhere) {
    test(`to ${location}`, async () => {
      const talk = answer(302, '', [`Location: ${location}`, `Refresh: 0; url=${location}`]);
      const { result, hostile } = await failsAs(/^redirected$/, { upload: talk, stats: talk });
      assert.match(result.file('a.txt').error?.message ?? '', /answered 302/);
      assert.equal(hostile.requests.length, 2);
    });
  }

  test('by headers of a success', async () => {
    await using other = await openHostile();
    const headers = [
      `Location: ${other.url}`,
      `Content-Location: ${other.url}`,
      `Alt-Svc: h2="${other.url}"`,
    ];
    const { result } = await runAgainst({ upload: answer(201, good, headers) });
    assert.equal(result.code, 0, result.stdout);
    assert.equal(other.connections(), 0);
  });
});
