import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { suite, test } from 'node:test';
import { closeWith, listenHere } from '../listening.ts';
import { everyFourth } from '../telling.ts';
import { type Inputs, openFaulty, openWorld, runAction, runBadly } from './harness.ts';
import { openProxy } from './proxy.ts';

/** Inputs that are refused before anything is sent, with the error. */
const REFUSED: readonly (readonly [inputs: Inputs, says: RegExp])[] = [
  [{ token: 'ghp_0123456789abcdef' }, /^token: is GitHub's token\. Give the sandbox's access/],
  [{ token: '{"envdAccessToken":"abc"}' }, /^token: is the JSON of an answer\. Give only the tok/],
  [{ token: 'X-Access-Token: abcdefgh' }, /^token: begins with the name of the header\./],
  [{ token: '$SANDBOX_TOKEN' }, /^token: is for a shell to expand, and there is none\./],
  [{ token: 'secrets.TOKEN' }, /^token: is an expression without its braces\./],
  [{ token: '***' }, /^token: was copied from a log, where secrets are masked\./],
  [{ 'sandbox-id': 'steps.box.outputs.id' }, /^sandbox-id: is an expression without its braces/],
  [{ 'sandbox-id': '{"sandboxID":"i1"}' }, /^sandbox-id: is the JSON of an answer\. Give only/],
  [{ 'sandbox-id': 'e2b_0123456789' }, /^sandbox-id: is an API key\. Give the ID/],
  [
    { 'base-url': 'https://api.e2b.app', 'header-prefix': 'E2b' },
    /^base-url: .* is the API that manages sandboxes\./,
  ],
  [{ 'base-url': 'https://{{sandbox-id}}.x.io' }, /^base-url: .* Write \{sandbox-id\}, in single/],
  [{ 'base-url': 'https://<sandbox-id>.x.io' }, /^base-url: .* has <sandbox-id>\. Write \{sandb/],
  [{ 'base-url': 'localhost:49983' }, /^base-url: .* is not a URL\. Write https:\/\/ before it/],
  [{ 'base-url': '${{ vars.URL }}' }, /^base-url: contains a literal `\$\{\{`/],
  [{ target: '"app"' }, /^target: has the target "\\"app\\"", in quotation marks\. Remove them/],
  [{ target: 'me@sandbox:/srv' }, /^target: .*, with a host\. Write only the path/],
  [{ target: 'https://x.io/app' }, /^target: .*, which is a URL\. Write the path/],
  [{ target: 'app/*' }, /^target: .*, with a \*, which only patterns may have/],
  [
    { files: '$(pwd)/dist' },
    /^files: line 1, .* has the variable \$\(pwd\), which is not expanded/,
  ],
  [{ files: '$env:HOME/dist' }, /^files: line 1, .* has the variable \$env:HOME, /],
  [{ files: '%TEMP%/dist' }, /^files: line 1, .* has the variable %TEMP%, /],
  [{ shard: '0/4' }, /^shard: .* strategy\.job-index begins with 0\./],
  [{ 'signature-expiration': '2026-12-01' }, /^signature-expiration: .*: the Unix time in seconds/],
  [{ 'state-file': 's3://bucket/s.json' }, /^state-file: .* is a URL\. Name a file of the runner/],
  [{ 'state-file': 'true' }, /^state-file: "true" does not name a file\./],
  [{ 'state-file': '.cache/' }, /^state-file: "\.cache\/" does not name a file\./],
  [{ 'fail-if': '- mem_used_pct > 90' }, /: remove the dash: one condition per line, not a list\./],
  [{ 'fail-if': '"mem_used_pct > 90"' }, /: remove the quotes around it\./],
  [{ 'fail-if': '${{ env.GATE }}' }, /: the runner did not evaluate `\$\{\{`/],
  [{ 'fail-if': '90 < mem_used_pct' }, /: write the metric first, and the number after/],
  [{ 'fail-if': 'max(mem_used_pct) > 90' }, /: write mem_used_pct\.max instead\./],
  [{ 'fail-if': '$mem_used_pct > 90' }, /: begin with the metric alone/],
  [{ 'fail-if': 'mem_used > 1,000MiB' }, /: write the number without commas\./],
  [{ 'fail-if': 'mem_used_pct > 90 percent' }, /: there is no unit percent; did you mean %\?/],
  [{ 'fail-if': 'mem_used_pct above 90' }, /: there is no operator above; did you mean >\?/],
  [{ 'fail-if': 'disk_free < 10%' }, /: % does not fit disk_free, but disk_used_pct\./],
  [{ 'wait-until': '30s' }, /: it is a duration: use wait-timeout\. Example: wait-until: ready/],
  [{ 'wait-until': 'true' }, /: did you mean ready\? Example: wait-until: ready/],
];

/** Answers to an upload by an agent or something before it, with the advice. */
const ANSWERS: readonly (readonly [status: number, body: string, hint: RegExp])[] = [
  [402, 'quota exceeded', /look into your account/],
  [403, '<title>Attention Required! | Cloudflare</title>', /before the service refuses/],
  [405, '', /upload-path/],
  [410, 'sandbox is gone', /Check sandbox-id/],
  [431, '', /headers are too long/],
  [521, '<title>Web server is down</title>', /service is up/],
  [400, 'Invalid sandbox ID', /check header-prefix, sandbox-id/],
  [500, 'write /x: no space left on device', /disk is full/],
  [500, 'open /x: text file busy', /running this file/],
  [500, 'open /x: read-only file system', /Choose another/],
  [500, 'open /x: file name too long', /shorter target/],
];

suite('a mistake', { concurrency: 2 }, () => {
  for (const [inputs, says] of everyFourth(REFUSED)) {
    test(`such as ${JSON.stringify(inputs)} is refused, with what to do`, async () => {
      await using world = await openWorld();
      const result = await runBadly(world, inputs);
      assert.match(result.annotations('error').join(), says);
      assert.equal(world.agent.connections(), 0);
    });
  }

  for (const [status, body, hint] of everyFourth(ANSWERS)) {
    test(`that is answered ${status} ${body} gets its own advice`, async () => {
      await using world = await openFaulty({ kind: 'status', status, body });
      const result = await runBadly(world, { retries: '0' });
      assert.match(result.file('a.txt').error?.hint ?? '', hint);
    });
  }

  for (const line of everyFourth(['dist/.*\\.js', 'dist/!(a).js', '/dist/**', '^dist/.+$'])) {
    test(`in files, ${line}, is told what it is`, async () => {
      await using world = await openWorld({ files: { 'dist/b.txt': '' } });
      const [error = ''] = (await runBadly(world, { files: line })).annotations('error');
      assert.match(error, /regular expression|parentheses have no meaning|root of the file system/);
    });
  }

  for (const line of everyFourth(['dist/**;package.json', 'dist/**|app', ':!dist', '-dist/a'])) {
    test(`in files, ${line}, is told how to write it`, async () => {
      await using world = await openWorld({ files: { 'dist/b.txt': '' } });
      const [error = ''] = (await runBadly(world, { files: line })).annotations('error');
      assert.match(error, /on its own line, and => before|excludes files begins with !/);
    });
  }

  test('that leads to a redirect is told where it leads, without the query', async () => {
    const headers = { Location: 'https://other.test/files?signature=s' };
    await using world = await openFaulty({ kind: 'status', status: 308, headers });
    const { message = '' } = (await runBadly(world)).file('a.txt').error ?? {};
    assert.match(message, /answered 308 Permanent Redirect, which leads to other\.test\/files\.$/);
  });

  test('in username is told as the agent tells it', async () => {
    await using world = await openWorld();
    const { message = '', hint } =
      (await runBadly(world, { username: 'nobody2' })).file('a.txt').error ?? {};
    assert.match(message, /unknown user nobody2/);
    assert.equal(hint, 'Correct username.');
  });

  test('of a target below a file is told, and not tried again', async () => {
    await using world = await openWorld();
    mkdirSync(path.join(world.root, 'home/user'), { recursive: true });
    writeFileSync(path.join(world.root, 'home/user/taken'), '');
    const file = (await runBadly(world, { target: 'taken/x' })).file('a.txt');
    assert.match(file.error?.hint ?? '', /^Part of the target is a file in the sandbox/);
    assert.equal(file.attempts, 1);
  });

  test('of a batch that is too large sends its files one by one', async () => {
    const files = { 'a.txt': 'a', 'b.txt': 'b' };
    await using world = await openFaulty({ kind: 'status', status: 413 }, { times: 1 }, { files });
    const result = await runAction(world, { 'files-per-request': '2' });
    assert.equal(result.outputs['uploaded-count'], '2');
    assert.match(result.annotations('warning').join(), /each is sent alone/);
  });

  test('of http to a port with another protocol is told so at once', async () => {
    const sockets = new Set<Socket>();
    const server = createServer(socket => {
      sockets.add(socket);
      socket.on('error', () => {}).write('\x15\x03\x01\x00\x02\x02\x46');
    });
    await using _ = { [Symbol.asyncDispose]: () => closeWith(server, sockets) };
    const inputs = { 'base-url': `http://127.0.0.1:${await listenHere(server)}` };
    await using world = await openWorld();
    const file = (await runBadly(world, inputs)).file('a.txt');
    assert.match(file.error?.message ?? '', /the answer was not HTTP \(/);
    assert.match(file.error?.hint ?? '', /If it speaks TLS, base-url needs https/);
    assert.equal(file.attempts, 1);
  });

  test('of a proxy that does not allow the host is told by its variable', async () => {
    await using world = await openWorld();
    await using proxy = await openProxy({
      instead: client => client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'),
    });
    const env = { HTTPS_PROXY: `http://${proxy.address}` };
    const inputs = { 'base-url': 'https://agent.test' };
    const { message = '', hint } =
      (await runBadly(world, inputs, { env })).file('a.txt').error ?? {};
    assert.match(message, /the proxy in HTTPS_PROXY, 127\.0\.0\.1:\d+, does not allow agent\.test/);
    assert.match(hint ?? '', /Allow the host in the proxy/);
  });

  for (const [name, task, says] of everyFourth([
    ['INPUT_TARGET-DIR', 'upload', /^target-dir: is not an input: use target/],
    ['INPUT_INCLUDE', 'sync', /^include: is not an input: use files/],
    ['INPUT_FAIL-ON', 'stats', /^fail-on: is not an input: use fail-if/],
    ['INPUT_THRESHOLD', 'monitor', /^threshold: is not an input: use fail-if/],
    ['INPUT_FAIL-IF', 'upload', /^fail-if: is not an input of this action\. Use it in a step/],
  ] as const)) {
    test(`such as ${name} for ${task} is refused`, async () => {
      await using world = await openWorld();
      const result = await runBadly(world, {}, { task, env: { [name]: 'x' } });
      assert.match(result.annotations('error').join(), says);
    });
  }

  test('of a job without a checkout names the workspace', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, {}, { env: { GITHUB_WORKSPACE: '/no/such' } });
    assert.match(
      result.annotations('error').join(),
      /^working-directory: the workspace is not a directory on the runner \(\/no\/such\)/,
    );
  });
});
