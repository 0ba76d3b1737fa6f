import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstOf, fitting } from '../../src/text/cut.ts';

test('a list of the limit is shown whole, the rest of a longer one is counted and never made', () => {
  const made: string[] = [];
  const show = (item: string) => {
    made.push(item);
    return `- ${item}`;
  };
  const cut = (...items: readonly string[]) => firstOf(items, 2, { show, more: rest => `and ${rest} more` });
  assert.deepEqual(cut(), []);
  assert.deepEqual(cut('a', 'b'), ['- a', '- b']);
  assert.deepEqual(cut('c', 'd', 'e'), ['- c', '- d', 'and 1 more']);
  assert.deepEqual(cut('f', 'g', 'h', 'i'), ['- f', '- g', 'and 2 more']);
  assert.deepEqual(made, ['a', 'b', 'c', 'd', 'f', 'g']);
});

test('what fits is taken in order, and nothing is made beyond it', () => {
  const made: number[] = [];
  const sizes = [3, 4, 0, 2, 1].values().map(size => {
    made.push(size);
    return size;
  });
  assert.deepEqual(
    fitting(sizes, 7, size => size),
    [3, 4, 0],
  );
  assert.deepEqual(made, [3, 4, 0, 2]);
});
