import { hash } from 'node:crypto';
import type { FileResult } from '../transfer/transfer.ts';

/** Lists the files in the sandbox like `sha256sum`, with the paths that the agent returned. */
export function checksumsOf(files: readonly FileResult[]): string {
  const lines = files.flatMap(result =>
    'path' in result && result.sha256 !== undefined ? [lineOf(result.sha256, result.path)] : [],
  );
  return lines.join('');
}

/**
 * Hashes the sorted checksum lines of all targets. Returns '' if a file failed or was not hashed:
 * only a complete build has a digest.
 */
export function digestOf(files: readonly FileResult[]): string {
  const lines = files.flatMap(result =>
    'sha256' in result && result.sha256 !== undefined
      ? [lineOf(result.sha256, result.file.target)]
      : [],
  );
  if (lines.length === 0 || lines.length < files.length) return '';
  // `LC_ALL=C sort` compares bytes, but JavaScript compares UTF-16.
  const sorted = lines.map(line => Buffer.from(line)).sort((one, other) => one.compare(other));
  return `sha256:${hash('sha256', Buffer.concat(sorted))}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' };

// sha256sum marks an escaped name with a leading backslash.
function lineOf(sha256: string, name: string): string {
  const escaped = name.replaceAll(/[\\\n\r]/g, character => ESCAPES[character] ?? character);
  return `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`;
}
