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

test('an exclude beside a pattern outside the directory is an error', async () => {
  const says = '"!x" excludes nothing, since no pattern begins there. Begin it like a pattern.';
  assert.deepEqual(await messagesAbout(['/tmp/build/**', '!x']), [says]);
});

/** By patterns: accepted excludes, which begin in or above a pattern's top-level folder. */
const FINE: Readonly<Record<string, readonly string[]>> = {
  'dist/**': ['!dist', '!dist/x', '!dist/*/x/**', '!./dist//x', '!x/../dist/x', '!.', '!..'],
  dist: ['!dist/x', '!*.map', '!**/x', '!d*/x', '!/**/x', '!../**'],
  '**': ['!**/$RECYCLE.BIN/**', '!{{cookiecutter.slug}}/**'],
  'packages/api/**': ['!packages/web/x', '!packages/*.map', '!packages/README.md'],
  'dist/**, README.md': ['!dist/x', '!README.md'],
  '../shared/**': ['!../shared/x', '!../*.map'],
  '/tmp/build/**': ['!/tmp/build/x', '!/tmp/*/x'],
};

for (const [patterns, excludes] of Object.entries(FINE))
  test(`an exclude in or above the top-level folder of a pattern is accepted [${patterns}]`, async () => {
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
