import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { fileRules } from '../../src/inputs/files.ts';
import { parsed, problemOf, refuses, takes } from './given.ts';

/** By line: its pattern, and its target if it has one. */
const LINES: Readonly<Record<string, readonly [pattern: string, target?: string]>> = {
  'dist/**': ['dist/**'],
  '  a  ': ['a'],
  'a # b': ['a # b'],
  'a=>b': ['a=>b'],
  'a..b/..c': ['a..b/..c'],
  '../../b': ['../../b'],
  './../c': ['./../c'],
  '..': ['..'],
  '~/a': ['~/a'],
  '/abs/b': ['/abs/b'],
  '  a b  =>  b c/  ': ['a b', 'b c/'],
  'a\t=>\tb': ['a', 'b'],
  'a => .': ['a', '.'],
  'a => /srv/www/': ['a', '/srv/www/'],
  'a => ..b/c..': ['a', '..b/c..'],
  'a => $x/a$/50%/%41%42': ['a', '$x/a$/50%/%41%42'],
  'a/**/[**]b/*c*': ['a/**/[**]b/*c*'],
  ...Object.fromEntries(
    ['"**/a/**"', '- **', 'a/**, b', 'a/** b', 'a/** -> b', 'a/**=>b'].map(slip => [slip, [slip]]),
  ),
  'a => b~/~b': ['a', 'b~/~b'],
  '$lib/x': ['$lib/x'],
  '$slug.tsx': ['$slug.tsx'],
  '["x]': ['["x]'],
};

describe('lines accepted', () => {
  const patterns = Object.values(LINES).map(([pattern, target]) =>
    target ? { pattern, target } : { pattern },
  );
  takes('files', {
    [`\n# c\n  # c\n \t\n${Object.keys(LINES).join('\r\n')}\n\n`]: { patterns, excludes: [] },
    '!x\na\n! y \nb': { patterns: [{ pattern: 'a' }, { pattern: 'b' }], excludes: ['x', 'y'] },
  });
});

const NO_LINE = 'is required: at least one line must say what to upload.';
const CLIMBS = 'has a . or .. in its middle. Write the path without it.';
const EXPANDED = "is not expanded. Write the path; a relative one is below the user's home.";

/** By refused pattern: the intended one. */
const MEANT: Readonly<Record<string, string>> = {
  'src/**.py': 'src/**/*.py',
  'a/**.js': 'a/**/*.js',
  'a**': 'a*/**',
  'a/b**c/d': 'a/b*/**/*c/d',
  '**a**/b': '**/*a*/**/b',
  '***/a': '**/a',
};

