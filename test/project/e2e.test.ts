import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { startAgent } from '../../dev/agent/agent.ts';
import { parseKeyValueFile } from '../../dev/runner/file-commands.ts';
import { onWindows } from '../system.ts';

const SCRIPTS = path.resolve(import.meta.dirname, '../../dev/e2e');

describe('a check of a step finds', () => {
  const step = { outcome: 'success', outputs: { count: '12', list: '[\n1\n]', none: '' } };
  const STEP = JSON.stringify(step);

  test('nothing if each line is met', async () => {
    const lines = [
      'outcome = success',
      'outputs.count ~ \\d+',
      'outputs.list ~ .*1.*',
      'outputs.none = ',
    ];
    await assertFinds('check-step.ts', { STEP, EXPECTED: `${lines.join('\n')}\n` }, []);
  });

  test('each line that is not', async () => {
    const lines = {
      'outputs.count = 1': 'outputs.count is 12 where outputs.count = 1 was expected',
      'outputs.count ~ \\d': 'outputs.count is 12 where outputs.count ~ \\d was expected',
      'outputs.counts = 12': 'There is no outputs.counts',
      'outputs = 12': 'There is no outputs',
      'outputs.count: 12': 'EXPECTED has a line of no meaning: outputs.count: 12',
    };
    const EXPECTED = Object.keys(lines).join('\n');
    await assertFinds('check-step.ts', { STEP, EXPECTED }, Object.values(lines));
  });
});

describe('a check of files finds', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    'a.txt = x/a.txt\nb/c.txt = x/b.txt\n/home/user/a.txt = x/a.txt\nno b/d': [],
    'no a.txt': ['a.txt is there and should not be'],
    'a.txt = x/b.txt\nd = x/a.txt': ['a.txt is not what x/b.txt is', 'd is not there'],
    'no b': ['b cannot be read: 400 {"code":400,"message":"path \'/home/user/b\' is a directory"}'],
  };
  for (const [EXPECTED, findings] of Object.entries(cases)) {
    test(findings.join(', ') || 'nothing if all is as expected', async () => {
      using folder = mkdtempDisposableSync(path.join(tmpdir(), 'e2e-'));
      for (const made of ['x', 'root/home/user/b'])
        mkdirSync(path.join(folder.path, made), { recursive: true });
      const home = 'root/home/user';
      const files = {
        'x/a.txt': 'a',
        'x/b.txt': 'b',
        [`${home}/a.txt`]: 'a',
        [`${home}/b/c.txt`]: 'b',
      };
      for (const [name, content] of Object.entries(files))
        writeFileSync(path.join(folder.path, name), content);
      const access = { token: 't', sandboxId: 'box', headerPrefix: 'E2b' };
      await using agent = await startAgent({ root: path.join(folder.path, 'root'), ...access });
      const SANDBOX = JSON.stringify({
        id: 'box',
        token: 't',
        'header-prefix': 'E2b',
        url: agent.url,
      });
      await assertFinds('check-files.ts', { SANDBOX, EXPECTED }, findings, folder.path);
    });
  }
});

const skip = onWindows('it has no process groups');

test('a started sandbox is in no process group of its step, which a runner may end', {
  skip,
}, async t => {
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'e2e-'));
  const output = path.join(folder.path, 'output');
  writeFileSync(output, '');
  const env = {
    ...process.env,
    SANDBOX_ROOT: path.join(folder.path, 'root'),
    GITHUB_OUTPUT: output,
  };
  const step = spawn(process.execPath, [path.join(SCRIPTS, 'start-sandbox.ts')], {
    env,
    detached: true,
    stdio: 'ignore',
  });
  await once(step, 'exit');
  const { pid, url = '' } = parseKeyValueFile(readFileSync(output, 'utf8'));
  t.after(() => process.kill(Number(pid)));
  assert.throws(() => process.kill(-Number(step.pid), 'SIGKILL'), { code: 'ESRCH' });
  assert.equal((await fetch(url)).status, 400);
});

/** Runs a check as a step would, and asserts its findings. */
async function assertFinds(
  check: string,
  env: Readonly<Record<string, string>>,
  findings: readonly string[],
  cwd = SCRIPTS,
): Promise<void> {
  const child = spawn(process.execPath, [path.join(SCRIPTS, check)], {
    env: { ...process.env, ...env },
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const found = [...stdout.matchAll(/^::error::(.*)$/gm)].map(([, finding]) => finding);
  assert.deepEqual([found, status], [findings, findings.length === 0 ? 0 : 1], stdout);
}
