import type { FailureInfo } from '../../src/agent/failure.ts';
import type { UploadedFile } from '../../src/upload/uploaded-file.ts';

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

export function file(name: string, size = 10): UploadedFile['file'] {
  const target = `/home/user/app/${name}`;
  return {
    source: name,
    realPath: `/w/${name}`,
    relative: name,
    target,
    size,
  };
}

export function uploaded(name: string, size = 10, attempts = 1): UploadedFile {
  const sent = file(name, size);
  return { status: 'uploaded', file: sent, attempts, durationMs: 5, path: sent.target };
}

export function failed(name: string, error: FailureInfo = BUSY): UploadedFile {
  return { status: 'failed', file: file(name), attempts: 3, durationMs: 7, error };
}

export function unchanged(name: string, size = 10): UploadedFile {
  const known = file(name, size);
  return { status: 'unchanged', file: known, path: known.target, sha256: SHA256 };
}

export function planned(name: string, size = 10): UploadedFile {
  return { status: 'planned', file: file(name, size), sha256: undefined };
}

export function notAttempted(name: string): UploadedFile {
  return { status: 'not-attempted', file: file(name), reason: 'the sandbox was not ready' };
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
