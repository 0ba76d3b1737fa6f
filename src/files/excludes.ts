import path from 'node:path';
import type { FileRules } from '../inputs/files.ts';
import { InputError, type Problem } from '../inputs/input-error.ts';
import { quote } from '../text/escape.ts';
import { fixedPartOf } from './find.ts';
import { escapeGlob, pathWithin, toAbsolutePattern, toPosix } from './paths.ts';

/**
 * Rejects excludes that begin where no pattern begins, such as `!secret.txt` beside `dist/**`: they
 * exclude nothing.
 * @throws InputError with all of them
 */
export async function rejectUselessExcludes(rules: FileRules, directory: string): Promise<void> {
  const rootOf = (line: string) => fixedPartOf(toAbsolutePattern(line, directory));
  const patternRoots = await Promise.all(rules.patterns.map(({ pattern }) => rootOf(pattern)));
  const problems: Problem[] = [];
  for (const line of rules.excludes) {
    const root = await rootOf(line);
    if (patternRoots.some(patternRoot => mayMeet(patternRoot, root, directory))) continue;
    const anywhere = suggestLine(line, patternRoots, directory);
    const message = `${quote(`!${line}`)} excludes nothing, since no pattern begins there. Write ${quote(anywhere)} to exclude it wherever it is, or begin it like a pattern.`;
    problems.push({ input: 'files', message });
  }
  if (problems.length > 0) throw new InputError(problems);
}

function suggestLine(line: string, patternRoots: readonly string[], directory: string): string {
  const name = line.replace(/^~?[\\/]+|^(\.{1,2}[\\/]+)+|^(\*\*[\\/]+)+/, '');
  const reachesDirectory = patternRoots.some(root => mayMeet(root, directory, directory));
  const [first = ''] = patternRoots;
  return reachesDirectory ? `!**/${name}` : `!${escapeGlob(toPosix(first))}/**/${name}`;
}

/** Returns true if one root is in the other, or both are in one folder of the directory. */
function mayMeet(patternRoot: string, excludeRoot: string, directory: string): boolean {
  const isWithin = (parent: string, file: string) => pathWithin(parent, file) !== undefined;
  const [top = ''] = pathWithin(directory, patternRoot)?.split(path.sep) ?? [];
  return (
    isWithin(excludeRoot, patternRoot) ||
    isWithin(patternRoot, excludeRoot) ||
    (top !== '' && isWithin(path.join(directory, top), excludeRoot))
  );
}
