import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { answer, entryOf, openHostile, type Talk } from '../faults/sandbox/hostile.ts';
import { manyFiles, openWorld, pathOf, runAction, runWell, uploads } from './harness.ts';

const BUSY = answer(429, 'busy', ['Retry-After: 1']);
const GOOD = answer(200, ({ name }) => entryOf(name));

/** An agent that answers 429 until the first pause that it asked for is over. */
function openLimited() {
  const state = { refused: 0, openAt: 0 };
  const upload: Talk = {
    say(socket, request) {
      if (state.refused === 0) state.openAt = performance.now() + 1000;
      if (performance.now() >= state.openAt) return GOOD.say(socket, request);
      state.refused += 1;
      BUSY.say(socket, request);
    },
  };
  return { state, opening: openHostile({ upload }) };
}

suite('Retry-After', { concurrency: 2 }, () => {
  test('holds back all files at once, also without retries', async () => {
    const { state, opening } = openLimited();
    await using agent = await opening;
    await using world = await openWorld({ files: manyFiles(40) });
    const inputs = { 'base-url': agent.url, concurrency: '4', retries: '0' };
    const { report } = await runAction(world, inputs, { task: 'upload' });
    assert.ok(state.refused <= 4, `${state.refused} requests were refused`);
    assert.equal(report.totals['uploaded'], 40 - state.refused);
  });

  test('lets no other file go before the one that was refused', async () => {
    await using world = await openWorld({ files: manyFiles(100) });
    world.agent.addFaults({
      on: 'upload',
      path: 'f0.txt',
      times: 1,
      do: { kind: 'status', status: 429, headers: { 'Retry-After': '1' } },
    });
    await runWell(world, { concurrency: '4' }, { task: 'upload' });
    const order = uploads(world).map(pathOf);
    // Without a shared pause, the other files would be done within the second.
    const again = order.lastIndexOf('f0.txt');
    assert.ok(again > 0 && again < 50, `request ${again} of ${order.length}`);
  });
});
