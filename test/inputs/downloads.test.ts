import { describe } from 'node:test';
import { accepts, each, rejects } from './parse-inputs.ts';

const DOWNLOAD = { action: 'download' } as const;

/** By line: its path in the sandbox, and its target. */
const LINES: Readonly<Record<string, readonly [path: string, target: string]>> = {
  'app/junit.xml': ['app/junit.xml', 'junit.xml'],
  '  ~/a b  =>  c/d e  ': ['~/a b', 'c/d e'],
  '/var/log/x.log\t=>\tlogs/x.log': ['/var/log/x.log', 'logs/x.log'],
  '../up': ['../up', 'up'],
  'app/[id].tsx => ./[id].tsx': ['app/[id].tsx', '[id].tsx'],
  'a=>b': ['a=>b', 'a=>b'],
  '.env => ..env': ['.env', '..env'],
  'x => a//b/../c': ['x', 'a/c'],
};

describe('lines of files to download', () => {
  const parsed = Object.values(LINES).map(([path, target]) => ({ path, target }));
  const value = `\n# c\n${Object.keys(LINES).join('\r\n')}\n\n`;
  accepts('files', { [value]: parsed }, DOWNLOAD);

  const required = 'is required: at least one line must say what to download.';
  rejects('files', each(['', '# only a comment'], required), DOWNLOAD);
  const form = 'line 1: % is not of the form path => target.';
  rejects(
    'files',
    each(['a =>', '=> b', 'a => b => c', 'a -> b', 'a =>b', 'a=> b'], form),
    DOWNLOAD,
  );
  const many = 'line 1: % is not the path of one file. Name each file.';
  rejects('files', each(['app/*.xml', 'app/**', 'app/reports/'], many), DOWNLOAD);
  rejects('files', { 'a\n"b"': 'line 2: "\\"b\\"" is in quotation marks.' }, DOWNLOAD);
  rejects('files', { 'a => $GITHUB_WORKSPACE/a': 'contains a variable of a shell' }, DOWNLOAD);
  rejects('files', { '${{ x }}/a': 'contains a literal `${{`' }, DOWNLOAD);

  const outside = ['/a', '../a', 'a/../../b', 'a/..', '.', 'a/', '~/a', 'C:\\a', 'c:a'];
  const windows = ['\\a', '..\\a', 'a\\..\\b', 'a\\'];
  for (const target of [...outside, ...windows])
    rejects(
      'files',
      { [`a => ${target}`]: 'is not the relative path of a file inside working-directory.' },
      DOWNLOAD,
    );
  rejects('files', { 'app/..': 'the target ".." is not the relative path' }, DOWNLOAD);

  const same = '"a/x" and "b/x" have the same target.';
  const twice = ['a/x\nb/x', 'a/x => c\nd\nb/x => ./c', 'a/x => C\nb/x => c'];
  rejects('files', each(twice, same), DOWNLOAD);
});

describe('max-bytes', () => {
  accepts(
    'max-bytes',
    { '': 2 ** 30, '1': 1, '512MiB': 2 ** 29, '1.5 GB': 1_500_000_000, '2kib': 2048, '9b': 9 },
    DOWNLOAD,
  );
  const wrong = ['0', '-1', '0.1B', 'many', '5 apples', '1e3', '5%', '1,000', 'GiB'];
  rejects(
    'max-bytes',
    each(wrong, '% is not a size: write bytes, or a number with B, kB'),
    DOWNLOAD,
  );
});

describe('if-no-file-found', () => {
  accepts('if-no-file-found', { '': 'error', warn: 'warn', ignore: 'ignore' }, DOWNLOAD);
  rejects('if-no-file-found', each(['fail', 'Warn'], '% is not one of error, warn'), DOWNLOAD);
});