const REFUSED: Readonly<Record<string, string>> = {
  '': NO_LINE,
  ' \r\n\t': NO_LINE,
  '# only a comment': NO_LINE,
  '!only/excludes': NO_LINE,
  'a\n!': 'line 2, "!", has no pattern.',
  'a\n!!b': 'line 2, "!!b", has no pattern.',
  'a =>': 'line 1, "a =>", names no target after =>.',
  'a =>   ': 'line 1, "a =>", names no target after =>.',
  '=> b': 'line 1, "=> b", has no pattern.',
  'a\n\n!b => c': 'line 3, "!b => c", excludes files, so it cannot have a target.',
  'a/../b': `line 1, "a/../b", ${CLIMBS}`,
  'a/..': `line 1, "a/..", ${CLIMBS}`,
  '**/../b': `line 1, "**/../b", ${CLIMBS}`,
  '/a/../b': `line 1, "/a/../b", ${CLIMBS}`,
  '../a/../b': `line 1, "../a/../b", ${CLIMBS}`,
  'a/./b': `line 1, "a/./b", ${CLIMBS}`,
  'a/.': `line 1, "a/.", ${CLIMBS}`,
  'a\n!b/../c': `line 2, "!b/../c", ${CLIMBS}`,
  'a => ..': 'line 1, "a => ..", has a .. in the target "..". Write the path without it.',
  'a => b/../c':
    'line 1, "a => b/../c", has a .. in the target "b/../c". Write the path without it.',
  'a => ~': `line 1, "a => ~", has the target "~", but ~ ${EXPANDED}`,
  'a => b\\c':
    'line 1, "a => b\\c", has the target "b\\c". Targets are POSIX paths, such as /srv/app.',
  'a => C:\\b':
    'line 1, "a => C:\\b", has the target "C:\\b". Targets are POSIX paths, such as /srv/app.',
  'a => b\0':
    'line 1, "a => b\\u0000", has the invisible character \\u{0} in the target "b\\u0000".',
  'a => b\u200bc':
    'line 1, "a => b\u200bc", has the invisible character \\u{200b} in the target "b\u200bc".',
  'a => ~bob/x': `line 1, "a => ~bob/x", has the target "~bob/x", but ~bob ${EXPANDED}`,
  'a\n["dist/**"]':
    'line 2, "[\\"dist/**\\"]", is a list. Write each pattern on its own line, without brackets.',
  'https://x.io/a.tgz':
    'line 1, "https://x.io/a.tgz", is a URL. Download it in an earlier step, and write the path.',
  '${{ env.DIST }}':
    'line 1, "${{ env.DIST }}", contains a literal `${{`, which the runner did not evaluate. Check its spelling.',
  '$GITHUB_WORKSPACE/dist':
    'line 1, "$GITHUB_WORKSPACE/dist", has the variable $GITHUB_WORKSPACE, which is not expanded. Relative patterns start at the workspace.',
  '!${HOME}/dist':
    'line 1, "!${HOME}/dist", has the variable ${HOME}, which is not expanded. Relative patterns start at the workspace.',
  'a => b => c': 'line 1, "a => b => c", has more than one =>.',
  ...Object.fromEntries(
    ['~', '$HOME', '${', '$(', '%TMP%'].map(variable => {
      const says = `has the target "${variable}/b", but ${variable} ${EXPANDED}`;
      return [`a => ${variable}/b`, `line 1, "a => ${variable}/b", ${says}`];
    }),
  ),
  ...Object.fromEntries(
    Object.entries(MEANT).map(([given, meant]) => {
      const says = `has a ** that is not a whole path segment, so it matches no folders. Write "${meant}".`;
      return [given, `line 1, "${given}", ${says}`];
    }),
  ),
};

describe('lines refused', () => {
  for (const [value, message] of Object.entries(REFUSED)) {
    test(`${JSON.stringify(value)}, with an example that is YAML and accepted`, () => {
      const problem = problemOf({ files: value });
      assert.deepEqual([problem.input, problem.message], ['files', message]);
      const { files }: { files?: unknown } = parse(problem.example ?? '');
      assert.ok(parsed({ files: `a\n${String(files)}` }));
    });
  }

  test('the example for a target shows where a target stands', () => {
    assert.match(problemOf({ files: 'a => ../b' }).example ?? '', /^files: \S+ => app$/);
  });
});

describe('target', () => {
  const targets = ['', '.', 'app', 'app/', '/srv/www', 'my app/ü', '...'];
  takes('target', Object.fromEntries(targets.map(target => [target, target])));
  for (const target of ['..', 'a/..', '/../a']) {
    const message = `has a .. in the target "${target}". Write the path without it.`;
    refuses('target', { [target]: message }, 'app');
  }
  refuses('target', { 'a\nb': 'has the invisible character \\n in the target "a\\nb".' }, 'app');
  refuses('target', { '~/a': `has the target "~/a", but ~ ${EXPANDED}` }, 'app');
});

test('the debug log shows each line as it was understood', () => {
  const { files } = parsed({ files: 'a b => c/\n!x\n"d"' });
  assert.equal(fileRules.show(files), '"a b" => "c/"; "\\"d\\""; except "x"');
});
