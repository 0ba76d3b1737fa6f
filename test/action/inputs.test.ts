import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Inputs, openWorld, type Result, runBadly, runWell, TOKEN, type World } from './harness.ts';

/** Each input with a value that is refused, and what the message must say: the value, what is valid. */
const WRONG: Readonly<Record<string, readonly [value: string, ...says: readonly RegExp[]]>> = {
  'sandbox-id': ['', /is empty/],
  token: ['', /is empty/],
  'base-url': ['http://sandbox.example.com', /"http:\/\/sandbox\.example\.com"/, /https/],
  'allow-insecure-http': ['perhaps', /"perhaps"/, /true nor false/],
  port: ['65536', /"65536"/, /1 to 65535/],
  'header-prefix': ['two words', /"two words"/, /header/],
  'upload-path': ['files', /"files"/, /begins with a slash/],
  'stats-path': ['/a?b', /"\/a\?b"/, /begins with a slash/],
  headers: ['no colon here', /line 1/, /Name: value/],
  files: ['# nothing', /required/],
  target: ['../up', /"\.\.\/up"/, /\.\./],
  'signature-expiration': ['soon', /"soon"/, /whole number/],
  'if-no-files-found': ['fail', /"fail"/, /error, warn, ignore/],
  'include-hidden-files': ['yes', /"yes"/, /true nor false/],
  'follow-symlinks': ['1', /"1"/, /true nor false/],
  concurrency: ['101', /"101"/, /1 to 100/],
  retries: ['11', /"11"/, /0 to 10/],
  timeout: ['60', /"60"/, /ms, s, m/],
  'dry-run': ['no', /"no"/, /true nor false/],
  summary: ['on', /"on"/, /true nor false/],
};

/** Further values that are refused. */
const ALSO_WRONG: Readonly<Record<string, readonly string[]>> = {
  'sandbox-id': ['a\nb', 'ü€'],
  'base-url': [
    '',
    'sandbox.example.com',
    'ftp://example.com',
    'https://example.com/?a=b',
    'https://example.com/#a',
    'https://{id}.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
  ],
  port: ['0', '-1', '1.5', '0x50', 'http'],
  'upload-path': ['/a/../b', '//host/files', '/a b'],
  headers: [
    'A: 1\na: 2',
    ': no name',
    'x-access-token: mine',
    'Svc-Sandbox-Id: mine',
    'svc-sandbox-port: 1',
    'Accept: text/html',
    'User-Agent: curl',
    'Content-Type: text/plain',
    'Content-Length: 1',
    'Transfer-Encoding: chunked',
    'Host: example.com',
    'Connection: close',
  ],
  files: [
    '',
    '!a.txt',
    'a.txt =>',
    '!a.txt => b',
    'x/../a.txt',
    'a.txt => ../b',
    '**.txt',
    'a.txt\n!x**',
    '* => $HOME/a',
  ],
  target: ['$HOME/a', '${HOME}/a', '$(pwd)', '%TEMP%'],
  'signature-expiration': ['-1', '1.5'],
  concurrency: ['0', '1.5', 'many'],
  retries: ['-1', 'x'],
  timeout: ['0s', '-1s', '10 s', 'PT1S', '1d'],
};

async function runRefused(world: World, inputs: Inputs, options = {}): Promise<Result> {
  const result = await runBadly(world, inputs, options);
  assert.equal(world.agent.connections(), 0);
  assert.deepEqual(result.report.files, []);
  return result;
}

