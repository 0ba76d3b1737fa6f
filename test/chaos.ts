import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';

interface ChaosTest<Chaos> {
  /** What must hold, whatever happens. */
  readonly name: string;
  /** Each of them ends in another way. CHAOS_SEEDS="1 2 3" tries others. */
  readonly seeds: readonly number[];
  readonly chaos: fc.Arbitrary<Chaos>;
  /** Returns how it ended, for the log. */
  readonly run: (chaos: Chaos) => Promise<string>;
  readonly skip?: string | false;
}

/** Tests something with a random misfortune for each seed. */
export function testChaos<Chaos>({
  name,
  seeds,
  chaos,
  run,
  skip = false,
}: ChaosTest<Chaos>): void {
  const chosen = process.env['CHAOS_SEEDS']?.split(' ').map(Number) ?? seeds;
  describe(name, { concurrency: 3, skip }, () => {
    for (const seed of chosen)
      test(`${name} (seed ${seed})`, async t => {
        const [sample] = fc.sample(chaos, { seed, numRuns: 1 });
        assert.ok(sample !== undefined);
        t.diagnostic(`seed ${seed}: ${await run(sample)}`);
      });
  });
}
