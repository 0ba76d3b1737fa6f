import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openWorld, runBadly } from '../action/harness.ts';
import { startJob } from './monitoring.ts';

// Node refuses to start with both. The step has started already; only the sampler gets them.
const BROKEN = "process.env.NODE_OPTIONS='--use-openssl-ca --use-bundled-ca'";
const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(BROKEN)}` };

test('a monitor whose process ends while it is started fails the main step, with the reason', async () => {
  await using world = await openWorld();
  // More than a socket buffers, so that the write fails.
  const comment = `# ${'x'.repeat(100_000)}`;
  const inputs = { 'fail-if': comment, 'warn-if': comment, headers: `X-Note: ${comment}` };
  const main = await runBadly(world, inputs, { task: 'monitor', env });
  assert.match(
    main.annotations('error').join('\n'),
    /^monitor: cannot start: its process ended at once: .*--use-openssl-ca.*--use-bundled-ca/,
  );
  assert.doesNotMatch(main.stdout, /This is a bug/);
});

test('a monitor that crashes before its first sample says why in its post step', async () => {
  const faults = [{ on: 'stats', times: 1, do: { kind: 'delay', ms: 1000 } }] as const;
  await using job = await startJob({}, { faults });
  // The sample finds a directory in place of its file.
  mkdirSync(path.join(job.directory, 'last.json.new'));
  const post = await job.post();
  assert.equal(post.exitCode, 1);
  assert.match(
    post.annotations('error').join('\n'),
    /^The sandbox was never sampled\.\nThe monitor crashed: Error: EEXIST: /,
  );
});
