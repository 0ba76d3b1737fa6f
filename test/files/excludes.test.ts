import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InputError } from '../../src/inputs/input-error.ts';
import { createTree, dropDebugLines, plan } from '../support/file-tree.ts';

dropDebugLines();

/** Returns the errors about these lines of `files`, if any. `!/w/` is the working directory. */
async function messagesAbout(lines: readonly string[]): Promise<readonly string[]> {
  using tree = createTree({});
  const absolute = lines.flatMap(line => line.replace('!/w/', `!${tree.root}/`).split('\n'));
  try {
    await plan(tree.root, absolute);
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
  '!../dist/x': '!**/dist/x',
  '!~/dist/x': '!**/dist/x',
  '!distant': '!**/distant',
};

for (const [exclude, anywhere] of Object.entries(USELESS))
  test(`beside dist/**, ${exclude} is an error that suggests ${anywhere}`, async () => {
    const [message = '', ...others] = await messagesAbout(['dist/**', exclude]);
    assert.match(message, /excludes nothing, since no pattern begins there/);
    assert.ok(message.startsWith(`"${exclude}"`) && message.includes(`"${anywhere}"`), message);
    assert.deepEqual(others, []);
    assert.deepEqual(await messagesAbout(['dist/**', anywhere]), []);
  });

for (const exclude of ['!**/*.map', '!x', '!/tmp/other/x'])
  test(`beside a pattern outside the directory, ${exclude} is an error`, async () => {
    const says = `"${exclude}" excludes nothing, since no pattern begins there. Begin it like a pattern.`;
    assert.deepEqual(await messagesAbout(['/tmp/build/**', exclude]), [says]);
  });

/** By patterns: accepted excludes, which begin in or above a pattern's top-level folder. */
const FINE: Readonly<Record<string, readonly string[]>> = {
  'dist/**': ['!dist', '!dist/x', '!dist/*/x/**', '!./dist//x', '!x/../dist/x', '!.', '!..'],
  dist: ['!dist/x', '!/w/dist/x', '!*.map', '!**/x', '!d*/x', '!/**/x', '!../**'],
  'packages/api/**': ['!packages/web/x', '!packages/*.map', '!packages/README.md'],
  '**': ['!secret.txt', '!a/b/c'],
  'dist/**\nREADME.md': ['!dist/x', '!README.md'],
  '../shared/**': ['!../shared/x', '!../*.map'],
  '/tmp/build/**': ['!/tmp/build/x', '!/tmp/*/x'],
};

for (const [patterns, excludes] of Object.entries(FINE))
  for (const exclude of excludes)
    test(`beside ${patterns.replace('\n', ' and ')}, ${exclude} is accepted`, async () => {
      assert.deepEqual(await messagesAbout([patterns, exclude]), []);
    });

test('each exclude that excludes nothing is an error of its own', async () => {
  const messages = await messagesAbout(['dist/**', '!a', '!dist/b', '!c']);
  assert.deepEqual(
    messages.map(message => message.slice(0, 4)),
    ['"!a"', '"!c"'],
  );
});
