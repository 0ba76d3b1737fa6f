import type { FailureInfo } from '../../src/agent/failure.ts';
import type { UploadRow } from '../../src/upload/upload-files.ts';

export const SHA256 = 'ab'.repeat(32);

export const BUSY: FailureInfo = {
  kind: 'busy',
  status: 429,
  message: 'POST https://h/files answered 429.',
  hint: 'Set `concurrency` to 2.',
};

/** Returns a 507 whose message contains the file's name, as an agent's does. */
export function diskFull(name: string): FailureInfo {
  const message = `POST https://h/files?path=${name} answered 507: "no space left on device"`;
  return { kind: 'disk-full', status: 507, message, hint: "The sandbox's disk is full." };
}

function file(name: string, size: number) {
  return { source: name, target: `/home/user/app/${name}`, size };
}

export function uploaded(name: string, size = 10, attempts = 1): UploadRow {
  const sent = file(name, size);
  const timing = { attempts, durationMs: 5 };
  return { ...sent, status: 'uploaded', ...timing, path: sent.target, sha256: undefined };
}

export function failed(name: string, error: FailureInfo = BUSY): UploadRow {
  return { ...file(name, 10), status: 'failed', attempts: 3, durationMs: 7, error };
}

export function unchanged(name: string, size = 10): UploadRow {
  const known = file(name, size);
  return { ...known, status: 'unchanged', path: known.target, sha256: SHA256 };
}

export function planned(name: string, size = 10): UploadRow {
  return { ...file(name, size), status: 'planned', sha256: undefined };
}

export function notAttempted(name: string): UploadRow {
  return { ...file(name, 10), status: 'not-attempted', reason: 'the sandbox was not ready' };
}

export const UPLOADED = uploaded('a', 1024);
export const FAILED = failed('b');
export const NOT_ATTEMPTED = notAttempted('c');
export const UNCHANGED = unchanged('d');

/** At least one file of every status, and a skipped entry. */
export const EVERY_STATUS = {
  files: [
    uploaded('a', 7),
    failed('b'),
    planned('c'),
    notAttempted('d'),
    unchanged('e'),
    uploaded('f', 5),
  ],
  skipped: [{ path: 'l', reason: 'a broken link' }],
};
