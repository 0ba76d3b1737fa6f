import { test } from 'node:test';
import { accepts, rejects, sameMessage } from '../support/parse-inputs.ts';

/** By line: the expected pattern and, if any, target. */
const LINES: Readonly<Record<string, readonly [pattern: string, target?: string]>> = {
  '  a  ': ['a'],
  'a # b': ['a # b'],
  'a=>b': ['a', 'b'],
  'a=>b => c': ['a=>b', 'c'],
  'a=> b': ['a', 'b'],
  'a =>b': ['a', 'b'],
  '"x y" => a': ['"x y"', 'a'],
  'a => docs/C #': ['a', 'docs/C #'],
  '../a/../b/./*/..c/*': ['../a/../b/./*/..c/*'],
  '~/a': ['~/a'],
  '  a b  =>  b c/  ': ['a b', 'b c/'],
  'a\t=>\tb': ['a', 'b'],
  'a => ..b/c..': ['a', '..b/c..'],
  'a => homes/x': ['a', 'homes/x'],
  'a => $x/a$/50%/%41%42': ['a', '$x/a$/50%/%41%42'],
  'a => b~/~b': ['a', 'b~/~b'],
  '**/My Folder/**/*b*c*': ['**/My Folder/**/*b*c*'],
  '$lib/$SLUG.tsx': ['$lib/$SLUG.tsx'],
};

test('files to upload are patterns, perhaps with targets, and excludes', () => {
  const patterns = Object.values(LINES).map(([pattern, target]) => ({ pattern, target }));
  const [a, b] = ['a', 'b'].map(pattern => ({ pattern, target: undefined }));
  accepts('files', {
    [`\n# c\n  # c\n \t\n${Object.keys(LINES).join('\r\n')}\n\n`]: { patterns, excludes: [] },
    '!x\na\n! y \nb\n!docs/Issue #5.md': {
      patterns: [a, b],
      excludes: ['x', 'y', 'docs/Issue #5.md'],
    },
  });
});

test('files to upload need a pattern, and each line a known form', () => {
  const toUpload = 'is required: at least one line must say what to upload.';
  const advice = 'In YAML, quote a value that begins with ! or *.';
  rejects('files', sameMessage(['', ' \r\n\t'], `${toUpload} ${advice}`));
  rejects('files', sameMessage(['# only a comment', '!only/excludes'], toUpload));
  rejects('files', {
    'a\n!': 'line 2: is not a pattern.',
    'a\n!!b': 'line 2: "!b" is not a pattern.',
    '=> b': 'line 1: "=> b" is not of the form pattern => target.',
    'a =>  ': 'line 1: "a =>" is not of the form pattern => target.',
    'a => b => c': 'line 1: "a => b => c" is not of the form pattern => target.',
    'a => ..': 'line 1: ".." is not a plain POSIX path without ..,',
    'a => ~bob/x': 'line 1: "~bob/x" starts below',
  });
});

test('a target is a POSIX path that does not climb', () => {
  const targets = ['', '.', 'app/', '/home/user', 'my app/ü', '...'];
  accepts('target', Object.fromEntries(targets.map(target => [target, target])));
  const others = ['..', 'a/..', '/../a', 'b\\c', 'C:/b', 'https://x.io/app', 'app/*'];
  rejects('target', sameMessage(others, 'is not a plain POSIX path without .., such as /srv/app.'));
});

const DOWNLOAD = { action: 'download' } as const;

/** By line: the expected path in the sandbox and target. */
const DOWNLOADS: Readonly<Record<string, readonly [path: string, target: string]>> = {
  'app/junit.xml': ['app/junit.xml', 'junit.xml'],
  '  ~/a b  =>  c/d e  ': ['~/a b', 'c/d e'],
  '/var/log/x.log\t=>\tlogs/x.log': ['/var/log/x.log', 'logs/x.log'],
  '../up': ['../up', 'up'],
  'app/[id].tsx => ./[id].tsx': ['app/[id].tsx', '[id].tsx'],
  'a=>b': ['a', 'b'],
  'a=>  r': ['a', 'r'],
  'a => logs/old/': ['a', 'logs/old/a'],
  'reports/Build #12.xml': ['reports/Build #12.xml', 'Build #12.xml'],
  'app/*.xml': ['app/*.xml', '*.xml'],
  '"b"=>q': ['"b"', 'q'],
  '.env => ..env': ['.env', '..env'],
  'x => a//b/../c': ['x', 'a/c'],
};

test('files to download are paths, each with a target, which is the name of the file by default', () => {
  const parsed = Object.values(DOWNLOADS).map(([path, target]) => ({ path, target }));
  const value = `\n# c\n${Object.keys(DOWNLOADS).join('\r\n')}\n\n`;
  accepts('files', { [value]: parsed }, DOWNLOAD);
});

test('a target of a download is below working-directory, and has no variable', () => {
  const outside = ['/a', '../a', 'a/../../b', 'a/..', '.', '~/a'].map(target => `a => ${target}`);
  const onWindows = ['\\a', 'a\\..\\b', 'a\\', 'c:a'].map(target => `a => ${target}`);
  const isOutside = 'is not the relative path of a file inside working-directory.';
  rejects('files', sameMessage([...outside, ...onWindows], isOutside), DOWNLOAD);
  rejects(
    'files',
    { 'a => out/$GITHUB_SHA/x': 'contains a variable that is not expanded' },
    DOWNLOAD,
  );
});

test('two downloads must not have the same target, or one inside the other, on any system', () => {
  const conflicts = {
    'a/x\nb/x': '"a/x" to "x", "b/x" to "x"',
    'a/x => c\nd\nb/x => ./c': '"a/x" to "c", "b/x" to "c"',
    'a/x => C\nb/x => c': '"a/x" to "C", "b/x" to "c"',
    'a => out\nb\nc => out-a\nd => OUT/d/e': '"a" to "out", "d" to "OUT/d/e"',
    'a => out/a\nb => out': '"a" to "out/a", "b" to "out"',
  };
  const areConflicting = 'two targets are the same, or one is inside the other:';
  for (const [lines, list] of Object.entries(conflicts))
    rejects('files', { [lines]: `${areConflicting} ${list}.` }, DOWNLOAD);
});

test('files to download need a line, and each line a known form', () => {
  const toDownload = 'is required: at least one line must say what to download.';
  const form = 'line 1: % is not of the form path => target.';
  const rejected = {
    ...sameMessage(['', '# only a comment'], toDownload),
    ...sameMessage(['a =>', '=> b', 'a => b => c'], form),
    'a => b # the report': 'has a # in it.',
    'a\nb => "c"': 'line 2: "\\"c\\"" is in quotation marks.',
    'app/..': '".." is not the relative path',
  };
  rejects('files', rejected, DOWNLOAD);
});
