import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = path.join(import.meta.dirname, '..');

/** The folders, lowest first: a file imports only from its own folder and from those before it. */
const ORDER = [
  ['text'],
  ['gate'],
  ['inputs'],
  ['files'],
  ['agent'],
  ['transfer', 'stats'],
  ['monitor', 'sandbox'],
  ['report'],
  ['tasks'],
  ['github'],
  ['main'],
];

/** The packages that work at run time, and the files that use them. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  '@actions/core': /^github\//,
  '@actions/glob': /^files\/find\.ts$/,
  'form-data': /^transfer\/multipart\.ts$/,
  'p-limit': /^transfer\/request-each\.ts$/,
  undici: /^agent\/dispatcher\.ts$/,
};

interface Source {
  /** Its path below the folder. */
  readonly file: string;
  readonly text: string;
  /** Packages as written, and paths relative to the folder; imports of types too. */
  readonly imports: readonly string[];
}

const SOURCES = sourcesIn('src', '**/*.ts');

function sourcesIn(folder: string, pattern: string): readonly Source[] {
  const cwd = path.join(ROOT, folder);
  return globSync(pattern, { cwd }).map(name => {
    const file = name.replaceAll(path.sep, '/');
    const text = readFileSync(path.join(cwd, name), 'utf8');
    const found = text.matchAll(/\bfrom\s+'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g);
    const imports = [...found].map(([, from = '', bare = from]) =>
      bare.startsWith('.') ? path.posix.join(path.posix.dirname(file), bare) : bare,
    );
    return { file, text, imports };
  });
}

function levelOf(file: string): number {
  return ORDER.findIndex(level => level.includes(path.posix.dirname(file)));
}

test('the sources and their imports are found', () => {
  const sync = SOURCES.find(({ file }) => file === 'tasks/sync.ts');
  assert.ok(sync?.imports.includes('transfer/transfer.ts'));
});

describe('packages', () => {
  test('are the five that the action is built on', () => {
    assert.deepEqual(Object.keys(packageJson.dependencies).sort(), Object.keys(OWNERS).sort());
  });

  test('are each imported by the files that own them, and by no others', () => {
    for (const [name, owner] of Object.entries(OWNERS)) {
      const users = SOURCES.filter(({ imports }) => imports.includes(name)).map(({ file }) => file);
      assert.ok(users.length > 0, `${name} is not used`);
      assert.deepEqual(
        users.filter(file => !owner.test(file)),
        [],
      );
    }
  });

  test('are the only things imported but for sources and Node', () => {
    const isKnown = (name: string) => /^node:|\.(ts|json)$/.test(name) || name in OWNERS;
    const imports = SOURCES.flatMap(source => source.imports);
    assert.deepEqual(
      imports.filter(name => !isKnown(name)),
      [],
    );
  });
});

test('a folder only imports from lower folders', () => {
  const wrong = SOURCES.flatMap(({ file, imports }) =>
    imports
      .filter(name => name.endsWith('.ts') && path.posix.dirname(name) !== path.posix.dirname(file))
      .filter(name => levelOf(name) >= levelOf(file))
      .map(name => `${file} imports ${name}`),
  );
  assert.deepEqual(wrong, []);
});

test('no two files share a name, but for entries', () => {
  const names = SOURCES.map(({ file }) => file)
    .filter(file => !file.startsWith('main/'))
    .map(file => path.posix.basename(file));
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test('the environment is read at the edges alone', () => {
  const edges = /^(github\/|agent\/dispatcher\.ts$|monitor\/sampler\.ts$)/;
  const readers = SOURCES.filter(({ text }) => text.includes('process.env'));
  assert.deepEqual(
    readers.map(({ file }) => file).filter(file => !edges.test(file)),
    [],
  );
});

test('the only classes are errors', () => {
  const classes = SOURCES.filter(({ text }) =>
    /^(export )?class (?!\w+ extends Error\b)/m.test(text),
  );
  assert.deepEqual(
    classes.map(({ file }) => file),
    [],
  );
});

// A protocol that the action misreads must not be misread in the same way by what tests it.
for (const name of ['agent', 'conform'])
  test(`dev/${name} imports nothing else of this repository`, () => {
    const sources = sourcesIn('dev', `{${name}.ts,${name}/**/*.ts}`);
    assert.ok(sources.length > 5);
    const imports = sources.flatMap(source => source.imports).filter(from => from.endsWith('.ts'));
    assert.deepEqual(
      imports.filter(from => !from.startsWith(`${name}/`)),
      [],
    );
  });
