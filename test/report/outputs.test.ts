import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { gateOutputs, statsOutputs, uploadOutputs } from '../../src/report/outputs.ts';
import { failed, notAttempted, report, STATS, skipped, statsOf, unchanged, uploaded } from './reports.ts';

const LIMIT = 256 * 1024;

test('the outputs are those that action.yml declares', () => {
  const declared: { outputs: Record<string, unknown> } = parse(
    readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'),
  );
  const written = {
    ...uploadOutputs(report()).outputs,
    ...statsOutputs(report()).outputs,
    ...gateOutputs(report()).outputs,
    report: '',
  };
  assert.deepEqual(Object.keys(written).sort(), Object.keys(declared.outputs).sort());
});

describe('the outputs of the upload', () => {
  test('every way a file can end is counted', () => {
    const files = [
      uploaded('a', 7),
      uploaded('b', 5),
      failed('c'),
      skipped('d'),
      notAttempted('e'),
      unchanged('f'),
    ];
    const leftOut = [{ path: 'l', reason: 'a broken link' }];
    const { outputs, notices } = uploadOutputs(report({ files, leftOut }));
    assert.deepEqual(notices, []);
    const { uploaded: list = '', ...counts } = outputs;
    assert.deepEqual(counts, {
      'uploaded-count': '2',
      'unchanged-count': '1',
      'failed-count': '1',
      'skipped-count': '2',
      'uploaded-bytes': '12',
    });
    assert.deepEqual(JSON.parse(list), [
      { source: 'a', path: '/home/user/app/a', size: 7 },
      { source: 'b', path: '/home/user/app/b', size: 5 },
    ]);
  });

  test('of nothing they are 0 and an empty list', () => {
    assert.deepEqual(uploadOutputs(report()).outputs, {
      'uploaded-count': '0',
      'unchanged-count': '0',
      'failed-count': '0',
      'skipped-count': '0',
      'uploaded-bytes': '0',
      uploaded: '[]',
    });
  });

  const frame = JSON.stringify([{ source: '', path: '/home/user/app/', size: 10 }]).length;
  for (const [name, more] of Object.entries({ ascii: '', 'several bytes a character': 'ü' })) {
    const fits = (LIMIT - frame - 4 * more.length) / 2;
    test(`a list of 256 KiB is whole (${name})`, () => {
      const { outputs, notices } = uploadOutputs(report({ files: [uploaded('x'.repeat(fits) + more)] }));
      assert.ok(Buffer.byteLength(outputs['uploaded'] ?? '') > LIMIT - 2);
      assert.deepEqual(notices, []);
    });
    test(`a longer one is empty, with a notice (${name})`, () => {
      const { outputs, notices } = uploadOutputs(report({ files: [uploaded('x'.repeat(fits + 1) + more)] }));
      assert.equal(outputs['uploaded'], '');
      assert.equal(outputs['uploaded-count'], '1');
      assert.equal(notices.length, 1);
      assert.match(notices[0] ?? '', /^The output uploaded is empty: .*256 KiB/);
    });
  }
});

describe('the outputs of the stats', () => {
  test('each figure is written with all its digits', () => {
    const { outputs, notices } = statsOutputs(report({ stats: STATS }));
    assert.deepEqual(notices, []);
    assert.deepEqual(outputs, {
      ts: '1700000000',
      'cpu-count': '4',
      'cpu-used-pct': '12.34',
      'mem-total': '4294967296',
      'mem-used': '1073741824',
      'mem-total-mib': '4096',
      'mem-used-mib': '1024',
      'disk-total': '9223372036854775807',
      'disk-used': '1024',
      'mem-used-pct': '25.00',
      'mem-free': '3221225472',
      'disk-used-pct': '0.00',
      'disk-free': '9223372036854774783',
      stats: STATS.json,
    });
  });

  test('what was not reported is empty, and never 0', () => {
    const { outputs } = statsOutputs(report({ stats: statsOf({ mem_total: 0, mem_used: 0 }) }));
    const filled = Object.entries(outputs).filter(([, value]) => value !== '');
    assert.deepEqual(Object.fromEntries(filled), {
      'mem-total': '0',
      'mem-used': '0',
      stats: '{"mem_total":0,"mem_used":0}',
    });
  });

  test('without stats all are empty', () => {
    const { outputs, notices } = statsOutputs(report());
    assert.equal(Object.keys(outputs).length, 14);
    assert.ok(Object.values(outputs).every(value => value === ''));
    assert.deepEqual(notices, []);
  });

  test('JSON that is too long is empty, with a notice', () => {
    const stats = statsOf({ ts: 5, more: `"${'x'.repeat(LIMIT)}"` });
    const { outputs, notices } = statsOutputs(report({ stats }));
    assert.equal(outputs['stats'], '');
    assert.equal(outputs['ts'], '5');
    assert.match(notices.join(), /^The output stats is empty/);
  });
});
