import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.ts';

test('100 random answers are taken in, reported and shown without harm', async () => {
  const { outputs } = await fuzz(1, 100);
  assert.ok(Number(outputs['failed-count']) > 33, 'too few do not pass');
});
