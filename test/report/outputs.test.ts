import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { gateOf } from '../../src/gate/judge.ts';
import {
  aggregatesOf,
  type BoundedOutputs,
  gateOutputs,
  statsOutputs,
  uploadOutputs,
} from '../../src/report/outputs.ts';
import type { Report } from '../../src/report/report.ts';
import { parse } from '../gate/given.ts';
import { course, type Reading } from './courses.ts';
import { EVERY_END, report, STATS, statsOf, uploaded } from './reports.ts';

const LIMIT = 256 * 1024;
const HUGE = '9223372036854775807';

/** The report of samples over which conditions of fail-if were judged. */
function judged(readings: readonly Reading[], failIf: readonly string[] = []): Report {
  const samples = course(readings);
  const figures = samples.map(sample => sample.figures);
  return report({ samples, gate: gateOf({ failIf: failIf.map(parse), warnIf: [] }, figures) });
}

/** The outputs of a report's gate. */
function gate(of: Report): BoundedOutputs {
  return gateOutputs(of, aggregatesOf(of.samples));
}

test('the outputs are those that action.yml declares', () => {
  const declared: { outputs: Record<string, unknown> } = parseYaml(
    readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'),
  );
  const written = [uploadOutputs, statsOutputs, gate].flatMap(of => Object.keys(of(report()).outputs));
  assert.deepEqual([...written, 'report'].sort(), Object.keys(declared.outputs).sort());
});

describe('the outputs of the upload', () => {
  test('count every way a file can end', () => {
    const { outputs, notices } = uploadOutputs(report(EVERY_END));
    assert.deepEqual(notices, []);
    assert.deepEqual(outputs, {
      'uploaded-count': '2',
      'unchanged-count': '1',
      'failed-count': '1',
      'skipped-count': '2',
      'uploaded-bytes': '12',
      uploaded: '[{"source":"a","path":"/home/user/app/a","size":7},{"source":"f","path":"/home/user/app/f","size":5}]',
    });
    assert.equal(uploadOutputs(report()).outputs['uploaded'], '[]');
  });

  /** Files whose list is so long, in bytes; each letter of a name stands in it twice. */
  function listOf(bytes: number) {
    const left = bytes - Buffer.byteLength(uploadOutputs(report({ files: list(0, 10) })).outputs['uploaded'] ?? '');
    return uploadOutputs(report({ files: list(Math.floor(left / 2), left % 2 === 0 ? 10 : 100) }));
  }
  const list = (length: number, size: number) => [uploaded('ü'), uploaded('x'.repeat(length), size)];

  test('list files up to 256 KiB, and none beyond, with a notice', () => {
    for (const bytes of [LIMIT - 1, LIMIT]) {
      const { outputs, notices } = listOf(bytes);
      assert.equal(Buffer.byteLength(outputs['uploaded'] ?? ''), bytes);
      assert.deepEqual(notices, []);
    }
    const { outputs, notices } = listOf(LIMIT + 1);
    assert.deepEqual([outputs['uploaded'], outputs['uploaded-count']], ['', '2']);
    assert.match(notices.join(), /^The output uploaded is empty: .*256 KiB/);
  });
});

describe('the outputs of the stats', () => {
  test('have each figure with all its digits', () => {
    const { outputs, notices } = statsOutputs(report({ stats: STATS }));
    assert.deepEqual(notices, []);
    assert.deepEqual(outputs, {
      ts: '1700000000',
      'cpu-count': '4',
      'cpu-used-pct': '12.345',
      'mem-total': '4294967296',
      'mem-used': '1073741824',
      'mem-total-mib': '4096',
      'mem-used-mib': '1024',
      'disk-total': HUGE,
      'disk-used': '1024',
      'mem-used-pct': '25.00',
      'mem-free': '3221225472',
      'disk-used-pct': '0.00',
      'disk-free': '9223372036854774783',
      stats: STATS.json,
    });
  });

  test('are empty, and never 0, where something was not reported', () => {
    const { outputs } = statsOutputs(report({ stats: statsOf({ mem_total: 0, mem_used: 0 }) }));
    const filled = Object.entries(outputs).filter(([, value]) => value !== '');
    const stats = '{"mem_total":0,"mem_used":0}';
    assert.deepEqual(Object.fromEntries(filled), { 'mem-total': '0', 'mem-used': '0', stats });
    assert.deepEqual(new Set(Object.values(statsOutputs(report()).outputs)), new Set(['']));
  });

  test('have no JSON that is too long, but a notice', () => {
    const { outputs, notices } = statsOutputs(
      report({ stats: statsOf({ ts: 5, more: `"${'ü'.repeat(LIMIT / 2)}"` }) }),
    );
    assert.deepEqual([outputs['stats'], outputs['ts']], ['', '5']);
    assert.match(notices.join(), /^The output stats is empty/);
  });
});

describe('the outputs of the gate', () => {
  test('have each breach exactly, in the metric’s own unit, and null for what is not reported', () => {
    const failIf = ['mem_used >= 9007199254740993B', 'cpu_used_pct > 90.5%', 'mem_used_mib > 1.5GiB', 'load > 1'];
    const { outputs } = gate(judged([{ mem_used: HUGE, cpu_used_pct: 90.6, mem_used_mib: 1600 }], failIf));
    assert.equal(outputs['gate'], 'failed');
    assert.equal(
      outputs['breaches'],
      `[{"level":"fail","condition":"mem_used >= 9007199254740993B","metric":"mem_used","figure":${HUGE},"limit":9007199254740993},` +
        '{"level":"fail","condition":"cpu_used_pct > 90.5%","metric":"cpu_used_pct","figure":90.6,"limit":90.5},' +
        '{"level":"fail","condition":"mem_used_mib > 1.5GiB","metric":"mem_used_mib","figure":1600,"limit":1536},' +
        '{"level":"fail","condition":"load > 1","metric":"load","figure":null,"limit":1}]',
    );
  });

  test('have the aggregates of every metric, exact, over the samples that report it', () => {
    const readings = [
      { mem_used: HUGE, load: 0.1, note: '"text"' },
      { mem_used: '9223372036854775805', load: 0.2, cpu_used_pct: `1${'0'.repeat(400)}` },
      { load: 0.6 },
    ];
    assert.equal(
      gate(judged(readings)).outputs['aggregates'],
      `{"mem_used":{"last":9223372036854775805,"min":9223372036854775805,"max":${HUGE},"mean":9223372036854775806},` +
        '"load":{"last":0.6,"min":0.1,"max":0.6,"mean":0.3}}',
    );
    assert.equal(gate(report()).outputs['aggregates'], '{}');
  });

  test('are empty, with a notice, where they are too long', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `metric_number_${index}`);
    const readings = Array.from({ length: 20 }, (_, index) => many.slice(index * 250, (index + 1) * 250));
    const { outputs, notices } = gate(
      judged(
        readings.map(names => Object.fromEntries(names.map(name => [name, 1]))),
        many.map(name => `${name} > 0`),
      ),
    );
    assert.deepEqual(outputs, { gate: 'failed', breaches: '', aggregates: '' });
    assert.deepEqual(
      notices.map(notice => notice.slice(0, 30)),
      ['The output breaches is empty: ', 'The output aggregates is empty'],
    );
  });
});
