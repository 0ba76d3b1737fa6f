import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { canBeNamed } from '../system.ts';
import { METRICS } from './agent-answers.ts';
import { assertDelivered } from './result.ts';
import { expectSuccess, requestMethods } from './run-action.ts';
import { type Files, openJob } from './test-job.ts';

const KIB = 1024;

const NAMED: Files = {
  'plain.txt': 'text',
  empty: '',
  [`${'d/'.repeat(100)}deep.bin`]: randomBytes(1000),
  'with space/and  two.txt': 'space',
  '"double" and \'single\'': 'quotes',
  '100%/%41%.txt': 'percent',
  'a#b?c+d&e=f;g.txt': 'URL',
  'naïve/日本語/😀.txt': 'beyond ASCII',
  'line\nbreak\r\n.txt': 'newline',
  'back\\slash.txt': 'backslash',
  'almost-streamed': randomBytes(256 * KIB),
  'just-streamed': randomBytes(256 * KIB + 1),
  'large.bin': randomBytes(3 * KIB * KIB),
};

const TREE: Files = Object.fromEntries(Object.entries(NAMED).filter(([name]) => canBeNamed(name)));

test('a tree of files is uploaded byte for byte', async () => {
  await using job = await openJob({ files: TREE });
  const result = await expectSuccess(job);
  assertDelivered(job, result);
  const { report, outputs } = result;
  assert.match(report.$schema, /\/schema\/report-1\.json$/);
  assert.equal(report.succeeded, true);
  assert.deepEqual(report.stats, METRICS);
  const bytes = Object.values(TREE).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  assert.equal(outputs['uploaded-bytes'], String(bytes));
  assert.deepEqual(
    new Set(report.files.map(file => [file.source, file.path, file.status, file.attempts])),
    new Set(Object.keys(TREE).map(name => [name, `/home/user/${name}`, 'uploaded', 1])),
  );
});

test('the upload action requests no stats', async () => {
  await using job = await openJob({ files: { 'a.txt': 'a', 'b.txt': 'bb' } });
  const { outputs, summary } = await expectSuccess(job, {}, { task: 'upload' });
  assert.equal(requestMethods(job), 'POST POST');
  assert.deepEqual([outputs['uploaded-count'], outputs['uploaded-bytes']], ['2', '3']);
  assert.doesNotMatch(summary, /CPU|not reported/);
});
