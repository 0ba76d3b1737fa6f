import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { gateOf } from '../../src/gate/judge.ts';
import { aggregatesOf, outputsOf, reportJson } from '../../src/report/outputs.ts';
import type { Report } from '../../src/report/report.ts';
import { parse } from '../gate/given.ts';
import { course, type Reading } from './courses.ts';
import {
  BUSY,
  EVERY_END,
  FULL,
  failed,
  report,
  SHA256,
  STATS,
  statsOf,
  uploaded,
} from './reports.ts';

const LIMIT = 256 * 1024;
const HUGE = '9223372036854775807';
const EXACT = '9007199254740991';

/** The report of samples judged by conditions of fail-if. */
function judged(readings: readonly Reading[], failIf: readonly string[] = []): Report {
  const samples = course(readings);
  const figures = samples.map(sample => sample.figures);
  return report({ samples, gate: gateOf({ failIf: failIf.map(parse), warnIf: [] }, figures) });
}

const GATE = ['gate', 'breaches', 'aggregates'];

/** The names of a run's outputs for which `holds` is true. */
function outputsWhere(holds: (name: string) => boolean, of: Report) {
  const { outputs, notices } = outputsOf(of, aggregatesOf(of.samples));
  return {
    notices,
    outputs: Object.fromEntries(Object.entries(outputs).filter(([name]) => holds(name))),
  };
}

const uploadOutputs = (of: Report) => outputsWhere(() => true, { ...of, task: 'upload' });
const statsOutputs = (of: Report) =>
  outputsWhere(name => !GATE.includes(name), { ...of, task: 'stats' });
const gateOutputs = (of: Report) =>
  outputsWhere(name => GATE.includes(name), { ...of, task: 'monitor' });

test('the outputs are those that action.yml declares', () => {
  const declared: { outputs: Record<string, unknown> } = parseYaml(
    readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'),
  );
  const written = Object.keys(outputsOf(report(), {}).outputs);
  assert.deepEqual(
    [...written, 'report', 'checksums'].sort(),
    Object.keys(declared.outputs).sort(),
  );
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
      'hidden-count': '0',
      'uploaded-bytes': '12',
      digest: '',
      uploaded:
        '[{"source":"a","path":"/home/user/app/a","size":7},{"source":"f","path":"/home/user/app/f","size":5}]',
    });
    assert.equal(uploadOutputs(report()).outputs['uploaded'], '[]');
  });

  /** Files whose list has this many bytes; names occur in it twice. */
  function listOf(bytes: number) {
    const left =
      bytes -
      Buffer.byteLength(uploadOutputs(report({ files: list(0, 10) })).outputs['uploaded'] ?? '');
    return uploadOutputs(report({ files: list(Math.floor(left / 2), left % 2 === 0 ? 10 : 100) }));
  }
  const list = (length: number, size: number) => [
    uploaded('ü'),
    uploaded('x'.repeat(length), size),
  ];

  test('list files up to 256 KiB, and none beyond, with a notice', () => {
    for (const bytes of [LIMIT - 1, LIMIT]) {
      const { outputs, notices } = listOf(bytes);
      assert.equal(Buffer.byteLength(outputs['uploaded'] ?? ''), bytes);
      assert.deepEqual(notices, []);
    }
    const { outputs, notices } = listOf(LIMIT + 1);
    assert.deepEqual([outputs['uploaded'], outputs['uploaded-count']], ['[]', '2']);
    assert.match(notices.join(), /^The output uploaded is \[\]: .*256 KiB.* output report/);
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
    assert.deepEqual(Object.fromEntries(filled), { 'mem-total': '0', stats });
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
    const failIf = [
      'mem_used >= 9007199254740991B',
      'cpu_used_pct > 90.5%',
      'mem_used_mib > 1.5GiB',
      'load > 1',
    ];
    const { outputs } = gateOutputs(
      judged([{ mem_used: EXACT, cpu_used_pct: 90.6, mem_used_mib: 1600 }], failIf),
    );
    assert.equal(outputs['gate'], 'failed');
    assert.equal(
      outputs['breaches'],
      `[{"level":"fail","condition":"mem_used >= 9007199254740991B","metric":"mem_used","figure":${EXACT},"limit":${EXACT}},` +
        '{"level":"fail","condition":"cpu_used_pct > 90.5%","metric":"cpu_used_pct","figure":90.6,"limit":90.5},' +
        '{"level":"fail","condition":"mem_used_mib > 1.5GiB","metric":"mem_used_mib","figure":1600,"limit":1536},' +
        '{"level":"fail","condition":"load > 1","metric":"load","figure":null,"limit":1}]',
    );
  });

  test('have the aggregates of every metric, exact, over the samples that report it', () => {
    const readings = [
      { mem_used: EXACT, load: 0.1, note: '"text"' },
      { mem_used: '9007199254740989', load: 0.2, cpu_used_pct: `1${'0'.repeat(400)}` },
      { load: 0.6 },
    ];
    assert.equal(
      gateOutputs(judged(readings)).outputs['aggregates'],
      `{"mem_used":{"last":9007199254740989,"min":9007199254740989,"max":${EXACT},"mean":9007199254740990},` +
        '"load":{"last":0.6,"min":0.1,"max":0.6,"mean":0.3}}',
    );
    assert.equal(gateOutputs(report()).outputs['aggregates'], '{}');
  });

  test('are empty, with a notice, where they are too long', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `metric_number_${index}`);
    const readings = Array.from({ length: 20 }, (_, index) =>
      many.slice(index * 250, (index + 1) * 250),
    );
    const { outputs, notices } = gateOutputs(
      judged(
        readings.map(names => Object.fromEntries(names.map(name => [name, 1]))),
        many.map(name => `${name} > 0`),
      ),
    );
    assert.deepEqual(outputs, { gate: 'failed', breaches: '', aggregates: '' });
    const empty = notices.map(notice => notice.slice(0, 30));
    assert.deepEqual(empty, ['The output breaches is empty: ', 'The output aggregates is empty']);
  });
});

