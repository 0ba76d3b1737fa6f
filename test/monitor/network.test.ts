import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { openProxy } from '../action/proxy.ts';
import { unlessLinux } from '../system.ts';
import { startJob, until } from './monitoring.ts';

const keys = hasOpenssl ? makeKeys() : { key: '', cert: '', certFile: '', [Symbol.dispose]() {} };
after(() => keys[Symbol.dispose]());

suite('a monitor', { skip: !hasOpenssl && 'needs openssl' }, () => {
  test('goes on after a proxy has swallowed a CONNECT for a while', async () => {
    const instead = (client: NodeJS.WritableStream) => void setTimeout(() => client.end(), 700);
    await using proxy = await openProxy({ instead, after: 1, times: 1 });
    const faults = [{ on: 'stats', times: 1, do: { kind: 'hang-up', at: 'after-body' } }] as const;
    const env = { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: keys.certFile };
    await using job = await startJob(
      { 'fail-if': 'mem_used_pct > 90' },
      { tls: keys, env, faults },
    );
    await until(() => proxy.requests.length >= 3 || undefined);
    await job.use(99, 2);
    const post = await job.post();
    assert.equal(post.exitCode, 1, post.stdout);
    assert.match(post.annotations('error').join('\n'), /^Memory peaked at 99 % \(limit 90 %\)/m);
  });

  for (const env of [
    { NODE_OPTIONS: '--no-warnings --use-openssl-ca' },
    { NODE_USE_SYSTEM_CA: '1' },
  ]) {
    const skip =
      'NODE_USE_SYSTEM_CA' in env && unlessLinux('the system keeps what it trusts elsewhere');
    test(`trusts what other steps trust by ${Object.entries(env).join()}`, { skip }, async () => {
      const trusting = { ...env, SSL_CERT_FILE: keys.certFile };
      await using job = await startJob({}, { tls: keys, env: trusting });
      const post = await job.post();
      assert.equal(post.exitCode, 0, post.stdout);
    });
  }
});
