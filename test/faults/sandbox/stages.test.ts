import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { suite, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { hasOpenssl, makeKeys } from '../../../dev/agent/keys.ts';
import { telling } from '../../telling.ts';
import { answer, endlessly, entryOf, head, openHostile, slowly, type Talk } from './hostile.ts';
import { eachFailsAs, failsAs, MAX_MEMORY, runAgainst } from './running.ts';

const SHORT = { timeout: '300ms' };
const MIB = 1024 * 1024;

const CHUNKED = head(200, ['Transfer-Encoding: chunked']);
const LONG = head(200, ['Content-Length: 1000000']);

/** Endless answers that no client reads to the end. */
const ENDLESS: Readonly<Record<string, Talk>> = {
  'a body without a length': endlessly('x'.repeat(65_536), head(200)),
  'a body in chunks': endlessly('10000\r\n'.concat('x'.repeat(65_536), '\r\n'), CHUNKED),
  'an error with an endless body': endlessly('x'.repeat(65_536), head(500)),
  'trailers without end': endlessly('X-Trailer: x\r\n'.repeat(1000), `${CHUNKED}2\r\n{}\r\n0\r\n`),
  'one header without end': endlessly('x'.repeat(65_536), 'HTTP/1.1 200 OK\r\nX-Long: '),
  'headers without end': endlessly('X-More: x\r\n'.repeat(1000), 'HTTP/1.1 200 OK\r\n'),
  'continue without end': endlessly(head(100)),
};

/** Endless answers of which a client keeps little. */
const FLOODS: Readonly<Record<string, Talk>> = {
  'a chunk with an endless extension': endlessly('x'.repeat(65_536), `${CHUNKED}1;`),
  'a status line without end': endlessly('x'.repeat(65_536), 'HTTP/1.1 200 '),
  'early hints without end': endlessly(head(103, ['Link: </x>'])),
  'announcements now and then': slowly('', head(102), 20),
};

/** Answers too slow for the timeout. */
const SLOW: Readonly<Record<string, Talk>> = {
  'one byte a second of the body': slowly(LONG, 'x', 1000),
  'one byte a second of the headers': slowly('HTTP/1.1 200 OK\r\n', 'X', 1000),
  'a byte now and then of the body': slowly(LONG, 'x', 20),
  'a byte now and then of the headers': slowly('HTTP/1.1 200 OK\r\nX-Slow: ', 'x', 20),
  'an announcement each second': slowly('', head(102), 1000),
  nothing: { say: () => {} },
};

function closing(first = ''): Talk['say'] {
  return socket => void socket.end(first);
}

function resetting(first = ''): Talk['say'] {
  return socket => {
    // Below TLS, a connection can only be cut off from here, not reset.
    const reset = () =>
      void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy());
    if (first === '') reset();
    else socket.write(first, reset);
  };
}

const HALF = head(200, ['Content-Length: 100']).concat(entryOf('a.txt').slice(0, 20));

/** Connections that end too early. */
const BROKEN: Readonly<Record<string, Talk>> = {
  'reset on the headers': { at: 'headers', say: resetting() },
  'reset on the first bytes of the body': { at: 'body', say: resetting() },
  'reset instead of an answer': { say: resetting() },
  'reset within the status line': { say: resetting('HTTP/1.1 2') },
  'reset within the headers': { say: resetting('HTTP/1.1 200 OK\r\nX-Some: ') },
  'reset within the body': { say: resetting(HALF) },
  'closed on the headers': { at: 'headers', say: closing() },
  'closed instead of an answer': { say: closing() },
  'closed within the headers': { say: closing('HTTP/1.1 200 OK\r\nX-Some: ') },
  'closed half-way through a body of a known length': { say: closing(HALF) },
  'closed half-way through a chunk': { say: closing(`${CHUNKED}40\r\n[{`) },
  'closed between chunks': { say: closing(`${CHUNKED}2\r\n[{\r\n`) },
};

