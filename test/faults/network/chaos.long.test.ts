import { suite, test } from 'node:test';
import { batchChaos, chaos } from './chaos.ts';

suite('chaos', { concurrency: 4 }, () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    test(`of seed ${seed} loses nothing, and every file meets its fate`, () => chaos(seed, 300));

    test(`of seed ${seed} loses nothing in batches`, () => batchChaos(seed, 300));
  }
});
