import assert from 'node:assert/strict';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { AgentError } from '../../src/agent/failure.ts';
import { filesIn } from '../../src/monitor/record.ts';
import { recordSamples, sampleTimeout, waitForSampler } from '../../src/monitor/sampler.ts';
import { fakeClock } from '../clock.ts';

const TOO_LARGE = new AgentError('too-large', 'Long.');

describe('sampling', () => {
  interface Case {
    /** What each sample fails with, if it does. */
    readonly errors?: readonly (Error | undefined)[];
    /** The sample during which the job ends. */
    readonly stopAt?: number;
    /** The number of samples that fill the record. */
    readonly fullAt?: number;
    readonly lines: readonly string[];
  }
  const cases: Readonly<Record<string, Case>> = {
    'records after each interval, and at the end': {
      stopAt: 2,
      lines: ['5 sample', '10 sample', '10 end: enough'],
    },
    'records what failed': {
      errors: [
        new AgentError('connection', 'Slow.'),
        TOO_LARGE,
        new AgentError('cancelled', 'Cut.'),
      ],
      stopAt: 3,
      lines: ['5 failed: Slow.', '10 failed: Long.', '15 failed: Cut.', '15 end: enough'],
    },
    'ends when the record is full': {
      fullAt: 2,
      lines: ['5 sample', '10 sample', '10 end: its record was full'],
    },
  };
  for (const [name, { errors = [], stopAt, fullAt, lines }] of Object.entries(cases)) {
    test(name, async () => assert.deepEqual(await recorded({ errors, stopAt, fullAt }), lines));
  }

  test('lets a bug through', async () => {
    await assert.rejects(recorded({ errors: [new TypeError('a bug')] }), /a bug/);
  });
});

/** The lines of a record with an interval of 5 ms. */
async function recorded({
  errors,
  stopAt,
  fullAt = Number.POSITIVE_INFINITY,
}: {
  readonly errors: readonly (Error | undefined)[];
  readonly stopAt?: number | undefined;
  readonly fullAt?: number | undefined;
}): Promise<string[]> {
  const lines: string[] = [];
  const stop = new AbortController();
  const { sleep, now } = fakeClock();
  let samples = 0;
  const read = async () => {
    const error = errors[samples];
    samples += 1;
    if (samples === stopAt) stop.abort('enough');
    if (error !== undefined) throw error;
    return { text: '{"mem_used":1}' };
  };
  await recordSamples(read, {
    intervalMs: 5,
    sleep,
    stop: stop.signal,
    now,
    isFull: () => samples >= fullAt,
    write(line) {
      if ('stats' in line) lines.push(`${line.at} sample`);
      else if ('end' in line) lines.push(`${line.at} end: ${line.end}`);
      else lines.push(`${line.at} failed: ${line.failure}`);
    },
  });
  return lines;
}

describe('a sample may take', () => {
  const cases = [
    { what: 'ten seconds', timeout: 60_000, sampleInterval: 5000, ms: 10_000 },
    { what: 'an interval that is longer', timeout: 60_000, sampleInterval: 30_000, ms: 30_000 },
    { what: 'no longer than timeout', timeout: 3000, sampleInterval: 30_000, ms: 3000 },
  ];
  for (const { what, ms, ...inputs } of cases)
    test(what, () => assert.equal(sampleTimeout(inputs), ms));
});

test('the end waits 8 s at most for a sampler that hangs', async () => {
  using place = mkdtempDisposableSync(path.join(tmpdir(), 'sampler-'));
  writeFileSync(filesIn(place.path).pid, String(process.pid));
  let ms = 0;
  const sleep = async (pause: number) => {
    ms += pause;
    return ms < 60_000;
  };
  const stop = new AbortController().signal;
  await waitForSampler(place.path, { sleep, stop, clock: () => ms });
  assert.equal(ms, 8000);
});
