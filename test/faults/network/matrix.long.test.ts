import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Fault } from '../../../dev/agent/faults.ts';
import { openWorld, runBadly, uploads, type World } from '../../action/harness.ts';
import { assertTrue } from '../files/sandbox.ts';
import { ALONE, FINAL, LASTS, PASSING, RETRIES, type Row, STALLS } from './rows.ts';

const SIZES = { small: 40, streamed: 1024 * 1024, 'beyond all buffers': 24 * 1024 * 1024 };

/** A file, its fault, and its expected number of attempts. */
interface Cell {
  readonly name: string;
  readonly row: Row;
  readonly size: number;
  readonly times: number;
  readonly attempts: number;
}

function cellsOf(
  rows: readonly Row[],
  sizes: readonly (keyof typeof SIZES)[],
  isRetried: boolean,
): Cell[] {
  return rows.flatMap(row =>
    Object.entries(LASTS).flatMap(([lasting, times]) =>
      sizes.map(size => ({
        name: `${row.name} ${lasting}, ${size}`,
        row,
        size: SIZES[size],
        times,
        attempts: isRetried ? Math.min(times, RETRIES) + 1 : 1,
      })),
    ),
  );
}

function openCells(cells: readonly Cell[]): Promise<World> {
  const contents = cells.map(({ name, size }) => [name, Buffer.alloc(size, `${name}. `)] as const);
  const faults = cells.map(
    ({ name, times, row }): Fault => ({ on: 'upload', path: name, times, do: row.fault }),
  );
  return openWorld({ files: Object.fromEntries(contents), faults });
}

/** Uploads all cells as files of one run, and checks each result. */
async function runCells(
  cells: readonly Cell[],
  inputs: Readonly<Record<string, string>>,
): Promise<void> {
  await using world = await openCells(cells);
  const result = await runBadly(world, { retries: `${RETRIES}`, ...inputs }, { task: 'upload' });
  for (const { name, row, times, attempts, size } of cells) {
    const file = result.file(name);
    const arrives = attempts > times;
    assert.deepEqual(
      [file.status, file.attempts],
      [arrives ? 'uploaded' : 'failed', attempts],
      name,
    );
    assert.equal(file.error?.kind, arrives ? undefined : row.kind, name);
    if (arrives) assert.ok(world.stored(name).equals(Buffer.alloc(size, `${name}. `)), name);
    else assert.notEqual(file.error?.hint, '', name);
  }
  assert.equal(result.report.files.length, cells.length);
  const all = cells.reduce((sum, { attempts }) => sum + attempts, 0);
  assert.equal(uploads(world).length, all);
}

suite('a fault of the network', () => {
  test('that may pass is tried again, and retrying never multiplies', () =>
    runCells(cellsOf(PASSING, ['small', 'streamed'], true), { concurrency: '30' }));

  test('that is a time without progress is tried again', () =>
    runCells(cellsOf(STALLS, ['small', 'beyond all buffers'], true), {
      concurrency: '4',
      timeout: '2s',
    }));

  test('that concerns one file fails it at once, and the others go on', () =>
    runCells(
      [...cellsOf(ALONE, ['small', 'streamed'], false)].filter(({ times }) => times > 1),
      { concurrency: '4' },
    ));

  for (const row of FINAL) {
    for (const size of [SIZES.small, SIZES.streamed]) {
      test(`that concerns all ends the transfer after what is in flight: ${row.name}, ${size} bytes`, async () => {
        const files = Object.fromEntries(
          Array.from({ length: 40 }, (_, index) => [`f${index}`, Buffer.alloc(size)]),
        );
        await using world = await openWorld({
          files,
          faults: [{ on: 'upload', skip: 20, do: row.fault }],
        });
        const result = await runBadly(world, { concurrency: '7' }, { task: 'upload' });
        assertTrue(world, result);
        const { uploaded = 0, failed = 0, notAttempted = 0 } = result.report.totals;
        assert.deepEqual([uploaded, uploaded + failed + notAttempted], [20, 40]);
        assert.ok(failed >= 1 && failed <= 7, `${failed} failed`);
        assert.ok(uploads(world).length <= 27);
      });
    }
  }
});
