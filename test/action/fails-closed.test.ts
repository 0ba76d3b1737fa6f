import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'node:test';
import { onWindows, unlessLinux } from '../system.ts';
import { METRICS, manyFiles, openWorld, runAction, runBadly, runWell, uploads } from './harness.ts';
import { openProxy, refusing } from './proxy.ts';

const BY_PROXY = { 'base-url': 'http://agent.test', 'allow-insecure-http': 'true' };

/** Node options that load a module, given as text, before the action. */
function before(code: string) {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

suite('what could leak or get lost', {
  concurrency: 2,
  skip: onWindows('its links are others'),
}, () => {
  test('a link to something hidden is left out, unless hidden files are wanted', async () => {
    const hidden = { '.git/config': 'secret', '.env': 'secret' };
    await using world = await openWorld({ files: { 'dist/a': 'a', ...hidden } });
    const links = { config: '../.git/config', env: '../.env', g: '../.git' };
    for (const [name, end] of Object.entries(links))
      symlinkSync(end, path.join(world.workspace, 'dist', name));
    const { outputs, report } = await runWell(world, { files: 'dist/**' });
    assert.equal(outputs['uploaded-count'], '1');
    const reason = 'a link to something hidden';
    assert.deepEqual(
      report.skipped,
      ['config', 'env', 'g/config'].map(name => ({ path: `dist/${name}`, reason })),
    );
    const all = await runWell(world, { files: 'dist/**', 'include-hidden-files': 'true' });
    assert.equal(all.outputs['uploaded-count'], '4');
  });

  test('a root outside the workspace that is a link is bound like any other', async () => {
    await using world = await openWorld();
    mkdirSync(path.join(world.outside, 'secret'));
    writeFileSync(path.join(world.outside, 'secret/key'), 'secret');
    symlinkSync('secret', path.join(world.outside, 'out'));
    for (const files of [`${world.outside}/out`, `${world.outside}/out/**`]) {
      const result = await runBadly(world, { files });
      assert.match(
        result.annotations('error').join(),
        /out is a link to .*secret, outside the workspace/,
      );
    }
    assert.equal(world.agent.connections(), 0);
  });

  test('a user name alone is a credential of the proxy', async () => {
    await using world = await openWorld();
    await using proxy = await openProxy({ agent: world.agent.url });
    const body = `lonely-token ${btoa('lonely-token')}`;
    world.agent.addFaults({ on: 'any', do: { kind: 'status', status: 400, body } });
    const env = { http_proxy: `http://lonely-token@${proxy.address}` };
    const { lines, everything } = await runBadly(world, BY_PROXY, { env });
    assert.ok(lines.includes('::add-mask::lonely-token'));
    const shown = everything.replace(/^::add-mask::.*$/gm, '');
    for (const form of body.split(' ')) assert.ok(!shown.includes(form), shown);
  });

  test('a token is taken out of numbers, and of the first of two values of one name', async () => {
    await using world = await openWorld({
      token: '1234567890',
      metrics: () => ({ ...METRICS, echo: 1234567890 }),
    });
    const inputs = { token: '1234567890' };
    const shown = (text: string) => text.replace(/^::add-mask::.*$/gm, '');
    const number = await runAction(world, inputs, { task: 'stats' });
    assert.doesNotMatch(shown(number.everything), /1234567890/);
    const body = `{"a":"\\u0031234567890","a":1,${JSON.stringify(METRICS).slice(1)}`;
    world.agent.addFaults({ on: 'stats', do: { kind: 'answer', body } });
    const twice = await runWell(world, inputs, { task: 'stats' });
    assert.doesNotMatch(twice.everything, /\\u0031/);
  });

  test('a token that stands in another input is not quoted, cut or shown', async () => {
    await using world = await openWorld();
    for (const token of [`${'long-'.repeat(60)}`, 'it\\"is=quoted']) {
      const strays = {
        samples: token,
        'base-url': `${world.agent.url}/${encodeURIComponent(token)}`,
        files: `${token}/a`,
      };
      for (const [name, value] of Object.entries({ ...strays, 'sandbox-id': `it is ${token}` })) {
        const result = await runBadly(world, { token, [name]: value, 'fail-if': 'ts > 1' });
        assert.match(
          result.annotations('error').join(),
          RegExp(`^${name}: contains the token or another secret, which`),
        );
        const shown = result.everything.replace(/^::add-mask::.*$/gm, '');
        assert.doesNotMatch(shown, /long-long|is(=|%3D)quoted/);
      }
    }
    assert.equal(world.agent.connections(), 0);
  });

  test('a base URL without a host, or with white space in it, is refused', async () => {
    await using world = await openWorld();
    for (const url of ['https:///{sandbox-id}/x', 'https://a\tb/x', 'https:// {sandbox-id}.host']) {
      const result = await runBadly(world, { 'base-url': url });
      assert.match(result.annotations('error').join(), /base-url: .* is not a URL/);
    }
  });
});

suite('what could keep a run from its end', {
  concurrency: 2,
  skip: onWindows('its links and signals are others'),
}, () => {
  test('a search through folders that link to each other ends as the job is cancelled', async () => {
    await using world = await openWorld();
    const names = Array.from({ length: 12 }, (_, index) => `d${index}`);
    for (const name of names) mkdirSync(path.join(world.workspace, name));
    for (const [from, to] of names.flatMap(from => names.map(to => [from, to]))) {
      if (from !== to) symlinkSync(`../${to}`, path.join(world.workspace, from ?? '', to ?? ''));
    }
    const late = before(
      "process.once('SIGINT',()=>{});setTimeout(()=>process.kill(process.pid,'SIGINT'),1500)",
    );
    const start = performance.now();
    const result = await runBadly(world, {}, { env: late });
    assert.ok(performance.now() - start < 1500 + 5000);
    assert.deepEqual(
      [result.report.cancelled, result.outputs['uploaded-count']],
      [true, '0'],
      result.stdout,
    );
    assert.equal(world.agent.connections(), 0);
  });

  test('the list of what is left out is cut in the log', async () => {
    await using world = await openWorld();
    for (let index = 0; index < 1100; index += 1)
      symlinkSync('a.txt', path.join(world.workspace, `l${index}`));
    const { lines, report } = await runWell(world, { 'follow-symlinks': 'false' });
    assert.equal(report.skipped.length, 1100);
    assert.equal(lines.filter(line => line.startsWith('skipped: ')).length, 1000);
  });

  test('a closed log does not keep outputs and verdict from being written', async () => {
    await using world = await openWorld();
    const closed = before(
      "process.stdout.write=()=>{process.stdout.emit('error',Object.assign(new Error('EPIPE'),{code:'EPIPE'}));return false}",
    );
    const { exitCode, outputs, summary } = await runAction(world, {}, { env: closed });
    assert.deepEqual([exitCode, outputs['uploaded-count']], [0, '1']);
    assert.match(summary, /^<h3>✅/);
  });

  test('too many open files are waited for', async () => {
    await using world = await openWorld({ files: { big: Buffer.alloc(4 * 1024 * 1024) } });
    const once = before(
      "import fs from'node:fs';import m from'node:module';const{open}=fs.promises;let due=true;fs.promises.open=async(...given)=>{if(!due)return open(...given);due=false;throw Object.assign(new Error('EMFILE: too many open files'),{code:'EMFILE',errno:-24,syscall:'open'})};m.syncBuiltinESMExports()",
    );
    const result = await runWell(world, {}, { env: once });
    assert.equal(result.file('big').attempts, 2);
  });

  for (const task of ['sync', 'stats'] as const) {
    test(`a proxy that asks for credentials is named as such to ${task}`, async () => {
      await using world = await openWorld({ files: manyFiles(1) });
      await using proxy = await openProxy({ instead: refusing(407) });
      const cases = [
        [BY_PROXY, 'HTTP_PROXY'] as const,
        [{ 'base-url': 'https://agent.test' }, 'HTTPS_PROXY'] as const,
      ];
      for (const [inputs, name] of cases) {
        const env = { [name]: `http://${proxy.address}` };
        const result = await runBadly(world, inputs, { task, env });
        assert.match(
          result.annotations('error').join('\n'),
          /The proxy asks for credentials\. Put them into/,
        );
      }
    });
  }
});

suite('what only looks like an upload', {
  concurrency: 2,
  skip: unlessLinux('needs /proc and names of Linux'),
}, () => {
  test('a file that says it is empty and holds content is refused', async () => {
    await using world = await openWorld();
    const result = await runBadly(world, { files: '/proc/version' });
    assert.match(result.annotations('error').join('\n'), /claims to be empty but has content/);
    assert.equal(uploads(world).length, 0);
  });

  test('a name that is not UTF-8 is found beside its twin', async () => {
    await using world = await openWorld({ files: { 'a\ufffd': 'twin' } });
    writeFileSync(Buffer.concat([Buffer.from(`${world.workspace}/a`), Buffer.from([0xff])]), 'raw');
    const result = await runBadly(world);
    assert.match(result.annotations('error').join('\n'), /has a name that is not valid UTF-8/);
    assert.equal(world.agent.connections(), 0);
  });
});
