import { posix } from 'node:path';
import { hashFile } from '../agent/read-file.ts';
import type { PlannedFile } from '../files/plan.ts';
import type { FileResult } from './result.ts';
import type { StateRow, StateRows } from './state-file.ts';

/** A file that the sandbox has already. */
export interface KnownFile {
  /** The path as the agent returned it. */
  readonly path: string;
  readonly sha256: string;
}

/** What a state says of a plan. */
export interface Changes {
  /** The files that the sandbox has already. */
  readonly unchanged: ReadonlyMap<PlannedFile, KnownFile>;
  /** Paths in the sandbox of files that are no longer in the build. */
  readonly orphaned: readonly string[];
}

/**
 * Compares files with what a state says of their targets. A file that another upload of this run
 * may overwrite counts as changed.
 */
export async function findChanges(
  files: readonly PlannedFile[],
  rows: StateRows,
  cancel: AbortSignal,
): Promise<Changes> {
  const byTarget = new Map([...rows].map(([path, row]) => [row.target, { path, row }]));
  const unchanged = new Map<PlannedFile, KnownFile>();
  for (const file of files) {
    const known = byTarget.get(file.target);
    if (known !== undefined && (await isSame(file, known.row, cancel)))
      unchanged.set(file, { path: known.path, sha256: known.row.sha256 });
  }
  // Each file that must be sent after all may overwrite another.
  let before: number;
  do {
    before = unchanged.size;
    const sent = files.filter(file => !unchanged.has(file)).map(({ target }) => target);
    const isTouched = touchedBy(sent, []);
    for (const [file, { path }] of unchanged)
      if (isTouched(path, file.target)) unchanged.delete(file);
  } while (unchanged.size < before);
  const targets = files.map(({ target }) => target);
  const orphaned = cancel.aborted ? [] : [...withoutTouched(rows, targets).keys()];
  return { unchanged, orphaned };
}

/** Adds uploads, and drops rows that an upload, even a failed one, may have overwritten. */
export function rowsAfter(rows: StateRows, results: readonly FileResult[]): StateRows {
  const sent = results.filter(({ status }) => status === 'uploaded' || status === 'failed');
  const targets = sent.map(({ file }) => file.target);
  const isRespelled = respelledBy(targets);
  const uploaded = results.flatMap((result): [string, StateRow][] => {
    if (result.status !== 'uploaded' || result.sha256 === undefined) return [];
    const { file, path, size, sha256 } = result;
    return [[path, { target: file.target, size, sha256 }]];
  });
  const paths = uploaded.map(([path]) => path);
  const sure = uploaded.filter(([, { target }]) => !isRespelled(target));
  return new Map([...withoutTouched(rows, targets, paths), ...sure]);
}

/** The rows that stay true while files are sent to some targets, and arrive at some paths. */
export function withoutTouched(
  rows: StateRows,
  targets: readonly string[],
  paths: readonly string[] = [],
): StateRows {
  const isTouched = touchedBy(targets, paths);
  return new Map([...rows].filter(([path, { target }]) => !isTouched(path, target)));
}

async function isSame(file: PlannedFile, row: StateRow, cancel: AbortSignal): Promise<boolean> {
  return row.size === file.size && (await hashFile(file, cancel)) === row.sha256;
}

/** Tells which paths and targets may be overwritten by uploads to these targets and paths. */
function touchedBy(
  targets: readonly string[],
  paths: readonly string[],
): (path: string, target: string) => boolean {
  const all = new Set(targets);
  const places = new Set([...paths, ...targets.filter(target => posix.isAbsolute(target))]);
  const isRespelled = respelledBy(targets);
  return (path, target) => places.has(path) || all.has(target) || isRespelled(target);
}

/**
 * Tells which targets may be others in another spelling: a relative one lies below an unknown home
 * directory, so it may be any absolute one that ends with it.
 */
function respelledBy(targets: readonly string[]): (target: string) => boolean {
  const all = new Set(targets);
  const endings = new Set(targets.filter(target => posix.isAbsolute(target)).flatMap(endingsOf));
  return target =>
    posix.isAbsolute(target)
      ? endingsOf(target).some(ending => all.has(ending))
      : endings.has(target);
}

/** The relative targets that an absolute one ends with: of `/a/b/c`, `a/b/c`, `b/c` and `c`. */
function endingsOf(target: string): string[] {
  const parts = target.split('/').slice(1);
  return parts.map((_, index) => parts.slice(index).join('/'));
}
