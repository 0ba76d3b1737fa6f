/** Pseudorandom numbers, the same for the same seed. */
export interface Dice {
  /** A number from 0 up to but not including 1. */
  readonly next: () => number;
  /** A whole number from 0 up to but not including `end`. */
  readonly below: (end: number) => number;
  readonly oneOf: <T>(choices: readonly [T, ...T[]]) => T;
}

/** Creates dice with a seed (mulberry32). */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { next, below, oneOf: choices => choices[below(choices.length)] ?? choices[0] };
}
