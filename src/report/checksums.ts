import { hash } from 'node:crypto';
import type { FileResult } from '../upload/transfer.ts';
import type { Report } from './report.ts';

/** The files in the sandbox, by the paths that the agent returned, as `sha256sum` lists them. */
export function checksumsOf({ files }: Report): string[] {
  return files.flatMap(result =>
    'path' in result && result.sha256 !== undefined ? [lineOf(result.sha256, result.path)] : [],
  );
}

/**
 * Stands for a whole build: the hash of the sorted lines of all its files under their targets.
 * Empty if a file failed or was not attempted, so that a part of a build never has the digest of
 * one, and if the files were not hashed.
 */
export function digestOf(files: readonly FileResult[]): string {
  const lines = files.flatMap(result =>
    'sha256' in result && result.sha256 !== undefined
      ? [lineOf(result.sha256, result.file.target)]
      : [],
  );
  if (lines.length === 0 || lines.length < files.length) return '';
  // JavaScript sorts by UTF-16, `LC_ALL=C sort` by bytes.
  const sorted = lines.map(line => Buffer.from(line)).sort((one, other) => one.compare(other));
  return `sha256:${hash('sha256', Buffer.concat(sorted))}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

/** A line of `sha256sum`: a backslash at its start says that the name has escapes. */
function lineOf(sha256: string, name: string): string {
  const escaped = name.replaceAll(/[\\\n\r]/g, character => ESCAPES[character] ?? character);
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`;
}
