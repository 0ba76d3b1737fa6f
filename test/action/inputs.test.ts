import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { everyFourth } from '../telling.ts';
import {
  type Inputs,
  openWorld,
  type Result,
  runAction,
  runBadly,
  runWell,
  TOKEN,
  type World,
} from './harness.ts';

/** For each input, a refused value and what the message must name: the value and what is valid. */
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
    const values = Object.fromEntries(
      Object.entries(WRONG).map(([name, [value]]) => [name, value]),
    );
    const result = await runRefused(world, values);
    const [error = '', ...others] = result.annotations('error');
    assert.deepEqual(others, []);
    const lines = error.split('\n');
    assert.equal(lines[0], '20 inputs are invalid; nothing was sent.');
    assert.equal(lines.length, 21);
    for (const [name, [, ...says]] of Object.entries(WRONG)) {
      const line = lines.find(candidate => candidate.startsWith(`${name}: `)) ?? assert.fail(name);
      for (const expected of [...says, new RegExp(`Example: ${name}: .`)])
        assert.match(line, expected);
    }
    assert.equal(result.outputs['uploaded-count'], '0');
    assert.match(result.summary, /^<h3>❌ Sandbox Sync: 20 inputs are invalid; nothing was sent\./);
  });

  const rounds = Math.max(...Object.values(ALSO_WRONG).map(({ length }) => length));
  for (let round = 0; round < rounds; round += 1) {
    const given = Object.fromEntries(
      Object.entries(ALSO_WRONG).flatMap(([name, { [round]: value }]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    test(`that are refused: ${JSON.stringify(given)}`, async () => {
      await using world = await openWorld();
      const errors = (await runRefused(world, given)).annotations('error').join();
      for (const name of Object.keys(given))
        assert.match(errors, new RegExp(`^${name}: .*Example: ${name}: `, 'm'));
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
    assert.match(
      errors,
      /^sandbox-id: is undefined: check the id of the step .*\btoken: is null: .*token=…/ms,
    );
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
    for (const secret of ['s3cr3t-jwt', 'k3y-of-mine'])
      assert.ok(result.lines.includes(`::add-mask::${secret}`));
    const others = result.everything.replace(/^::add-mask::.*$/gm, '');
    assert.doesNotMatch(others, /s3cr3t-jwt|k3y-of-mine/);
    assert.match(others, /as-it-is/);
  });

  test('may allow http to a host that is no loopback address', async () => {
    await using world = await openWorld({ host: '0.0.0.0' });
    const { 'uploaded-count': count } = (await runWell(world, { 'allow-insecure-http': 'true' }))
      .outputs;
    assert.equal(count, '1');
    const refused = await runBadly(world);
    assert.match(
      refused.annotations('error').join(),
      /^base-url: .*token unencrypted.*allow-insecure-http/,
    );
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
    const names = [
      'port',
      'header-prefix',
      'upload-path',
      'stats-path',
      'retries',
      'timeout',
      'concurrency',
    ];
    const flags = [
      'dry-run',
      'summary',
      'follow-symlinks',
      'include-hidden-files',
      'if-no-files-found',
    ];
    const empty = Object.fromEntries([...names, ...flags].map(name => [name, ' \n']));
    const result = await runWell(world, {
      ...empty,
      token: ` ${TOKEN}\n`,
      files: '\n\n  **  \n# end\n',
    });
    assert.equal(result.outputs['uploaded-count'], '1');
    assert.match(result.summary, /^<h3>✅/);
  });

  test('of patterns that match nothing are reported once all inputs can be read', async () => {
    await using world = await openWorld({
      files: { 'a.txt': 'a', 'b/a.txt': 'b', 'tsconfig.json': '{}' },
    });
    const errors = async (inputs: Inputs) =>
      (await runRefused(world, inputs)).annotations('error').join();
    const files = 'none/**\na.txt\nb/a.txt\nnor/**';
    const invalid = await errors({ files: `${files}\nx => ../y`, port: '0', target: '~' });
    assert.match(invalid, /^3 inputs are invalid.*^port: .*^files: line 5.*^target: /ms);
    assert.doesNotMatch(invalid, /matches no file/);
    const unmatched = /^files: "none\/\*\*" matches .*^files: "nor\/\*\*" matches/ms;
    const all = await errors({ files });
    assert.match(all, unmatched);
    assert.match(all, /^files: .* would both go to/m);
    const stateful = await errors({ files: 'none/**\nnor/**', 'state-file': 'tsconfig.json' });
    assert.match(stateful, /^2 inputs are invalid.*^state-file: /ms);
    assert.match(stateful, unmatched);
  });

  test('of a working-directory that is not there are refused', async () => {
    await using world = await openWorld();
    for (const place of ['no-such', 'a.txt']) {
      const result = await runRefused(world, { 'working-directory': place });
      assert.match(
        result.annotations('error').join(),
        new RegExp(`^working-directory: "${place}" .*Example: `),
      );
    }
  });

  test('with the token in another input, a misspelled name and a wrong value are one error', async () => {
    await using world = await openWorld();
    const inputs = { username: `user ${TOKEN}`, port: '0' };
    const env = { INPUT_FAILIF: 'cpu_count > 0' };
    const result = await runRefused(world, inputs, { env });
    assert.match(
      result.annotations('error').join(),
      /^3 inputs are invalid.*^username: contains the token .*^port: .*^failif: .* Did you mean fail-if/ms,
    );
    assert.doesNotMatch(result.everything.replace(/^::add-mask::.*$/gm, ''), new RegExp(TOKEN));
  });

  test('with short values of headers that look secret leave paths as they are', async () => {
    await using world = await openWorld({ files: { 'releases/v1/a.js': 'a' } });
    const result = await runWell(world, { headers: 'X-Cache-Key: v1', files: 'releases/**' });
    assert.match(result.outputs['uploaded'] ?? '', /"path":"\/home\/user\/v1\/a\.js"/);
    assert.equal(result.report.files[0]?.source, 'releases/v1/a.js');
    assert.ok(!result.lines.includes('::add-mask::v1'));
  });

  const NAMES: Readonly<Record<string, RegExp>> = {
    exclude: /^exclude: is not an input: write !\*\*\/\*\.map in files\./,
    ignore: /^ignore: is not an input: write !\*\*\/\*\.map in files\./,
    path: /^path: is not an input: use files\./,
    source: /^source: is not an input: use files\./,
    dest: /^dest: is not an input: use target\./,
    destination: /^destination: is not an input: use target\./,
  };
  for (const [name, says] of everyFourth(Object.entries(NAMES))) {
    test(`named ${name}, as other actions have it, are refused`, async () => {
      await using world = await openWorld();
      const env = { [`INPUT_${name.toUpperCase()}`]: 'x' };
      assert.match((await runRefused(world, {}, { env })).annotations('error').join(), says);
      await runWell(world, {}, { task: 'stats', env });
    });
  }

  const SLIPS: readonly (readonly [inputs: Inputs, says: RegExp])[] = [
    [{ token: 'e2b_0123456789abcdef' }, /^token: is an API key\./],
    [{ token: `"${TOKEN}"` }, /^token: is in quotation marks\./],
    [{ 'sandbox-id': '"i1a2b3"' }, /^sandbox-id: is in quotation marks\./],
    [{ token: `Bearer ${TOKEN}` }, /^token: begins with Bearer\./],
    [{ token: '${{ steps.box.outputs.token }}' }, /^token: contains a literal `\$\{\{`/],
    [{ 'base-url': 'https://sandbox.e2b.app' }, /^header-prefix: base-url is E2B's: set/],
    [{ 'base-url': 'https://x.io/files' }, /^base-url: .* ends in \/files, .* Remove it\./],
    [{ 'sandbox-id': 'https://49983-a.e2b.app' }, /^sandbox-id: .* is a URL\. Give only the ID/],
    [{ 'sandbox-id': '49983-a.e2b.app' }, /^sandbox-id: .* is a host name\. Give only the ID/],
    [{ files: '["dist/**"]' }, /^files: line 1, .* is a list\. Write each pattern/],
    [{ files: 'https://x.io/a' }, /^files: line 1, .* is a URL\. Download it/],
    [{ files: '$GITHUB_WORKSPACE/a' }, /^files: line 1, .* has the variable \$GITHUB_WORKSPACE/],
    [{ files: '${{ env.DIST }}/a' }, /^files: line 1, .* contains a literal `\$\{\{`/],
    [{ files: 'a.txt => ~bob/x' }, /^files: line 1, .* ~bob is not expanded/],
    [{ target: 'a\u200bb' }, /^target: has the invisible character \\u\{200b\}/],
    [{ 'state-file': '~/.s.json' }, /^state-file: .*: ~ is not expanded/],
    [{ 'state-file': 'a\nb' }, /^state-file: .* the invisible character \\n/],
  ];
  for (const [inputs, says] of everyFourth(SLIPS)) {
    test(`such as ${JSON.stringify(inputs)} are refused before anything is sent`, async () => {
      await using world = await openWorld();
      const result = await runRefused(world, inputs);
      assert.match(result.annotations('error').join(), says);
      const own = result.everything.replace(/^::add-mask::.*$/gm, '');
      assert.doesNotMatch(own, new RegExp(`0123456789abcdef|Bearer ${TOKEN}`));
    });
  }
});

suite('the environment', { concurrency: 2 }, () => {
  test('without the check of certificates is warned of', async () => {
    await using world = await openWorld();
    const warnings = async (env: Record<string, string>) =>
      (await runAction(world, {}, { env })).annotations('warning').join();
    const off = await warnings({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    assert.match(off, /^NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates/);
    assert.equal(await warnings({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }), '');
  });

  test('with a file of certificates that cannot be read is warned of', async () => {
    await using world = await openWorld();
    const env = { NODE_EXTRA_CA_CERTS: 'x.pem' };
    assert.deepEqual((await runAction(world, {}, { env })).annotations('warning'), [
      'NODE_EXTRA_CA_CERTS is set to "x.pem", which cannot be read.',
    ]);
  });
});
