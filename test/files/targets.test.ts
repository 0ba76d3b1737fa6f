import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { FoundFile, Matches } from '../../src/files/find.ts';
import { filesOfShard, planFiles } from '../../src/files/targets.ts';
import { InputError } from '../../src/inputs/input-error.ts';
import type { RawInputs } from '../../src/inputs/parsers.ts';
import { parseSyncInputs } from '../support/parse-inputs.ts';
import { plannedFile, plannedFiles } from '../support/simulated-transfer.ts';

const WORKSPACE = '/w';

/** Creates a found file. `relative` is the part that the wildcards matched. */
function found(source: string, relative = ''): FoundFile {
  const realPath = path.resolve(WORKSPACE, source);
  return { source, realPath, relative, size: 1 };
}

function matches(line: string, files: readonly FoundFile[], more: Partial<Matches> = {}): Matches {
  const [pattern] = parseSyncInputs({ files: line }).files.patterns;
  assert.ok(pattern !== undefined);
  return { pattern, root: WORKSPACE, files, skipped: [], links: [], skipsHidden: true, ...more };
}

function planFor(lines: readonly Matches[], given: RawInputs = {}) {
  return planFiles({ matches: lines, excludes: [] }, parseSyncInputs(given), WORKSPACE);
}

function targetsOf(lines: readonly Matches[], target = ''): string[] {
  return planFor(lines, { target }).files.map(file => file.target);
}

/** Returns the messages about `files` with which planning fails, or none if it succeeds. */
function planErrors(lines: readonly Matches[]): string[] {
  try {
    planFor(lines);
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    assert.ok(error.problems.every(({ input }) => input === 'files'));
    return error.problems.map(({ message }) => message);
  }
}

/** By `target` and line: the expected target of dist/a/b.js or a/f.txt. */
const TARGETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    'dist/**': 'a/b.js',
    'dist/** => app/x.js': 'app/x.js/a/b.js',
    'dist/** => /': '/a/b.js',
    'a/f.txt': 'f.txt',
    'a/f.txt => /etc/': '/etc/f.txt',
    'a/f.txt => etc/.': 'etc/f.txt',
    'a/f.txt => etc//x/./g': 'etc/x/g',
  },
  app: {
    'dist/**': 'app/a/b.js',
    'dist/** => .': 'app/a/b.js',
    'dist/** => /srv': '/srv/a/b.js',
    'a/f.txt => .env': 'app/.env',
    'a/f.txt => .': 'app/f.txt',
    'dist/** => ~/www': 'www/a/b.js',
    'dist/** => ~/': 'a/b.js',
    'a/f.txt => ~/g': 'g',
    'a/f.txt => ~': 'f.txt',
    'a/f.txt => g~/~': 'app/g~/~',
  },
  '.': { 'dist/**': 'a/b.js' },
  '~': { 'dist/** => x': 'x/a/b.js', 'a/f.txt => ~/': 'f.txt' },
  '~/app/': { 'dist/**': 'app/a/b.js', 'a/f.txt => g': 'app/g', 'a/f.txt => /g': '/g' },
  '/srv': { 'a/f.txt => g': '/srv/g', 'dist/** => /x': '/x/a/b.js' },
};

for (const [target, lines] of Object.entries(TARGETS))
  test(`a file goes below target and the target of its line [${target}]`, () => {
    for (const [line, expected] of Object.entries(lines)) {
      const file = line.startsWith('dist') ? found('dist/a/b.js', 'a/b.js') : found('a/f.txt');
      assert.deepEqual(targetsOf([matches(line, [file])], target), [expected], line);
    }
  });

test('a plan keeps the order of files, and plans the same source once per target', () => {
  const all = matches('d/**', [found('d/b', 'b'), found('d/a', 'a')]);
  const again = [matches('d/a', [found('d/a')]), matches('d/* => .', [found('d/a', 'a')])];
  const other = matches('d/a => c', [found('d/a')]);
  assert.deepEqual(targetsOf([all, ...again, other]), ['b', 'a', 'c']);
});

test('skipped entries are listed once, with one warning per reason', () => {
  const reasons = {
    '/elsewhere/l': 'a broken link',
    'd/pipe': 'not a regular file',
    'd/m': 'a broken link',
    'd/n': 'a link to a folder',
  };
  const skipped = Object.entries(reasons).map(([file, reason]) => ({ path: file, reason }));
  const both = ['d/**', 'd/*'].map(line => matches(line, [found('d/a', 'a')], { skipped }));
  const plan = planFor(both);
  assert.deepEqual(plan.skipped, skipped);
  assert.deepEqual(plan.warnings, [
    'Skipped (a broken link): "/elsewhere/l" and 1 more.',
    'Skipped (not a regular file): "d/pipe".',
  ]);
});

