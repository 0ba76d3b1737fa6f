import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { suite, test } from 'node:test';
import { onWindows } from '../system.ts';
import { manyFiles, openWorld, pathOf, runWell, TOKEN, uploads } from './harness.ts';

const STREAMED = 'x'.repeat(256 * 1024 + 1);

suite('on the wire', { concurrency: 2 }, () => {
  test('an upload is a POST of a form with the one part file, of a known length', async () => {
    await using world = await openWorld({
      files: { 'small.txt': 'text', 'streamed.txt': STREAMED },
    });
    const bodies = new Map<string, Buffer[]>();
    await runWell(world, {}, { onRequest: request => collect(bodies, request) });
    for (const request of uploads(world)) {
      assert.equal(request.headers['transfer-encoding'], undefined);
      assert.equal(request.contentLength, request.bodyBytes);
      const content = world.stored(pathOf(request)).toString();
      const body = Buffer.concat(bodies.get(pathOf(request)) ?? []).toString();
      assert.equal(body, formOf(request.headers['content-type'], pathOf(request), content));
    }
    assert.equal(uploads(world).length, 2);
  });

  const skip = onWindows('such names cannot be there');
  test('the target is the query path, percent-encoded, and the filename of the part', {
    skip,
  }, async () => {
    const names = ['a b+c.txt', '100%/ü#?&=.txt', "it's(1)!*~.txt", 'back\\slash'];
    await using world = await openWorld({
      files: Object.fromEntries(names.map(name => [name, name])),
    });
    await runWell(world, { target: '/srv/my app' });
    assert.deepEqual(
      new Set(uploads(world).map(pathOf)),
      new Set(names.map(name => `/srv/my app/${name}`)),
    );
    for (const request of uploads(world)) {
      // form-data turns a backslash into a slash; agents go by the path.
      assert.deepEqual(request.filenames, [pathOf(request).replaceAll('\\', '/')]);
      assert.doesNotMatch(request.url, /[+ #]/);
    }
    assert.ok(uploads(world).some(({ url }) => url.includes('my%20app%2Fa%20b%2Bc.txt')));
  });

  test('every request carries token, routing, Accept and a User-Agent of its own', async () => {
    await using world = await openWorld();
    await runWell(world);
    assert.equal(world.agent.requests.length, 2);
    for (const { headers } of world.agent.requests) {
      assert.equal(headers['x-access-token'], TOKEN);
      assert.equal(headers['svc-sandbox-id'], 'sandbox1');
      assert.equal(headers['svc-sandbox-port'], '49983');
      assert.equal(headers.accept, 'application/json');
      assert.match(headers['user-agent'] ?? '', /^sandbox-sync\/\d+\.\d+\.\d+$/);
    }
  });

  test('prefix, port and extra headers are as given, on uploads and stats', async () => {
    await using world = await openWorld({
      headerPrefix: 'E2b',
      sandboxPort: 8080,
      sandboxId: 'a--b_c',
    });
    const headers = 'X-Metadata-build: 42\n\n  X-Other :  with: colon  \n';
    await runWell(world, { 'header-prefix': 'E2b', port: '8080', 'sandbox-id': 'a--b_c', headers });
    assert.equal(world.agent.requests.length, 2);
    for (const request of world.agent.requests) {
      assert.equal(request.headers['e2b-sandbox-id'], 'a--b_c');
      assert.equal(request.headers['e2b-sandbox-port'], '8080');
      assert.equal(request.headers['svc-sandbox-id'], undefined);
      assert.equal(request.headers['x-metadata-build'], '42');
      assert.equal(request.headers['x-other'], 'with: colon');
    }
  });

  test('username, signature and expiration are in the query of uploads when given', async () => {
    await using world = await openWorld();
    const signature = 'v1_a+b/c=&d';
    await runWell(world, { username: 'root', signature, 'signature-expiration': '1767225600' });
    const [upload, stats] = world.agent.requests;
    const query = new URLSearchParams(upload?.url.replace(/^[^?]*/, ''));
    assert.deepEqual(Object.fromEntries(query), {
      path: 'a.txt',
      username: 'root',
      signature,
      signature_expiration: '1767225600',
    });
    assert.equal(stats?.url, '/metrics');
    assert.equal(world.stored('/root/a.txt').toString(), 'text');
  });

  test('what is empty is left out of the query', async () => {
    await using world = await openWorld();
    await runWell(world, { username: '', signature: ' ', 'signature-expiration': '' });
    assert.equal(uploads(world)[0]?.url, '/files?path=a.txt');
  });

  test('the operations have the paths given, below the path of base-url', async () => {
    await using world = await openWorld({
      uploadPath: '/pre/fix/up',
      statsPath: '/pre/fix/st/ats',
    });
    const inputs = {
      'base-url': `${world.agent.url}/pre/fix/`,
      'upload-path': '/up',
      'stats-path': '/st/ats',
    };
    assert.equal((await runWell(world, inputs)).outputs['cpu-count'], '4');
    assert.equal(world.stored('a.txt').toString(), 'text');
  });

  test('the placeholders of base-url are filled in', async () => {
    const prefix = '/kruise/sandbox1/8080';
    await using world = await openWorld({
      uploadPath: `${prefix}/files`,
      statsPath: `${prefix}/metrics`,
      sandboxPort: 8080,
    });
    await runWell(world, {
      'base-url': `${world.agent.url}/kruise/{sandbox-id}/{port}`,
      port: '8080',
    });
    assert.equal(world.stored('a.txt').toString(), 'text');
  });

  test('no more uploads are in flight than concurrency, nor fewer, over as many connections', async () => {
    await using world = await openWorld({
      files: manyFiles(60),
      faults: [{ on: 'upload', times: 8, do: { kind: 'delay', ms: 100 } }],
    });
    await runWell(world, { concurrency: '4' });
    assert.equal(world.agent.maxInFlight, 4);
    assert.equal(world.agent.connections(), 4);
    assert.equal(uploads(world).length, 60);
  });

  test('one upload after the other takes one connection', async () => {
    await using world = await openWorld({ files: { ...manyFiles(10), streamed: STREAMED } });
    await runWell(world, { concurrency: '1' });
    assert.equal(world.agent.maxInFlight, 1);
    assert.equal(world.agent.connections(), 1);
  });
});

function collect(bodies: Map<string, Buffer[]>, request: IncomingMessage): void {
  if (request.method !== 'POST') return;
  const chunks: Buffer[] = [];
  bodies.set(pathOf(request), chunks);
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
}

function formOf(contentType: string | undefined, filename: string, content: string): string {
  const [, boundary] = /^multipart\/form-data; boundary=(\S+)$/.exec(contentType ?? '') ?? [];
  assert.ok(boundary !== undefined);
  const head = `Content-Disposition: form-data; name="file"; filename="${filename}"`;
  return `--${boundary}\r\n${head}\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n--${boundary}--\r\n`;
}
