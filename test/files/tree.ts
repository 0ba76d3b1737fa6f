import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type FindOptions, findFiles, type Matches } from '../../src/files/find.ts';
import type { FileRules } from '../../src/inputs/files.ts';

/** What stands at a path: a file's content, or something else made there. */
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
 * Makes a tree in a new directory, removed with it. `below` is put between that directory and the
 * root.
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

/** An empty directory. */
export function directory(file: string): void {
  mkdirSync(file);
}

/** A file whose name, beside the one given, ends in a byte that is no UTF-8. */
export function badName(file: string): void {
  writeFileSync(withBadByte(file), 'x');
}

/** A directory with such a name, and a file in it. */
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

// The library prints some lines for each search, which the runner hides; here they would drown what
// tests say.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk: string | Uint8Array, ...more: []) =>
  typeof chunk === 'string' && chunk.startsWith('::debug::') ? true : write(chunk, ...more);

/** The rules that lines without targets spell out. */
export function rules(lines: readonly string[]): FileRules {
  return {
    patterns: lines.filter(line => !line.startsWith('!')).map(pattern => ({ pattern })),
    excludes: lines.filter(line => line.startsWith('!')).map(line => line.slice(1)),
  };
}

/** The options of a search that differ from test to test only now and then. */
export const USUAL = {
  cancel: new AbortController().signal,
  workingDirectory: '',
  includeHiddenFiles: false,
  followSymlinks: true,
};

/** What lines find in a workspace. */
export async function find(
  workspace: string,
  lines: readonly string[],
  options: Partial<FindOptions> = {},
): Promise<Matches[]> {
  return [...(await findFiles(rules(lines), { ...USUAL, workspace, ...options })).matches];
}

/** The paths found below what the patterns spell out, sorted. */
export function relatives(matches: readonly Matches[]): string[] {
  return matches.flatMap(({ files }) => files.map(({ relative }) => relative)).sort();
}

/** What was skipped, by the end of its path. */
export function skipped(matches: readonly Matches[]): Record<string, string> {
  const all = matches.flatMap(match => match.skipped);
  return Object.fromEntries(all.map(({ path: file, reason }) => [path.basename(file), reason]));
}
