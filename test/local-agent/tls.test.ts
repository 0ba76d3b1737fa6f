import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { HEADERS, openSandbox } from './harness.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

function makeKeys(): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), 'local-agent-tls-'));
  const [key, cert] = [join(directory, 'key'), join(directory, 'cert')];
  const options =
    '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1';
  const { status, stderr } = spawnSync('openssl', [
    'req',
    ...options.split(' '),
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  assert.equal(status, 0, String(stderr));
  const keys = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(directory, { recursive: true });
  return keys;
}

test('with keys the agent speaks HTTPS, and can reset that too', {
  skip: !hasOpenssl && 'needs openssl',
}, async () => {
  const tls = makeKeys();
  await using sandbox = await openSandbox({
    tls,
    faults: [{ on: 'stats', skip: 1, do: { kind: 'reset', at: 'before-body' } }],
  });
  assert.match(sandbox.agent.url, /^https:/);
  const get = () =>
    request(`${sandbox.agent.url}/metrics`, { ca: tls.cert, headers: HEADERS, agent: false }).end();
  const [response] = await once(get(), 'response');
  assert.match(await text(response), /"cpu_count"/);
  await assert.rejects(once(get(), 'response'), { code: 'ECONNRESET' });
  assert.equal(sandbox.agent.connections(), 2);
});
