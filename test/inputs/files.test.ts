import { describe } from 'node:test';
import { accepts, each, rejects } from './parse-inputs.ts';

/** By line: its pattern, and its target if it has one. */
const LINES: Readonly<Record<string, readonly [pattern: string, target?: string]>> = {
  'dist/**': ['dist/**'],
  '  a  ': ['a'],
  'a # b': ['a # b'],
  'a=>b': ['a=>b'],
  'a..b/..c': ['a..b/..c'],
  '../../b': ['../../b'],
  './../c': ['./../c'],
  '../a/../b/./*/..c/*': ['../a/../b/./*/..c/*'],
  '..': ['..'],
  '~/a': ['~/a'],
  '/abs/b': ['/abs/b'],
  '  a b  =>  b c/  ': ['a b', 'b c/'],
  'a\t=>\tb': ['a', 'b'],
  'a => .': ['a', '.'],
  'a => /srv/www/': ['a', '/srv/www/'],
  'a => ..b/c..': ['a', '..b/c..'],
  'a => homes/x': ['a', 'homes/x'],
  'a => $x/a$/50%/%41%42': ['a', '$x/a$/50%/%41%42'],
  'a => b~/~b': ['a', 'b~/~b'],
  '**/a/**/*b*c*': ['**/a/**/*b*c*'],
  '*/My Folder/**': ['*/My Folder/**'],
  '$lib/x': ['$lib/x'],
  '$slug.tsx': ['$slug.tsx'],
  '["x]': ['["x]'],
};

describe('lines of files', () => {
  const patterns = Object.values(LINES).map(([pattern, target]) =>
    target ? { pattern, target } : { pattern },
  );
  accepts('files', {
    [`\n# c\n  # c\n \t\n${Object.keys(LINES).join('\r\n')}\n\n`]: { patterns, excludes: [] },
    '!x\na\n! y \nb': { patterns: [{ pattern: 'a' }, { pattern: 'b' }], excludes: ['x', 'y'] },
  });

  const required = 'is required: at least one line must say what to upload.';
  const advice = 'In YAML, quote a value that begins with ! or *.';
  rejects('files', each(['', ' \r\n\t'], `${required} ${advice}`));
  rejects('files', each(['# only a comment', '!only/excludes'], required));
  rejects('files', {
    'a\n!': 'line 2: "" is not a pattern.',
    'a\n!!b': 'line 2: "!b" is not a pattern.',
    '=> b': 'line 1: "" is not a pattern.',
    'a =>  ': 'line 1: "a =>" is not of the form pattern => target.',
    'a => b => c': 'line 1: "a => b => c" is not of the form pattern => target.',
    'a\n\n!b => c': 'line 3: "!b => c" is not of the form pattern => target. A line with ! has no',
    'a => ..': 'line 1: the target ".." is not a plain POSIX path without ..,',
    'a => ~bob/x': 'line 1: the target "~bob/x" starts below',
    '"x y" => a': 'line 1: "\\"x y\\"" is in quotation marks.',
  });
  const climbing = ['**/../b', '*/..', 'a?/b/../c', '[ab]/../c', '**/package.json/..'];
  rejects('files', each(climbing, '% has a .. after a wildcard.'));
});

describe('target', () => {
  const targets = ['', '.', 'app', 'app/', '/srv/www', '/home/user', 'my app/ü', '...'];
  accepts('target', Object.fromEntries(targets.map(target => [target, target])));
  const climbing = ['..', 'a/..', '/../a'];
  const others = ['b\\c', 'C:/b', 'https://x.io/app', 'app/*'];
  const words = 'is not a plain POSIX path without .., such as /srv/app.';
  rejects('target', each(climbing, `the target % ${words}`));
  rejects('target', each(others, words));
});
