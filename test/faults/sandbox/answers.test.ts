import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { METRICS } from '../../action/world.ts';
import { answer, entryOf, openHostile, type Talk } from './hostile.ts';
import { eachFailsAs, failsAs, runAgainst } from './running.ts';
import { ESCAPED, TEXTS } from './texts.ts';

const good = ({ name }: { readonly name: string }) => entryOf(name);

/** Answers with 200 that do not acknowledge the file. */
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
  'an entry by its constructor': answer(
    200,
    request => `{"constructor":{"prototype":${good(request)}}}`,
  ),
  'another file': answer(200, () => entryOf('b.txt')),
  'the same name in other letters': answer(200, () => entryOf('A.TXT')),
  'a name with a mark that is not seen': answer(200, () => entryOf('a.txt\u200b')),
  'a path that is a number': answer(200, ({ name }) => entryOf(name, { path: 1e300 })),
  'a path that is a list': answer(200, ({ name }) => entryOf(name, { path: ['/a.txt'] })),
  'a name that is an object': answer(200, ({ name }) => entryOf(name, { name: { toString: 1 } })),
  'a path that is too long': answer(200, ({ name }) => entryOf(name, { path: '/'.repeat(5000) })),
  'a path of a megabyte': answer(200, ({ name }) => entryOf(name, { path: '/'.repeat(1_000_000) })),
  'a thousand entries': answer(200, request => `[${Array(1000).fill(good(request)).join(',')}]`),
  'a megabyte of lists in lists': answer(200, '['.repeat(500_000).concat(']'.repeat(500_000))),
  'a megabyte of objects in objects': answer(
    200,
    '{"a":'.repeat(170_000).concat('0', '}'.repeat(170_000)),
  ),
};

test('200 with what is no acknowledgement stores nothing', async () => {
  await eachFailsAs(/^bad-answer$/, UNTRUSTED);
});

test('only 200 and 201 acknowledge a file, whatever the entry', async () => {
  const statuses = [202, 203, 206, 226, 299].map(status => [`${status}`, answer(status, good)]);
  await eachFailsAs(/^bad-answer$/, Object.fromEntries(statuses));
  const { result } = await runAgainst({ upload: answer(201, good) });
  assert.equal(result.outputs['uploaded-count'], '1');
});

suite('words that would act on the runner or on a reader', { concurrency: 2 }, () => {
  const talks = (talk: (text: string) => Talk) =>
    Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, talk(text)]));
  const env = { RUNNER_DEBUG: '1' };

  test('in everything that an acknowledgement and the stats hold', async () => {
    const uploads = talks(text =>
      answer(200, ({ name }) =>
        entryOf(name, { path: `/${text}/${name}`, metadata: { [text]: text }, [text]: [text] }),
      ),
    );
    const more = Object.fromEntries(Object.values(TEXTS).map((text, index) => [text, index]));
    const stats = answer(
      200,
      JSON.stringify({ ...METRICS, ...more, note: Object.keys(more), more }),
    );
    const files = Object.fromEntries(Object.keys(TEXTS).map(name => [name, 'x']));
    const { result } = await runAgainst({
      files,
      uploads,
      stats,
      inputs: { 'warn-if': 'gpu_used > 1' },
      env,
    });
    assert.equal(result.exitCode, 0, result.stdout);
    for (const [name, text] of Object.entries(TEXTS))
      assert.equal(result.file(name).path, `/${text}/${name}`);
    assert.equal(result.outputs['mem-used'], String(METRICS.mem_used));
  });

  test('in the words of an error', async () => {
    const json = talks(text => answer(400, JSON.stringify({ code: text, message: text })));
    await eachFailsAs(/^rejected$/, json, { stats: answer(400, Object.values(TEXTS).join()), env });
    await eachFailsAs(
      /^server$/,
      talks(text => answer(500, text)),
      { env },
    );
  });

  test('in name and type', async () => {
    const text = Object.values(TEXTS).join('');
    await failsAs(/^bad-answer$/, { upload: answer(200, () => entryOf(text)) });
    await failsAs(/^bad-answer$/, {
      upload: answer(200, ({ name }) => entryOf(name, { type: text })),
    });
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
    const upload = answer(
      200,
      ({ name }) => `{"path":"/${ESCAPED}","name":"${name}","type":"file"}`,
    );
    const stats = answer(200, `{"ts":7,"${ESCAPED}":1,"note":"${ESCAPED}"}`);
    const { result } = await runAgainst({ upload, stats, inputs: { 'warn-if': 'gpu_used > 1' } });
    assert.equal(result.outputs['ts'], '7');
  });
});

const METADATA = 'http://169.254.169.254/latest/meta-data/iam/security-credentials/';

suite('a redirect is never followed', { concurrency: 2 }, () => {
  test('to another server, whatever the status', async () => {
    await using other = await openHostile();
    const redirect = (status: number) =>
      answer(status, '', [`Location: ${other.url}/files?path=a.txt`]);
    const statuses = [300, 301, 302, 303, 305, 307, 308];
    const uploads = Object.fromEntries(statuses.map(status => [`${status}`, redirect(status)]));
    const { result } = await eachFailsAs(/^redirected$/, uploads, { stats: redirect(302) });
    assert.equal(other.connections(), 0);
    for (const status of statuses) {
      const { message = '', hint = '' } = result.file(`${status}`).error ?? {};
      assert.match(message, new RegExp(`answered ${status}`));
      assert.match(hint, /Redirects are not followed/);
    }
  });

  test('to where no server should be sent', async () => {
    const places = [
      METADATA,
      'http://[fd00:ec2::254]/',
      'file:///etc/passwd',
      '//evil.example/',
      '::error::x',
    ];
    const uploads = Object.fromEntries(
      places.map((place, index) => [
        `${index}`,
        answer(302, '', [`Location: ${place}`, `Refresh: 0; url=${place}`]),
      ]),
    );
    const { hostile } = await eachFailsAs(/^redirected$/, uploads);
    assert.equal(hostile.requests.length, places.length + 1);
  });

  test('by headers of a success', async () => {
    await using other = await openHostile();
    const headers = [
      `Location: ${other.url}`,
      `Content-Location: ${other.url}`,
      `Alt-Svc: h2="${other.url}"`,
    ];
    const { result } = await runAgainst({ upload: answer(201, good, headers) });
    assert.equal(result.exitCode, 0, result.stdout);
    assert.equal(other.connections(), 0);
  });
});
