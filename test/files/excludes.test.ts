import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputError } from '../../src/inputs/input-error.ts';
import { createTree, dropDebugLines, plan } from '../support/file-tree.ts';

dropDebugLines();

/** Returns the errors about these lines of `files`, if any. */
async function messagesAbout(lines: readonly string[]): Promise<readonly string[]> {
  using tree = createTree({});
  try {
    await plan(tree.root, lines);
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    return error.problems.map(({ message }) => message);
  }
}

/** Excludes that exclude nothing beside dist/**, each with the suggested line. */
const USELESS: Readonly<Record<string, string>> = {
  '!secret.txt': '!**/secret.txt',
  '!*.map': '!**/*.map',
  '!v*': '!**/v*',
  '!node_modules/': '!**/node_modules/',
  '!/dist/x': '!**/dist/x',
  '!./dits/*.map': '!**/dits/*.map',
  '!~/dist/x': '!**/dist/x',
  '!distant': '!**/distant',
};

for (const [exclude, anywhere] of Object.entries(USELESS))
  test(`an exclude beside dist/** that excludes nothing is an error with a suggestion [${exclude}]`, async () => {
    const [message = '', ...others] = await messagesAbout(['dist/**', exclude]);
    assert.match(message, /excludes nothing, since no pattern begins there/);
    assert.ok(message.startsWith(`"${exclude}"`) && message.includes(`"${anywhere}"`), message);
    assert.deepEqual(others, []);
    assert.deepEqual(await messagesAbout(['dist/**', anywhere]), []);
  });

test('an exclude beside other folders than those of the patterns is an error', async () => {
  for (const [pattern, exclude] of [
    ['/tmp/build/**', '!x'],
    ['../shared/**', '!../*.map'],
    ['packages/*/dist/**', '!packages/web/src/*.map'],
    ['packages/api/**', '!packages/*.map'],
    ['packages/api/**', '!packages/web/x'],
  ] as const) {
    const [message = ''] = await messagesAbout([pattern, exclude]);
    const says = `"${exclude}" excludes nothing, since no pattern begins there. Begin it like a pattern`;
    assert.ok(message.startsWith(says), message);
  }
});

/** By patterns: accepted excludes, which begin in or above the folder of a pattern. */
const FINE: Readonly<Record<string, readonly string[]>> = {
  'dist/**': ['!dist', '!dist/x', '!dist/*/x/**', '!./dist//x', '!x/../dist/x', '!.', '!..'],
  dist: [
    '!dist/*.map',
    '!dist/sub',
    '!*/a.map',
    '!**/x',
    '!d*/x',
    '![cd]?s*/x',
    '!/**/x',
    '!../**',
  ],
  '*.js': ['!a.map', '!node_modules/**'],
  'packages/*/dist/**': ['!packages/web', '!packages/*/dist/x', '!packages/web/d*/x'],
  '**': ['!**/$RECYCLE.BIN/**', '!{{cookiecutter.slug}}/**'],
  'packages/api/**': ['!packages/api/x', '!packages/a*'],
  'dist/**, README.md': ['!dist/x', '!README.md'],
  '../shared/**': ['!../shared/x', '!../s*/x.map'],
  '/tmp/build/**': ['!/tmp/build/x', '!/tmp/*/x'],
};

for (const [patterns, excludes] of Object.entries(FINE))
  test(`an exclude in or above the folder of a pattern is accepted [${patterns}]`, async () => {
    for (const exclude of excludes)
      assert.deepEqual(await messagesAbout([...patterns.split(', '), exclude]), [], exclude);
  });

test('an exclude that looks wrong is only an error if it excludes nothing', async () => {
  const [message = ''] = await messagesAbout(['**', '!a.txt,b.txt']);
  assert.match(message, /^"!a\.txt,b\.txt" excludes nothing\. It has a comma or a space/);
  using tree = createTree({ 'a, b.txt': '', c: '' });
  const { files } = await plan(tree.root, ['**', '!a, b.txt']);
  const names = files.map(({ relative }) => relative);
  assert.deepEqual(names, ['c']);
});
