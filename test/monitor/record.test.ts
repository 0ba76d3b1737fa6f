import assert from 'node:assert/strict';
import { appendFileSync, mkdtempDisposableSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  appendLine,
  clockOrigin,
  clockSince,
  filesIn,
  findGaps,
  isFull,
  isStopped,
  loadInputs,
  markStopped,
  readRecord,
  requestStop,
  STOP_REQUESTED,
  samplerPid,
  saveInputs,
} from '../../src/monitor/record.ts';
import { judgeRecord } from '../../src/tasks/monitor.ts';
import { redactor } from '../../src/text/redact.ts';
import { parse } from '../gate/given.ts';
import { decoded } from '../stats/given.ts';

const openPlace = () => mkdtempDisposableSync(path.join(tmpdir(), 'record-'));

describe('a record', () => {
  test('gives back what was written', () => {
    using place = openPlace();
    const first = '{"mem_used":9007199254740993,"load":1.5,"note":"a\\nb"}';
    appendLine(place.path, { at: 1, stats: first }, String);
    appendLine(place.path, { at: 2, failure: 'no answer' }, String);
    appendLine(place.path, { at: 3, stats: '{"load":2,"ts":"x"}' }, String);
    appendLine(place.path, { at: 4, end: STOP_REQUESTED }, String);
    appendLine(place.path, { at: 5, stats: '[1]' }, String);
    const { samples, failures, end, crash } = readRecord(place.path);
    const loads = samples.map(({ at, figures }) => [at, figures.get('load')]);
    assert.deepEqual(loads, [
      [1, 1.5],
      [3, 2],
    ]);
    assert.equal(samples.at(-1)?.json, '{"load":2,"ts":"x"}');
    assert.deepEqual(failures, ['no answer', 'The stats were not a JSON object.']);
    assert.deepEqual([end, crash], [STOP_REQUESTED, undefined]);
  });

  test('holds no secret that the service repeats', () => {
    using place = openPlace();
    appendLine(place.path, { at: 1, stats: '{"note":"a \\"token"}' }, redactor(['token']));
    assert.equal(readRecord(place.path).samples[0]?.json, '{"note":"a \\"***"}');
  });

  test('loses no more than half a line to a sampler that was killed', () => {
    using place = openPlace();
    appendLine(place.path, { at: 1, stats: '{"ts":1}' }, String);
    appendFileSync(filesIn(place.path).record, '{"at":2,"stats":"{\\"ts');
    const { samples, end } = readRecord(place.path);
    assert.deepEqual([samples.map(({ at }) => at), end], [[1], undefined]);
  });

  test('quotes the last line of a crash', () => {
    using place = openPlace();
    writeFileSync(filesIn(place.path).errors, '(node:1) Warning: x\nError: ENOSPC: disk full\n\n');
    assert.equal(readRecord(place.path).crash, 'Error: ENOSPC: disk full');
  });

  test('is full after 16 MiB', () => {
    using place = openPlace();
    appendLine(place.path, { at: 1, stats: '{}' }, String);
    assert.equal(isFull(place.path), false);
    truncateSync(filesIn(place.path).record, 16 * 2 ** 20);
    assert.equal(isFull(place.path), true);
  });
});

test('the end finds the inputs of the start, and its clock', () => {
  using place = openPlace();
  assert.equal(loadInputs(place.path), undefined);
  const kept = { inputs: { 'fail-if': 'load > 1' }, origin: clockOrigin() };
  saveInputs(place.path, kept);
  assert.deepEqual(loadInputs(place.path), kept);
  const before = Date.now() - 1000;
  const now = clockSince(kept.origin)();
  assert.ok(now >= before && now < before + 1_000_000, String(now));
});

test('a request to stop is not yet a stop', () => {
  using place = openPlace();
  const { stop, pid } = filesIn(place.path);
  assert.deepEqual([isStopped(place.path), samplerPid(place.path)], [false, undefined]);
  writeFileSync(pid, '4711');
  requestStop(place.path);
  requestStop(place.path);
  assert.deepEqual([isStopped(place.path), samplerPid(place.path)], [false, 4711]);
  markStopped(place.path);
  requestStop(place.path);
  assert.equal(isStopped(place.path), true, stop);
});

