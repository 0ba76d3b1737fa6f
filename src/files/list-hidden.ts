import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Matches } from './find.ts';
import { displayPath, statIfExists } from './paths.ts';

/** Lists hidden entries, such as `.env`, directly below the folders in which searches began. */
export function listHidden(matches: readonly Matches[], workspace: string): string[] {
  const roots = matches.filter(match => match.hidesDotNames).map(match => match.root);
  const folders = [...new Set(roots)].filter(root => statIfExists(root)?.isDirectory());
  return folders.flatMap(folder =>
    readdirSync(folder)
      .filter(name => name.startsWith('.'))
      .map(name => displayPath(path.join(folder, name), workspace)),
  );
}
