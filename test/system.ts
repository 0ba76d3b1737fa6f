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

export const WITHOUT_BASH = onWindows('the bash found there may be that of WSL');

export const WITHOUT_SIGNALS = onWindows('a signal sent by a process ends another at once there');

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
