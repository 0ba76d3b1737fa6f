import { renameSync } from 'node:fs';
import { systemCode } from '../text/system-error.ts';

const ATTEMPTS = 5;
const PAUSE_MS = 50;

/** Renames a file; on Windows, a virus scanner that looks at it can make that fail for a moment. */
export function renameFile(from: string, to: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const isBusy = ['EPERM', 'EBUSY', 'EACCES'].includes(systemCode(error) ?? '');
      if (!isBusy || attempt === ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
