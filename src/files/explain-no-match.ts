import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { abbreviate } from '../text/format.ts';
import { quote, visibleCut } from '../text/visible.ts';
import type { Matches } from './find.ts';
import { nameFor } from './paths.ts';

export function explainNoMatch(match: Matches, directory: string, workspace: string): string {
  const [first] = match.skipped;
  const why =
    first === undefined
      ? extentOf(match, directory)
      : `${match.skipped.length} skipped, such as ${nameFor(first.path, workspace)}: ${first.reason}`;
  return `${quote(match.pattern.pattern)} matches no files to upload (${why}).`;
}

const MAX_NAMES = 10;

function extentOf({ root, leavesOutHidden }: Matches, directory: string): string {
  const { existing, missing } = splitAtMissing(root);
  if (existing === undefined) return `${quote(root)} does not exist`;
  const place =
    existing === directory ? 'the working directory' : quote(nameFor(existing, directory));
  if (!statSync(existing).isDirectory())
    return `${place} is a file: a ! line excludes it, or the pattern expects a folder`;
  const names = readdirSync(existing).sort();
  if (names.length === 0) return `${place} is empty`;
  const other = names.find(name => name.toLowerCase() === missing?.toLowerCase());
  if (missing !== undefined && other !== undefined)
    return `there is no ${quote(missing)}, only ${quote(other)}: case matters`;
  const some = abbreviate(names, MAX_NAMES, {
    show: name => visibleCut(name, 100),
    more: rest => `${rest} more`,
  });
  const hidden = leavesOutHidden
    ? '; names that start with a dot need include-hidden-files: true'
    : '';
  const lacks =
    missing === undefined
      ? `nothing in it matches, or a ! line excludes it${hidden}`
      : `there is no ${quote(missing)} in it`;
  return `${place} exists and contains ${some.join(', ')}; ${lacks}`;
}

function splitAtMissing(file: string): { existing?: string; missing?: string } {
  if (existsSync(file)) return { existing: file };
  const above = path.dirname(file);
  if (above === file) return {};
  return existsSync(above)
    ? { existing: above, missing: path.basename(file) }
    : splitAtMissing(above);
}
