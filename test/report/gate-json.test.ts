import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { gateOf } from '../../src/gate/judge.ts';
import { gateOutputs } from '../../src/report/outputs.ts';
import { parse } from '../gate/given.ts';
import { course } from './courses.ts';
import { report } from './reports.ts';

const HUGE = '9223372036854775807';

function breaches(lines: readonly string[], readings: Parameters<typeof course>[0]): string {
  const samples = course(readings).map(({ stats }) => stats.figures);
  const gate = gateOf({ failIf: lines.map(parse), warnIf: [] }, samples);
  return gateOutputs(report({ gate })).outputs['breaches'] ?? '';
}

const aggregates = (samples: ReturnType<typeof course>) =>
  gateOutputs(report({ samples })).outputs['aggregates'] ?? '';
function aggregatesOf(samples: ReturnType<typeof course>): Readonly<Record<string, Record<string, number>>> {
  return JSON.parse(aggregates(samples));
}

describe('a breach as JSON', () => {
  test('holds figure and limit exactly, in the metric’s own unit', () => {
    assert.equal(
      breaches(
        ['mem_used >= 9007199254740993B', 'cpu_used_pct > 90.5%'],
        [{ mem_used: HUGE, cpu_used_pct: 90.6 }],
      ),
      `[{"level":"fail","condition":"mem_used >= 9007199254740993B","metric":"mem_used","figure":${HUGE},"limit":9007199254740993},` +
        '{"level":"fail","condition":"cpu_used_pct > 90.5%","metric":"cpu_used_pct","figure":90.6,"limit":90.5}]',
    );
  });
  test('has its limit in MiB for a metric in MiB', () => {
    assert.match(
      breaches(['mem_used_mib > 1.5GiB'], [{ mem_used_mib: 1600 }]),
      /"figure":1600,"limit":1536\}/,
    );
  });
  test('has null for a metric that is not reported', () => {
    assert.equal(
      breaches(['load > 1'], [{ ts: 1 }]),
      '[{"level":"fail","condition":"load > 1","metric":"load","figure":null,"limit":1}]',
    );
  });
});

describe('the aggregates', () => {
  test('are of every numeric metric that any sample reports, exact, without those that do not report it', () => {
    const samples = course([
      { mem_used: HUGE, load: 0.1, note: '"text"' },
      { mem_used: '9223372036854775805', load: 0.2 },
      { load: 0.6 },
    ]);
    assert.equal(
      aggregates(samples),
      '{"mem_used":{"last":9223372036854775805,"min":9223372036854775805,"max":9223372036854775807,"mean":9223372036854775806},' +
        '"load":{"last":0.6,"min":0.1,"max":0.6,"mean":0.3}}',
    );
  });

  test('of no samples are empty', () => assert.deepEqual(aggregatesOf([]), {}));

  test('of one sample are its figure, all digits of it', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 100, noNaN: true }), cpu => {
        const { cpu_used_pct: of } = aggregatesOf(course([{ cpu_used_pct: cpu }]));
        assert.ok(of !== undefined);
        assert.deepEqual(Object.values(of).map(Number), Array(4).fill(cpu === 0 ? 0 : cpu));
      }),
    );
  });

  test('can be had where a figure is beyond any float', () => {
    const samples = course([{ cpu_used_pct: `1${'0'.repeat(400)}`, mem_used: 5 }]);
    assert.equal(aggregatesOf(samples)['mem_used']?.['last'], 5);
  });
});

test('the outputs of the gate are empty, with a notice, where they are too long', () => {
  const many = Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`metric_number_${index}`, index]),
  );
  const { outputs, notices } = gateOutputs(report({ samples: course([many]) }));
  assert.deepEqual(outputs, { gate: 'none', breaches: '[]', aggregates: '' });
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? '', /^The output aggregates is empty/);
});
