import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };

const SRC = path.join(import.meta.dirname, '../src');

interface Source {
  /** Its path below src. */
  readonly file: string;
  readonly text: string;
  /** What it imports, types included: packages as written, and paths below src. */
  readonly imports: readonly string[];
}

const SOURCES: readonly Source[] = globSync('**/*.ts', { cwd: SRC }).map(name => {
  const file = name.replaceAll(path.sep, '/');
  const text = readFileSync(path.join(SRC, name), 'utf8');
  const found = text.matchAll(/\bfrom\s+'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g);
  const imports = [...found].map(([, from = '', bare = from]) =>
    bare.startsWith('.') ? path.posix.join(path.posix.dirname(file), bare) : bare,
  );
  return { file, text, imports };
});

const IMPORTS = new Map(SOURCES.map(({ file, imports }) => [file, imports]));

function filesWhere(holds: (source: Source) => boolean): string[] {
  return SOURCES.filter(holds).map(({ file }) => file);
}

/** The folders, bottom first: a file imports only from its own folder and those before it. */
const ORDER = [
  ['text'],
  ['gate'],
  ['inputs'],
  ['agent'],
  ['files'],
  ['upload', 'stats'],
  ['monitor', 'sandbox'],
  ['report'],
  ['run'],
  ['github'],
  ['main'],
];

function levelOf(file: string): number {
  return ORDER.findIndex(level => level.includes(path.posix.dirname(file)));
}

test('the sources and their imports are found', () => {
  assert.ok(IMPORTS.get('run/sync.ts')?.includes('upload/transfer.ts'));
  const missing = SOURCES.flatMap(({ imports }) => imports).filter(
    name => name.endsWith('.ts') && !IMPORTS.has(name),
  );
  assert.deepEqual(missing, []);
});

// The five required packages, and minimatch, which @actions/glob matches with: our rule on hidden
// names needs it. Any other package would be in the bundle that each user runs.
const OWNERS: Readonly<Record<string, RegExp>> = {
  '@actions/core': /^github\//,
  '@actions/glob': /^files\/glob\.ts$/,
  'form-data': /^agent\/body\.ts$/,
  minimatch: /^files\/pattern\.ts$/,
  'p-limit': /^upload\/concurrency\.ts$/,
  undici: /^agent\/client\.ts$/,
};

describe('packages', () => {
  test('are these six', () => {
    assert.deepEqual(Object.keys(packageJson.dependencies).sort(), Object.keys(OWNERS).sort());
  });

  test('are imported by their public entries, by the files whose job they do', () => {
    const isOwn = (name: string) => name.startsWith('node:') || /\.(ts|json)$/.test(name);
    const wrong = SOURCES.flatMap(({ file, imports }) =>
      imports
        .filter(name => !isOwn(name) && !OWNERS[name]?.test(file))
        .map(name => `${file}: ${name}`),
    );
    assert.deepEqual(wrong, []);
  });

  for (const name of Object.keys(OWNERS)) {
    test(`${name} is used`, () =>
      assert.notDeepEqual(
        filesWhere(({ imports }) => imports.includes(name)),
        [],
      ));
  }
});

describe('imports run down the sentence', () => {
  for (const { file, imports } of SOURCES) {
    test(file, () => {
      assert.notEqual(levelOf(file), -1, `${file} has no place in the order`);
      const wrong = imports
        .filter(
          name => name.endsWith('.ts') && path.posix.dirname(name) !== path.posix.dirname(file),
        )
        .filter(name => levelOf(name) >= levelOf(file));
      assert.deepEqual(wrong, []);
    });
  }
});

test('no imports run in a circle, those of types included', () => {
  const left = new Map(IMPORTS);
  const isLeaf = (imports: readonly string[]) => !imports.some(name => left.has(name));
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const [file, imports] of left) if (isLeaf(imports)) left.delete(file);
  }
  assert.deepEqual([...left.keys()], []);
});

test('the environment is read at the edges alone', () => {
  const edges = ['agent/client.ts', 'monitor/start.ts'];
  const readers = filesWhere(({ text }) => /\bprocess\.env\b|\benv\b.*'node:process'/.test(text));
  assert.deepEqual(
    readers.filter(file => !file.startsWith('github/') && !edges.includes(file)),
    [],
  );
});

test('there are no default exports, no enums, and classes only for errors', () => {
  const unwanted =
    /^export default\b|^(export )?(const )?enum\b|^(export )?(abstract )?class (?!\w+ extends Error\b)/m;
  assert.deepEqual(
    filesWhere(({ text }) => unwanted.test(text)),
    [],
  );
});
