import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultMaxDuration } from '../../src/command/run.ts';

const NOW = 1_767_225_600_000;
const MINUTE = 60_000;

const DURATIONS: Readonly<Record<string, readonly [left: number | undefined, expected: number]>> = {
  'a created sandbox': [15 * MINUTE, 15 * MINUTE - 10_000],
  'a sandbox that lives longer than an hour': [120 * MINUTE, 120 * MINUTE - 10_000],
  'a sandbox that is about to end': [MINUTE, MINUTE],
  'a sandbox that should have ended': [-MINUTE, MINUTE],
  'a sandbox whose end is not known': [undefined, 60 * MINUTE],
};
for (const [what, [left, expected]] of Object.entries(DURATIONS))
  test(`a command may take the life that its sandbox has left, if that is known [${what}]`, () => {
    const others = { token: '', baseUrl: '', headerPrefix: '' };
    const endsAt = left === undefined ? undefined : NOW + left;
    const sandboxes = [
      { ...others, id: 'other', endsAt: NOW },
      { ...others, id: 'mine', endsAt },
    ];
    const context = { now: () => NOW, sandboxes };
    assert.equal(defaultMaxDuration({ sandboxId: 'mine' }, context), expected);
  });

test('a command in a sandbox of another job may take an hour', () => {
  const context = { now: () => NOW, sandboxes: [] };
  assert.equal(defaultMaxDuration({ sandboxId: 'mine' }, context), 60 * MINUTE);
});
