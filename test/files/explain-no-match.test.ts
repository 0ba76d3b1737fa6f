import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainNoMatch } from '../../src/files/plan.ts';
import { onWindows, WINDOWS, WITHOUT_LINKS } from '../system.ts';
import { createTree, directory, type Entries, type FindSettings, find, link } from './file-tree.ts';

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

const HIDDEN = 'names that start with a dot need include-hidden-files: true';

/** The expected explanation of each line. */
const REASONS: Readonly<Record<string, string>> = {
  'apps/web/dist/**': 'There is no "dist" in "apps/web", only ".env", "package.json", "src".',
  'build/**':
    'There is no "build" in the working directory, only "apps", "dist", "empty", "links", "many", "package.json".',
  'apps/web/SRC/*': 'There is no "SRC" in "apps/web", only ".env", "package.json", "src".',
  'dist/*.none': `Nothing in "dist" matches, or a ! line excludes it; ${HIDDEN}. Found there: "index.html".`,
  'dist/**/.x': 'Nothing in "dist" matches, or a ! line excludes it. Found there: "index.html".',
  'empty/**': '"empty" is empty.',
  'package.json/*': '"package.json" is a file, and the pattern expects a folder.',
  'dist/index.html': '"dist/index.html" is a file, and a ! line excludes it from all patterns.',
  'links/**': 'Skipped 2, such as "links/l" (a broken link).',
};

async function explain(line: string, options: FindSettings = {}): Promise<string> {
  using tree = createTree(ENTRIES);
  const [match] = await find(tree.root, [line, 'dist', '!dist/index.html'], options);
  assert.ok(match !== undefined && match.files.length === 0);
  return explainNoMatch(match, tree.at(options.workingDirectory ?? ''));
}

const HAS_BACKSLASHES = onWindows('a backslash separates folders');

const SKIPPED: Readonly<Record<string, string | false>> = {
  'apps/web/SRC/*': onWindows('file names have no case'),
  'links/**': WITHOUT_LINKS,
  'apps\\web\\**': HAS_BACKSLASHES,
  'C:\\build\\**': HAS_BACKSLASHES,
};

for (const [line, why] of Object.entries(REASONS)) {
  const skip = SKIPPED[line] ?? false;
  test(`explainNoMatch says why ${line} matches nothing`, { skip }, async () =>
    assert.equal(await explain(line), `"${line}" matches no files to upload. ${why}`),
  );
}

/** By message about a wrong character: lines that contain one. */
const MISTAKES: Readonly<Record<string, readonly string[]>> = {
  'has braces or parentheses, which have no meaning in patterns. Write a line for each name.': [
    'dist/*.{js,css}',
    'dist/@(a|b)',
  ],
  'has a comma or a space, which separates nothing. Write each pattern on its own line.': [
    'dist/a.js, dist/b.js',
    'dist/a.js,dist/b.js',
    'dist/** apps/**',
    '*.js, *.css',
    '- dist/**',
  ],
  'has a # in it. Write each comment on a line of its own.': ['src # all', 'dist/** # comment'],
  'has a ->, => or colon in it. In front of a target, write => with a space on each side.': [
    'dist=>app',
    'dist:/app',
    'dist -> app',
    'dist/** -> app',
  ],
  'has a backslash, which does not separate folders on this runner. Write a slash.': [
    'apps\\web\\**',
    'C:\\build\\**',
  ],
};

for (const [says, lines] of Object.entries(MISTAKES))
  for (const line of lines) {
    const skip = SKIPPED[line] ?? false;
    test(`explainNoMatch names the character that is wrong in ${line}`, { skip }, async () => {
      const why = await explain(line);
      const quoted = JSON.stringify(line).replaceAll('\\\\', '\\');
      assert.ok(why.startsWith(`${quoted} matches no files to upload. It ${says} `), why);
    });
  }

for (const line of ['dist/*.none', 'a{b}/*', 'https://x.io/a', 'a#b'])
  test(`explainNoMatch finds no wrong character in ${line}`, async () => {
    assert.doesNotMatch(await explain(line), /to upload\. It /);
  });

test('explainNoMatch asks for the checkout if the working directory is empty', async () => {
  const why = await explain('dist', { workingDirectory: 'empty' });
  assert.match(why, /The working directory is empty: did actions\/checkout or the build run in /);
});

test('explainNoMatch names paths relative to the working directory', async () => {
  const why = await explain('dist', { workingDirectory: 'apps/web' });
  assert.match(why, /in the working directory, only "\.env", "package\.json", "src"\.$/);
});

test('explainNoMatch omits the hint about hidden names if they are included', async () => {
  assert.doesNotMatch(await explain('dist/*', { includeHiddenFiles: true }), /dot/);
});

test('explainNoMatch lists at most ten names, escaped', async () => {
  const why = await explain('many/none');
  const [first, last] = [`0${LINE_BREAK}`, `7${LINE_BREAK}`].map(name => JSON.stringify(name));
  assert.ok(why.includes(`There is no "none" in "many", only ${first}, `), why);
  assert.ok(why.endsWith(`, ${last}, and 3 more.`), why);
});

test('explainNoMatch names the root of the file system', async () => {
  const root = WINDOWS ? / in "[A-Z]:\/", only ".*\.$/ : / in "\/", only ".*\.$/;
  assert.match(await explain('/no\u200bne'), root);
});
