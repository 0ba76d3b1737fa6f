import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { type Files, manyFiles, openWorld, runWell, TOKEN } from './harness.ts';
import { answer, entryText, openRaw, type Received, type Talk } from './raw-agent.ts';

const NAMES = ['a b+c.txt', '100%/ü#?&=.txt', "it's(1)!*~.txt", 'back\\slash'].filter(canBeNamed);

/** Keeps each upload waiting until this many are, and then answers them all. */
function barrier(count: number) {
  const waiting: (readonly [Socket, Received])[] = [];
  let most = 0;
  const upload: Talk = (socket, request) => {
    waiting.push([socket, request]);
    most = Math.max(most, waiting.length);
    if (waiting.length < count) return;
    for (const [each, { target }] of waiting.splice(0))
      answer(200, entryText(target))(each, request);
  };
  return { upload, most: () => most };
}

describe('on the wire', () => {
  test('an upload is a POST of a form with one part, of a known length, to its path', async () => {
    const large = 'x'.repeat(256 * 1024 + 1);
    const files: Files = { ...Object.fromEntries(NAMES.map(name => [name, name])), large };
    await using server = await openRaw();
    await using world = await openWorld({ files });
    await runWell(world, { 'base-url': server.url, target: '/srv/my app' });
    const bodies = new Map<string, string>();
    for (const { line, headers, body } of server.requests) {
      for (const header of [
        `x-access-token: ${TOKEN}`,
        'svc-sandbox-id: sandbox1',
        'svc-sandbox-port: 49983',
        'accept: application/json',
      ])
        assert.ok(
          headers.some(each => each.toLowerCase() === header),
          header,
        );
      assert.match(headers.join('\n'), /^user-agent: sandbox-sync\/\d+\.\d+\.\d+$/im);
      const [method = '', url = ''] = line.split(' ');
      if (method === 'GET') assert.equal(url, '/metrics');
      if (method !== 'POST') continue;
      assert.match(url, /^\/files\?path=%2Fsrv%2Fmy%20app%2F[^+ #&?]+$/);
      const target = new URL(url, server.url).searchParams.get('path') ?? '';
      bodies.set(target, body.toString());
      const [, boundary] = /^content-type: .*boundary=(\S+)$/im.exec(headers.join('\n')) ?? [];
      assert.equal(body.toString(), formOf(boundary, target, String(files[target.slice(12)])));
      assert.ok(headers.some(each => each.toLowerCase() === `content-length: ${body.length}`));
    }
    assert.deepEqual(
      new Set(bodies.keys()),
      new Set(Object.keys(files).map(name => `/srv/my app/${name}`)),
    );
  });

  test('prefix, port, headers, user, signature and paths are as given', async () => {
    const prefix = '/pre/a--b_c/8080';
    await using world = await openWorld({
      headerPrefix: 'E2b',
      sandboxPort: 8080,
      sandboxId: 'a--b_c',
      uploadPath: `${prefix}/up`,
      statsPath: `${prefix}/st/ats`,
    });
    const signature = 'v1_a+b/c=&d';
    await runWell(world, {
      'base-url': `${world.agent.url}/pre/{sandbox-id}/{port}/`,
      'upload-path': '/up',
      'stats-path': '/st/ats',
      'header-prefix': 'E2b',
      port: '8080',
      'sandbox-id': 'a--b_c',
      headers: 'X-Metadata-build: 42\n\n  X-Other :  with: colon  \n',
      username: 'root',
      signature,
      'signature-expiration': '1767225600',
    });
    assert.equal(world.agent.requests.length, 2);
    for (const { headers } of world.agent.requests) {
      assert.deepEqual(
        ['e2b-sandbox-id', 'e2b-sandbox-port', 'x-metadata-build', 'x-other'].map(
          name => headers[name],
        ),
        ['a--b_c', '8080', '42', 'with: colon'],
      );
      assert.equal(headers['svc-sandbox-id'], undefined);
    }
    const [upload, stats] = world.agent.requests;
    const query = new URL(upload?.url ?? '', world.agent.url).searchParams;
    assert.deepEqual(Object.fromEntries(query), {
      path: 'a.txt',
      username: 'root',
      signature,
      signature_expiration: '1767225600',
    });
    assert.equal(stats?.url, `${prefix}/st/ats`);
    assert.equal(stats?.headers['cache-control'], 'no-cache');
    assert.equal(world.stored('/root/a.txt').toString(), 'text');
  });

  test('24 uploads are in flight by default, on as many connections at most', async () => {
    const { upload, most } = barrier(24);
    await using server = await openRaw({ upload });
    await using world = await openWorld({ files: manyFiles(72) });
    await runWell(world, { 'base-url': server.url }, { task: 'upload' });
    assert.deepEqual([most(), server.requests.length], [24, 72]);
    assert.ok(server.connections() <= 24, `${server.connections()} connections`);
  });
});

// form-data turns a backslash into a slash; agents go by the path.
function formOf(boundary: string | undefined, target: string, content: string): string {
  const filename = target.replaceAll('\\', '/');
  const head = `Content-Disposition: form-data; name="file"; filename="${filename}"`;
  return `--${boundary}\r\n${head}\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n--${boundary}--\r\n`;
}
