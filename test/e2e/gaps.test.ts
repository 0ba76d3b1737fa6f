import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readRecord } from '../../src/monitor/record.ts';
import { proxyError, STALL, statusFault } from '../support/faults.ts';
import { expectFailure } from '../support/run-action.ts';
import { pollUntil, startMonitor } from '../support/running-monitor.ts';
import { SKIP_WITHOUT_BASH } from '../support/system.ts';
import { openJob } from '../support/test-job.ts';

// See test/stats/gaps.test.ts for how long a gap may be.
const GATED = { 'fail-if': 'mem_used_pct > 90', 'sample-interval': '200ms', timeout: '1s' };

const GONE = statusFault(502, proxyError('The sandbox was not found'));
const NOT_SEEN = /^The sandbox was not seen from \S+ UTC to \S+ UTC\.$/m;

describe('gaps in what is seen of a sandbox', { concurrency: 3 }, () => {
  for (const [name, fault, says] of [
    ['that is gone', GONE, /\d samples failed, the last: GET \S+ answered 502 .*was not found/],
    ['that hangs', STALL, /the last: .* did not end within timeout|had not answered after/],
  ] as const)
    test(`run fails a gate that has not seen the sandbox [${name}]`, {
      skip: SKIP_WITHOUT_BASH,
    }, async () => {
      const faults = [{ on: 'stats', skip: 1, do: fault }] as const;
      await using job = await openJob({ runCommands: true, faults });
      let count = 0;
      // The command ends once two samples have failed, or are about to.
      const onRequest = () => {
        count += 1;
        if (count === 3) writeFileSync(path.join(job.root, 'home/user/done'), '');
      };
      const inputs = { run: 'until [ -e done ]; do sleep 0.05; done', ...GATED };
      const result = await expectFailure(job, inputs, { task: 'run', onRequest });
      const { outputs, errors, warnings } = result;
      assert.deepEqual([outputs['exit-code'], outputs['gate'], warnings], ['0', 'failed', '']);
      assert.match(errors, NOT_SEEN);
      assert.match(errors, says);
    });

  for (const end of ['stop', 'post'] as const)
    test(`a monitor fails if it has not seen the sandbox at the end [${end}]`, async () => {
      const faults = [{ on: 'stats', skip: 1, do: GONE }] as const;
      await using monitor = await startMonitor(GATED, { faults });
      await pollUntil(() => readRecord(monitor.directory).attempts.length > 2);
      const { exitCode, outputs, errors } = await monitor[end]();
      assert.deepEqual([exitCode, outputs['gate']], [1, 'failed']);
      assert.match(errors, NOT_SEEN);
      assert.match(errors, /samples failed, the last: GET \S+ answered 502 .*was not found/);
    });
});
