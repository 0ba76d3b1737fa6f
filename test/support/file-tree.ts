import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findFiles, type Matches } from '../../src/files/find.ts';
import { planFiles } from '../../src/files/targets.ts';
import type { Inputs } from '../../src/inputs/inputs.ts';
import { parseSyncInputs } from './parse-inputs.ts';
import { openTempFolder } from './temp-folder.ts';

/** A file's content, or a function that creates something else at a path. */
type Entry = string | Buffer | ((file: string) => void);

/** By path relative to the root. */
export type Entries = Readonly<Record<string, Entry>>;

export type Tree = ReturnType<typeof createTree>;

/** Creates a tree in the subdirectory `below` of a new directory, whose path has no links. */
export function createTree(entries: Entries, below = '') {
  const folder = openTempFolder();
  const root = folder.at(below);
  mkdirSync(root, { recursive: true });
  for (const [name, entry] of Object.entries(entries)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    if (typeof entry === 'function') entry(file);
    else writeFileSync(file, entry);
  }
  const at = (file: string) => path.join(root, file);
  return { root, at, [Symbol.dispose]: folder[Symbol.dispose] };
}

export function link(target: string): Entry {
  return file => symlinkSync(target, file);
}

export function directory(file: string): void {
  mkdirSync(file);
}

/** Drops the debug lines of @actions/glob, which would flood the output of the tests. */
export function dropDebugLines(): void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk: string | Uint8Array, ...more: []) =>
    typeof chunk === 'string' && chunk.startsWith('::debug::') ? true : write(chunk, ...more);
}

export interface FindSettings extends Partial<Inputs<'upload'>> {
  readonly cancel?: AbortSignal;
}

/** Calls `findFiles` with these lines and settings, and with defaults for the other inputs. */
export async function find(
  workspace: string,
  lines: readonly string[],
  { cancel = new AbortController().signal, ...changes }: FindSettings = {},
): Promise<readonly Matches[]> {
  const inputs = { ...parseSyncInputs({ files: lines.join('\n') }), ...changes };
  return (await findFiles(inputs, workspace, cancel)).matches;
}

/** Finds the files of these lines, which may match nothing, and calls `planFiles` with them. */
export async function plan(
  workspace: string,
  lines: readonly string[],
  changes: Partial<Inputs<'upload'>> = {},
): Promise<ReturnType<typeof planFiles>> {
  const given = { files: lines.join('\n'), 'if-no-files-found': 'ignore' };
  const inputs = { ...parseSyncInputs(given), ...changes };
  const found = await findFiles(inputs, workspace, new AbortController().signal);
  return planFiles(found, inputs, workspace);
}

/** Returns the sorted paths of found files, relative to the roots of their patterns. */
export function relativePaths(matches: readonly Matches[]): string[] {
  return matches.flatMap(({ files }) => files.map(({ relative }) => relative)).sort();
}

/** Returns why entries were skipped, by path relative to the workspace. */
export function skippedReasons(matches: readonly Matches[]): Record<string, string> {
  const all = matches.flatMap(match => match.skipped);
  return Object.fromEntries(all.map(entry => [entry.path, entry.reason]));
}
