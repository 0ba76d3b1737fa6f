import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Makes a pattern absolute, expanding `~` to the home directory. */
export function anchor(pattern: string, directory: string): string {
  const isAtHome = /^~(?=[\\/]|$)/.test(pattern);
  const start = escaped(isAtHome ? homedir() : directory);
  return path.resolve(start, isAtHome ? `.${pattern.slice(1)}` : pattern);
}

/** Escapes a path into a pattern that matches only this path. */
export function escaped(literal: string): string {
  const backslashes = path.sep === '/' ? literal.replaceAll('\\', '\\\\') : literal;
  return backslashes.replace(/[[?*]/g, '[$&]');
}

export function spellsHidden(anchored: string, root: string): boolean {
  const wildcards = namesIn(anchored).slice(namesIn(root).length);
  return wildcards.some(name => /^\\?\[?\./.test(name));
}

export function hasHiddenName(relative: string): boolean {
  return namesIn(relative).some(name => name.startsWith('.') && name !== '..');
}

function namesIn(file: string): string[] {
  return file.split(path.sep).filter(name => name !== '');
}

/** Returns the path of `file` from `directory`, or undefined if it is outside. */
export function pathWithin(directory: string, file: string): string | undefined {
  const relative = path.relative(directory, file);
  const climbs = relative === '..' || relative.startsWith(`..${path.sep}`);
  // On Windows, the relative path to another drive is absolute.
  return climbs || path.isAbsolute(relative) ? undefined : relative;
}

function isWithin(directory: string, file: string): boolean {
  return pathWithin(directory, file) !== undefined;
}

/** Returns the path for display: relative to the workspace if inside, with slashes. */
export function nameFor(file: string, workspace: string): string {
  return toPosix(pathWithin(workspace, file) ?? file) || '.';
}

export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

export interface Bounds {
  /** The workspace, or the pattern's root if it is outside; links are not resolved. */
  readonly top: string;
  readonly workspace: string;
  /** Not resolved itself: a root that is a link must stay in bounds too. */
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

export function linksOut(files: readonly string[], bounds: Bounds): string[] {
  const links: string[] = [];
  for (const file of files)
    if (!links.some(link => isWithin(link, file))) links.push(linkOut(file, bounds));
  return links;
}

function linkOut(file: string, bounds: Bounds): string {
  let link = file;
  for (let part = file; isWithin(bounds.top, part); part = path.dirname(part)) {
    if (!isInBounds(bounds, realpathSync.native(part))) link = part;
    if (part === bounds.top) break;
  }
  return link;
}
