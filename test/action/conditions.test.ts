import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openWorld, runBadly } from './harness.ts';

const SLIPS = [
  ['wait-until', 'Ready', 'did you mean ready? Example: wait-until: ready'],
  ['wait-until', 'redy', 'did you mean ready? Example: wait-until: ready'],
  ['fail-if', 'mem_used_pct > ', 'nothing follows >: is the expression empty?'],
  [
    'warn-if',
    'disk_free < 512',
    'disk_free is in bytes and needs a unit, such as disk_free < 512MiB. Example: warn-if: disk_free < 512MiB',
  ],
] as const;

suite('a slip in a condition says what to write:', { concurrency: 2 }, () => {
  for (const [input, line, says] of SLIPS) {
    test(`${input}: ${line}`, async () => {
      await using world = await openWorld();
      const result = await runBadly(world, { [input]: line }, { task: 'stats' });
      assert.ok(result.stdout.includes(says), result.stdout);
      assert.equal(world.agent.connections(), 0);
    });
  }
});
