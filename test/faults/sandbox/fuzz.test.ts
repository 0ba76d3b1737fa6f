import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from './fuzz.ts';

test('300 random answers are taken in, reported and shown without harm', async () => {
  const { outputs } = await fuzz(1, 300);
  assert.ok(Number(outputs['failed-count']) > 100, 'too few do not pass');
});
