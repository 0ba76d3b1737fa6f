import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRICS, metricsInTurn, statusFault } from './agent-answers.ts';
import { expectFailure, expectSuccess, requestMethods, uploadRequests } from './run-action.ts';
import { openJob } from './test-job.ts';

const LIMITS = 'mem_used_pct > 20\n# room\ndisk_free < 10GiB\ncpu_count == 5';

const BREACHES = [
  { level: 'fail', condition: 'mem_used_pct > 20', metric: 'mem_used_pct', figure: 25, limit: 20 },
  {
    level: 'fail',
    condition: 'disk_free < 10GiB',
    metric: 'disk_free',
    figure: 9502850350,
    limit: 10737418240,
  },
];

/** The gate judges all of these samples but the first. */
const SEVERAL = { samples: '3', 'sample-interval': '200ms' };

test('the gate passes if no condition holds', async () => {
  await using job = await openJob();
  const rules = { 'fail-if': 'mem_used_pct > 90', 'warn-if': 'mem_used > 6GiB' };
  const inputs = { ...SEVERAL, ...rules };
  const { outputs, errors, warnings, summary, stdout } = await expectSuccess(job, inputs);
  assert.deepEqual([outputs['gate'], outputs['breaches']], ['passed', '[]']);
  assert.deepEqual([errors, warnings], ['', '']);
  for (const text of [summary, stdout]) assert.match(text, /gate passed/);
  // The GET before the upload is the sample that is not judged.
  assert.equal(requestMethods(job), 'GET POST GET GET GET');
});

test('a failed gate is one annotation, and outputs and summary are still written', async () => {
  await using job = await openJob();
  const inputs = { 'fail-if': LIMITS, 'warn-if': 'cpu_used_pct.max >= 12.5%' };
  const result = await expectFailure(job, inputs);
  const { outputs, report, summary, annotations, errors } = result;
  assert.equal(outputs['gate'], 'failed');
  assert.deepEqual(JSON.parse(outputs['breaches'] ?? ''), [
    ...BREACHES,
    {
      level: 'warn',
      condition: 'cpu_used_pct.max >= 12.5%',
      metric: 'cpu_used_pct',
      figure: 12.5,
      limit: 12.5,
    },
  ]);
  assert.equal(annotations('error').length, 1);
  assert.match(errors, /mem_used_pct > 20 tripped: 25 %/);
  assert.match(errors, /disk_free < 10GiB.*8\.9 GiB/);
  assert.match(summary, /^<h3>❌ [\s\S]*mem_used_pct/);
  assert.deepEqual([report.succeeded, outputs['mem-used']], [false, '2147483648']);
  assert.equal(uploadRequests(job).length, 1);
});

test('the gate judges every sample but the first, and each aggregate', async () => {
  await using job = await openJob({ metrics: metricsInTurn('cpu_used_pct', 99, 10, 70, 40) });
  const { outputs, summary, report } = await expectSuccess(
    job,
    {
      ...SEVERAL,
      'fail-if': 'cpu_used_pct > 70\ncpu_used_pct.last > 40\ncpu_used_pct.min < 10',
      'warn-if': 'cpu_used_pct > 69\ncpu_used_pct.mean == 40',
    },
    { task: 'stats' },
  );
  assert.equal(requestMethods(job), 'GET GET GET GET');
  assert.deepEqual([outputs['gate'], outputs['cpu-used-pct']], ['warned', '40']);
  const { cpu_used_pct: aggregates } = JSON.parse(outputs['aggregates'] ?? '');
  assert.deepEqual(aggregates, { last: 40, min: 10, max: 70, mean: 40, p50: 40, p95: 70 });
  const found: { figure: number }[] = JSON.parse(outputs['breaches'] ?? '');
  assert.deepEqual(
    found.map(({ figure }) => figure),
    [70, 40],
  );
  assert.match(summary, /^<h3>⚠️ Sandbox Sync[\s\S]*70&nbsp;%/);
  assert.equal('files' in report, false);
});

