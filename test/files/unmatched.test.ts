import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainNoMatch } from '../../src/files/unmatched.ts';
import { onWindows } from '../system.ts';
import { directory, type Entries, find, plant } from './tree.ts';

const ENTRIES: Entries = {
  'package.json': '',
  'apps/web/package.json': '',
  'apps/web/src/a.ts': '',
  'apps/web/.env': '',
  'dist/index.html': '',
  'my folder/a.ts': '',
  empty: directory,
};

const JOINED =
  'several patterns on one line; if the workflow has them on several, write files: | instead of files: >';

/** By line: why it matches nothing. */
const SLIPS: Readonly<Record<string, string>> = {
  '"dist/**"': 'remove the quotes around it; a line is taken literally',
  "'dist/**'": 'remove the quotes around it; a line is taken literally',
  '- dist/**': 'remove the dash; files is text with one pattern per line, not a list',
  'dist/** -> app': 'write => instead of ->',
  'dist/**:app': 'write => instead of :',
  'dist/{a,b}': 'braces have no meaning in patterns; write one line for each',
  'dist/**, package.json': 'a comma is part of a name; write each pattern on its own line',
  '[id].tsx': '[ and ] enclose a set of characters; write [[] for a [ in a name',
  'dist/**=>app': 'write a space on each side of =>',
  'dist/* #all': 'a comment needs its own line',
  'dist/** package.json': JOINED,
  'package.json dist/** !**/*.map': JOINED,
};

/** By line: what is there. */
const EXTENTS: Readonly<Record<string, string>> = {
  'apps/web/dist/**':
    '"apps/web" exists and contains .env, package.json, src; there is no "dist" in it',
  'apps/web/dist/x/y.js':
    '"apps/web" exists and contains .env, package.json, src; there is no "dist" in it',
  'build/**':
    'the working directory exists and contains apps, dist, empty, my folder, package.json; there is no "build" in it',
  'Dist/**': 'there is no "Dist", only "dist": case matters',
  'apps/web/SRC/*': 'there is no "SRC", only "src": case matters',
  'dist/*.none':
    '"dist" exists and contains index.html; nothing in it matches, or a ! line excludes it',
  'my folder/*.none':
    '"my folder" exists and contains a.ts; nothing in it matches, or a ! line excludes it',
  'empty/**': '"empty" is empty',
  'package.json/*': '"package.json" is not a folder',
  'dist/index.html': '"dist/index.html" is excluded by a ! line',
};

async function whyNot(line: string, entries = ENTRIES, workingDirectory = ''): Promise<string> {
  using tree = plant(entries);
  const [match] = await find(tree.root, [line, '!dist/index.html'], { workingDirectory });
  assert.ok(match !== undefined && match.files.length === 0);
  return explainNoMatch(match, tree.at(workingDirectory), file => file);
}

describe('a pattern that matches nothing is told', {
  skip: onWindows('its separators and its cases of names are others'),
}, () => {
  for (const [line, why] of Object.entries({
    ...SLIPS,
    'dist\\**': 'write / instead of \\, which escapes the next character',
    'dist/.*\\.js': 'it is a regular expression; patterns use *, as in dist/**/*.js',
    'dist/!(a).js':
      'parentheses have no meaning in patterns; exclude files with a ! line of their own',
    '/dist/**': 'a / at its start means the root of the file system; write dist/**',
  })) {
    test(`of the slip in ${line}`, async () =>
      assert.equal(
        await whyNot(line),
        `"${line.replaceAll('"', '\\"')}" matches no files to upload (${why}).`,
      ));
  }

  for (const [line, extent] of Object.entries(EXTENTS)) {
    test(`how far there is ${line}`, async () => {
      const advice = 'Did the build run before this step? Is working-directory right?';
      assert.equal(
        await whyNot(line),
        `"${line}" matches no files to upload (${extent}). ${advice}`,
      );
    });
  }

  test('of a place in the working directory, of one elsewhere, and of ten names', async () => {
    assert.match(
      await whyNot('dist', ENTRIES, 'apps/web'),
      /\(the working directory exists and contains \.env, package\.json, src; /,
    );
    assert.match(await whyNot('/dev/null/none'), /\("\/dev\/null" is not a folder\)/);
    assert.match(
      await whyNot('/no\u200bne'),
      /\("\/" exists and contains .*, \d+ more; there is no "/,
    );
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`d/${index}\n`, '']));
    assert.match(
      await whyNot('d/x', many),
      /"d" exists and contains 0\\n, .*, 7\\n, 2 more; there is no "x" in it/,
    );
  });
});
