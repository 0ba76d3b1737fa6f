import assert from 'node:assert/strict';
import path from 'node:path';
import { suite, test } from 'node:test';
import { manyFiles, openWorld, runAction } from '../../action/harness.ts';

const MODULE = path.join(import.meta.dirname, 'signal-at.js');

// The work is over by then, and the verdict stands: what matters is that all that is written says the same.
suite('a signal while the results are published', { skip: process.platform === 'win32' }, () => {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`${signal} leaves them whole and at one`, async () => {
      await using world = await openWorld({ files: manyFiles(50) });
      const env = { NODE_OPTIONS: `--import=${MODULE}`, SIGNAL: signal, SIGNAL_AT: '^::group::' };
      const result = await runAction(world, {}, { env });
      const { succeeded, totals } = result.report;
      assert.equal(result.code === 0, succeeded, result.stdout);
      assert.equal(result.summary.startsWith('<h3>✅'), succeeded);
      assert.equal(result.outputs['uploaded-count'], String(totals['uploaded']));
      assert.equal(result.stderr, '');
    });
  }
});
