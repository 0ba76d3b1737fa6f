import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openWorld, runBadly, runWell } from './harness.ts';

const AGGREGATES = ['', '.last', '.min', '.max', '.mean'];

/** Stats bodies for values of two metrics, a known one and one that only the agent knows. */
function answering(...values: readonly string[]) {
  let asked = 0;
  const next = () => values[Math.min(asked++, values.length - 1)] ?? '';
  return () => {
    const value = next();
    return value === '' ? '{"ts":1}' : `{"mem_used":${value},"load":${value}}`;
  };
}

suite('a metric that some readings do not report', { concurrency: 2 }, () => {
  for (const task of ['stats', 'sync'] as const) {
    test(`cannot be judged by ${task}, in any aggregate, and what was wrong is said`, async () => {
      // The first sample is dropped.
      const metrics = answering('5', '5', '', '"full"', '1e400', '9'.repeat(41), '5');
      await using world = await openWorld({ metrics });
      const lines = ['mem_used', 'load'].flatMap(name =>
        AGGREGATES.map(aggregate => `${name}${aggregate} > 9${name === 'load' ? '' : 'B'}`),
      );
      const inputs = { samples: '6', 'sample-interval': '200ms', 'fail-if': lines.join('\n') };
      const result = await runBadly(world, inputs, { task });
      assert.equal(result.outputs['gate'], 'failed');
      const [tripped = ''] = result.annotations('error');
      const says = (line: string) => {
        const name = line.replace(/\W.*/, '');
        // A load of 41 digits is a number, but used memory must be an int64.
        const missing = name === 'load' ? 3 : 4;
        return `${line} cannot be judged: ${missing} of 6 samples do not report ${name}`;
      };
      const [verdict = '', ...others] = tripped.split('\n');
      assert.match(verdict, /^Memory cannot be judged, and 9 other conditions tripped/);
      assert.deepEqual(others, lines.map(says));
      const warnings = result.annotations('warning').join('\n');
      for (const name of ['mem_used', 'load'])
        assert.ok(warnings.includes(`The sandbox's ${name} cannot be used`));
    });
  }

  test('warns where only warn-if asks for it', async () => {
    await using world = await openWorld({ metrics: answering('5', '5', '"full"', '5') });
    const inputs = { samples: '3', 'sample-interval': '200ms', 'warn-if': 'mem_used.last > 9B' };
    const result = await runWell(world, inputs, { task: 'stats' });
    assert.equal(result.outputs['gate'], 'warned');
    assert.match(
      result.annotations('warning').join('\n'),
      /cannot be judged: 1 of 3 samples do not report mem_used/,
    );
  });
});

test('the gate failed where a later reading cannot be had', async () => {
  const faults = [{ on: 'stats', skip: 2, do: { kind: 'status', status: 500 } }] as const;
  await using world = await openWorld({ faults });
  const inputs = {
    samples: '2',
    'sample-interval': '200ms',
    retries: '0',
    'fail-if': 'mem_used < 1B',
  };
  const result = await runBadly(world, inputs, { task: 'stats' });
  assert.deepEqual(
    [result.outputs['gate'], JSON.parse(result.reportText).samples.length],
    ['failed', 1],
  );
});
