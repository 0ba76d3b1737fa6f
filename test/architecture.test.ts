import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';

const SRC = path.join(import.meta.dirname, '../src');

interface Source {
  /** Its path below src. */
  readonly file: string;
  readonly folder: string;
  readonly text: string;
  /** What it imports: names of packages, and paths below src. */
  readonly imports: readonly string[];
}

const SOURCES: readonly Source[] = globSync('**/*.ts', { cwd: SRC, exclude: ['**/*.d.ts'] }).map(name => {
  const file = name.replaceAll(path.sep, '/');
  const text = readFileSync(path.join(SRC, name), 'utf8');
  const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, from = '']) =>
    from.startsWith('.') ? path.posix.join(path.posix.dirname(file), from) : from,
  );
  return { file, folder: path.posix.dirname(file), text, imports };
});

function importersOf(name: string): string[] {
  return SOURCES.filter(({ imports }) =>
    imports.some(each => each === name || each.startsWith(`${name}/`)),
  ).map(({ file }) => file);
}

/** The folders from the bottom to the top: a file imports from its own and from those that stand below. */
const ORDER = [
  ['text'],
  ['gate'],
  ['inputs'],
  ['agent'],
  ['upload', 'stats'],
  ['monitor'],
  ['report'],
  ['run'],
  ['github'],
  ['main'],
];

function levelOf(folder: string): number {
  return ORDER.findIndex(level => level.includes(folder));
}

test('the sources and their imports are found', () => {
  assert.ok(SOURCES.length > 30);
  assert.deepEqual(importersOf('upload/transfer.ts').includes('run/uploading.ts'), true);
  for (const { file, imports } of SOURCES) {
    const missing = imports.filter(
      name => name.endsWith('.ts') && !SOURCES.some(other => other.file === name),
    );
    assert.deepEqual(missing, [], file);
  }
});

describe('each outside package has one file that knows it', () => {
  const owners: Readonly<Record<string, string>> = {
    undici: 'agent/http.ts',
    minimatch: 'upload/pattern.ts',
  };
  for (const [name, owner] of Object.entries(owners)) {
    test(name, () => assert.deepEqual(importersOf(name), [owner]));
  }

  test('@actions/core is known to github alone', () => {
    const importers = importersOf('@actions/core');
    assert.ok(importers.length > 0);
    assert.deepEqual(
      importers.filter(file => !file.startsWith('github/')),
      [],
    );
  });

  test('there is no other package', () => {
    const packages = SOURCES.flatMap(({ imports }) => imports).filter(
      name => !name.startsWith('node:') && !/\.(ts|json)$/.test(name),
    );
    const names = packages.map(name => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    const known = [...Object.keys(owners), '@actions/core'];
    assert.deepEqual([...new Set(names)].sort(), known.sort());
  });
});

describe('imports run down the sentence', () => {
  for (const { file, folder, imports } of SOURCES) {
    test(file, () => {
      assert.notEqual(levelOf(folder), -1, `${folder} has no place in the order`);
      const folders = imports.filter(name => name.endsWith('.ts')).map(name => path.posix.dirname(name));
      const wrong = folders.filter(other => other !== folder && levelOf(other) >= levelOf(folder));
      assert.deepEqual(wrong, []);
    });
  }
});

test('no file is longer than 170 lines', () => {
  const long = SOURCES.filter(({ text }) => text.trimEnd().split('\n').length > 170);
  assert.deepEqual(
    long.map(({ file }) => file),
    [],
  );
});

test('the environment is read at the edges alone', () => {
  const edges = ['agent/http.ts', 'agent/light-http.ts', 'monitor/start.ts'];
  const readers = SOURCES.filter(({ text }) => /\bprocess\.env\b|\benv\b.*'node:process'/.test(text));
  assert.deepEqual(
    readers.map(({ file }) => file).filter(file => !file.startsWith('github/') && !edges.includes(file)),
    [],
  );
});

test('there are no default exports, and classes only for errors', () => {
  for (const { file, text } of SOURCES) {
    assert.doesNotMatch(text, /^export default\b/m, file);
    assert.doesNotMatch(text, /^(export )?(abstract )?class (?!\w+ extends Error\b)/m, file);
    assert.doesNotMatch(text, /^(export )?(const )?enum\b/m, file);
  }
});