test('the gate judges percentiles, and says so in warnings, outputs and summary', async () => {
  await using job = await openJob({ metrics: metricsInTurn('cpu_used_pct', 99, 90, 10, 20) });
  const conditions = { 'fail-if': 'cpu_used_pct.p95 > 90', 'warn-if': 'cpu_used_pct.p50 < 30' };
  const inputs = { ...SEVERAL, ...conditions };
  const { outputs, warnings, summary } = await expectSuccess(job, inputs, { task: 'stats' });
  assert.equal(outputs['gate'], 'warned');
  const { cpu_used_pct: aggregates } = JSON.parse(outputs['aggregates'] ?? '');
  assert.deepEqual(aggregates, { last: 20, min: 10, max: 90, mean: 40, p50: 20, p95: 90 });
  assert.match(
    warnings,
    /cpu_used_pct\.p50 < 30 tripped: 20 % as the 50th percentile of 3 samples/,
  );
  assert.match(summary, /<th align="right">p50<\/th><th align="right">p95<\/th>/);
});

test('the gate derives bytes from MiB, and judges mem_cache and custom metrics', async () => {
  // The sandbox does not report gpu.
  const metrics = () => ({ mem_total_mib: 1000, mem_used_mib: 250, mem_cache: 77, load: 3 });
  await using job = await openJob({ metrics });
  const conditions = 'mem_used_pct > 24\nmem_free < 751MiB\nload > 2\nmem_cache > 76B\ngpu > 1';
  const inputs = { 'warn-if': conditions };
  const { outputs, warnings } = await expectSuccess(job, inputs, { task: 'stats' });
  const { 'mem-used': used, 'mem-used-pct': share, 'mem-cache': cache } = outputs;
  assert.deepEqual([used, share, cache], ['262144000', '25.00', '77']);
  assert.equal(JSON.parse(outputs['breaches'] ?? '').length, 5);
  assert.match(warnings, /does not report gpu/);
});

test('a gate on an unreported metric fails before the upload, and names the reported ones', async () => {
  await using job = await openJob({
    metrics: () => ({ mem_used: 5, load: 7, disk_total: 0 }),
  });
  const conditions = 'disk_free < 1GiB\nload > 9\ndisk_used_pct > 1';
  const { outputs, errors, report } = await expectFailure(job, { 'fail-if': conditions });
  assert.equal(uploadRequests(job).length, 0);
  assert.equal(outputs['gate'], 'failed');
  const [first] = JSON.parse(outputs['breaches'] ?? '');
  assert.deepEqual([first.metric, first.figure], ['disk_free', null]);
  assert.match(errors, /disk_free < 1GiB.*does not report disk_free.*load, mem_used/s);
  assert.equal(report.files[0]?.status, 'not-attempted');
});

test('a gate without a stats endpoint fails before the upload, and suggests the upload action', async () => {
  await using job = await openJob({ faults: [{ on: 'stats', do: statusFault(404) }] });
  const { outputs, errors } = await expectFailure(job, { 'fail-if': 'mem_used > 1B' });
  assert.equal(requestMethods(job), 'GET');
  assert.equal(outputs['gate'], 'failed');
  assert.match(errors, /answered 404[\s\S]*sandbox-sync\/upload/);
});

test('the gate fails in every aggregate if a sample lacks the metric or has no finite number', async () => {
  // The first sample is not judged.
  const values = ['5', '5', '', '"full"', '1e400', '5'];
  const metrics = () => {
    const value = values.shift() ?? '';
    return value === '' ? '{"ts":1}' : `{"mem_used":${value},"load":${value}}`;
  };
  await using job = await openJob({ metrics });
  const lines = ['', '.last', '.min', '.max', '.mean', '.p50', '.p95'].flatMap(aggregate => [
    `mem_used${aggregate} > 9B`,
    `load${aggregate} > 9`,
  ]);
  const inputs = { samples: '5', 'sample-interval': '200ms', 'fail-if': lines.join('\n') };
  const { outputs, errors } = await expectFailure(job, inputs, { task: 'stats' });
  assert.equal(outputs['gate'], 'failed');
  for (const line of lines) assert.ok(errors.includes(line), line);
  assert.match(errors, /3 of 5 samples/);
});

for (const skip of [1, 2])
  test(`the gate fails if sample ${skip} of 2 after the upload cannot be read`, async () => {
    const fault = { on: 'stats', skip, do: statusFault(500) } as const;
    await using job = await openJob({ faults: [fault], metrics: () => METRICS });
    const sampling = { samples: '2', 'sample-interval': '200ms' };
    const inputs = { ...sampling, retries: '0', 'fail-if': 'mem_used < 1B' };
    const { outputs } = await expectFailure(job, inputs);
    assert.deepEqual([outputs['gate'], outputs['uploaded-count']], ['failed', '1']);
    assert.equal(JSON.parse(outputs['breaches'] ?? '')[0].figure, null);
  });
