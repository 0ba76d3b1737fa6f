import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainNoMatch } from '../../src/files/explain-files.ts';
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

// Windows allows no line breaks in file names.
const LINE_BREAK = WINDOWS ? '' : '\n';

const ENTRIES: Entries = {
  'package.json': '',
  'apps/web/package.json': '',
  'apps/web/src/a.ts': '',
  'apps/web/.env': '',
  'dist/index.html': '',
  ...(WINDOWS ? { links: directory } : { 'links/l': link('nowhere'), 'links/m': link('nowhere') }),
  'many/x': '',
  empty: directory,
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`many/${index}${LINE_BREAK}`, '']),
  ),
};

const NO_MATCH = 'matches, or a ! line excludes it';
const HIDDEN = 'names that start with a dot need include-hidden-files: true';
const IN_WEB = 'Found there: ".env", "package.json", "src".';
const IN_DIST = 'Found there: "index.html".';
const MANY = [0, 1, 10, 11, 2, 3, 4, 5, 6, 7].map(name => JSON.stringify(`${name}${LINE_BREAK}`));
const IS_EMPTY = 'It is empty: did actions/checkout or the build run in this job?';
const WEB = { workingDirectory: 'apps/web' };

const REASONS: readonly (readonly [line: string, why: string, inputs?: FindSettings])[] = [
  ['apps/web/dist/**', `There is no "dist" in "apps/web". ${IN_WEB}`],
  ['dist', `There is no "dist" in the working directory. ${IN_WEB}`, WEB],
  ['many/none', `There is no "none" in "many". Found there: ${MANY.join(', ')}, and 3 more.`],
  ['dist/*.none', `Nothing in "dist" ${NO_MATCH}; ${HIDDEN}. ${IN_DIST}`],
  ['dist/*', `Nothing in "dist" ${NO_MATCH}. ${IN_DIST}`, { includeHiddenFiles: true }],
  ['empty/**', `Nothing in "empty" ${NO_MATCH}; ${HIDDEN}. ${IS_EMPTY}`],
  ['package.json/*', `Nothing in "package.json" ${NO_MATCH}; ${HIDDEN}. It is a file.`],
  [
    'dist',
    `There is no "dist" in the working directory. ${IS_EMPTY}`,
    { workingDirectory: 'empty' },
  ],
  ['links/**', 'Skipped 2, such as "links/l" (a broken link).'],
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

for (const [line, why, inputs = {}] of REASONS) {
  const skip = SKIPPED[line] ?? false;
  const { workingDirectory: name = line } = inputs;
  test(`explainNoMatch says what is there instead [${name}]`, { skip }, async () =>
    assert.equal(await explain(line, inputs), `"${line}" matches no files to upload. ${why}`),
  );
}

/** By message about a wrong character: the lines with that character. */
const MISTAKES: Readonly<Record<string, readonly string[]>> = {
  'has braces or parentheses, which have no meaning here. Write a line for each name.': [
    'dist/*.{js,css}',
  ],
  'has a comma or a space, which separates nothing. Write each name on its own line.': [
    'dist/a.js,dist/b.js',
    'dist/** apps/**',
  ],
  'has a # in it. Write each comment on a line of its own.': ['dist/** # comment'],
  'has an arrow or a colon in it. In front of a target, write =>; a ! line has none.': [
    'dist:/app',
  ],
  'is in quotation marks. Remove them.': ['"dist/**"'],
  'contains a variable that is not expanded here. Use an expression, such as `${{ env.NAME }}`.': [
    '$BUILD_DIR/**',
  ],
  'has a backslash, which does not separate folders on this runner. Write a slash.': [
    'apps\\web\\**',
  ],
};

for (const [says, lines] of Object.entries(MISTAKES))
  for (const line of lines) {
    const skip = SKIPPED[line] ?? false;
    test(`explainNoMatch names the character that is wrong in a line [${line}]`, {
      skip,
    }, async () => {
      const why = await explain(line);
      const quoted = JSON.stringify(line).replaceAll('\\\\', '\\');
      assert.ok(why.startsWith(`${quoted} matches no files to upload. It ${says} `), why);
    });
  }

for (const line of ['a{b}/*', 'https://x.io/a', 'a#b'])
  test(`explainNoMatch finds no wrong character in a line that has none [${line}]`, async () => {
    assert.doesNotMatch(await explain(line), /to upload\. It /);
  });
