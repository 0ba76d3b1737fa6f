import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closestWord } from '../../src/text/nearest.ts';

const WORDS = ['target', 'timeout', 'files', 'shard'];

test('the closest word is at most two edits away, and fewer than the share of its letters', () => {
  assert.equal(closestWord('targt', WORDS), 'target');
  assert.equal(closestWord('trgt', WORDS), 'target');
  assert.equal(closestWord('trg', WORDS), undefined);
  assert.equal(closestWord('file', WORDS, 0.5), 'files');
  assert.equal(closestWord('fil', WORDS, 0.5), 'files');
  assert.equal(closestWord('fil', WORDS, 0.4), undefined);
});
