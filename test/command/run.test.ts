import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxDurationOf } from '../../src/command/run.ts';
import { simulateAgent } from '../support/simulated-transfer.ts';

const NOW = 1_767_225_600_000;
const MINUTE = 60_000;

type Case = readonly [left: number | undefined, given: number | undefined, expected: number];
const DURATIONS: Readonly<Record<string, Case>> = {
  'a created sandbox': [120 * MINUTE, undefined, 120 * MINUTE - 10_000],
  'a sandbox that is about to end': [MINUTE, undefined, MINUTE],
  'a sandbox that lives for a month': [30 * 24 * 60 * MINUTE, undefined, 24 * 60 * MINUTE],
  'a sandbox whose end is not known': [undefined, undefined, 60 * MINUTE],
  'max-duration without a known end': [undefined, MINUTE, MINUTE],
  'max-duration up to the end': [MINUTE, MINUTE, MINUTE],
  'max-duration beyond the end': [MINUTE, 2 * MINUTE, 2 * MINUTE],
};
for (const [what, [left, maxDuration, expected]] of Object.entries(DURATIONS))
  test(`a command may take the life that its sandbox has left, if no input says otherwise [${what}]`, () => {
    const { context, lines } = simulateAgent();
    const sandbox = { id: 'mine', token: '', baseUrl: '', headerPrefix: '' };
    const endsAt = left === undefined ? undefined : NOW + left;
    const sandboxes = [
      { ...sandbox, id: 'other', endsAt: NOW },
      { ...sandbox, endsAt },
    ];
    const job = { ...context, now: () => NOW, sandboxes };
    assert.equal(maxDurationOf({ sandboxId: 'mine', maxDuration }, job), expected);
    const warning = 'The sandbox may end at 00:01:00 UTC, before max-duration (2 min) runs out.';
    assert.equal(lines.join().startsWith(warning), what === 'max-duration beyond the end');
  });
