import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleTimeout } from '../../src/stats/sample.ts';

test('a sample times out after 10 s or the interval if longer, and at most after timeout', () => {
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 5000 }), 10_000);
  assert.equal(sampleTimeout({ timeout: 60_000, sampleInterval: 30_000 }), 30_000);
  assert.equal(sampleTimeout({ timeout: 3000, sampleInterval: 30_000 }), 3000);
});
