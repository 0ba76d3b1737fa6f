import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { judge } from '../../src/gate/judge.ts';
import { waitLog } from '../../src/github/progress.ts';
import { figures, parse } from '../gate/given.ts';

test('a wait says every 15 s what does not hold, and at the end how long it took', () => {
  const lines: string[] = [];
  const waited = waitLog(line => lines.push(line));
  const busy = [judge(parse('load < 5'), [figures({ load: 9n })])];
  const error = new AgentError('busy', 'GET answered 503.');
  const looks = [
    { waitedMs: 1000, missing: busy, error: undefined },
    { waitedMs: 16_000, missing: busy, error: undefined },
    { waitedMs: 20_000, missing: busy, error: undefined },
    { waitedMs: 31_000, missing: [], error },
  ];
  for (const look of looks) waited({ held: false, ...look });
  waited({ held: true, waitedMs: 32_000, missing: [], error: undefined });
  assert.deepEqual(lines, [
    'Waited 16 s: load < 5 does not hold: it was 9',
    'Waited 31 s: GET answered 503.',
    'The sandbox was ready after 32 s',
  ]);
});