const same = (one: string, other: string, target: string) =>
  `"${one}" and "${other}" would both go to "${target}"`;
const nested = (one: string, target: string, other: string, below: string) =>
  `"${one}" would go to "${target}" and "${other}" would go to "${below}": a file cannot also be a directory`;

/** By lines: the expected conflicts. Each line matches a file named after its first letter. */
const CONFLICTS: Readonly<Record<string, readonly string[]>> = {
  'a => etc/x, b => ./etc//x, c/** => etc/': [same('a', 'b', 'etc/x'), same('a', 'c/x', 'etc/x')],
  'a => x, b => x/y': [nested('a', 'x', 'b', 'x/y')],
  'a => x/y, b => x': [nested('b', 'x', 'a', 'x/y')],
  'a => x, c/** => x, d => x/e/2, b => x': [
    same('a', 'b', 'x'),
    nested('a', 'x', 'd', 'x/e/2'),
    nested('a', 'x', 'c/x', 'x/x'),
  ],
  'a => x/y/z, b => x-y, c => x, d => x.y/z': [nested('c', 'x', 'a', 'x/y/z')],
  'a => x, b => /x': [],
};

for (const [lines, conflicts] of Object.entries(CONFLICTS))
  test(`files conflict if their targets are the same, or one is below another [${lines}]`, () => {
    const all = lines.split(', ').map(line => {
      const [letter = ''] = line;
      return matches(line, [line.includes('*') ? found(`${letter}/x`, 'x') : found(letter)]);
    });
    const advice = 'Give one line another target, or exclude one.';
    assert.deepEqual(
      planErrors(all),
      conflicts.map(conflict => `${conflict}. ${advice}`),
    );
  });

test('a plan lists ten conflicts, and counts the others', () => {
  const files = Array.from('abcdefghijklm', name => found(name));
  const messages = planErrors([matches('* => x', files)]);
  assert.deepEqual([messages.length, messages.at(-1)], [11, 'And 2 more of this kind.']);
});

test('a pattern that matches nothing is an error, a warning or ignored, as if-no-files-found says', () => {
  const lines = [matches('a/**', []), matches('c d', []), matches('b/**', [found('b/x', 'x')])];
  const messages = /^"a\/\*\*" matches no files to upload\. .*\n"c d" matches no files .*$/;
  assert.match(planErrors(lines).join('\n'), messages);
  const warned = planFor(lines, { 'if-no-files-found': 'warn' });
  assert.match(warned.warnings.join('\n'), messages);
  const ignored = planFor(lines, { 'if-no-files-found': 'ignore' });
  assert.deepEqual(ignored, { ...warned, warnings: [] });
});

test('target is rejected if it ends like the only file of a line, which would go below it', () => {
  const planAt = (target: string, line: string, relative = '') =>
    targetsOf([matches(line, [found('a/app.js', relative)])], target);
  const message =
    /^target: "\/srv\/app\.js" is a folder.* the line "a\/app\.js => \/srv\/app\.js" in/;
  assert.throws(() => planAt('/srv/app.js', 'a/app.js'), { name: 'InputError', message });
  assert.deepEqual(planAt('/srv/app.js/', 'a/app.js'), ['/srv/app.js/app.js']);
  assert.deepEqual(planAt('/srv', 'a/app.js'), ['/srv/app.js']);
  assert.deepEqual(planAt('/srv/app.js', 'a/app.js => x'), ['/srv/app.js/x']);
  assert.deepEqual(planAt('/srv/app.js', 'a/*', 'app.js'), ['/srv/app.js/app.js']);
});

test('each file is in one shard, which depends only on its target', () => {
  const files = plannedFiles(60);
  const shards = [1, 2, 3].map(index => ({ index, count: 3 }));
  for (const file of files) {
    const [own, ...others] = shards.filter(shard => filesOfShard(files, shard).includes(file));
    assert.ok(own !== undefined && others.length === 0, file.target);
    const moved = { ...plannedFile(file.target, 0), source: 'elsewhere' };
    assert.equal(filesOfShard([moved], own).length, 1);
  }
});
