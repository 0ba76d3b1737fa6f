import { symlinkSync } from 'node:fs';
import { find, leftOut, plant, relatives, type Tree } from './tree.ts';

/** A workspace `w` beside files that are none of it. */
export function plantWorkspace(): Tree {
  return plant({
    'w/a.txt': 'a',
    'w/dir/b.txt': 'b',
    'outside/secret': 'secret',
    'outside/sub/c.txt': 'c',
    'w2/d.txt': 'd',
  });
}

/** What `lines` find once the links are made in the workspace. */
export async function findWith(
  links: Readonly<Record<string, string>>,
  lines: readonly string[],
  options: Parameters<typeof find>[2] = {},
) {
  using tree = plantWorkspace();
  for (const [name, target] of Object.entries(links)) symlinkSync(target, tree.at(`w/${name}`));
  const matches = await find(tree.at('w'), lines, options);
  const real = matches.flatMap(({ files }) =>
    files.map(file => [file.relative, file.realPath.slice(tree.root.length + 1)]),
  );
  return { real: Object.fromEntries(real), leftOut: leftOut(matches), found: relatives(matches) };
}