const S = 1000;
const CALM = decoded('{"mem_used_pct":10}');

/** Samples at these seconds, with an interval of 5 s, and a job that ends after 100 s. */
interface Course {
  readonly at: readonly number[];
  readonly end?: string;
  readonly crash?: string;
  readonly gaps: readonly (readonly [from: number, to: number, why: string])[];
}

const COURSES: Readonly<Record<string, Course>> = {
  'that was seen to its end': { at: [0, 48, 98, 100], end: STOP_REQUESTED, gaps: [] },
  'whose last sample came after its end': {
    at: [0, 50, 101],
    end: STOP_REQUESTED,
    gaps: [[50, 101, '']],
  },
  'with ten intervals between two samples': { at: [0, 50, 100], end: STOP_REQUESTED, gaps: [] },
  'with more than ten intervals between two samples': {
    at: [0, 50.001, 100],
    end: STOP_REQUESTED,
    gaps: [[0, 50.001, '']],
  },
  'that was not seen at its end': { at: [0, 49], end: STOP_REQUESTED, gaps: [[49, 100, '']] },
  'that was not seen twice': {
    at: [0, 60, 70, 121],
    end: STOP_REQUESTED,
    gaps: [
      [0, 60, ''],
      [70, 121, ''],
    ],
  },
  'whose monitor had ended': {
    at: [0, 40, 80],
    end: 'max-duration was over',
    gaps: [[80, 100, ', since the monitor had ended: max-duration was over']],
  },
  'whose monitor crashed': {
    at: [0, 50, 99],
    crash: 'Error: ENOSPC',
    gaps: [[99, 100, ', since the monitor had ended: Error: ENOSPC']],
  },
  'whose monitor was killed': {
    at: [0, 50, 100],
    gaps: [[100, 100, ', since something else ended the monitor']],
  },
};

describe('a job', () => {
  for (const [name, { at, end, crash, gaps }] of Object.entries(COURSES)) {
    test(name, () => {
      const samples = at.map(seconds => ({ at: seconds * S, ...CALM }));
      const found = findGaps({ samples, failures: [], end, crash }, 100 * S, 5 * S);
      const seconds = found.map(gap => [gap.from / S, gap.to / S, gap.why]);
      assert.deepEqual(seconds, gaps);
    });
  }
});

test('with short intervals, a time of 30 s opens no gap, a longer one does', () => {
  const at = [0, 30, 61, 62];
  const samples = at.map(seconds => ({ at: seconds * S, ...CALM }));
  const found = findGaps(
    { samples, failures: [], end: STOP_REQUESTED, crash: undefined },
    62 * S,
    S,
  );
  assert.deepEqual(
    found.map(({ from, to }) => [from / S, to / S]),
    [[30, 61]],
  );
});

describe('a gap', () => {
  const samples = [0, 60, 120].map(at => ({ at: at * S, ...CALM }));
  const conditions = [parse('mem_used_pct > 90')];
  const levels = {
    'fails a gate with fail-if': [conditions, [], 'failed', 1, 0],
    'is a warning with warn-if': [[], conditions, 'warned', 0, 2],
    'is a warning without conditions': [[], [], 'none', 0, 2],
  } as const;
  for (const [name, [failIf, warnIf, state, errors, warnings]] of Object.entries(levels)) {
    test(name, () => {
      const inputs = {
        name: '',
        sandboxId: 's',
        baseUrl: 'u',
        sampleInterval: 5 * S,
        summary: true,
      };
      const record = { samples, failures: [], end: STOP_REQUESTED };
      const report = judgeRecord(
        { ...inputs, failIf, warnIf },
        { ...record, crash: undefined },
        { jobEnd: 130 * S, cancelled: false },
      );
      assert.equal(report.measured?.gate.state, state);
      assert.deepEqual([report.errors.length, report.warnings.length], [errors, warnings]);
      const [first = ''] = [...report.errors.map(({ message }) => message), ...report.warnings];
      assert.equal(first, 'The sandbox was not seen from 00:00:00 UTC to 00:01:00 UTC.');
      assert.deepEqual(report.measured?.monitored, { from: 0, to: 130 * S });
    });
  }
});
