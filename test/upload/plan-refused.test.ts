import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matches, planFor, refusals, source } from './planned.ts';

const ADVICE = 'Give one line another target, or exclude one.';

describe('two sources for one target', () => {
  test('are an error that names both', () => {
    const found = [matches('a/**', [source('a/x', 'x')]), matches('b/**', [source('b/x', 'x')])];
    assert.deepEqual(refusals(found), [`"a/x" and "b/x" would both go to "x". ${ADVICE}`]);
  });

  test('also where the targets are spelt differently', () => {
    const found = [
      matches('a => etc/x', [source('a')]),
      matches('b => ./etc//x', [source('b')]),
      matches('c/** => etc/', [source('c/x', 'x')]),
    ];
    assert.deepEqual(refusals(found), [
      `"a" and "b" would both go to "etc/x". ${ADVICE}`,
      `"a" and "c/x" would both go to "etc/x". ${ADVICE}`,
    ]);
  });

  test('a relative and an absolute target are two', () => {
    const found = [matches('a => x', [source('a')]), matches('b => /x', [source('b')])];
    assert.deepEqual(refusals(found), []);
  });

  test('names are quoted', () => {
    const found = [matches('a => x', [source('a\n::error::')]), matches('b => x', [source('b')])];
    assert.deepEqual(refusals(found), [`"a\\n::error::" and "b" would both go to "x". ${ADVICE}`]);
  });

  test('so many conflicts are counted', () => {
    const files = (from: string) => Array.from({ length: 25 }, (_, index) => source(`${from}/${index}`, `${index}`));
    const messages = refusals([matches('a/**', files('a')), matches('b/**', files('b'))]);
    assert.equal(messages.length, 11);
    assert.equal(messages.at(-1), 'And 15 more of this kind.');
  });
});

describe('a target that is a file and a directory', () => {
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'the file first': ['x', 'x/y'],
    'the directory first': ['x/y', 'x'],
    'far below': ['x', 'x/1/2/3/y'],
    absolute: ['/x', '/x/y'],
  };
  for (const [name, [one, other]] of Object.entries(cases)) {
    test(name, () => {
      const found = [matches(`a => ${one}`, [source('a')]), matches(`b => ${other}`, [source('b')])];
      const [message = '', ...others] = refusals(found);
      assert.deepEqual(others, []);
      const ways = [`"a" would go to "${one}"`, `"b" would go to "${other}"`];
      const [file, below] = one.length < other.length ? ways : ways.toReversed();
      const says = `${file} and ${below}: a file cannot be a directory as well. ${ADVICE}`;
      assert.equal(message, says);
    });
  }

  for (const [one, other] of [
    ['x', 'xy/z'],
    ['x', 'y/x'],
    ['x.y', 'x/y'],
    ['x', '/x/y'],
  ]) {
    test(`${one} and ${other} are two places`, () => {
      const found = [matches(`a => ${one}`, [source('a')]), matches(`b => ${other}`, [source('b')])];
      assert.deepEqual(refusals(found), []);
    });
  }
});

describe('a pattern that matches nothing', () => {
  const found = [matches('a/**', []), matches('b/**', [source('b/x', 'x')]), matches('c d => e', [])];
  const messages = ['"a/**"', '"c d"'].map(
    pattern =>
      `${pattern} matches no file to upload. Check that what makes it ran before this step, and working-directory.`,
  );

  test('is an error, each by its name', () => assert.deepEqual(refusals(found), messages));

  test('is a warning with warn', () => {
    const { files, warnings } = planFor(found, { ifNoFilesFound: 'warn' });
    assert.deepEqual(warnings, messages);
    assert.equal(files.length, 1);
  });

  test('is nothing with ignore', () => {
    const { files, warnings } = planFor(found, { ifNoFilesFound: 'ignore' });
    assert.deepEqual(warnings, []);
    assert.equal(files.length, 1);
  });

  test('no file at all is a plan too, with ignore', () => {
    const none = planFor([matches('a', [])], { ifNoFilesFound: 'ignore' });
    assert.deepEqual(none, { files: [], leftOut: [], warnings: [] });
  });

  test('says so where it matches hidden names', () => {
    const [message] = refusals([matches('a/**', [], { hidden: 3 })]);
    assert.equal(
      message,
      '"a/**" matches no file to upload (3 with a name that begins with a dot; set include-hidden-files: true to include them).',
    );
  });

  test('says so where all it matches was left out', () => {
    const leftOut = [{ path: '/w/a/l', reason: 'a broken link' }];
    const [message = ''] = refusals([matches('a/**', [], { leftOut })]);
    assert.match(message, /^"a\/\*\*" matches no file to upload \(1 left out, such as .*a\/l: a broken link\)\.$/);
  });

  test('is reported together with conflicts', () => {
    const wrong = [matches('n', []), matches('a => x', [source('a')]), matches('b => x', [source('b')])];
    assert.equal(refusals(wrong).length, 2);
  });
});

test('a name that is no text is refused', () => {
  const [message] = refusals([matches('a/**', [source('a/\ud800', '\ud800')])]);
  assert.equal(message, '"a/\\ud800" has a name that cannot be written as UTF-8. Rename or exclude it.');
});
