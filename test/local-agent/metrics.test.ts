import assert from 'node:assert/strict';
import { cpus, totalmem } from 'node:os';
import { test } from 'node:test';
import { openSandbox, type Sandbox } from './harness.ts';

async function figuresOf(sandbox: Sandbox): Promise<Record<string, number>> {
  return JSON.parse(await (await sandbox.stats()).text());
}

test('the figures are those of this machine', async () => {
  await using sandbox = await openSandbox();
  const figures = await figuresOf(sandbox);
  const { ts = 0, mem_total = 0, mem_used = 0, disk_used = 0, disk_total = 0 } = figures;
  assert.ok(Math.abs(ts - Date.now() / 1000) < 60);
  assert.equal(figures['cpu_count'], cpus().length);
  assert.ok(Math.abs(mem_total - totalmem()) <= totalmem() / 100);
  assert.ok(mem_used > 0 && mem_used < mem_total);
  assert.equal(figures['mem_total_mib'], Math.floor(mem_total / 1024 ** 2));
  assert.equal(figures['mem_used_mib'], Math.floor(mem_used / 1024 ** 2));
  assert.ok(disk_used > 0 && disk_used <= disk_total);
  for (const [name, value] of Object.entries(figures))
    assert.ok(name === 'cpu_used_pct' || Number.isSafeInteger(value), name);
});

test('the CPU window runs from one reading to the next', async () => {
  await using sandbox = await openSandbox();
  await sandbox.stats();
  for (const until = performance.now() + 300; performance.now() < until; );
  const { cpu_used_pct: used = 0 } = await figuresOf(sandbox);
  assert.ok(used > 50 / cpus().length && used <= 100, `${used} % after 300 ms of work on one CPU`);
});

test('a test can put its own figures in their place', async () => {
  const answers: (object | string)[] = [{ cpu_count: 2 }, '{"mem_total": 9007199254740993}'];
  await using sandbox = await openSandbox({ metrics: () => answers.shift() ?? {} });
  assert.equal(await (await sandbox.stats()).text(), '{"cpu_count":2}');
  assert.equal(await (await sandbox.stats()).text(), '{"mem_total": 9007199254740993}');
});
