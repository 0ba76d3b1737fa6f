import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainNoMatch } from '../../src/files/explain-files.ts';
import { quote } from '../../src/text/escape.ts';
import {
  createTree,
  directory,
  dropDebugLines,
  type Entries,
  type FindSettings,
  find,
  link,
} from '../support/file-tree.ts';
import { SKIP_WITHOUT_SYMLINKS, skipOnWindows, WINDOWS } from '../support/system.ts';

dropDebugLines();

const ENTRIES: Entries = {
  'package.json': '',
  'apps/web/package.json': '',
  'apps/web/src/a.ts': '',
  'apps/web/.env': '',
  'dist/index.html': '',
  ...(WINDOWS ? { links: directory } : { 'links/l': link('nowhere'), 'links/m': link('nowhere') }),
  empty: directory,
  ...Object.fromEntries(Array.from('abcdefghijklm', name => [`many/${name}`, ''])),
};

const NO_MATCH = 'matches, or a ! line excludes it';
const HIDDEN = 'names that start with a dot need include-hidden-files: true';
const IN_WEB = 'Found there: ".env", "package.json", "src".';
const IN_DIST = 'Found there: "index.html".';
const TEN = '"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"';
const IS_EMPTY = 'It is empty: did actions/checkout or the build run in this job?';
const WEB = { workingDirectory: 'apps/web' };

const EXPLAINED: readonly (readonly [line: string, why: string, inputs?: FindSettings])[] = [
  ['apps/web/dist/**', `There is no "dist" in "apps/web". ${IN_WEB}`],
  ['dist', `There is no "dist" in the working directory. ${IN_WEB}`, WEB],
  ['many/none', `There is no "none" in "many". Found there: ${TEN}, and 3 more.`],
  ['dist/*.none', `Nothing in "dist" ${NO_MATCH}; ${HIDDEN}. ${IN_DIST}`],
  ['dist/*', `Nothing in "dist" ${NO_MATCH}. ${IN_DIST}`, { includeHiddenFiles: true }],
  ['empty/**', `Nothing in "empty" ${NO_MATCH}; ${HIDDEN}. ${IS_EMPTY}`],
  ['package.json/*', `Nothing in "package.json" ${NO_MATCH}; ${HIDDEN}. It is a file.`],
  ['package.json/x', 'There is no "x" in "package.json". It is a file.'],
  ['package.json/x/**', 'There is no "x" in "package.json". It is a file.'],
  ['links/**', 'Skipped 2, such as "links/l" (a broken link).'],
  // What is probably wrong with the line comes first.
  ['dist/*.{js,css}', 'It has braces or parentheses'],
  ['dist/a.js,dist/b.js', 'It has a comma or a space'],
  ['dist/** apps/**', 'It has a comma or a space'],
  ['dist/** # comment', 'It has a # in it'],
  ['dist/**:/app', 'It has an arrow or a colon'],
  ['- dist/**', 'It begins with a dash'],
  ['"dist/**"', 'It is in quotation marks'],
  ['$BUILD_DIR/**', 'It contains a variable'],
  ['apps\\web\\**', 'It has a backslash'],
  ['pages/[id].tsx', 'It has a [, which begins a set of characters.'],
  ['pages/[[]id].tsx', 'There is no "pages"'],
  ['a{b}/*', 'There is no "a{b}"'],
  ['https://x.io/a', 'There is no "https:"'],
  ['a#b', 'There is no "a#b"'],
];

async function explain(line: string, options: FindSettings = {}): Promise<string> {
  using tree = createTree(ENTRIES);
  const [match] = await find(tree.root, [line, 'dist', '!dist/index.html'], options);
  assert.ok(match !== undefined && match.files.length === 0);
  return explainNoMatch(match, tree.at(options.workingDirectory ?? ''));
}

const SKIPPED: Readonly<Record<string, string | false>> = {
  'links/**': SKIP_WITHOUT_SYMLINKS,
  'apps\\web\\**': skipOnWindows('a backslash separates folders'),
};

for (const [line, why, inputs = {}] of EXPLAINED) {
  const skip = SKIPPED[line] ?? false;
  test(`explainNoMatch says what is wrong with a line, and what is there instead [${line}]`, {
    skip,
  }, async () => {
    const message = await explain(line, inputs);
    assert.ok(message.startsWith(`${quote(line)} matches no files to upload. ${why}`), message);
  });
}
