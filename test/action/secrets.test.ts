import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FaultAction } from '../../local-agent/faults.ts';
import { openWorld, type Result, runAction, runBadly, runWell } from './harness.ts';
import { spellings } from './spellings.ts';

const TOKENS: Readonly<Record<string, string>> = {
  plain: 'zq-7plain-token-0815',
  awkward: 'zq-7"\\tok/en+=%41&<é>~?>',
};

/** What all tokens begin with: not even a part of one may come out. */
const BEGINNING = 'zq-7';

const SIGNATURE = 'v1_sig/na+ture=';

/** Every character as an escape of JSON. */
function escapedAll(text: string): string {
  return Array.from(text, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(
    '',
  );
}

function assertKept(result: Result, token: string): void {
  const forms = [...spellings(token), ...spellings(SIGNATURE), escapedAll(token), BEGINNING];
  // A report escapes what was escaped before.
  forms.push(JSON.stringify(escapedAll(token)).slice(1, -1));
  for (const line of result.everything.split('\n')) {
    if (line.startsWith('::add-mask::')) continue;
    for (const form of forms) assert.ok(!line.includes(form), `${form} is in: ${line.slice(0, 500)}`);
  }
}

/** Bodies of an error that repeat what was sent. */
function echoes(secret: string): Readonly<Record<string, string>> {
  return {
    'JSON message': JSON.stringify({ message: `sent ${spellings(secret).join(' and ')}.` }),
    'escaped JSON message': `{"message":"sent ${escapedAll(secret)}"}`,
    'escaped JSON of another shape': `{"detail":{"sent":"${escapedAll(secret)}"}}`,
    'JSON of another shape': JSON.stringify({ detail: [secret] }),
    text: `sent ${secret}, ${encodeURIComponent(secret)}`,
    'text that is cut': `${'x'.repeat(295)}${secret}`,
    'text with much space': `${' '.repeat(16_380)}${secret}`,
    signature: `sent signature=${SIGNATURE}`,
  };
}

suite('the token and the signature stay secret', { concurrency: 2 }, () => {
  for (const [kind, token] of Object.entries(TOKENS)) {
    const inputs = { token, signature: SIGNATURE, retries: '0' };

    for (const debug of ['', '1']) {
      test(`in a good run with a ${kind} token and RUNNER_DEBUG=${debug}`, async () => {
        await using world = await openWorld({ token });
        const result = await runWell(world, inputs, { env: { RUNNER_DEBUG: debug } });
        assert.equal(result.lines[0], `::add-mask::${token.replaceAll('%', '%25')}`);
        assert.ok(result.lines.includes(`::add-mask::${SIGNATURE}`));
        assertKept(result, token);
      });
    }

    for (const [shape, body] of Object.entries(echoes(token))) {
      test(`when errors repeat a ${kind} token: ${shape}`, async () => {
        const status: FaultAction = { kind: 'status', status: 400, body };
        await using world = await openWorld({ token, faults: [{ on: 'any', do: status }] });
        const result = await runBadly(world, inputs, { env: { RUNNER_DEBUG: '1' } });
        assertKept(result, token);
        assert.equal(result.annotations('error').length, 2);
      });
    }

    test(`when retries and the end of the transfer repeat a ${kind} token`, async () => {
      await using world = await openWorld({
        token,
        faults: [
          { on: 'upload', times: 1, do: { kind: 'status', status: 503, body: token } },
          { on: 'upload', do: { kind: 'status', status: 401, body: JSON.stringify({ error: token }) } },
        ],
      });
      const result = await runBadly(world, { ...inputs, retries: '1' });
      assert.match(result.stdout, /^Attempt 1 .* The agent said: "\*\*\*"/m);
      assertKept(result, token);
    });

    test(`when entry and stats repeat a ${kind} token`, async () => {
      const path = `/home/${spellings(token).join('/')}/${SIGNATURE}/a.txt`;
      const entry = JSON.stringify({ path, name: 'a.txt', type: 'file' });
      const stats = JSON.stringify({ note: [token, SIGNATURE], [token]: 1, url: encodeURIComponent(token) });
      await using world = await openWorld({
        token,
        faults: [{ on: 'upload', do: { kind: 'answer', body: entry } }],
        metrics: () => `${stats.slice(0, -1)},"ts":7,"escaped":"${escapedAll(token)}"}`,
      });
      const result = await runWell(world, inputs, { env: { RUNNER_DEBUG: '1' } });
      assertKept(result, token);
      assert.equal(result.outputs['ts'], '7');
      assert.match(result.outputs['stats'] ?? '', /^\{"note":\["\*\*\*","\*\*\*"\],/);
    });
  }

  test('when the network fails', async () => {
    const [token = ''] = Object.values(TOKENS);
    await using world = await openWorld({ token });
    await world.agent.close();
    const inputs = { token, signature: SIGNATURE, retries: '0' };
    assertKept(await runBadly(world, inputs, { env: { RUNNER_DEBUG: '1' } }), token);
  });

  test('whatever per cent signs are in them', async () => {
    for (const token of ['50%ff-token', '%', '%zz%41', '%e2%28%a1']) {
      await using world = await openWorld({ token });
      await runWell(world, { token });
    }
  });

  test('without breaking stats that hold a figure of the same digits', async () => {
    const token = '8589934592';
    await using world = await openWorld({ token });
    const result = await runAction(world, { token });
    assert.equal(result.outputs['uploaded-count'], '1', result.stdout);
    assert.equal(result.outputs['cpu-count'], '4');
  });
});
