import path from 'node:path';

/** The path of `file` from `directory`, both absolute; undefined where it is neither that directory nor below it. */
export function pathWithin(directory: string, file: string): string | undefined {
  // Most paths are spelt alike, and path.relative takes microseconds.
  const rest = file.startsWith(directory) ? file.slice(directory.length) : '';
  if (rest.startsWith(path.sep) && !rest.includes('..')) return rest.slice(1);
  const relative = path.relative(directory, file);
  const isOutside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isOutside ? undefined : relative;
}

/** Whether `file` is `directory` or lies below it; both absolute. */
export function isInside(directory: string, file: string): boolean {
  return pathWithin(directory, file) !== undefined;
}

/** A path of the runner with slashes, also on Windows. */
export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}
