import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { systemCode } from '../text/format.ts';

export function toAbsolutePattern(pattern: string, directory: string): string {
  const isAtHome = /^~(?=[\\/]|$)/.test(pattern);
  const start = escapeGlob(isAtHome ? homedir() : directory);
  return path.resolve(start, isAtHome ? `.${pattern.slice(1)}` : pattern);
}

export function escapeGlob(name: string): string {
  const backslashes = path.sep === '/' ? name.replaceAll('\\', '\\\\') : name;
  return backslashes.replace(/[[?*]/g, '[$&]');
}

/** Returns true if a segment of the pattern below its root starts with a dot. */
export function namesHidden(absolutePattern: string, root: string): boolean {
  const wildcards = segmentsOf(absolutePattern).slice(segmentsOf(root).length);
  return wildcards.some(name => /^\\?\[?\./.test(name));
}

export function hasHiddenName(relative: string): boolean {
  return segmentsOf(relative).some(name => name.startsWith('.') && name !== '..');
}

/** Returns false if the folders that a pattern names rule out that an exclude matches anything. */
export function canReach(pattern: string, exclude: string): boolean {
  const excluded = segmentsOf(exclude);
  for (const [index, name] of segmentsOf(pattern).entries()) {
    const part = excluded[index];
    if (part === undefined || part === '**' || name === '**') return true;
    if (part !== name && !/[*?[\\]/.test(name) && !nameRegExp(part).test(name)) return false;
  }
  return true;
}

function nameRegExp(segment: string): RegExp {
  const literals = segment.split(/\[.*\]|[*?\\]/).map(text => RegExp.escape(text));
  return new RegExp(`^${literals.join('.*')}$`, path.sep === '/' ? 's' : 'is');
}

function segmentsOf(file: string): string[] {
  return file.split(path.sep).filter(name => name !== '');
}

/** Returns the path of `file` relative to `directory`, or undefined if it is outside. */
export function pathWithin(directory: string, file: string): string | undefined {
  const relative = path.relative(directory, file);
  const climbs = relative === '..' || relative.startsWith(`..${path.sep}`);
  // On Windows, the path to another drive stays absolute, and that is outside, too.
  return climbs || path.isAbsolute(relative) ? undefined : relative;
}

export function displayPath(file: string, workspace: string): string {
  return toPosix(pathWithin(workspace, file) ?? file) || '.';
}

export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}

/** Returns undefined if there is no file, or only a broken link. */
export function statIfExists(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

export function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

export function deepestExisting(file: string): string {
  const parent = path.dirname(file);
  return existsSync(file) || parent === file ? file : deepestExisting(parent);
}

/** Returns the deepest link in a path, or the path itself if it contains none. */
export function deepestLinkIn(file: string): string {
  for (let part = file; part !== path.dirname(part); part = path.dirname(part))
    if (isLink(part)) return part;
  return file;
}
