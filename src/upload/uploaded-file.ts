import { hash } from 'node:crypto';
import type { FailedRow, Timing } from '../agent/request-each.ts';
import type { PlannedFile } from '../files/targets.ts';

type FileRow = Pick<PlannedFile, 'source' | 'target' | 'size'>;

/** A file that the sandbox has. */
export interface StoredRow<S = 'uploaded' | 'unchanged'> extends FileRow {
  readonly status: S;
  /** As the agent returned it, redacted. */
  readonly path: string;
  /** Undefined if hashing is off. */
  readonly sha256: string | undefined;
}

export type UploadRow =
  | (StoredRow<'uploaded'> & Timing)
  | StoredRow<'unchanged'>
  | FailedRow<FileRow>
  /** A dry run would upload it. */
  | (FileRow & { readonly status: 'planned'; readonly sha256: string | undefined });

export function fileRow({ source, target, size }: FileRow): FileRow {
  return { source, target, size };
}

export function isStored(row: UploadRow): row is Extract<UploadRow, StoredRow> {
  return row.status === 'uploaded' || row.status === 'unchanged';
}

/** Lists checksums of stored files like `sha256sum`, with the paths that the agent returned. */
export function checksumsOf(rows: readonly UploadRow[]): string {
  const lines = rows.filter(isStored).flatMap(({ sha256, path }) => checksumLine(sha256, path));
  return lines.join('');
}

/**
 * Hashes the sorted checksum lines of all targets. Returns '' if there are no files, or if one
 * failed or was not hashed: only a complete build has a digest.
 */
export function digestOf(rows: readonly UploadRow[]): string {
  const lines = rows.flatMap(row =>
    row.status === 'failed' || row.status === 'not-attempted'
      ? []
      : checksumLine(row.sha256, row.target),
  );
  if (lines.length === 0 || lines.length < rows.length) return '';
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
