import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// The differences between the systems that the tests run on.

export const WINDOWS = process.platform === 'win32';

/** Why a test is skipped on Windows; false elsewhere. */
export function onWindows(why: string): string | false {
  return WINDOWS && `Windows: ${why}`;
}

/** Why a test is skipped except on Linux; false there. */
export function unlessLinux(why: string): string | false {
  return process.platform !== 'linux' && why;
}

export const WITHOUT_LINKS = onWindows('creating a symbolic link needs a privilege');

export const WITHOUT_MODES = onWindows('files have no permission bits');

// SIGKILL works everywhere.
export const WITHOUT_SIGNALS = onWindows('SIGINT and SIGTERM kill a process, unhandled');

/** Whether a file can have this name or path; Windows allows fewer. */
export function canBeNamed(name: string): boolean {
  return !(WINDOWS && /["*:<>?|\\\p{Cc}]|[. ](\/|$)/u.test(name));
}

/** Every file below a folder, by its path with slashes. */
export function filesBelow(folder: string): Readonly<Record<string, Buffer>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(entry => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file).replaceAll(path.sep, '/'), readFileSync(file)];
    }),
  );
}
