import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryProblems } from '../../dev/memory.ts';

const tableWith = (upload: string, oneByOne: string) =>
  `Measured on 2026-11-22.

|  | curl -Z | upload | upload, one by one |
| --- | --- | --- | --- |
| 20,000 × 1 KiB | 1.33 s, 1.00 ×, 900 MiB | 2.03 s, 1.53 ×, 218 MiB | 3.82 s, 2.88 ×, 353 MiB |
| 1 GiB | 0.49 s, 1.00 ×, 11 MiB | 0.60 s, 1.22 ×, ${upload} | 0.59 s, 1.20 ×, ${oneByOne} |
`;

test('the nightly run passes if every upload needs little memory', () => {
  assert.deepEqual(memoryProblems(tableWith('81 MiB', '81 MiB')), []);
});

test('the nightly run fails if an upload needs as much memory as a large file', () => {
  const problems = memoryProblems(tableWith('81 MiB', '1105 MiB'));
  assert.deepEqual(problems, ['an upload took 1105 MiB, more than 512']);
});

test('the nightly run fails if the bench has no table, or a cell without peak memory', () => {
  for (const table of ['', tableWith('81 MiB', '0 MiB'), tableWith('81 GiB', '81 MiB')])
    assert.deepEqual(memoryProblems(table), ['the bench shows no peak memory']);
});
