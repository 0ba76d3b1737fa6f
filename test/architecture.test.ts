import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import packageJson from '../package.json' with { type: 'json' };
import { ACTIONS } from '../src/inputs/inputs.ts';
import './support/built-dist.ts';

const ROOT = path.join(import.meta.dirname, '..');

/** Layers of src, lowest first. Files only import from their own folder and from lower layers. */
const ORDER = [
  ['text'],
  // The agent's client knows no inputs.
  ['agent', 'gate'],
  ['inputs'],
  ['files'],
  ['upload', 'download', 'stats', 'sandbox'],
  ['sync', 'command', 'monitor'],
  // The actions do not know how their results are told.
  ['report'],
  ['github'],
  ['main'],
];

/** Runtime packages, and the files that may import them. */
const OWNERS: Readonly<Record<string, RegExp>> = {
  '@actions/core': /^github\//,
  '@actions/glob': /^files\/find\.ts$/,
  'form-data': /^upload\/upload-body\.ts$/,
  'p-limit': /^agent\/request-each\.ts$/,
  undici: /^agent\/http\.ts$/,
};

type Source = ReturnType<typeof sourcesIn>[number];

const SOURCES = sourcesIn('src', '**/*.ts');

/** Names what files import by package, or by path relative to the folder. Includes types. */
function sourcesIn(folder: string, pattern: string) {
  const cwd = path.join(ROOT, folder);
  return globSync(pattern, { cwd }).map(name => {
    const file = name.replaceAll(path.sep, '/');
    const text = readFileSync(path.join(cwd, name), 'utf8');
    const found = text.matchAll(/\b(?:from\s+|import\s*\(?\s*)(['"])([^'"]+)\1/g);
    const imports = [...found].map(([, , from = '']) =>
      from.startsWith('.') ? path.posix.join(path.posix.dirname(file), from) : from,
    );
    return { file, text, imports };
  });
}

function filesWith(isWrong: (source: Source) => boolean): string[] {
  return SOURCES.filter(isWrong).map(({ file }) => file);
}

test('src imports its own files, Node, and five packages, each in one folder or file', () => {
  const imports = SOURCES.flatMap(source => source.imports);
  const packages = imports.filter(name => !/^node:|\.(ts|json)$/.test(name));
  const names = Object.keys(OWNERS).sort();
  assert.deepEqual([...new Set(packages)].sort(), names);
  assert.deepEqual(Object.keys(packageJson.dependencies).sort(), names);
  for (const [name, owner] of Object.entries(OWNERS)) {
    const users = filesWith(({ file, imports }) => imports.includes(name) && !owner.test(file));
    assert.deepEqual(users, [], name);
  }
});

test('a folder of src only imports from lower folders', () => {
  const folderOf = (file: string) => path.posix.dirname(file);
  const levelOf = (file: string) => ORDER.findIndex(level => level.includes(folderOf(file)));
  const wrong = SOURCES.flatMap(({ file, imports }) =>
    imports
      .filter(name => name.endsWith('.ts') && folderOf(name) !== folderOf(file))
      .filter(name => levelOf(name) >= levelOf(file))
      .map(name => `${file} imports ${name}`),
  );
  assert.deepEqual(wrong, []);
  assert.ok(SOURCES.some(({ imports }) => imports.includes('upload/upload-files.ts')));
});

test('files of src and dev/agent never import each other in a circle, not even types', () => {
  for (const sources of [SOURCES, sourcesIn('dev', 'agent/**/*.ts')])
    for (const { file, imports } of sources)
      assert.ok(!imports.some(name => loadedBy(name, sources).has(file)), file);
});

test('no two files of src share a name, except for entry points', () => {
  const files = filesWith(({ file }) => !file.startsWith('main/'));
  const names = files.map(file => path.posix.basename(file));
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  assert.deepEqual(repeated, []);
});

test('process.env is read at the edges of src alone', () => {
  const edges = /^(github\/|agent\/http\.ts$|monitor\/start-monitor\.ts$)/;
  const readers = filesWith(({ file, text }) => text.includes('process.env') && !edges.test(file));
  assert.deepEqual(readers, []);
});

test('the only classes of src are errors', () => {
  const others = filesWith(({ text }) => /^(export )?class (?!\w+ extends Error\b)/m.test(text));
  assert.deepEqual(others, []);
});

// If the stand-in or conform shared code with the actions, both could misread a protocol alike.
for (const name of ['agent', 'conform'])
  test(`what checks the actions imports only its own files [dev/${name}]`, () => {
    const sources = sourcesIn('dev', `{${name}.ts,${name}/**/*.ts}`);
    assert.ok(sources.length > 5);
    const imports = sources.flatMap(source => source.imports).filter(from => from.endsWith('.ts'));
    const others = imports.filter(from => !from.startsWith(`${name}/`));
    assert.deepEqual(others, []);
  });

test('dist/licenses.txt names all that dist contains, even a parser within undici and the runtime of rolldown', () => {
  const licenses = readFileSync(path.join(ROOT, 'dist/licenses.txt'), 'utf8');
  for (const name of [...Object.keys(OWNERS), 'llhttp', 'rolldown'])
    assert.match(licenses, RegExp(`^${name}\\b.* \\(\\w+\\)$`, 'm'));
});

const DIST = sourcesIn('dist', '*.js');

for (const { folder, scripts } of Object.values(ACTIONS))
  for (const script of scripts)
    test(`a script loads the search and the transfer only if its action transfers files [${script}]`, () => {
      const loaded = loadedBy(`${script}.js`, DIST);
      assert.ok(loaded.has('shared.js'));
      const transfers = ['.', 'upload', 'download'].includes(folder);
      for (const bundle of ['transfer.js', 'vendor.js'])
        assert.equal(loaded.has(bundle), transfers, bundle);
    });

/** Returns the names of a file and of all its direct and indirect imports. */
function loadedBy(
  name: string,
  sources: readonly Source[],
  loaded = new Set<string>(),
): ReadonlySet<string> {
  const source = sources.find(({ file }) => file === name);
  if (source === undefined || loaded.has(name)) return loaded;
  loaded.add(name);
  for (const each of source.imports) loadedBy(each, sources, loaded);
  return loaded;
}
