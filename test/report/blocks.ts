import assert from 'node:assert/strict';

/** The blocks of a summary: pieces of HTML parted by empty lines, as Markdown sees them. */
export function blocksOf(summary: string): string[] {
  assert.ok(summary.endsWith('\n\n'));
  return summary.slice(0, -2).split('\n\n');
}

/**
 * Checks that a summary is nothing but whole blocks of HTML: each begins with a tag at the start of
 * its line, closes what it opens, and holds no character that could begin markup of either kind.
 */
export function checkBlocks(summary: string): void {
  for (const block of blocksOf(summary)) {
    const start = block.slice(0, 60);
    assert.match(block, /^<(h3|h4|p|ul|table|details)\b/, start);
    assert.doesNotMatch(block, /\n\s*\n|\r/, start);
    const open: string[] = [];
    for (const [tag, closing, name = ''] of block.matchAll(
      /<(\/?)(\w+)(?: align="\w+"| href="https:\/\/github\.com\/sandbox-sync\/[\w/.-]+")?>|</g,
    )) {
      assert.notEqual(name, '', `a bare < after ${start}`);
      if (name === 'br') continue;
      if (closing === '') open.push(name);
      else assert.equal(open.pop(), name, `${tag} in ${start}`);
    }
    assert.deepEqual(open, [], start);
  }
}

/**
 * The text of a piece of HTML: its tags taken out, its entities as the characters they stand for.
 */
export function textOf(html: string): string {
  const entities: Readonly<Record<string, string>> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    '#39': "'",
    nbsp: ' ',
  };
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&([^;]*);/g, (whole, name: string) => entities[name] ?? whole);
}
