import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';

interface ChaosTest<Chaos> {
  /** A sentence that must hold in every scenario. */
  readonly name: string;
  /** Each seed gives one random scenario. CHAOS_SEEDS="1 2 3" replaces the seeds. */
  readonly seeds: readonly number[];
  readonly chaos: fc.Arbitrary<Chaos>;
  /** Runs one scenario, and returns its outcome for the log. */
  readonly run: (chaos: Chaos) => Promise<string>;
  readonly skip?: string | false;
}

export function testChaos<Chaos>({ name, chaos, run, ...more }: ChaosTest<Chaos>): void {
  const seeds = process.env['CHAOS_SEEDS']?.split(' ').map(Number) ?? more.seeds;
  describe(name, { concurrency: 3, skip: more.skip ?? false }, () => {
    for (const seed of seeds)
      test(`${name} [seed ${seed}]`, async t => {
        const [sample] = fc.sample(chaos, { seed, numRuns: 1 });
        assert.ok(sample !== undefined);
        t.diagnostic(`seed ${seed}: ${await run(sample)}`);
      });
  });
}
