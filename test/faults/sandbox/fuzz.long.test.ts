import { suite, test } from 'node:test';
import { fuzz } from './fuzz.ts';

const CASES = 1000;

suite('random answers', { concurrency: 2 }, () => {
  for (let seed = 2; seed <= 7; seed += 1) {
    test(`${CASES} of seed ${seed} are taken in, reported and shown without harm`, async () =>
      void (await fuzz(seed, CASES)));
  }
});