test('all outputs together stay below 1 MB as UTF-16, and the list of files goes first', () => {
  const names = Array.from({ length: 400 }, (_, index) => `metric_${index}_${'x'.repeat(100)}`);
  const of = judged(
    [Object.fromEntries(names.map(name => [name, 1]))],
    names.map(name => `${name} > 0`),
  );
  const stats = statsOf({ ts: 5, more: `"${'x'.repeat(250_000)}"` });
  const files = Array.from({ length: 2000 }, (_, index) => uploaded(`${index}-${'y'.repeat(30)}`));
  const { outputs, notices } = outputsOf({ ...of, stats, files }, aggregatesOf(of.samples));
  const characters = Object.values(outputs).reduce((sum, { length }) => sum + length, 0);
  assert.ok(2 * characters < 900_001, String(characters));
  assert.ok([outputs['stats'], outputs['breaches']].every(Boolean));
  assert.equal(outputs['uploaded'], '[]');
  assert.match(notices.join(), /^The output uploaded is \[\]: the outputs would exceed 900 KB/);
});

const written = (parts: Partial<Report>) =>
  [...reportJson(report(parts), aggregatesOf(report(parts).samples))].join('');

test('holds everything about a run, its schema first', () => {
  const text = written({
    ...EVERY_END,
    errors: [{ message: 'No.', details: ['d'] }],
    warnings: ['w'],
  });
  const $schema =
    'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';
  assert.ok(text.startsWith(`{"$schema":"${$schema}",`));
  const { files, totals, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, {
    $schema,
    task: 'sync',
    name: '',
    succeeded: false,
    headline: 'Uploaded 2 of 5 files; 1 failed, 1 not attempted, 1 unchanged. No.',
    sandboxId: 'i1a2b3',
    baseUrl: 'https://sandbox.example.com',
    dryRun: false,
    cancelled: false,
    digest: '',
    skipped: EVERY_END.skipped,
    hidden: [],
    orphaned: [],
    durationMs: 2000,
    durations: {},
    errors: [{ message: 'No.', details: ['d'] }],
    warnings: ['w'],
    stats: null,
    figures: null,
    aggregates: {},
    samples: [],
    gate: { state: 'none', breaches: [] },
  });
  assert.deepEqual(totals, {
    planned: 6,
    plannedBytes: 50,
    uploaded: 2,
    unchanged: 1,
    unchangedBytes: 10,
    failed: 1,
    skipped: 2,
    notAttempted: 1,
    uploadedBytes: 12,
  });
  const error = { kind: 'busy', status: 429, message: BUSY.message, hint: BUSY.hint };
  const file = (name: string) => ({ source: name, target: `app/${name}`, size: 10 });
  const path = '/home/user/app/a';
  assert.deepEqual(files.slice(0, 5), [
    { ...file('a'), size: 7, status: 'uploaded', attempts: 1, durationMs: 5, path },
    { ...file('b'), status: 'failed', attempts: 3, durationMs: 7, error },
    { ...file('c'), status: 'skipped', reason: 'dry run' },
    { ...file('d'), status: 'not-attempted', reason: 'the job was cancelled' },
    { ...file('e'), status: 'unchanged', path: '/home/user/app/e', sha256: SHA256 },
  ]);
});

test('has each file once, in order, however many', () => {
  const names = Array.from({ length: 1001 }, (_, index) => String(index));
  const { files }: { files: { source: string }[] } = JSON.parse(
    written({ files: names.map(name => uploaded(name)) }),
  );
  const sources = files.map(({ source }) => source);
  assert.deepEqual(sources, names);
});

test('keeps the digits of the stats, and the figures of every sample', () => {
  const stats = statsOf({ disk_total: HUGE, disk_used: 1, load: '1.50', big: '1e400' });
  const text = written({
    stats,
    samples: [{ at: 5, figures: stats.figures }],
    files: [failed('a', FULL)],
  });
  assert.ok(
    text.includes(`\n"stats": {"disk_total":${HUGE},"disk_used":1,"load":1.50,"big":1e400},\n`),
  );
  const parsed: unknown = JSON.parse(text);
  assert.ok(
    typeof parsed === 'object' && parsed !== null && 'figures' in parsed && 'samples' in parsed,
  );
  assert.deepEqual(parsed.figures, {
    disk_total: 2 ** 63,
    disk_used: 1,
    load: 1.5,
    disk_used_pct: 0,
    disk_free: 2 ** 63,
  });
  assert.deepEqual(parsed.samples, [{ at: 5, figures: parsed.figures }]);
  assert.ok(
    text.includes(
      `"hint":"${FULL.hint} Its root file system uses 1 B of 8 EiB; the target may be on another."`,
    ),
  );
});

test('is JSON that any parser reads, whatever the names', () => {
  const name = 'a\ud800b\u0000"\\\n\u2028😀';
  const stats = statsOf({ __proto: 1, ['__proto__']: 2, toJSON: 3 });
  const text = written({ files: [uploaded(name)], warnings: ['\udfff'], stats });
  assert.ok(text.isWellFormed());
  assert.equal(JSON.parse(text).files[0].source, name);
  assert.ok(text.includes('"figures":{"__proto":1,"__proto__":2,"toJSON":3}'));
});
