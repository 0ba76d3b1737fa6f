import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { find, plant, relatives } from './tree.ts';

const TREE = {
  'a.js': '',
  '.env': '',
  'sub/.env': '',
  'sub/b.js': '',
  '.next/c.js': '',
  '.next/.d/e.js': '',
  '.git/config': '',
};

interface Case {
  readonly found: readonly string[];
  /** How many more there are with hidden ones. */
  readonly hidden: number;
}

const CASES: Readonly<Record<string, Case>> = {
  '**': { found: ['a.js', 'sub/b.js'], hidden: 5 },
  '*': { found: ['a.js', 'sub/b.js'], hidden: 5 },
  '.': { found: ['a.js', 'sub/b.js'], hidden: 5 },
  sub: { found: ['b.js'], hidden: 1 },
  '.env': { found: [''], hidden: 0 },
  './.env': { found: [''], hidden: 0 },
  'sub/.env': { found: [''], hidden: 0 },
  '.next': { found: ['c.js'], hidden: 1 },
  '.next/**': { found: ['c.js'], hidden: 1 },
  '.next/.d/*': { found: ['e.js'], hidden: 0 },
  '**/.env': { found: ['.env', 'sub/.env'], hidden: 0 },
  '.*': { found: ['.env', '.git/config', '.next/c.js'], hidden: 1 },
  '.e*': { found: ['.env'], hidden: 0 },
  '*/.env': { found: ['sub/.env'], hidden: 0 },
  '**/*env': { found: [], hidden: 2 },
  '*/e.js': { found: [], hidden: 0 },
  '*/*/e.js': { found: [], hidden: 1 },
};

describe('hidden names below what the pattern spells out', () => {
  for (const [pattern, { found, hidden }] of Object.entries(CASES)) {
    test(`${pattern}: left out`, async () => {
      using tree = plant(TREE);
      const matches = await find(tree.root, [pattern]);
      assert.deepEqual(relatives(matches), found);
      assert.equal(matches[0]?.hidden, found.length > 0 ? 0 : hidden);
    });
    test(`${pattern}: included on demand`, async () => {
      using tree = plant(TREE);
      const matches = await find(tree.root, [pattern], { includeHiddenFiles: true });
      assert.equal(relatives(matches).length, found.length + hidden);
      assert.equal(matches[0]?.hidden, 0);
    });
  }
});

test('a hidden directory above the pattern hides nothing', async () => {
  using tree = plant(TREE, '.cache/x');
  assert.deepEqual(relatives(await find(tree.root, ['*.js'])), ['a.js']);
});

test('a hidden working-directory is spelt out', async () => {
  using tree = plant(TREE);
  assert.deepEqual(relatives(await find(tree.root, ['**'], { workingDirectory: '.next' })), ['c.js']);
});

test('excluded hidden files are not counted', async () => {
  using tree = plant(TREE);
  const [match] = await find(tree.root, ['**/.*', '!**/.env', '!.next']);
  assert.deepEqual(match?.files.length, 1);
  const [none] = await find(tree.root, ['**/*env', '!sub']);
  assert.equal(none?.hidden, 1);
});
