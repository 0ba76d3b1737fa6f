import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWorld, runWell } from '../../action/harness.ts';
import { openProxy } from '../../action/proxy.ts';

test('of two proxies the one in lower case is used, and the passwords of both are masked', async () => {
  await using world = await openWorld();
  await using used = await openProxy({ agent: world.agent.url });
  await using unused = await openProxy({ agent: world.agent.url });
  const env = {
    http_proxy: `http://user:lower%21case@${used.address}`,
    HTTP_PROXY: `http://user:upper%21case@${unused.address}`,
  };
  const inputs = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };
  const result = await runWell(world, inputs, { env });
  assert.ok(used.requests.length > 0);
  assert.equal(unused.requests.length, 0);
  for (const secret of ['lower!case', 'lower%21case', 'upper!case', 'upper%21case']) {
    const command = `::add-mask::${secret.replace('%', '%25')}`;
    assert.ok(result.lines.includes(command), `${command} is not in ${result.stdout}`);
    assert.ok(!result.everything.replaceAll(/^::add-mask::.*$/gm, '').includes(secret));
  }
});
