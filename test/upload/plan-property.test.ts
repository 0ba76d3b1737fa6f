import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plan } from '../../src/upload/plan.ts';
import { type Entries, find, plant } from './tree.ts';

const NAMES = [
  'a',
  'b',
  'c',
  'a b',
  'x.js',
  'y.ts',
  '[id]',
  'ü',
  '.env',
  '%',
  'q"',
  '{z}',
  '!n',
  '#h',
].filter(name => process.platform !== 'win32' || !name.includes('"'));

/** Numbers from 0 up to but not including 1, the same for each seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Paths of files, none of which is a directory of another. */
function randomPaths(seed: number): string[] {
  const random = seeded(seed);
  const pick = () => NAMES[Math.floor(random() * NAMES.length)] ?? 'a';
  const directories = Array.from({ length: 12 }, () =>
    Array.from({ length: Math.floor(random() * 4) }, () => `${pick()}-dir/`).join(''),
  );
  const paths = directories.flatMap(directory =>
    Array.from({ length: Math.floor(random() * 8) }, () => `top/${directory}${pick()}`),
  );
  return [...new Set(paths), 'top/at-least-one'];
}

describe('in a random tree every file is planned exactly once, in its place', () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    test(`seed ${seed}`, async () => {
      const paths = randomPaths(seed);
      const entries: Entries = Object.fromEntries(paths.map(file => [file, file]));
      using tree = plant(entries);
      const found = await find(tree.root, ['top/**', 'top', 'top/*'], { includeHidden: true });
      const { files } = plan(found, { workspace: tree.root, target: 't', ifNoFilesFound: 'error' });
      assert.deepEqual(files.map(({ source }) => source).sort(), paths.toSorted());
      assert.deepEqual(
        files.map(({ source, target, realPath, size }) => ({ source, target, realPath, size })),
        files.map(({ source }) => ({
          source,
          target: `t/${source.slice('top/'.length)}`,
          realPath: tree.at(source),
          size: Buffer.byteLength(source),
        })),
      );
    });
  }
});
