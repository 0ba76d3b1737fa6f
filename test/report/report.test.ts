import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedReport } from '../../src/report/report.ts';
import { mergeOutputs, reportJson } from '../../src/report/report-json.ts';
import { verdictOf } from '../../src/report/verdict.ts';

const SECTIONS = {
  sync: ['upload', 'measured'],
  upload: ['upload'],
  stats: ['measured'],
  monitor: ['measured'],
} as const;

for (const task of ['sync', 'upload', 'stats', 'monitor'] as const) {
  const error = { message: 'No.', details: [] };
  const report = failedReport(task, { name: '', error, cancelled: false, isGated: true });
  const verdict = verdictOf(report);

  test(`a failed ${task} has the outputs and report keys of: ${SECTIONS[task].join(', ')}`, () => {
    const outputs = mergeOutputs(verdict);
    const json = JSON.parse(reportJson(report, verdict));
    for (const keys of [outputs, json]) {
      const sections = ['digest' in keys ? 'upload' : [], 'gate' in keys ? 'measured' : []].flat();
      assert.deepEqual(sections, SECTIONS[task]);
    }
  });

  test(`a ${task} that fails before it does anything fails its gate, too`, () => {
    assert.equal(verdict.level, 'failure');
    assert.equal(mergeOutputs(verdict)['gate'], task === 'upload' ? undefined : 'failed');
  });
}
