import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Makes a pattern absolute: relative ones start in `directory`, and `~` is the home directory. */
export function anchor(pattern: string, directory: string): string {
  const isAtHome = /^~(?=[\\/]|$)/.test(pattern);
  const start = escaped(isAtHome ? homedir() : directory);
  return path.resolve(start, isAtHome ? `.${pattern.slice(1)}` : pattern);
}

/** The pattern that matches only this path. */
export function escaped(literal: string): string {
  const backslashes = path.sep === '/' ? literal.replaceAll('\\', '\\\\') : literal;
  return backslashes.replace(/[[?*]/g, '[$&]');
}

/** True if a name that the pattern spells out below its root starts with a dot. */
export function spellsHidden(anchored: string, root: string): boolean {
  const wildcards = namesIn(anchored).slice(namesIn(root).length);
  return wildcards.some(name => /^\\?\[?\./.test(name));
}

/** True if a relative path has a name that starts with a dot; `..` is no name. */
export function hasHiddenName(relative: string): boolean {
  return namesIn(relative).some(name => name.startsWith('.') && name !== '..');
}

function namesIn(file: string): string[] {
  return file.split(path.sep).filter(name => name !== '');
}

/** The path of `file` from `directory`, both absolute; undefined if it is outside. */
export function pathWithin(directory: string, file: string): string | undefined {
  const relative = path.relative(directory, file);
  const climbs = relative === '..' || relative.startsWith(`..${path.sep}`);
  // On Windows, the path to another drive is absolute.
  return climbs || path.isAbsolute(relative) ? undefined : relative;
}

export function isWithin(directory: string, file: string): boolean {
  return pathWithin(directory, file) !== undefined;
}

/** The path as a reader knows it: relative to the workspace if it is inside, with slashes. */
export function nameFor(file: string, workspace: string): string {
  return toPosix(pathWithin(workspace, file) ?? file) || '.';
}

/** A path of the runner with slashes, also on Windows. */
export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

/** The folders that the files of a pattern may really lie in. */
export interface Bounds {
  /** The workspace, or the root of a pattern that is not in it, as the paths of files spell it. */
  readonly top: string;
  readonly workspace: string;
  /** If the root is a link, it is held to the same bounds as any other link. */
  readonly root: string;
}

export function boundsOf(workspace: string, root: string): Bounds {
  const real = realpathSync.native(workspace);
  const inside = pathWithin(workspace, root);
  if (inside !== undefined)
    return { top: workspace, workspace: real, root: path.join(real, inside) };
  const parent = path.dirname(root);
  const realParent = existsSync(parent) ? realpathSync.native(parent) : parent;
  return { top: root, workspace: real, root: path.join(realParent, path.basename(root)) };
}

export function isInBounds({ workspace, root }: Bounds, realPath: string): boolean {
  return isWithin(workspace, realPath) || isWithin(root, realPath);
}

/** Finds the links by which files lead out of the bounds. */
export function linksOut(files: readonly string[], bounds: Bounds): string[] {
  const links: string[] = [];
  for (const file of files)
    if (!links.some(link => isWithin(link, file))) links.push(linkOut(file, bounds));
  return links;
}

/** The topmost part of the path that leads out. */
function linkOut(file: string, bounds: Bounds): string {
  let link = file;
  for (let part = file; isWithin(bounds.top, part); part = path.dirname(part)) {
    if (!isInBounds(bounds, realpathSync.native(part))) link = part;
    if (part === bounds.top) break;
  }
  return link;
}
