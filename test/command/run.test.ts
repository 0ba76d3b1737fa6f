import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxDurationOf } from '../../src/command/run.ts';

const NOW = 1_767_225_600_000;
const MINUTE = 60_000;

/** Life left, the input `max-duration`, and how long the command may take. */
const DURATIONS: Readonly<
  Record<string, readonly [left: number | undefined, given: number | undefined, expected: number]>
> = {
  'a created sandbox': [15 * MINUTE, undefined, 15 * MINUTE - 10_000],
  'a sandbox that lives longer than an hour': [120 * MINUTE, undefined, 120 * MINUTE - 10_000],
  'a sandbox that is about to end': [MINUTE, undefined, MINUTE],
  'a sandbox that should have ended': [-MINUTE, undefined, MINUTE],
  'a sandbox whose end is not known': [undefined, undefined, 60 * MINUTE],
  'a sandbox whose end is not known, with max-duration': [undefined, MINUTE, MINUTE],
  'max-duration beyond its life': [MINUTE, 2 * MINUTE, 2 * MINUTE],
};
for (const [what, [left, maxDuration, expected]] of Object.entries(DURATIONS))
  test(`a command may take the life that its sandbox has left, if no input says otherwise [${what}]`, () => {
    const others = { token: '', baseUrl: '', headerPrefix: '' };
    const endsAt = left === undefined ? undefined : NOW + left;
    const sandboxes = [
      { ...others, id: 'other', endsAt: NOW },
      { ...others, id: 'mine', endsAt },
    ];
    const lines: string[] = [];
    const ignore = () => {};
    const log = {
      line: (text: string) => lines.push(text),
      output: ignore,
      debug: ignore,
      warning: ignore,
    };
    const context = { now: () => NOW, sandboxes, log };
    assert.equal(maxDurationOf({ sandboxId: 'mine', maxDuration }, context), expected);
    assert.equal(lines.length, what === 'max-duration beyond its life' ? 1 : 0);
  });
