import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checksumsOf, digestOf } from '../../src/report/checksums.ts';
import { outputsOf, reportJson } from '../../src/report/outputs.ts';
import { verdictOf } from '../../src/report/verdict.ts';
import {
  BUSY,
  EVERY_END,
  failed,
  judged,
  notAttempted,
  type Parts,
  reading,
  report,
  SHA256,
  statsOf,
  unchanged,
  uploaded,
} from './reports.ts';

/** Those outputs of a report that are not empty. */
function filled(parts: Parts): Record<string, string> {
  const outputs = Object.entries(outputsOf(verdictOf(report(parts))));
  return Object.fromEntries(outputs.filter(([, value]) => value !== ''));
}

describe('the outputs', () => {
  test('of an upload count every way a file can end', () => {
    assert.deepEqual(filled({ task: 'upload', digest: 'sha256:d', ...EVERY_END }), {
      'uploaded-count': '2',
      'unchanged-count': '1',
      'failed-count': '1',
      'skipped-count': '2',
      'uploaded-bytes': '12',
      digest: 'sha256:d',
    });
  });

  test('of the stats are the figures, the derived percentages with two decimals', () => {
    const figures = { ...reading(12.345, 25, 0), ts: 1_700_000_000, load: 3 };
    const { aggregates: _, ...outputs } = filled({
      task: 'stats',
      samples: [{ at: 1, ...statsOf(figures) }],
    });
    assert.deepEqual(outputs, {
      ts: '1700000000',
      'cpu-count': '4',
      'cpu-used-pct': '12.345',
      'mem-total': '4294967296',
      'mem-used': '1073741824',
      'mem-used-pct': '25.00',
      'mem-free': '3221225472',
      'mem-cache': '268435456',
      'disk-total': '21474836480',
      'disk-used': '0',
      'disk-used-pct': '0.00',
      'disk-free': '21474836480',
      stats: JSON.stringify(figures),
      gate: 'none',
      breaches: '[]',
    });
  });

  test('are empty, and never 0, if a figure was not reported', () => {
    const none = { gate: 'none', breaches: '[]', aggregates: '{}' };
    assert.deepEqual(filled({ task: 'stats' }), none);
  });

  test('have each breach in the metric’s own unit, null if it was not reported', () => {
    const failIf = ['mem_used_mib > 1.5GiB', 'cpu_used_pct > 90.5%', 'load > 1'];
    const given = judged([{ mem_used_mib: 1600, cpu_used_pct: 90.6 }], failIf);
    const { gate, breaches } = outputsOf(verdictOf(report({ task: 'monitor', ...given })));
    assert.equal(gate, 'failed');
    assert.deepEqual(JSON.parse(breaches ?? ''), [
      { level: 'fail', condition: failIf[0], metric: 'mem_used_mib', figure: 1600, limit: 1536 },
      { level: 'fail', condition: failIf[1], metric: 'cpu_used_pct', figure: 90.6, limit: 90.5 },
      { level: 'fail', condition: failIf[2], metric: 'load', figure: null, limit: 1 },
    ]);
  });

  test('have the aggregates of known metrics, and of those in conditions, over the samples that report them', () => {
    const given = judged([{ mem_used: 3, load: 1, other: 1 }, { mem_used: 1 }], ['load > 5']);
    const { aggregates } = outputsOf(verdictOf(report({ task: 'stats', ...given })));
    assert.deepEqual(JSON.parse(aggregates ?? ''), {
      mem_used: { last: 1, min: 1, max: 3, mean: 2 },
      load: { last: 1, min: 1, max: 1, mean: 1 },
    });
  });
});

const written = (parts: Parts) => {
  const given = report(parts);
  return reportJson(given, verdictOf(given));
};

describe('the report file', () => {
  test('holds everything about a run', () => {
    const errors = [{ message: 'No.', details: ['d'] }];
    const parsed = JSON.parse(written({ ...EVERY_END, errors, warnings: ['w'] }));
    const { $schema, files, totals, ...rest } = parsed;
    assert.match($schema, /report-1\.json$/);
    assert.deepEqual(rest, {
      task: 'sync',
      name: '',
      succeeded: false,
      headline: 'Uploaded 2 of 5 files, 1 failed, 1 not attempted, 1 unchanged, 1 skipped.',
      sandboxId: 'i1a2b3',
      baseUrl: 'https://sandbox.example.com',
      dryRun: false,
      cancelled: false,
      digest: '',
      skipped: EVERY_END.skipped,
      orphaned: [],
      retries: 0,
      durationMs: 2000,
      errors,
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
    const file = (name: string) => ({ source: name, target: `/home/user/app/${name}`, size: 10 });
    const path = '/home/user/app/a';
    assert.deepEqual(files.slice(0, 5), [
      { ...file('a'), size: 7, status: 'uploaded', attempts: 1, durationMs: 5, path },
      { ...file('b'), status: 'failed', attempts: 3, durationMs: 7, error: BUSY },
      { ...file('c'), status: 'skipped', reason: 'dry run' },
      { ...file('d'), status: 'not-attempted', reason: 'the sandbox was not ready' },
      { ...file('e'), status: 'unchanged', path: '/home/user/app/e', sha256: SHA256 },
    ]);
  });

  test('has the samples and the monitored time, and the stats as the agent sent them', () => {
    const monitored = { from: 1, to: 2 };
    const sample = { at: 1, ...statsOf({ load: 1.5 }), json: '{"load":1.5,"host":"h"}' };
    const text = written({ samples: [sample], monitored });
    const { figures, samples, monitored: kept, stats } = JSON.parse(text);
    assert.deepEqual(
      [figures, samples[0].figures, kept, stats],
      [{ load: 1.5 }, { load: 1.5 }, monitored, { load: 1.5, host: 'h' }],
    );
  });

  test('is JSON that any parser reads, whatever the names', () => {
    const name = 'a\ud800b\u0000"\\\n\u2028😀';
    const text = written({ files: [uploaded(name)], warnings: ['\udfff'] });
    assert.ok(text.isWellFormed());
    assert.equal(JSON.parse(text).files[0].source, name);
  });
});

describe('the checksums', () => {
  test('list what is in the sandbox, as sha256sum does', () => {
    const files = [unchanged('a\nb\\c'), uploaded('not hashed'), failed('d')];
    const line = `\\${SHA256}  /home/user/app/a\\nb\\\\c\n`;
    assert.equal(checksumsOf(files), line);
  });

  test('make one digest of a whole build, in whatever order, and none of a part', () => {
    const build = [unchanged('b'), unchanged('a')];
    assert.match(digestOf(build), /^sha256:[0-9a-f]{64}$/);
    assert.equal(digestOf(build), digestOf(build.toReversed()));
    assert.equal(digestOf([...build, notAttempted('c')]), '');
    assert.equal(digestOf([]), '');
  });
});
