import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { highestLevel, type Level, type LevelChange, openLevel } from '../../src/upload/level.ts';

const BUSY = new AgentError('busy', 'busy', { status: 429 });

/** A level, the clock it goes by, and what it told of its changes. */
function start() {
  const clock = { now: 0 };
  const changes: LevelChange[] = [];
  const now = () => clock.now;
  return { clock, changes, level: openLevel('auto', now, change => void changes.push(change)) };
}

/** As many uploads as the level allows, all begun before the first ends, `ms` later. */
function round(level: Level, clock: { now: number }, ms: number, error?: AgentError): void {
  const ends = Array.from({ length: level.now() }, () => level.begin());
  clock.now += ms;
  for (const end of ends) end(error);
}

/** The levels after each of some rounds, one of which may fail. */
function rounds(times: readonly number[], failing?: number, error?: AgentError): number[] {
  const { clock, level } = start();
  return times.map((ms, index) => {
    round(level, clock, ms, index === failing ? error : undefined);
    return level.now();
  });
}

describe('a level that finds itself', () => {
  test('starts low and doubles while more uploads at once take no longer', () => {
    assert.equal(start().level.now(), 8);
    assert.deepEqual(rounds([100, 100, 100, 100]), [16, 24, 24, 24]);
  });

  test('never exceeds its highest', () => {
    assert.equal(rounds(Array.from({ length: 50 }, () => 100)).at(-1), highestLevel('auto'));
  });

  test('stays where more uploads at once take longer', () => {
    assert.deepEqual(rounds([100, 200, 200, 200]), [16, 16, 16, 16]);
  });

  test('goes on where it becomes faster later', () => {
    assert.deepEqual(rounds([100, 200, 200, 100]), [16, 16, 16, 24]);
  });

  const overloads: Readonly<Record<string, AgentError>> = {
    'status 429': BUSY,
    'status 503': new AgentError('server', '', { status: 503 }),
    'broken connections': new AgentError('connection', ''),
    'refused connections': new AgentError('unreachable', ''),
  };
  for (const [name, error] of Object.entries(overloads)) {
    test(`halves once at ${name}, however many fail together, and then grows by one`, () => {
      assert.deepEqual(rounds([100, 100, 100, 100, 80], 2, error).slice(1), [24, 12, 13, 14]);
    });
  }

  for (const error of [new AgentError('server', '', { status: 500 }), new AgentError('rejected', '')]) {
    test(`takes ${error.kind} for no overload`, () => {
      assert.deepEqual(rounds([100, 100], 0, error), [16, 24]);
    });
  }

  test('never falls below one', () => {
    const { clock, level } = start();
    for (let index = 0; index < 5; index += 1) round(level, clock, 1, BUSY);
    assert.equal(level.now(), 1);
    for (let index = 0; index < 5; index += 1) round(level, clock, 1);
    assert.ok(level.now() > 1);
  });

  test('is looked at each second where no upload ends, by the bytes that leave', () => {
    const { clock, level } = start();
    level.begin();
    const levels = [1, 1, 2].map(megabytes => {
      for (let part = 0; part < 10; part += 1) {
        clock.now += 100;
        level.sent(megabytes * 100_000);
      }
      return level.now();
    });
    assert.deepEqual(levels, [16, 16, 24]);
  });
});

test('whoever asks is told of each change and its reason', () => {
  const { clock, level, changes } = start();
  round(level, clock, 100);
  round(level, clock, 100, BUSY);
  round(level, clock, 100_000);
  for (let second = 0; second < 2; second += 1) {
    clock.now += 1000;
    level.sent(1024 ** 3);
  }
  assert.deepEqual(changes, [
    { from: 8, to: 16, error: undefined },
    { from: 16, to: 8, error: BUSY },
    { from: 8, to: 9, error: undefined },
    { from: 9, to: 10, error: undefined },
  ]);
});

test('a level that is given stays', () => {
  const now = () => 0;
  const level = openLevel(7, now, () => assert.fail('it stays'));
  level.begin()(BUSY);
  level.sent(1);
  assert.equal(level.now(), 7);
  assert.equal(highestLevel(7), 7);
});
