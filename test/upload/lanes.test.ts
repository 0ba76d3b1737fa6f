import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLanes } from '../../src/upload/lanes.ts';

/** Runs ten pieces of work of which each lasts until the ones begun with it have begun, and says the most at once. */
async function most(level: () => number, fail: (item: number) => boolean = () => false): Promise<number> {
  let [item, running, highest] = [0, 0, 0];
  const next = () => (item < 10 ? item++ : undefined);
  const work = async (each: number) => {
    running += 1;
    highest = Math.max(highest, running);
    await new Promise(resolve => setImmediate(resolve));
    running -= 1;
    if (fail(each)) throw new Error(`work ${each}`);
  };
  await inLanes(level, next, work);
  assert.equal(item, 10);
  return highest;
}

test('there are as many lanes as the level says', async () => {
  assert.equal(await most(() => 3), 3);
  assert.equal(await most(() => 100), 10);
});

test('the level may rise and fall meanwhile', async () => {
  let asked = 0;
  assert.equal(await most(() => (++asked > 6 ? 5 : 1)), 5);
  asked = 0;
  assert.equal(await most(() => (++asked > 3 ? 1 : 2)), 2);
});

test('nothing to do ends at once', async () => {
  await inLanes(
    () => 1,
    () => undefined,
    () => Promise.reject(new Error('nothing was to be done')),
  );
});

test('work that throws is told after all the rest has ended', async () => {
  await assert.rejects(
    most(
      () => 2,
      each => each === 1 || each === 7,
    ),
    { message: 'work 1' },
  );
});
