import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import type { Recorder } from '../../src/monitor/recorder.ts';
import { recordSamples } from '../../src/monitor/sampler.ts';
import { decoded } from '../stats/given.ts';

const STATS = decoded('{"mem_used":1}');

/** Records samples that fail with each error in turn, until `stopAt` have been taken. */
async function recorded(
  errors: readonly (Error | undefined)[],
  stopAt: number,
  fullAt = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const lines: string[] = [];
  const stop = new AbortController();
  let samples = 0;
  const read = async () => {
    const error = errors[samples++];
    if (samples === stopAt) stop.abort('enough');
    if (error !== undefined) throw error;
    return STATS;
  };
  const recorder: Recorder = {
    start: at => void lines.push(`${at} start`),
    isFull: () => samples >= fullAt,
    sample: at => void lines.push(`${at} sample`),
    gap: ({ at, what }) => void lines.push(`${at} ${what}`),
    end: ({ at, what }) => void lines.push(`${at} end: ${what}`),
  };
  const sleep = async () => !stop.signal.aborted;
  await recordSamples(read, recorder, 200, { sleep, stop: stop.signal, now: () => samples });
  return lines;
}

test('samples are taken at once, after each interval, and a last time at the end', async () => {
  assert.deepEqual(await recorded([], 2), [
    '0 start',
    '1 sample',
    '2 sample',
    '3 sample',
    '3 end: enough',
  ]);
});

test('a sample that fails is a gap, with what to do about it where the next would not mend it', async () => {
  const errors = [
    new AgentError('stalled', 'Slow.'),
    new AgentError('too-large', 'Long.'),
    undefined,
  ];
  const cancelled = new AgentError('cancelled', 'Cut.');
  assert.deepEqual(await recorded([...errors, cancelled], 3), [
    '0 start',
    '1 Slow.',
    `2 Long. ${new AgentError('too-large', '').hint}`,
    '3 sample',
    '4 Cut.',
    '4 end: enough',
  ]);
});

test('sampling ends when the record is full', async () => {
  assert.deepEqual((await recorded([], 9, 2)).slice(-2), [
    '3 sample',
    '3 end: its record was full',
  ]);
});

test('a bug passes through', async () => {
  await assert.rejects(recorded([new TypeError('a bug')], 2), new TypeError('a bug'));
});