suite('inputs', { concurrency: 2 }, () => {
  test('that are wrong are reported together, with value, rule and example, and nothing is sent', async () => {
    await using world = await openWorld();
    const values = Object.fromEntries(Object.entries(WRONG).map(([name, [value]]) => [name, value]));
    const result = await runRefused(world, values);
    const [error = '', ...others] = result.annotations('error');
    assert.deepEqual(others, []);
    const lines = error.split('\n');
    assert.match(lines[0] ?? '', /\b20\b.*Nothing was sent/);
    assert.equal(lines.length, 21);
    for (const [name, [, ...says]] of Object.entries(WRONG)) {
      const line = lines.find(candidate => candidate.startsWith(`${name}: `)) ?? assert.fail(name);
      for (const expected of [...says, new RegExp(`Example: ${name}: .`)]) assert.match(line, expected);
    }
    assert.equal(result.outputs['uploaded-count'], '0');
    assert.match(result.summary, /\b20\b.*Nothing was sent/);
  });

  const rounds = Math.max(...Object.values(ALSO_WRONG).map(({ length }) => length));
  for (let round = 0; round < rounds; round += 1) {
    const given = Object.fromEntries(
      Object.entries(ALSO_WRONG).flatMap(([name, { [round]: value }]) => (value === undefined ? [] : [[name, value]])),
    );
    test(`that are refused: ${JSON.stringify(given)}`, async () => {
      await using world = await openWorld();
      const errors = (await runRefused(world, given)).annotations('error').join();
      for (const name of Object.keys(given)) assert.match(errors, new RegExp(`^${name}: .*Example: ${name}: `, 'm'));
    });
  }

  test('with credentials in base-url are refused without repeating them', async () => {
    await using world = await openWorld();
    for (const url of ['https://user:passw0rd@example.com', 'https://passw0rd@example.com:x']) {
      const { everything } = await runRefused(world, { 'base-url': url });
      assert.match(everything, /base-url: /);
      assert.doesNotMatch(everything, /passw0rd/);
    }
  });

  test('with a token that no header can hold are refused without repeating it', async () => {
    await using world = await openWorld();
    const result = await runRefused(world, { token: 'first-half\nsecond-half', port: '0' });
    assert.match(result.annotations('error').join(), /token: .*header.*\n?port: /s);
    const others = result.everything.replace(/^::add-mask::.*$/gm, '');
    assert.doesNotMatch(others, /(first|second)-half/);
  });

  test('that came from nothing are refused, and what stands for nothing is not masked', async () => {
    await using world = await openWorld();
    const result = await runRefused(world, { token: 'null', 'sandbox-id': 'undefined' });
    const errors = result.annotations('error').join();
    assert.match(errors, /^sandbox-id: is undefined: check the id of the step .*\btoken: is null: .*token=…/ms);
    assert.doesNotMatch(result.everything, /^::add-mask::(null|undefined)$/m);
  });

  test('under a name that is close to that of an input are refused with all else, and others passed over', async () => {
    await using world = await openWorld();
    const env = { INPUT_FAILIF: 'cpu_count > 0', INPUT_FILE: 'x', INPUT_PROXY: 'y' };
    const [error = ''] = (await runRefused(world, { port: '0' }, { env })).annotations('error');
    assert.match(
      error,
      /^port: .*\nfailif: is not an input\. Did you mean fail-if\?\nfile: .* Did you mean files\?$/ms,
    );
    await runWell(world, {}, { env: { INPUT_PROXY: 'y' } });
  });

  test('with headers that are secret are masked and taken out of answers', async () => {
    const headers = 'Authorization: Bearer s3cr3t-jwt\nX-Api-Key: k3y-of-mine\nX-Plain: as-it-is';
    const message = 'not for s3cr3t-jwt with k3y-of-mine, as-it-is';
    await using world = await openWorld({
      faults: [{ on: 'upload', do: { kind: 'status', status: 400, body: message } }],
    });
    const result = await runBadly(world, { headers });
    for (const secret of ['s3cr3t-jwt', 'k3y-of-mine']) assert.ok(result.lines.includes(`::add-mask::${secret}`));
    const others = result.everything.replace(/^::add-mask::.*$/gm, '');
    assert.doesNotMatch(others, /s3cr3t-jwt|k3y-of-mine/);
    assert.match(others, /as-it-is/);
  });

  test('may allow http to a host that is no loopback address', async () => {
    await using world = await openWorld({ host: '0.0.0.0' });
    const { 'uploaded-count': count } = (await runWell(world, { 'allow-insecure-http': 'true' })).outputs;
    assert.equal(count, '1');
    const refused = await runBadly(world);
    assert.match(refused.annotations('error').join(), /^base-url: .*token unencrypted.*allow-insecure-http/);
    assert.equal(world.agent.requests.length, 2);
  });

  test('may be http to each spelling of a loopback address', async () => {
    await using world = await openWorld();
    const { port } = new URL(world.agent.url);
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
      await runWell(world, { 'base-url': `http://${host}:${port}`, 'dry-run': 'true' });
    }
  });

  test('that are empty or padded are as if not given', async () => {
    await using world = await openWorld();
    const names = ['port', 'header-prefix', 'upload-path', 'stats-path', 'retries', 'timeout', 'concurrency'];
    const flags = ['dry-run', 'summary', 'follow-symlinks', 'include-hidden-files', 'if-no-files-found'];
    const empty = Object.fromEntries([...names, ...flags].map(name => [name, ' \n']));
    const result = await runWell(world, { ...empty, token: ` ${TOKEN}\n`, files: '\n\n  **  \n# end\n' });
    assert.equal(result.outputs['uploaded-count'], '1');
    assert.match(result.summary, /^<h3>✅/);
  });

  test('of patterns that find nothing are reported with all others', async () => {
    await using world = await openWorld({ files: { 'a.txt': 'a', 'b/a.txt': 'b', 'tsconfig.json': '{}' } });
    const errors = async (inputs: Inputs) => (await runRefused(world, inputs)).annotations('error').join();
    const files = 'none/**\na.txt\nx => ../y\n!.*\nb/a.txt\nnor/**';
    const unmatched = /^files: "none\/\*\*" matches .*^files: "nor\/\*\*" matches/ms;
    const all = await errors({ files, port: '0', 'include-hidden-files': 'yes', target: '~' });
    assert.match(all, /^The inputs have 7 problems/);
    for (const says of [/^port: /m, /^files: line 3/m, /^target: /m, unmatched, /^files: .* would both go to/m])
      assert.match(all, says);
    assert.doesNotMatch(await errors({ files, port: '0', 'if-no-files-found': 'ignore' }), /matches no file/);
    const stateful = await errors({ files: 'none/**\nnor/**', 'state-file': 'tsconfig.json' });
    assert.match(stateful, /^The inputs have 3 problems.*^state-file: /ms);
    assert.match(stateful, unmatched);
  });

  test('of a working-directory that is not there are refused', async () => {
    await using world = await openWorld();
    for (const place of ['no-such', 'a.txt']) {
      const result = await runRefused(world, { 'working-directory': place });
      assert.match(result.annotations('error').join(), new RegExp(`^working-directory: "${place}" .*Example: `));
      const all = (await runRefused(world, { 'working-directory': place, port: '0', files: '' })).annotations('error');
      assert.match(all.join(), /^The inputs have 3 problems.*^port: .*^files: is required.*^working-directory: /ms);
    }
  });
});