suite('an answer that is not to be had', { concurrency: 2 }, () => {
  test('since it never ends, is given up', async () => {
    const inputs = { timeout: '3s', concurrency: '2' };
    const { peak } = await eachFailsAs(/^(bad-answer|connection)$/, ENDLESS, { inputs });
    assert.ok(peak < MAX_MEMORY, `${peak} bytes`);
  });

  test('since it is no HTTP, ends the upload', async () => {
    const upload = endlessly('\u0000\u001b[2J::error::x\n');
    const { peak } = await failsAs(/^not-http$/, { upload });
    assert.ok(peak < MAX_MEMORY, `${peak} bytes`);
  });

  test('since nothing of it is kept, ends with the timeout', async () => {
    const { peak } = await eachFailsAs(/^stalled$/, FLOODS, { inputs: { timeout: '1s' } });
    assert.ok(peak < MAX_MEMORY, `${peak} bytes`);
  });

  test('since it comes too slowly, is given up', async () => {
    await eachFailsAs(/^stalled$/, SLOW, { inputs: SHORT });
  });

  test('since its connection breaks, is a failure of the connection', async () => {
    await eachFailsAs(/^connection$/, BROKEN, { size: 2 * MIB });
  });

  const stats = {
    'a body in chunks': [ENDLESS['a body in chunks'], /128 KiB|64 KiB|1 MiB|too long|longer/],
    'headers without end': [ENDLESS['headers without end'], /header/i],
    'a byte now and then': [SLOW['a byte now and then of the body'], /failed/],
    nothing: [SLOW['nothing'], /failed/],
    'a closed connection': [BROKEN['closed between chunks'], /failed/],
  } as const;
  for (const [name, [talk = answer(200, ''), says]] of telling<readonly [Talk | undefined, RegExp]>(
    stats,
    ['a body in chunks'],
  )) {
    test(`is one of the stats too: ${name}`, async () => {
      const { result } = await runAgainst({ stats: talk, task: 'stats', inputs: SHORT });
      assert.equal(result.exitCode, 1, result.stdout);
      assert.match(result.annotations('error').join(), says);
    });
  }

  test('a body cut short where it is valid JSON, without a length, counts as it came', async () => {
    const upload: Talk = { say: (socket, { name }) => void socket.end(head(200) + entryOf(name)) };
    const { result } = await runAgainst({ upload });
    assert.equal(result.file('a.txt').status, 'uploaded');
    const cut: Talk = {
      say: (socket, { name }) => void socket.end(head(200) + entryOf(name).slice(0, -1)),
    };
    await failsAs(/^bad-answer$/, { upload: cut });
  });

  test('before the body is read is no success', async () => {
    const early = (status: number): Talk => ({
      ...answer(status, ({ name }) => entryOf(name)),
      at: 'headers',
    });
    const uploads = Object.fromEntries(
      [200, 201, 400, 500].map(status => [`${status}`, early(status)]),
    );
    await eachFailsAs(/^(connection|rejected|server)$/, uploads, { size: 24 * MIB });
  });

  const greetings: Readonly<Record<string, (socket: Socket) => void>> = {
    'is reset as soon as it is made': socket => void socket.resetAndDestroy(),
    'is closed as soon as it is made': socket => void socket.end(),
    'answers before it is asked': socket => void socket.write(answerText()),
  };
  for (const [name, connected] of telling(greetings, ['answers before it is asked'])) {
    test(`a connection that ${name}`, async () => {
      const { result } = await runAgainst({ connected, inputs: SHORT });
      assert.equal(result.exitCode, 1, result.stdout);
      assert.equal(result.outputs['uploaded-count'], '0');
    });
  }

  test('over TLS as well', { skip: hasOpenssl ? false : 'there is no openssl' }, async () => {
    using keys = makeKeys();
    const env = { NODE_EXTRA_CA_CERTS: keys.certFile };
    const talk = endlessly('x'.repeat(65_536), head(200));
    await failsAs(/^bad-answer$/, { upload: talk, stats: talk, keys, env });
    await failsAs(/^connection$/, { upload: { say: resetting(HALF) }, keys, env });
    await failsAs(/^stalled$/, { upload: slowly(LONG, 'x', 20), keys, env, inputs: SHORT });
    await using untrusted = await openHostile({ keys });
    await failsAs(/^tls$/, { inputs: { 'base-url': untrusted.url } });
    assert.equal(untrusted.requests.length, 0);
  });
});

function answerText(): string {
  return head(200, ['Content-Length: 50']).concat(entryOf('a.txt').padEnd(50));
}
