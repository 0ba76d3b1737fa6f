import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openWorld, type Result, runAction } from './harness.ts';
import { openProxy } from './proxy.ts';
import { spellings } from './spellings.ts';

const ON = { env: { RUNNER_DEBUG: '1' } };

const HOSTILE = 'x\n::error::forged\r\n##[error]forged\u001b[2J ##[group]x\u202e::stop-commands::t';

const SECRETS = {
  token: 'zq-7"\\tok/en+=%41&<é>~?>',
  signature: 'v1_sig/na+ture=',
  header: 'hush-7/hidden+value=',
  password: 'p@ss-word/+=',
};

/** Asserts that no line of the debug log holds a secret, as the runner shows it or as it is written. */
function assertKept({ lines }: Result): void {
  const debug = lines.filter(line => line.startsWith('::debug::'));
  assert.ok(debug.length > 20);
  const text = debug.flatMap(line => [line, line.replaceAll('%25', '%')]).join('\n');
  for (const form of Object.values(SECRETS).flatMap(spellings)) {
    assert.ok(!text.includes(form), `${form} is in ${text}`);
  }
}

const { token, signature, header, password } = SECRETS;
const INPUTS = { token, signature, headers: `X-Key: ${header}`, retries: '0' };
const ALL = Object.values(SECRETS).flatMap(spellings).join(' and ');

suite('the debug log keeps secrets', { concurrency: 2 }, () => {
  const bodies = { 'that is JSON': JSON.stringify({ message: ALL }), 'that is text': ALL };
  for (const [name, body] of Object.entries(bodies)) {
    test(`when an error repeats them in a body ${name}`, async () => {
      await using world = await openWorld({
        token,
        faults: [{ on: 'any', do: { kind: 'status', status: 400, body } }],
      });
      const userinfo = `user:${encodeURIComponent(password)}`;
      await using proxy = await openProxy({ agent: world.agent.url });
      const env = { ...ON.env, HTTP_PROXY: `http://${userinfo}@${proxy.address}` };
      const inputs = { ...INPUTS, 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };
      assertKept(await runAction(world, inputs, { env }));
    });
  }

  test('when names of files and stats repeat them', async () => {
    const metrics = { [token]: 1, [signature]: 2, [header]: 3, [encodeURIComponent(token)]: 4 };
    await using world = await openWorld({
      token,
      files: { 'v1_sig/na+ture=': 'x', 'hush-7/hidden+value=': 'x' },
      metrics: () => metrics,
    });
    assertKept(await runAction(world, INPUTS, ON));
  });

  test('when there is no answer', async () => {
    await using world = await openWorld({ token });
    await world.agent.close();
    assertKept(await runAction(world, INPUTS, ON));
  });
});

suite('the debug log is only shown', { concurrency: 2 }, () => {
  test('whatever an answer holds', async () => {
    await using world = await openWorld({
      faults: [{ on: 'upload', do: { kind: 'status', status: 400, body: HOSTILE } }],
      metrics: () => ({ [HOSTILE]: 1 }),
    });
    assertOnlyShown(await runAction(world, {}, ON));
  });

  test('whatever a file is called', {
    skip: process.platform === 'win32' && 'such names cannot be there',
  }, async () => {
    const files = Object.fromEntries([HOSTILE, '::error::x', '##[error]x', '%0A::error::x'].map(n => [n, n]));
    await using world = await openWorld({ files });
    assertOnlyShown(await runAction(world, { files: '**\n##[group]*' }, ON));
    assertOnlyShown(await runAction(world, { files: '**', 'files-per-request': '9' }, ON));
  });
});

/** Asserts that there are no commands beyond the action's own, and nothing that a terminal acts on. */
function assertOnlyShown({ lines, stdout }: Result): void {
  const commands = lines.filter(line => /^\s*::/.test(line) || line.includes('##['));
  for (const line of commands) assert.match(line, /^::(add-mask|debug|group|endgroup|warning|error)::/);
  assert.deepEqual(
    commands.filter(line => line.includes('##[')),
    [],
  );
  assert.equal(commands.filter(line => /^::(warning|error)::forged/.test(line)).length, 0);
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u);
}
