import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../inputs/parse.ts';
import { isInside } from './paths.ts';

/** Finds the real path of a file, its links resolved. `isLink` says whether the file itself is one. */
export type Resolve = (file: string, isLink: boolean) => string;

/**
 * A resolver that lets links lead only to places inside the workspace, or inside the pattern's own root where that lies
 * outside the workspace. A build that ran untrusted code could hold a link to a credential of the runner.
 * `root` is the directory that the pattern's search starts in; both are absolute.
 */
export function boundary(workspace: string, root: string): Resolve {
  const bounds = [realpathSync.native(workspace)];
  if (!isInside(workspace, root)) bounds.push(realpathSync.native(root));
  const within = (real: string) => bounds.some(bound => isInside(bound, real));
  const searched = (place: string) => isInside(workspace, place) || isInside(root, place);
  const directories = new Map<string, string>();

  function resolveDirectory(directory: string, file: string): string {
    const known = directories.get(directory);
    if (known !== undefined) return known;
    const real = realpathSync.native(directory);
    if (!within(real)) throw leadsOut(linkOf(file, searched, within), real);
    directories.set(directory, real);
    return real;
  }

  return (file, isLink) => {
    const real = path.join(resolveDirectory(path.dirname(file), file), path.basename(file));
    if (!isLink) return real;
    const end = realpathSync.native(real);
    if (!within(end)) throw leadsOut(file, end);
    return end;
  };
}

/** The first part of a path that leads out; where the searched place itself lies behind a link, that is not it. */
function linkOf(
  file: string,
  searched: (place: string) => boolean,
  within: (real: string) => boolean,
): string {
  const parents: string[] = [];
  for (let part = file; part !== path.dirname(part); part = path.dirname(part)) parents.unshift(part);
  const isLeavingLink = (part: string) =>
    searched(part) && lstatSync(part).isSymbolicLink() && !within(realpathSync.native(part));
  return parents.find(isLeavingLink) ?? file;
}

function leadsOut(link: string, end: string): InputError {
  const message = `${link} is a link to ${end}, outside the workspace.`;
  const advice = 'Exclude it with a ! line, or copy what it leads to into the workspace.';
  return new InputError([{ input: 'files', message: `${message} ${advice}` }]);
}
