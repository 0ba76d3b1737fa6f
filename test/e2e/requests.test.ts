import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { expectSuccess } from './run-action.ts';
import { openScriptedAgent } from './scripted-agent.ts';
import { type Files, openJob, TOKEN } from './test-job.ts';

const NAMES = ['a b+c.txt', '100%/ü#?&=.txt', "it's(1)!*~.txt", 'back\\slash'].filter(canBeNamed);

test('an upload is a POST of a form with one part and a Content-Length, to /files?path=', async () => {
  const large = randomBytes(128 * 1024)
    .toString('hex')
    .concat('x');
  const files: Files = { ...Object.fromEntries(NAMES.map(name => [name, name])), large };
  await using server = await openScriptedAgent();
  await using job = await openJob({ files });
  await expectSuccess(job, { 'base-url': server.url, target: '/srv/my app' });
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

test('header prefix, port, headers, username, signature and paths are sent as given', async () => {
  const prefix = '/pre/a--b_c/8080';
  await using job = await openJob({
    headerPrefix: 'E2b',
    sandboxPort: 8080,
    sandboxId: 'a--b_c',
    uploadPath: `${prefix}/up`,
    statsPath: `${prefix}/st/ats`,
  });
  const signature = 'v1_a+b/c=&d';
  await expectSuccess(job, {
    'base-url': `${job.agent.url}/pre/{sandbox-id}/{port}/`,
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
  assert.equal(job.agent.requests.length, 2);
  for (const { headers } of job.agent.requests) {
    assert.deepEqual(
      ['e2b-sandbox-id', 'e2b-sandbox-port', 'x-metadata-build', 'x-other'].map(
        name => headers[name],
      ),
      ['a--b_c', '8080', '42', 'with: colon'],
    );
    assert.equal(headers['svc-sandbox-id'], undefined);
  }
  const [upload, stats] = job.agent.requests;
  const query = new URL(upload?.url ?? '', job.agent.url).searchParams;
  assert.deepEqual(Object.fromEntries(query), {
    path: 'a.txt',
    username: 'root',
    signature,
    signature_expiration: '1767225600',
  });
  assert.equal(stats?.url, `${prefix}/st/ats`);
  assert.equal(stats?.headers['cache-control'], 'no-cache');
  assert.equal(job.readStored('/root/a.txt').toString(), 'text');
});

// form-data turns backslashes of a filename into slashes; agents use the query's path instead.
function formOf(boundary: string | undefined, target: string, content: string): string {
  const filename = target.replaceAll('\\', '/');
  const head = `Content-Disposition: form-data; name="file"; filename="${filename}"`;
  return `--${boundary}\r\n${head}\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n--${boundary}--\r\n`;
}
