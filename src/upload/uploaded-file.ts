import { hash } from 'node:crypto';
import type { Attempts, FailedOrNotAttempted } from '../agent/request-each.ts';
import type { PlannedFile } from '../files/targets.ts';
import type { StoredFile } from './store-files.ts';

export type UnchangedFile = { readonly status: 'unchanged' } & StoredFile;

export type UploadedFile = { readonly file: PlannedFile } & (
  | ({ readonly status: 'uploaded' } & StoredFile & Attempts)
  | UnchangedFile
  | FailedOrNotAttempted
  /** A dry run would upload it. */
  | { readonly status: 'planned'; readonly sha256: string | undefined }
);

export function isStored(
  file: UploadedFile,
): file is Extract<UploadedFile, { status: 'uploaded' | 'unchanged' }> {
  return file.status === 'uploaded' || file.status === 'unchanged';
}

/** Lists checksums of stored files like `sha256sum`, with the paths that the agent returned. */
export function checksumsOf(files: readonly UploadedFile[]): string {
  const lines = files.filter(isStored).flatMap(({ sha256, path }) => checksumLine(sha256, path));
  return lines.join('');
}

/**
 * Hashes the sorted checksum lines of all targets. Returns '' if there are no files, or if one
 * failed or was not hashed: only a complete build has a digest.
 */
export function digestOf(files: readonly UploadedFile[]): string {
  const lines = files.flatMap(result =>
    result.status === 'failed' || result.status === 'not-attempted'
      ? []
      : checksumLine(result.sha256, result.file.target),
  );
  if (lines.length === 0 || lines.length < files.length) return '';
  // Compare bytes, not UTF-16, so that users can reproduce the digest with `LC_ALL=C sort`.
  const sorted = lines.map(line => Buffer.from(line)).sort((one, other) => one.compare(other));
  return `sha256:${hash('sha256', Buffer.concat(sorted))}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

function checksumLine(sha256: string | undefined, name: string): string[] {
  if (sha256 === undefined) return [];
  const escaped = name.replaceAll(/[\\\n\r]/g, character => ESCAPES[character] ?? character);
  // sha256sum marks an escaped name with a leading backslash.
  return [`${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`];
}
