import assert from 'node:assert/strict';
import type { Timing } from '../../src/stats/sample.ts';
import type { Stats } from '../../src/stats/stats.ts';
import { decoded } from './given.ts';

/** Time that only passes while somebody sleeps, and a way to cancel. */
export interface FakeTime extends Timing {
  /** The sleeps so far, in milliseconds. */
  readonly slept: readonly number[];
  readonly pass: (ms: number) => void;
  readonly cancel: () => void;
  readonly clock: () => number;
}

/** @param onSleep called when a sleep starts, with the milliseconds so far */
export function fakeTime(onSleep: (time: FakeTime, elapsed: number) => void = () => {}): FakeTime {
  const start = 1_000_000;
  const controller = new AbortController();
  const slept: number[] = [];
  let elapsed = 0;
  const time: FakeTime = {
    slept,
    stop: controller.signal,
    now: () => start + elapsed,
    clock: () => elapsed,
    pass: ms => {
      elapsed += ms;
    },
    cancel: () => controller.abort(),
    async sleep(ms, stop) {
      onSleep(time, elapsed);
      if (stop.aborted) return false;
      slept.push(ms);
      assert.ok(ms > 0, `a sleep of ${ms} ms`);
      elapsed += ms;
      return true;
    },
  };
  return time;
}

/** Stats with one figure. */
export function load(figure: number): Stats {
  return decoded(`{"load":${figure}}`, 'load');
}

export interface Answers {
  readonly count: () => number;
  readonly read: () => Promise<Stats>;
}

/** Answers in turn, then always the last; errors are thrown. `count` counts the calls. */
export function answers(...list: readonly [Stats | Error, ...(Stats | Error)[]]): Answers {
  let count = 0;
  return {
    count: () => count,
    read: async () => {
      const answer = list[Math.min(count, list.length - 1)] ?? list[0];
      count += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}
