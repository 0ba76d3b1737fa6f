import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Problem } from '../inputs/input-error.ts';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/format.ts';
import {
  deepestLinkIn,
  displayPath,
  hasHiddenName,
  pathWithin,
  statIfExists,
  toPosix,
} from './paths.ts';

export interface FoundFile {
  /** For display: relative to the workspace if inside, with slashes. */
  readonly source: string;
  readonly realPath: string;
  /** POSIX path below the pattern's root; empty if the pattern names the file itself. */
  readonly relative: string;
  readonly size: number;
  /** Always false on Windows. */
  readonly isExecutable: boolean;
}

export interface SkippedEntry {
  /** For display, like `source`. */
  readonly path: string;
  readonly reason: string;
}

/** A link that fails the step. */
export interface ForbiddenLink {
  readonly leadsTo: 'folder' | 'outside' | 'hidden';
  /** Absolute path of the matched entry, which is the link or below it. */
  readonly entry: string;
}

const LINK_TO_FOLDER = 'a link to a folder';

/** Returns a function that classifies one path, or omits it if it is hidden or a followed link. */
export function createClassifier(
  root: string,
  workspace: string,
  skipsHidden: boolean,
  followSymlinks: boolean | undefined,
) {
  const realWorkspace = realpathSync.native(workspace);
  const realRoot = realRootOf(root, workspace);
  return (entry: string): (FoundFile | SkippedEntry | ForbiddenLink)[] => {
    const source = displayPath(entry, workspace);
    const relative = path.relative(root, entry);
    if (skipsHidden && hasHiddenName(relative)) return [];
    const stats = statIfExists(entry);
    if (stats === undefined) return [{ path: source, reason: 'a broken link' }];
    if (stats.isDirectory()) {
      if (followSymlinks === undefined) return [{ leadsTo: 'folder', entry }];
      return followSymlinks ? [] : [{ path: source, reason: LINK_TO_FOLDER }];
    }
    if (!stats.isFile()) return [{ path: source, reason: 'not a regular file' }];
    const realPath = realpathSync.native(entry);
    const isInside = [realWorkspace, realRoot].some(
      folder => pathWithin(folder, realPath) !== undefined,
    );
    if (!isInside) return [{ leadsTo: 'outside', entry }];
    // A link from dist/x to ../.git must not upload the credentials in .git/config.
    if (skipsHidden && hasHiddenName(path.relative(realRoot, realPath)))
      return [{ leadsTo: 'hidden', entry }];
    const isExecutable = (stats.mode & 0o111) !== 0;
    return [{ source, realPath, relative: toPosix(relative), size: stats.size, isExecutable }];
  };
}

/**
 * Returns the real path of a pattern's root, which may be outside the workspace. A root that is a
 * link is not resolved, so a link to `/` does not allow all files.
 */
function realRootOf(root: string, workspace: string): string {
  const start = pathWithin(workspace, root) === undefined ? path.dirname(root) : workspace;
  const realStart = existsSync(start) ? realpathSync.native(start) : start;
  return path.join(realStart, path.relative(start, root));
}

/** Returns a warning for each reason that a user may not expect, naming one entry. */
export function warnOfSkipped(skipped: readonly SkippedEntry[]): string[] {
  const unexpected = skipped.filter(({ reason }) => reason !== LINK_TO_FOLDER);
  return [...Map.groupBy(unexpected, ({ reason }) => reason)].map(([reason, entries]) => {
    const names = entries.map(entry => quote(entry.path));
    return `Skipped (${reason}): ${listSome(names, 1)}.`;
  });
}

const ARCHIVE = 'https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml';

/** Returns one problem per kind of link. Summaries cut long texts, so the list of links is last. */
export function describeLinks(links: readonly ForbiddenLink[], workspace: string): Problem[] {
  const nameOf = (file: string) => quote(displayPath(file, workspace));
  return [...Map.groupBy(links, ({ leadsTo }) => leadsTo)].map(([leadsTo, group]) => {
    const unique = new Set(group.map(({ entry }) => deepestLinkIn(entry)));
    const linkDescriptions = Array.from(
      unique,
      link => `${nameOf(link)} to ${nameOf(realpathSync.native(link))}`,
    );
    const message = `${adviseOn(leadsTo, linkDescriptions)}. Links: ${listSome(linkDescriptions)}.`;
    return { input: leadsTo === 'folder' ? 'follow-symlinks' : 'files', message };
  });
}

function adviseOn(leadsTo: ForbiddenLink['leadsTo'], linkDescriptions: readonly string[]): string {
  if (leadsTo === 'folder')
    return `is not set, and the patterns match links to folders. Decide: true sends what they lead to, false skips them. Or exclude them with ! lines, or send an archive: ${ARCHIVE}`;
  if (leadsTo === 'outside')
    return 'links lead outside the workspace. Exclude them with ! lines, or copy what they lead to into the workspace';
  const isPnpm = linkDescriptions.some(move => move.includes('/.pnpm/'));
  const pnpm = isPnpm ? ', let pnpm install with node-linker=hoisted' : '';
  return `links lead to something hidden. Exclude them with ! lines${pnpm}, or send an archive: ${ARCHIVE}`;
}
