import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { everyCase } from '../telling.ts';
import { METRICS, openWorld, runBadly, runWell, uploads } from './harness.ts';

const LIMITS = 'mem_used_pct > 20\n# room\ndisk_free < 10GiB\ncpu_count == 5';

const BREACHES = (level: string) => [
  { level, condition: 'mem_used_pct > 20', metric: 'mem_used_pct', figure: 25, limit: 20 },
  {
    level,
    condition: 'disk_free < 10GiB',
    metric: 'disk_free',
    figure: 9502850350,
    limit: 10737418240,
  },
];

const HEADLINE =
  'Memory was at 25 % (limit 20 %), and 1 other condition tripped, so the gate failed.';

const LINES = [
  'mem_used_pct > 20: Memory was at 25 % (limit 20 %)',
  'disk_free < 10GiB: Free disk space was at 8.9 GiB (limit 10 GiB)',
];

// Both actions share the code that judges.
for (const task of everyCase ? (['sync', 'stats'] as const) : (['sync'] as const)) {
  const uploaded = task === 'sync' ? 1 : 0;

  suite(`the gate of ${task}`, { concurrency: 2 }, () => {
    test('passes where no condition holds', async () => {
      await using world = await openWorld();
      const inputs = { 'fail-if': 'mem_used_pct > 90', 'warn-if': 'mem_used > 6GiB' };
      const result = await runWell(world, inputs, { task });
      assert.deepEqual([result.outputs['gate'], result.outputs['breaches']], ['passed', '[]']);
      assert.deepEqual(result.annotations('error'), []);
      assert.deepEqual(result.annotations('warning'), []);
      assert.match(result.summary, /^<h3>✅.*\n\n<p>The gate passed\.</);
      assert.match(result.stdout, /The gate passed\.\n$/);
      assert.equal(uploads(world).length, uploaded);
    });

    test('warns in one annotation, and the step succeeds', async () => {
      await using world = await openWorld();
      const result = await runWell(world, { 'warn-if': LIMITS }, { task });
      assert.equal(result.outputs['gate'], 'warned');
      assert.deepEqual(JSON.parse(result.outputs['breaches'] ?? ''), BREACHES('warn'));
      assert.deepEqual(result.annotations('error'), []);
      assert.deepEqual(result.annotations('warning'), [
        ['2 conditions of warn-if tripped:', ...LINES].join('\n'),
      ]);
      assert.match(result.summary, /^<h3>⚠️/);
      const sentence =
        'Memory was at 25 % (limit 20 %), and 1 other condition tripped, so the gate warned.';
      assert.ok(result.summary.includes(`<p>${sentence}</p>`));
      assert.ok(result.stdout.endsWith(`${sentence}\n`), result.stdout);
      for (const row of ['Memory (8.0&nbsp;GiB)', 'Disk (10.0&nbsp;GiB)'])
        assert.ok(result.summary.includes(`<td>${row}</td><td align="right">⚠️&nbsp;`), row);
    });

    test('fails in one annotation, after outputs and summary are written', async () => {
      await using world = await openWorld();
      const result = await runBadly(
        world,
        { 'fail-if': LIMITS, 'warn-if': 'cpu_used_pct.max >= 12.5%' },
        { task },
      );
      assert.equal(result.outputs['gate'], 'failed');
      assert.deepEqual(JSON.parse(result.outputs['breaches'] ?? ''), [
        ...BREACHES('fail'),
        {
          level: 'warn',
          condition: 'cpu_used_pct.max >= 12.5%',
          metric: 'cpu_used_pct',
          figure: 12.5,
          limit: 12.5,
        },
      ]);
      const [verdict = '', ...others] = result.annotations('error');
      assert.ok(verdict.startsWith(HEADLINE), verdict);
      assert.ok(verdict.endsWith(`\n${LINES.join('\n')}`), verdict);
      assert.deepEqual(others, []);
      assert.deepEqual(result.annotations('warning'), [
        '1 condition of warn-if tripped:\ncpu_used_pct.max >= 12.5%: CPU was at 12.5 % (limit 12.5 %)',
      ]);
      assert.ok(
        result.summary.startsWith(`<h3>❌ Sandbox Sync (<code>sandbox1</code>): ${HEADLINE}</h3>`),
      );
      assert.equal(result.outputs['mem-used'], '2147483648');
      assert.equal(uploads(world).length, uploaded);
      assert.equal(result.report.succeeded, false);
    });

    test('fails closed on a metric that the sandbox does not report, and names those it does', async () => {
      await using world = await openWorld({ metrics: () => ({ mem_used: 5, mem_cache: 7 }) });
      const result = await runBadly(
        world,
        { 'fail-if': 'disk_free < 1GiB\nmem_cache > 9' },
        { task },
      );
      assert.equal(result.outputs['gate'], 'failed');
      assert.deepEqual(JSON.parse(result.outputs['breaches'] ?? ''), [
        {
          level: 'fail',
          condition: 'disk_free < 1GiB',
          metric: 'disk_free',
          figure: null,
          limit: 1073741824,
        },
      ]);
      assert.equal(uploads(world).length, 0, 'nothing is uploaded where that is known beforehand');
      assert.match(
        result.annotations('error')[0] ?? '',
        /\ndisk_free < 1GiB cannot be judged: the sandbox does not report disk_free; it reports mem_cache, mem_used$/,
      );
    });

    test('warns of such a metric in warn-if', async () => {
      await using world = await openWorld({ metrics: () => ({ mem_used: 5 }) });
      const result = await runWell(world, { 'warn-if': 'mem_cache > 1' }, { task });
      assert.equal(result.outputs['gate'], 'warned');
      assert.match(
        result.annotations('warning').join(),
        /does not report mem_cache; it reports mem_used/,
      );
    });

    test('is shut where the stats cannot be had', async () => {
      const fault = { on: 'stats', do: { kind: 'status', status: 500 } } as const;
      await using world = await openWorld({ faults: [fault] });
      const result = await runBadly(world, { 'fail-if': 'mem_used > 1B', retries: '0' }, { task });
      const [entry, ...others] = JSON.parse(result.outputs['breaches'] ?? '');
      assert.deepEqual([result.outputs['gate'], entry.figure, others], ['failed', null, []]);
      const [first = '', ...further] = result.annotations('error');
      assert.match(first, /answered 500/);
      assert.deepEqual(further, [], 'conditions that nothing could be asked of are not listed');
    });

    test('judges every sample but the first, which is dropped, and keeps the last', async () => {
      const loads = [99, 10, 70, 40];
      let asked = 0;
      const metrics = () => ({ ...METRICS, cpu_used_pct: loads[asked++] ?? 0 });
      await using world = await openWorld({ metrics });
      const inputs = {
        samples: '3',
        'sample-interval': '200ms',
        'fail-if': 'cpu_used_pct > 70\ncpu_used_pct.last > 40\ncpu_used_pct.min < 10',
        'warn-if': 'cpu_used_pct > 69\ncpu_used_pct.mean == 40',
      };
      const result = await runWell(world, inputs, { task });
      assert.equal(world.agent.requests.filter(({ method }) => method === 'GET').length, 4);
      assert.deepEqual([result.outputs['gate'], result.outputs['cpu-used-pct']], ['warned', '40']);
      const { cpu_used_pct: aggregates } = JSON.parse(result.outputs['aggregates'] ?? '');
      assert.deepEqual(aggregates, { last: 40, min: 10, max: 70, mean: 40 });
      const breaches: { figure: number }[] = JSON.parse(result.outputs['breaches'] ?? '');
      assert.deepEqual(
        breaches.map(({ figure }) => figure),
        [70, 40],
      );
      assert.match(
        result.summary,
        /CPU \(4&nbsp;cores\)<\/td><td align="right">⚠️&nbsp;70\.0&nbsp;%<.*⚠️&nbsp;69&nbsp;%&nbsp;\(warn\).*>40\.0&nbsp;%</,
      );
    });

    if (task === 'sync')
      test('drops the first of several samples after the upload if the one before it failed', async () => {
        const loads = [99, 10, 20];
        let asked = 0;
        const metrics = () => ({ ...METRICS, cpu_used_pct: loads[asked++] ?? 0 });
        const faults = [{ on: 'stats', times: 1, do: { kind: 'status', status: 500 } }] as const;
        await using world = await openWorld({ metrics, faults });
        const inputs = { samples: '2', 'sample-interval': '200ms', 'fail-if': 'cpu_used_pct > 50' };
        const { outputs } = await runWell(world, inputs);
        const { cpu_used_pct: aggregates } = JSON.parse(outputs['aggregates'] ?? '');
        assert.deepEqual([outputs['gate'], aggregates.max], ['passed', 20]);
      });

    test('derives bytes from MiB, and judges nothing that is used of a total of 0', async () => {
      const metrics = () => ({
        mem_total_mib: 1000,
        mem_used_mib: 250,
        disk_total: 0,
        disk_used: 5,
      });
      await using world = await openWorld({ metrics });
      const { outputs } = await runWell(
        world,
        { 'fail-if': 'mem_used_pct > 25\nmem_free < 750MiB' },
        { task },
      );
      const { 'mem-used': used, 'mem-used-pct': share, gate } = outputs;
      assert.deepEqual([used, share, gate], ['262144000', '25.00', 'passed']);
      const result = await runBadly(world, { 'fail-if': 'disk_used > 1TB' }, { task });
      assert.match(
        result.annotations('error').join(),
        /disk_used > 1TB cannot be judged: .* does not report disk_used/,
      );
    });

    test('that is written wrong is an input error before any request', async () => {
      await using world = await openWorld();
      const inputs = {
        'fail-if': 'mem_used_pct > 1\nmem_usd > 5',
        'warn-if': 'mem_used > 5%',
        samples: '0',
      };
      const result = await runBadly(world, inputs, { task });
      assert.equal(world.agent.connections(), 0);
      const [error = '', ...others] = result.annotations('error');
      assert.deepEqual(others, []);
      assert.match(
        error,
        /fail-if: line 2, "mem_usd > 5", at character 1: .*did you mean mem_used\?/,
      );
      assert.match(
        error,
        /\nwarn-if: line 1, "mem_used > 5%", at character 13: % does not fit mem_used/,
      );
      assert.match(error, /\nsamples: "0"/);
    });
  });
}
