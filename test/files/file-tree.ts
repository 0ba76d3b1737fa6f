import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FindOptions, findFiles, type Matches } from '../../src/files/find.ts';
import type { Inputs } from '../../src/inputs/inputs.ts';
import { parsed } from '../inputs/parse-inputs.ts';
import { openTempFolder } from '../transfer/temp-folder.ts';

/** An entry: a file's content, or a function that creates something else. */
type Entry = string | Buffer | ((file: string) => void);

/** Entries by their path below the root. */
export type Entries = Readonly<Record<string, Entry>>;

export interface Tree extends Disposable {
  /** Absolute path, links resolved. */
  readonly root: string;
  at(file: string): string;
}

/** Creates a tree in a new directory; `below` comes between that directory and the root. */
export function createTree(entries: Entries, below = ''): Tree {
  const folder = openTempFolder();
  const root = folder.at(below);
  mkdirSync(root, { recursive: true });
  for (const [name, entry] of Object.entries(entries)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (typeof entry === 'function') entry(file);
    else writeFileSync(file, entry);
  }
  return {
    root,
    at: file => path.join(root, file),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

export function link(target: string): Entry {
  return file => symlinkSync(target, file);
}

export function directory(file: string): void {
  mkdirSync(file);
}

// @actions/glob prints debug lines, which would drown the output of the tests.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string | Uint8Array, ...more: []) =>
  typeof chunk === 'string' && chunk.startsWith('::debug::') ? true : write(chunk, ...more);

export type FindSettings = Partial<Inputs<'upload'> & FindOptions>;

/** Calls `findFiles` with these lines and the defaults of the inputs. */
export function find(
  workspace: string,
  lines: readonly string[],
  { maxFiles, cancel = new AbortController().signal, ...inputs }: FindSettings = {},
): Promise<readonly Matches[]> {
  const options = { workspace, cancel, ...(maxFiles !== undefined && { maxFiles }) };
  return findFiles({ ...parsed({ files: lines.join('\n') }), ...inputs }, options);
}

/** Returns the paths found, relative to the roots of their patterns, sorted. */
export function relativePaths(matches: readonly Matches[]): string[] {
  return matches.flatMap(({ files }) => files.map(({ relative }) => relative)).sort();
}

/** Returns the reasons of the skipped entries by their paths below the workspace. */
export function skippedReasons(matches: readonly Matches[]): Record<string, string> {
  const all = matches.flatMap(match => match.skipped);
  return Object.fromEntries(all.map(entry => [entry.path, entry.reason]));
}
