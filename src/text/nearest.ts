/** The closest word, at most two edits and less than this share of its letters away. */
export function closestWord(
  written: string,
  words: readonly string[],
  share = 1,
): string | undefined {
  const ranked = words
    .map(word => ({ word, distance: editDistance(written, word) }))
    .sort((a, b) => a.distance - b.distance);
  return ranked.find(({ word, distance }) => distance <= 2 && distance < word.length * share)?.word;
}

/** The Levenshtein distance: how many letters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of a.split('').entries()) {
    const next = [i + 1];
    for (const [j, other] of b.split('').entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
