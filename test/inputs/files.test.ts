import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import type { FileRules } from '../../src/inputs/files.ts';
import { parsed, problemOf } from './given.ts';

function rulesOf(files: string): FileRules {
  return parsed({ files }).upload.rules;
}

const ACCEPTED: Readonly<Record<string, FileRules>> = {
  'dist/**': { patterns: [{ pattern: 'dist/**' }], excludes: [] },
  'a\nb': { patterns: [{ pattern: 'a' }, { pattern: 'b' }], excludes: [] },
  'a\r\n!b\r\n': { patterns: [{ pattern: 'a' }], excludes: ['b'] },
  '\n# c\n  # c\n \t\na\n\n': { patterns: [{ pattern: 'a' }], excludes: [] },
  '  a  ': { patterns: [{ pattern: 'a' }], excludes: [] },
  'a # b': { patterns: [{ pattern: 'a # b' }], excludes: [] },
  '!x\na\n! y \nb': { patterns: [{ pattern: 'a' }, { pattern: 'b' }], excludes: ['x', 'y'] },
  'a => b': { patterns: [{ pattern: 'a', target: 'b' }], excludes: [] },
  '  a  =>  b c/  ': { patterns: [{ pattern: 'a', target: 'b c/' }], excludes: [] },
  'a\t=>\tb': { patterns: [{ pattern: 'a', target: 'b' }], excludes: [] },
  'my file.txt => my target.txt': {
    patterns: [{ pattern: 'my file.txt', target: 'my target.txt' }],
    excludes: [],
  },
  'a=>b': { patterns: [{ pattern: 'a=>b' }], excludes: [] },
  'a => .': { patterns: [{ pattern: 'a', target: '.' }], excludes: [] },
  'a => /srv/www/': { patterns: [{ pattern: 'a', target: '/srv/www/' }], excludes: [] },
  'a => ..b/c..': { patterns: [{ pattern: 'a', target: '..b/c..' }], excludes: [] },
  'a => ~b/~': { patterns: [{ pattern: 'a', target: '~b/~' }], excludes: [] },
  '../a\n../../b\n./../c\n..': {
    patterns: [{ pattern: '../a' }, { pattern: '../../b' }, { pattern: './../c' }, { pattern: '..' }],
    excludes: [],
  },
  '~/a\n/abs/b': { patterns: [{ pattern: '~/a' }, { pattern: '/abs/b' }], excludes: [] },
  'a..b/..c': { patterns: [{ pattern: 'a..b/..c' }], excludes: [] },
};

describe('lines accepted', () => {
  for (const [value, expected] of Object.entries(ACCEPTED)) {
    test(JSON.stringify(value), () => assert.deepEqual(rulesOf(value), expected));
  }
});

const NO_LINE = 'is required: at least one line must say what to upload.';
const CLIMBS = 'has a . or .. in its middle. Write the path without it.';

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
  'a\n\n!b => c': 'line 3, "!b => c", excludes files, so it can have no target.',
  'a/../b': `line 1, "a/../b", ${CLIMBS}`,
  'a/..': `line 1, "a/..", ${CLIMBS}`,
  '**/../b': `line 1, "**/../b", ${CLIMBS}`,
  '/a/../b': `line 1, "/a/../b", ${CLIMBS}`,
  '../a/../b': `line 1, "../a/../b", ${CLIMBS}`,
  'a/./b': `line 1, "a/./b", ${CLIMBS}`,
  'a/.': `line 1, "a/.", ${CLIMBS}`,
  'a\n!b/../c': `line 2, "!b/../c", ${CLIMBS}`,
  'a => ..': 'line 1, "a => ..", has a .. in the target "..". Write the path without it.',
  'a => b/../c': 'line 1, "a => b/../c", has a .. in the target "b/../c". Write the path without it.',
  'a => ~/b':
    'line 1, "a => ~/b", has a ~ in the target "~/b". A relative target is below the user\'s home already.',
  'a => ~':
    'line 1, "a => ~", has a ~ in the target "~". A relative target is below the user\'s home already.',
};

describe('lines refused', () => {
  for (const [value, expected] of Object.entries(REFUSED)) {
    test(JSON.stringify(value), () => {
      const { input, message } = problemOf({ files: value });
      assert.equal(input, 'files');
      assert.equal(message, expected);
    });

    test(`${JSON.stringify(value)}: the example is YAML that is accepted`, () => {
      const { example = '' } = problemOf({ files: value });
      const { files }: { files?: unknown } = parse(example);
      assert.match(String(files), /\S/, example);
      assert.ok(rulesOf(`a\n${String(files)}`));
    });
  }

  test('the example for a target shows where a target stands', () => {
    assert.match(problemOf({ files: 'a => ../b' }).example ?? '', /^files: \S+ => app\/$/);
  });
});

describe('target', () => {
  for (const target of ['', '.', 'app', 'app/', '/srv/www', 'my app/ü', '...']) {
    test(`${JSON.stringify(target)} is accepted`, () => {
      assert.equal(parsed({ target }).upload.target, target);
    });
  }
  for (const target of ['..', 'a/..', '/../a', '~', '~/a']) {
    test(`${JSON.stringify(target)} is refused`, () => {
      const { input, message, example } = problemOf({ target });
      assert.equal(input, 'target');
      assert.ok(message.includes(JSON.stringify(target)), message);
      assert.equal(example, 'target: app/');
    });
  }
});
