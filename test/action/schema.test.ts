import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openFaulty, runBadly } from './harness.ts';
import { assertFits } from './schema.ts';

const SPOILED: Readonly<Record<string, (text: string) => string>> = {
  'has another version': text => text.replace('/report-1.json', '/report-2.json'),
  'has a key too many': text => text.replace('{', '{"more":1,'),
  'lacks a key': text => text.replace('"headline":', '"head":'),
  'has a count as text': text => text.replace('"planned":2', '"planned":"2"'),
  'has a negative count': text => text.replace('"planned":2', '"planned":-2'),
  'has an unknown status': text => text.replace('"status":"uploaded"', '"status":"sent"'),
  'has an uploaded file without a path': text => text.replace(/,"path":"[^"]*"/, ''),
  'has a failed file without an error': text => text.replace(/,"error":\{[^}]*\}/, ''),
  'has half a hash': text => text.replace(/("sha256":"\w{32})\w{32}/, '$1'),
  'has half a digest': text => text.replace('"digest":""', '"digest":"sha256:ab"'),
  'has an unknown gate': text => text.replace('"state":"failed"', '"state":"shut"'),
  'has a breach without a limit': text => text.replace(/,"limit":90/, ''),
  'has a figure as text': text => text.replace(/"mem_used":(\d+)/, '"mem_used":"$1"'),
};

describe('the schema refuses a report that', async () => {
  await using world = await openFaulty(
    { kind: 'status', status: 400 },
    { path: 'b' },
    { files: { a: 'x', b: 'y' } },
  );
  const inputs = { checksums: 'true', 'fail-if': 'mem_used_pct > 2\nmem_used_pct < 90' };
  const { reportText } = await runBadly(world, inputs);
  for (const [what, spoil] of Object.entries(SPOILED)) {
    test(what, () => {
      const spoiled = spoil(reportText);
      assert.notEqual(spoiled, reportText);
      assertFits('report', JSON.parse(reportText));
      assert.throws(() => assertFits('report', JSON.parse(spoiled)), assert.AssertionError);
    });
  }
});
