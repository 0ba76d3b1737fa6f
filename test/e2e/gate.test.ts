import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusFault } from '../support/faults.ts';
import {
  expectFailure,
  expectSuccess,
  requestMethods,
  uploadRequests,
} from '../support/run-action.ts';
import { metricsInTurn, openJob } from '../support/test-job.ts';

const LIMITS = 'mem_used_pct > 20\n# room\ndisk_free < 10GiB\ncpu_count == 5';

const TWO_SAMPLES = { samples: '2', 'sample-interval': '200ms' };

test('a failed gate is one annotation, and outputs and summary are still written', async () => {
  await using job = await openJob();
  const conditions = { 'fail-if': LIMITS, 'warn-if': 'cpu_used_pct.max >= 12.5%' };
  const result = await expectFailure(job, { ...conditions, ...TWO_SAMPLES });
  const { outputs, report, summary, annotations, errors } = result;
  assert.equal(outputs['gate'], 'failed');
  const tripped: readonly { condition: string }[] = JSON.parse(outputs['tripped'] ?? '');
  assert.deepEqual(
    tripped.map(({ condition }) => condition),
    ['mem_used_pct > 20', 'disk_free < 10GiB', 'cpu_used_pct.max >= 12.5%'],
  );
  assert.equal(annotations('error').length, 1);
  assert.match(errors, /mem_used_pct > 20: 25 %/);
  assert.match(errors, /disk_free < 10GiB.*8\.9 GiB/);
  assert.match(summary, /^<h3>❌ [\s\S]*mem_used_pct/);
  assert.deepEqual([report.succeeded, outputs['mem-used']], [false, '2147483648']);
  // The stats read before the upload do not count as a sample.
  assert.equal(requestMethods(job), 'GET POST GET GET');
});

test('stats with samples: 2 takes 3 samples and discards the first', async () => {
  await using job = await openJob({ metrics: metricsInTurn('cpu_used_pct', 99, 70, 40) });
  const conditions = { 'fail-if': 'cpu_used_pct > 70', 'warn-if': 'cpu_used_pct.p50 == 40' };
  const inputs = { ...TWO_SAMPLES, ...conditions };
  const { outputs, summary, report } = await expectSuccess(job, inputs, { task: 'stats' });
  assert.equal(requestMethods(job), 'GET GET GET');
  assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['warned', '40']);
  const { cpu_used_pct: aggregates } = JSON.parse(outputs['aggregates'] ?? '');
  assert.deepEqual(aggregates, { last: 40, min: 40, max: 70, mean: 55, p50: 40, p95: 70 });
  assert.match(summary, /^<h3>⚠️ [\s\S]*⚠️&nbsp;p50&nbsp;≠&nbsp;40&nbsp;% \(40 %\)/);
  assert.equal('files' in report, false);
});

test('a gate on an unreported metric fails before the upload, and names the reported ones', async () => {
  await using job = await openJob({ metrics: () => ({ mem_used: 5, load: 7, disk_total: 0 }) });
  const conditions = 'disk_free < 1GiB\nload > 9\ndisk_used_pct > 1';
  const { outputs, errors } = await expectFailure(job, { 'fail-if': conditions });
  assert.equal(requestMethods(job), 'GET');
  assert.equal(outputs['gate'], 'failed');
  assert.match(errors, /disk_free < 1GiB.*does not report disk_free.*load, mem_used/s);
});

test('a gate without a stats endpoint fails before the upload, and suggests actions that need none', async () => {
  await using job = await openJob({ faults: [{ on: 'stats', do: statusFault(404) }] });
  const { errors } = await expectFailure(job, { 'fail-if': 'mem_used > 1B' });
  assert.equal(requestMethods(job), 'GET');
  assert.match(errors, /answered 404[\s\S]*actions upload, download, and run without conditions/);
});

for (const [name, state, requests] of [
  ['fail-if', 'failed', 'GET POST GET GET GET'],
  ['warn-if', 'warned', 'POST GET GET GET GET'],
] as const)
  test(`a sample that cannot be read after the upload, not even by a retry, fails the step [${name}]`, async () => {
    await using job = await openJob({ faults: [{ on: 'stats', skip: 2, do: statusFault(500) }] });
    const inputs = { ...TWO_SAMPLES, retries: '1', [name]: 'mem_used < 1B' };
    const { outputs, report, errors, annotations } = await expectFailure(job, inputs);
    assert.deepEqual([outputs['gate'], outputs['uploaded-count']], [state, '1']);
    assert.equal(report.stats.samples.length, 1);
    assert.equal(requestMethods(job), requests);
    assert.match(JSON.parse(outputs['unjudged'] ?? '')[0].why, /no stats|missing/);
    assert.equal(annotations('error').length, 1);
    assert.match(errors, /GET http:\S+\/metrics answered 500/);
  });

const WAIT_INPUTS = {
  'wait-until': 'cpu_used_pct < 20\nmem_free > 1GiB',
  'sample-interval': '200ms',
};

test('wait-until waits before the upload, and the gate judges after it', async () => {
  await using job = await openJob({ metrics: metricsInTurn('cpu_used_pct', 90, 50, 10, 90, 60) });
  const { outputs } = await expectFailure(job, { ...WAIT_INPUTS, 'fail-if': 'cpu_used_pct > 55' });
  // The first three GETs wait for the sandbox. The fourth checks that the gate can be judged, and
  // starts the time that the last CPU figure covers.
  assert.equal(requestMethods(job), 'GET GET GET GET POST GET');
  assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['failed', '60']);
});

test('wait-until ends at wait-timeout, reports the last figures, and nothing is sent', async () => {
  await using job = await openJob({ metrics: metricsInTurn('cpu_used_pct', 87.5) });
  const inputs = { ...WAIT_INPUTS, 'wait-timeout': '300ms', 'fail-if': 'mem_used_pct > 99' };
  const { errors, summary, outputs } = await expectFailure(job, inputs);
  assert.equal(uploadRequests(job).length, 0);
  for (const text of [errors, summary.replaceAll('&lt;', '<')])
    assert.match(text, /not ready within.*cpu_used_pct < 20.*87\.5 %/s);
  assert.doesNotMatch(errors, /mem_free/);
  assert.equal(outputs['gate'], 'failed');
});
