import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { hasOpenssl, makeKeys } from '../../dev/agent/keys.ts';
import { onWindows } from '../system.ts';
import { everyCase } from '../telling.ts';
import { openWorld, runBadly, runWell, uploads } from './harness.ts';
import { openProxy } from './proxy.ts';

const skip = !hasOpenssl && 'needs openssl';

/** An agent that only the proxy can find: requests to this machine use no proxy. */
const BY_PROXY = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };

const FILES = { 'a.txt': 'text', 'b.bin': Buffer.alloc(1024 * 1024, 'b') };

const keys = hasOpenssl ? makeKeys() : { key: '', cert: '', certFile: '', [Symbol.dispose]() {} };
after(() => keys[Symbol.dispose]());

suite('a proxy', { concurrency: 2 }, () => {
  for (const [name, other] of [
    ['HTTP_PROXY'],
    ['http_proxy'],
    ['http_proxy', 'HTTP_PROXY'],
  ] as const) {
    const skip = other !== undefined && onWindows('it takes both for one variable');
    test(`named by ${name} takes everything${other === undefined ? '' : `, before ${other}`}`, {
      skip,
    }, async () => {
      await using world = await openWorld({ files: FILES });
      await using used = await openProxy({ agent: world.agent.url });
      await using unused = await openProxy({ agent: world.agent.url });
      const env = {
        ...(other && { [other]: `http://${unused.address}` }),
        [name]: `http://${used.address}`,
      };
      const result = await runWell(world, BY_PROXY, { env });
      assert.equal(result.outputs['uploaded-count'], '2');
      assert.deepEqual(world.stored('b.bin'), FILES['b.bin']);
      assert.deepEqual([...new Set(used.requests.map(({ host }) => host))], ['agent.test']);
      assert.equal(unused.requests.length, 0);
    });
  }

  test('named by HTTPS_PROXY tunnels TLS and never sees the token', { skip }, async () => {
    await using world = await openWorld({ files: FILES, tls: keys });
    await using proxy = await openProxy();
    const env = { HTTPS_PROXY: `http://${proxy.address}`, NODE_EXTRA_CA_CERTS: keys.certFile };
    await runWell(world, {}, { env });
    assert.deepEqual(world.stored('b.bin'), FILES['b.bin']);
    assert.ok(proxy.requests.length > 0);
    for (const { method, host } of proxy.requests) {
      assert.deepEqual([method, host], ['CONNECT', new URL(world.agent.url).host]);
    }
  });

  test('is passed by for what NO_PROXY names', { skip }, async () => {
    await using world = await openWorld({ tls: keys });
    await using proxy = await openProxy();
    for (const NO_PROXY of ['example.com,127.0.0.1', ...(everyCase ? ['127.0.0.1', '*'] : [])]) {
      const env = {
        HTTPS_PROXY: `http://${proxy.address}`,
        NO_PROXY,
        NODE_EXTRA_CA_CERTS: keys.certFile,
      };
      await runWell(world, {}, { env });
    }
    assert.equal(proxy.requests.length, 0);
  });

  test('never gets the token that goes in clear to this machine alone', async () => {
    await using world = await openWorld();
    await using proxy = await openProxy();
    await runWell(world, {}, { env: { HTTP_PROXY: `http://${proxy.address}` } });
    assert.equal(proxy.requests.length, 0);
    assert.equal(uploads(world).length, 1);
  });

  test('is told its credentials, and nobody else is', async () => {
    await using world = await openWorld();
    await using proxy = await openProxy({ agent: world.agent.url });
    const [http_proxy, HTTPS_PROXY] = ['user', 'other'].map(
      user => `http://${user}:p%40ss-word@${proxy.address}`,
    );
    const result = await runWell(world, BY_PROXY, {
      env: { http_proxy, HTTPS_PROXY, RUNNER_DEBUG: '1' },
    });
    const authorization = `Basic ${btoa('user:p@ss-word')}`;
    assert.ok(proxy.requests.length > 0);
    assert.ok(proxy.requests.every(request => request.authorization === authorization));
    assert.ok(
      world.agent.requests.every(({ headers }) => headers['proxy-authorization'] === undefined),
    );
    for (const form of ['p@ss-word', 'p%2540ss-word'])
      assert.ok(result.lines.includes(`::add-mask::${form}`));
    assertNoPassword(result.everything);
    const body = 'p@ss-word and p%40ss-word';
    world.agent.addFaults({ on: 'any', do: { kind: 'status', status: 400, body } });
    const repeated = await runBadly(world, BY_PROXY, { env: { http_proxy, RUNNER_DEBUG: '1' } });
    assertNoPassword(repeated.lines.filter(line => line.startsWith('::debug::')).join('\n'));
  });

  test('that is not there is told of, without its password', async () => {
    await using world = await openWorld();
    const proxy = await openProxy();
    await proxy[Symbol.asyncDispose]();
    const env = { HTTP_PROXY: `http://user:p%40ss-word@${proxy.address}` };
    const result = await runBadly(world, { ...BY_PROXY, retries: '0' }, { env });
    assert.match(result.file('a.txt').error?.hint ?? '', /proxy/);
    assertNoPassword(result.everything);
    assert.equal(world.agent.connections(), 0);
  });

  for (const value of ['user:p@ss-word@host:3128', 'socks4://user:p%40ss-word@host:1080', 'foo']) {
    test(`that no URL names, as in ${value}, is refused by the name of its variable`, async () => {
      await using world = await openWorld();
      const inputs = { 'base-url': 'https://agent.test', retries: '0' };
      const result = await runBadly(world, inputs, { env: { HTTPS_PROXY: value } });
      const errors = result.annotations('error').join();
      assert.match(errors, /^https_proxy: .* is not the URL of an http, https or socks5 proxy/i);
      assert.match(errors, /NO_PROXY/);
      assertNoPassword(result.everything);
    });
  }

  test('that no URL names is passed by for what NO_PROXY names', async () => {
    await using world = await openWorld({ files: FILES });
    const env = { HTTP_PROXY: 'foo', HTTPS_PROXY: 'foo', NO_PROXY: '127.0.0.1' };
    await runWell(world, {}, { env });
    assert.equal(uploads(world).length, 2);
  });

  test('that refuses the connection is told of by its variable and address', async () => {
    await using world = await openWorld();
    const proxy = await openProxy();
    await proxy[Symbol.asyncDispose]();
    const env = { HTTP_PROXY: `http://${proxy.address}` };
    const result = await runBadly(world, { ...BY_PROXY, retries: '0' }, { env });
    const { message = '' } = result.file('a.txt').error ?? {};
    const refused = `the proxy in HTTP_PROXY, ${proxy.address}, refused the connection`;
    assert.ok(message.includes(refused), message);
  });
});

suite('TLS with a private CA', { concurrency: 2, skip }, () => {
  test('works with NODE_EXTRA_CA_CERTS', async () => {
    await using world = await openWorld({ files: FILES, tls: keys });
    await runWell(world, {}, { env: { NODE_EXTRA_CA_CERTS: keys.certFile } });
    assert.deepEqual(world.stored('b.bin'), FILES['b.bin']);
  });

  test('fails without it, names it, and sends nothing', async () => {
    await using world = await openWorld({ files: FILES, tls: keys });
    const result = await runBadly(world, { concurrency: '1' });
    assert.match(result.annotations('error').join(), /set NODE_EXTRA_CA_CERTS/);
    assert.equal(result.file('a.txt').attempts, 1);
    assert.deepEqual(
      [result.report.totals['failed'], result.report.totals['notAttempted']],
      [1, 1],
    );
    assert.equal(world.agent.requests.length, 0);
  });
});

function assertNoPassword(text: string): void {
  const others = text.replace(/^::add-mask::.*$/gm, '');
  for (const form of ['p@ss-word', 'p%40ss-word', btoa('user:p@ss-word')]) {
    assert.ok(!others.includes(form), `${form} is in ${others}`);
  }
}
