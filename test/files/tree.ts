import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type FindOptions, findFiles, type Matches } from '../../src/files/find.ts';
import type { FileRules } from '../../src/inputs/files.ts';

/** An entry: a file's content, or a function that creates something else. */
type Entry = string | Buffer | ((file: string) => void);

/** Files by their path below the tree's root. */
export type Entries = Readonly<Record<string, Entry>>;

export interface Tree extends Disposable {
  /** Absolute path, links resolved. */
  readonly root: string;
  /** The absolute path of an entry. */
  at(file: string): string;
}

/**
 * Creates a tree in a new directory, which is removed with it. `below` comes between that directory
 * and the root.
 */
export function plant(entries: Entries, below = ''): Tree {
  const top = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'upload-')));
  const root = path.join(top, below);
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
    [Symbol.dispose]: () => rmSync(top, { recursive: true }),
  };
}

export function link(target: string): Entry {
  return file => symlinkSync(target, file);
}

export function fifo(file: string): void {
  execFileSync('mkfifo', [file]);
}

/** Creates an empty directory. */
export function directory(file: string): void {
  mkdirSync(file);
}

/** Creates a file whose name ends in a byte that is not UTF-8. */
export function badName(file: string): void {
  writeFileSync(withBadByte(file), 'x');
}

/** Creates a directory with such a name, and a file in it. */
export function badDirectory(file: string): void {
  mkdirSync(withBadByte(file));
  writeFileSync(Buffer.concat([withBadByte(file), Buffer.from('/in')]), 'x');
}

function withBadByte(file: string): Buffer {
  return Buffer.concat([Buffer.from(file), Buffer.from([0xff])]);
}

/** A tree to search. */
export const PROJECT: Entries = {
  'dist/index.html': '12345',
  'dist/a/b.js': 'b',
  'dist/a/c.map': 'c',
  'packages/foo/dist/x.js': 'x',
  'packages/foo/src/y.ts': 'y',
  'packages/bar/dist/z.js': 'z',
  'pages/[id].tsx': 'id',
  'pages/i.tsx': 'i',
  'my file.txt': 'spaces',
  empty: directory,
};

// The glob library prints debug lines, which would drown the tests' output.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string | Uint8Array, ...more: []) =>
  typeof chunk === 'string' && chunk.startsWith('::debug::') ? true : write(chunk, ...more);

/** The rules for lines without targets. */
export function rules(lines: readonly string[]): FileRules {
  return {
    patterns: lines.filter(line => !line.startsWith('!')).map(pattern => ({ pattern })),
    excludes: lines.filter(line => line.startsWith('!')).map(line => line.slice(1)),
  };
}

/** The usual options of a search. */
export const USUAL = {
  cancel: new AbortController().signal,
  workingDirectory: '',
  includeHiddenFiles: false,
  followSymlinks: true,
};

/** Finds what lines match in a workspace. */
export async function find(
  workspace: string,
  lines: readonly string[],
  options: Partial<FindOptions> = {},
): Promise<Matches[]> {
  return [...(await findFiles(rules(lines), { ...USUAL, workspace, ...options })).matches];
}

/** The paths found, relative to the patterns' roots, sorted. */
export function relatives(matches: readonly Matches[]): string[] {
  return matches.flatMap(({ files }) => files.map(({ relative }) => relative)).sort();
}

/** The skipped entries, by the end of their paths. */
export function skipped(matches: readonly Matches[]): Record<string, string> {
  const all = matches.flatMap(match => match.skipped);
  return Object.fromEntries(all.map(({ path: file, reason }) => [path.basename(file), reason]));
}
