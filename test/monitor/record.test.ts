import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  hasEnded,
  isEndRequested,
  openRecorder,
  readRecord,
  removeRecord,
  requestEnd,
} from '../../src/monitor/record.ts';
import { decodeStats } from '../../src/stats/decode.ts';

interface Place extends Disposable {
  readonly directory: string;
}

function openPlace(): Place {
  const directory = mkdtempSync(path.join(tmpdir(), 'record-'));
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

describe('a record', () => {
  test('gives back what was written, to the digit', () => {
    using place = openPlace();
    const recorder = openRecorder(place.directory);
    recorder.sample(1, decodeStats('{"mem_used":9007199254740993,"load":1.5}'));
    recorder.gap({ at: 2, what: 'no answer' });
    recorder.end({ at: 3, what: 'enough' });
    const { samples, gaps, end } = readRecord(place.directory);
    assert.deepEqual(
      samples.map(({ at, stats }) => [at, ...stats.figures]),
      [[1, ['mem_used', 9007199254740993n], ['load', 1.5]]],
    );
    assert.deepEqual([gaps, end], [[{ at: 2, what: 'no answer' }], { at: 3, what: 'enough' }]);
  });

  test('keeps neither long names, nor long numbers, nor more than a hundred figures', () => {
    using place = openPlace();
    const hostile = [`"${'n'.repeat(101)}":1`, `"x":1${'0'.repeat(1000)}`];
    const many = Array.from({ length: 500 }, (_, index) => `"f${index}":${index}`);
    openRecorder(place.directory).sample(1, decodeStats(`{${[...hostile, ...many].join(',')}}`));
    const [sample] = readRecord(place.directory).samples;
    assert.equal(sample?.stats.figures.size, 100);
    assert.equal(sample?.stats.figures.has('x'), false);
    assert.equal(sample?.stats.figures.get('f0'), 0n);
  });

  test('loses no more than the lines that were not written whole', () => {
    using place = openPlace();
    const recorder = openRecorder(place.directory);
    recorder.sample(1, decodeStats('{"a":1}'));
    appendFileSync(path.join(place.directory, 'record.jsonl'), '{"at":2,"sta\n');
    recorder.sample(3, decodeStats('{"a":3}'));
    appendFileSync(path.join(place.directory, 'record.jsonl'), '{"at":4,"gap":"half');
    assert.deepEqual(
      readRecord(place.directory).samples.map(({ at }) => at),
      [1, 3],
    );
    assert.deepEqual(readRecord(place.directory).gaps, []);
  });
});

test('an end is asked for, comes, and takes the record with it', () => {
  using place = openPlace();
  assert.deepEqual([isEndRequested(place.directory), hasEnded(place.directory)], [false, false]);
  requestEnd(place.directory);
  assert.deepEqual([isEndRequested(place.directory), hasEnded(place.directory)], [true, false]);
  openRecorder(place.directory).end({ at: 1, what: 'asked' });
  assert.equal(hasEnded(place.directory), true);
  removeRecord(place.directory);
  removeRecord(place.directory);
  requestEnd(place.directory);
  assert.deepEqual([hasEnded(place.directory), readRecord(place.directory).samples], [true, []]);
});
