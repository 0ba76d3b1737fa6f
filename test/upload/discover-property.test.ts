import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { find, plant } from './tree.ts';

// Patterns mean what they mean in GitHub's own actions: what the search finds is compared with what theirs finds.

const CASES = 200;

const name = fc.constantFrom('a', 'b', 'ab', 'a.js', 'b.js', '.a', '[a]', 'a b', 'a{b}', '+(a)', 'ä');
const file = fc.array(name, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
const segment = fc.oneof(
  name.map(text => text.replaceAll('[', '[[]')),
  fc.constantFrom('*', '**', '?', '*.js', '[ab]', 'a*', '[!a]*', '.*', '**', '*b*', '[[]a]', '{a,b}'),
);
const pattern = fc.array(segment, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'));
const files = fc.uniqueArray(file, { minLength: 1, maxLength: 12 }).map(withoutNested);
const lines = fc
  .tuple(pattern, fc.array(pattern, { maxLength: 2 }))
  .map(([include, excludes]) => [include, ...excludes.map(exclude => `!${exclude}`)]);

test('the search finds what the library of GitHub finds', async t => {
  const seed = Math.trunc(Math.random() * 2 ** 31);
  t.diagnostic(`seed ${seed}`);
  const cases = fc.sample(fc.tuple(files, lines), { numRuns: CASES, seed });
  const entries = cases.flatMap(([paths], index) => paths.map(each => [`${index}/${each}`, '']));
  using tree = plant(Object.fromEntries(entries));
  const expected = globbed(cases.map(([, list], index) => anchored(list, tree.at(String(index)))));
  let total = 0;
  for (const [index, [, list]] of cases.entries()) {
    const [found] = await find(tree.at(String(index)), list, { includeHidden: true });
    const paths = found?.files.map(each => each.path).sort();
    assert.deepEqual(paths, expected[index]?.sort(), `${JSON.stringify(cases[index])}`);
    total += paths?.length ?? 0;
  }
  assert.ok(total > CASES / 5, `${total} files were found in all`);
});

/** A file cannot be a directory as well. */
function withoutNested(paths: readonly string[]): string[] {
  return paths.filter(each => !paths.some(other => other.startsWith(`${each}/`)));
}

function anchored(list: readonly string[], root: string): string[] {
  return list.map(line =>
    line.startsWith('!') ? `!${path.join(root, line.slice(1))}` : path.join(root, line),
  );
}

function globbed(lists: readonly (readonly string[])[]): readonly string[][] {
  const script = path.join(import.meta.dirname, 'github-glob.ts');
  const { status, stderr } = spawnSync(process.execPath, [script], {
    input: JSON.stringify(lists),
    maxBuffer: 2 ** 28,
  });
  assert.equal(status, 0, stderr.toString());
  return JSON.parse(stderr.toString());
}
