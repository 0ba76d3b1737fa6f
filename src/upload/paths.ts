import path from 'node:path';

/** Whether `file` is `directory` or lies below it; both absolute. */
export function isInside(directory: string, file: string): boolean {
  const relative = path.relative(directory, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/** A path of the runner with slashes, also on Windows. */
export function toPosix(file: string): string {
  return path.sep === '/' ? file : file.replaceAll(path.sep, '/');
}
