import assert from 'node:assert/strict';
import { appendFileSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  hasEnded,
  isEndRequested,
  removeDirectory,
  requestEnd,
} from '../../src/monitor/directory.ts';
import { readRecord } from '../../src/monitor/record.ts';
import { openRecorder } from '../../src/monitor/recorder.ts';
import { decoded } from '../stats/given.ts';

const openPlace = () => mkdtempDisposableSync(path.join(tmpdir(), 'record-'));
const read = (directory: string, ...judged: string[]) => readRecord(directory, new Set(judged));

describe('a record', () => {
  test('gives back what was written', async () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    recorder.start(0);
    recorder.sample(1, decoded('{"mem_used":9007199254740993,"load":1.5}', 'load'));
    recorder.gap({ at: 2, what: 'no answer' });
    recorder.end({ at: 3, what: 'enough' });
    const { start, samples, gaps, end, stats } = await read(place.path, 'load');
    assert.deepEqual(
      samples.map(({ at, figures }) => [at, ...figures]),
      [[1, ['mem_used', 9007199254740992], ['load', 1.5]]],
    );
    assert.deepEqual(
      [start, gaps, end],
      [0, [{ at: 2, what: 'no answer' }], { at: 3, what: 'enough' }],
    );
    assert.equal(stats?.digits.get('mem_used'), '9007199254740993');
    assert.equal(stats.json, '{"mem_used":9007199254740993,"load":1.5}');
  });

  test('holds what is judged, and the warnings of all samples, each once', async () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    const others = Array.from({ length: 500 }, (_, index) => `"f${index}":${index}`).join(',');
    for (const json of [
      '{"ts":"x"}',
      `{${others},"load":7}`,
      '{"load":"full"}',
      '{"ts":"x","load":7}',
    ])
      recorder.sample(1, decoded(json, 'load'));
    assert.doesNotMatch(readFileSync(path.join(place.path, 'record.jsonl'), 'utf8'), /"f1"/);
    const { samples, warnings } = await read(place.path, 'load');
    assert.deepEqual(
      samples.map(({ figures }) => [figures.get('load'), figures.size]),
      [
        [undefined, 0],
        [7, 1],
        [undefined, 0],
        [7, 1],
      ],
    );
    assert.deepEqual(warnings, [
      "The sandbox's ts cannot be used: it is not a valid number.",
      "The sandbox's load cannot be used: it is not a valid number.",
    ]);
  });

  test('is full after 50,000 samples, failed ones included', () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    for (let sample = 1; sample <= 50_000; sample += 1) {
      assert.equal(recorder.isFull(), false);
      recorder.gap({ at: 1, what: '' });
    }
    assert.equal(recorder.isFull(), true);
  });

  test('is full after 32 MiB', () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    for (let mebibytes = 1; mebibytes <= 32; mebibytes += 1) {
      assert.equal(recorder.isFull(), false);
      recorder.gap({ at: 1, what: 'x'.repeat(2 ** 20) });
    }
    assert.equal(recorder.isFull(), true);
  });

  test('loses no more than the lines that were not written whole, and holds a sample of nothing for them', async () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    const file = path.join(place.path, 'record.jsonl');
    recorder.sample(1, decoded('{"ts":1}'));
    appendFileSync(file, '{"at":2,"sta\n{"at":"2","figures":{}}\n{"at":1e300,"figures":{}}\n');
    recorder.sample(3, decoded('{"ts":3}'));
    appendFileSync(file, '{"at":4,"gap":"half');
    const { samples, gaps } = await read(place.path);
    assert.deepEqual([samples.map(({ at }) => at), gaps], [[1, 3, 3], []]);
    assert.equal(samples[2]?.figures.size, 0);
  });
});

test('an end is asked for, comes, and takes the record with it', async () => {
  using place = openPlace();
  assert.deepEqual([isEndRequested(place.path), hasEnded(place.path)], [false, false]);
  requestEnd(place.path);
  requestEnd(place.path);
  assert.deepEqual([isEndRequested(place.path), hasEnded(place.path)], [true, false]);
  openRecorder(place.path).end({ at: 1, what: 'asked' });
  assert.equal(hasEnded(place.path), true);
  removeDirectory(place.path);
  removeDirectory(place.path);
  requestEnd(place.path);
  assert.deepEqual([hasEnded(place.path), (await read(place.path)).samples], [true, []]);
});
