import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedReport } from '../../src/report/report.ts';
import { reportJson } from '../../src/report/report-json.ts';
import { verdictOf } from '../../src/report/verdict.ts';

/** By section: the output and the key of the report that no other section has. */
const MARKS: Readonly<Record<string, RegExp>> = {
  command: /^(exit-code|command)$/,
  upload: /^digest$/,
  measured: /^gate$/,
  download: /^(downloaded-count|download)$/,
};

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  sync: ['upload', 'measured'],
  upload: ['upload'],
  stats: ['measured'],
  monitor: ['measured'],
  run: ['command', 'measured'],
  download: ['download'],
};

for (const task of ['sync', 'upload', 'stats', 'monitor', 'run', 'download'] as const) {
  const error = { message: 'No.', details: [] };
  const report = failedReport(task, { name: '', error, cancelled: false, isGated: true });
  const verdict = verdictOf(report);
  const outputs = verdict.outputs;
  const sections = SECTIONS[task] ?? [];

  test(`a failed ${task} has the outputs and report keys of: ${sections.join(', ')}`, () => {
    for (const keys of [outputs, JSON.parse(reportJson(report, verdict))].map(Object.keys)) {
      const found = Object.entries(MARKS).filter(([, mark]) => keys.some(key => mark.test(key)));
      assert.deepEqual(
        found.map(([section]) => section),
        sections,
      );
    }
  });

  test(`a ${task} that fails before it does anything fails its gate, too`, () => {
    assert.equal(verdict.level, 'failure');
    assert.equal(outputs['gate'], sections.includes('measured') ? 'failed' : undefined);
  });
}
