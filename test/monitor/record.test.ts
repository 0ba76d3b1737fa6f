import assert from 'node:assert/strict';
import { appendFileSync, mkdtempDisposableSync } from 'node:fs';
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

const openPlace = () => mkdtempDisposableSync(path.join(tmpdir(), 'record-'));
const read = (directory: string, ...judged: string[]) => readRecord(directory, new Set(judged));

describe('a record', () => {
  test('gives back what was written, to the digit', async () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    recorder.start(0);
    recorder.sample(1, decodeStats('{"mem_used":9007199254740993,"load":1.5}'));
    recorder.gap({ at: 2, what: 'no answer' });
    recorder.end({ at: 3, what: 'enough' });
    const { start, samples, gaps, end } = await read(place.path);
    assert.deepEqual(
      samples.map(({ at, figures }) => [at, ...figures]),
      [[1, ['mem_used', 9007199254740993n], ['load', 1.5]]],
    );
    assert.deepEqual([start, gaps, end], [0, [{ at: 2, what: 'no answer' }], { at: 3, what: 'enough' }]);
  });

  test('keeps what is judged and the warnings of all readings, each once', async () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    const others = Array.from({ length: 500 }, (_, index) => `"f${index}":${index}`).join(',');
    for (const json of ['{"ts":"x"}', `{${others},"load":7}`, '{"load":"full"}', '{"ts":"x","load":7}'])
      recorder.sample(1, decodeStats(json, new Set(['load'])));
    const { samples, warnings } = await read(place.path, 'load');
    assert.deepEqual(
      samples.map(({ figures }) => [figures.get('load'), figures.size]),
      [
        [undefined, 0],
        [7n, 257],
        [undefined, 0],
        [7n, 1],
      ],
    );
    assert.deepEqual(
      warnings.map(warning => warning.slice(0, 24)),
      ["The sandbox's ts cannot ", "Some of the sandbox's fi", "The sandbox's load canno"],
    );
  });

  for (const [what, names, readings] of [
    ['1,200,000 figures', 100, 12_001],
    ['20,000 names', 20_001, 1],
  ] as const) {
    test(`is full after ${what}`, () => {
      using place = openPlace();
      const recorder = openRecorder(place.path);
      const figures = new Map(Array.from({ length: names }, (_, index) => [index.toString(36), 1n]));
      for (let reading = 1; reading <= readings; reading += 1) {
        assert.equal(recorder.isFull(), false);
        recorder.sample(1, { figures, json: '', warnings: [] });
      }
      assert.equal(recorder.isFull(), true);
    });
  }

  test('is full after 32 MiB', () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    for (let mebibytes = 1; mebibytes <= 32; mebibytes += 1) {
      assert.equal(recorder.isFull(), false);
      recorder.gap({ at: 1, what: 'x'.repeat(2 ** 20) });
    }
    assert.equal(recorder.isFull(), true);
  });

  test('loses no more than the lines that were not written whole, and holds a reading of nothing for them', async () => {
    using place = openPlace();
    const recorder = openRecorder(place.path);
    recorder.sample(1, decodeStats('{"a":1}'));
    appendFileSync(path.join(place.path, 'record.jsonl'), '{"at":2,"sta\n');
    recorder.sample(3, decodeStats('{"a":3}'));
    appendFileSync(path.join(place.path, 'record.jsonl'), '{"at":4,"gap":"half');
    const { samples, gaps } = await read(place.path);
    assert.deepEqual([samples.map(({ at }) => at), gaps], [[1, 3, 3], []]);
    assert.equal(samples[2]?.figures.size, 0);
  });
});

test('an end is asked for, comes, and takes the record with it', async () => {
  using place = openPlace();
  assert.deepEqual([isEndRequested(place.path), hasEnded(place.path)], [false, false]);
  requestEnd(place.path);
  assert.deepEqual([isEndRequested(place.path), hasEnded(place.path)], [true, false]);
  openRecorder(place.path).end({ at: 1, what: 'asked' });
  assert.equal(hasEnded(place.path), true);
  removeRecord(place.path);
  removeRecord(place.path);
  requestEnd(place.path);
  assert.deepEqual([hasEnded(place.path), (await read(place.path)).samples], [true, []]);
});
