import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// The differences between the operating systems that run the tests.

export const WINDOWS = process.platform === 'win32';

/** Returns a reason to skip a test on Windows, and false elsewhere. */
export function skipOnWindows(why: string): string | false {
  return WINDOWS && `Windows: ${why}`;
}

/** Returns a reason to skip a test outside Linux, and false on Linux. */
export function skipUnlessLinux(why: string): string | false {
  return process.platform !== 'linux' && why;
}

export const SKIP_WITHOUT_BASH = skipOnWindows('there is no /bin/bash');

export const SKIP_WITHOUT_SYMLINKS = skipOnWindows('creating a symbolic link needs a privilege');

// Not needed for SIGKILL, which works everywhere.
export const SKIP_WITHOUT_SIGNALS = skipOnWindows('SIGINT and SIGTERM kill a process, unhandled');

/** Checks whether a file can have this name or path. Windows allows fewer. */
export function canBeNamed(name: string): boolean {
  return !(WINDOWS && /["*:<>?|\\\p{Cc}]|[. ](\/|$)/u.test(name));
}

/** Returns the contents of all files below a folder, by path with slashes. */
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
