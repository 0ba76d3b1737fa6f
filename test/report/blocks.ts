import assert from 'node:assert/strict';

/** The blocks of a summary: HTML between empty lines, as Markdown sees it. */
export function blocksOf(summary: string): string[] {
  assert.ok(summary.endsWith('\n\n'));
  return summary.slice(0, -2).split('\n\n');
}

const TAG =
  /<(\/?)(\w+)(?: align="\w+"| href="https:\/\/github\.com\/sandbox-sync\/[\w/.#-]+")?>|</g;

/**
 * Checks that a summary consists of whole blocks of HTML: each starts with a tag, closes what it
 * opens, and has no character that could start other markup. A chart has no foreign text.
 */
export function checkBlocks(summary: string): void {
  for (const block of blocksOf(summary)) {
    const start = block.slice(0, 60);
    if (block.startsWith('```mermaid\n')) continue;
    assert.match(block, /^<(h3|h4|p|ul|table|details)\b/, start);
    assert.doesNotMatch(block, /\n\s*\n|\r/, start);
    const open: string[] = [];
    for (const [tag, closing, name = ''] of block.matchAll(TAG)) {
      assert.notEqual(name, '', `a bare < after ${start}`);
      if (name === 'br') continue;
      if (closing === '') open.push(name);
      else assert.equal(open.pop(), name, `${tag} in ${start}`);
    }
    assert.deepEqual(open, [], start);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};

/** The text of HTML, without tags and with entities decoded. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&([^;]*);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
