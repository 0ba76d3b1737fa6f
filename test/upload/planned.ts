import assert from 'node:assert/strict';
import path from 'node:path';
import { fileRules } from '../../src/inputs/files.ts';
import { InputError, parseFields } from '../../src/inputs/parse.ts';
import type { Matches } from '../../src/upload/discover.ts';
import { type Plan, type PlanOptions, plan } from '../../src/upload/plan.ts';
import type { SourceFile } from '../../src/upload/sources.ts';

const WORKSPACE = '/w';

/** A file found at a path of the workspace, `relative` being what the wildcards matched. */
export function source(file: string, relative = '', size = 1): SourceFile {
  const absolute = path.resolve(WORKSPACE, file);
  return { path: absolute, realPath: absolute, relative, size };
}

/** What one line of `files` matches. */
export function matches(line: string, files: readonly SourceFile[], more: Partial<Matches> = {}): Matches {
  const [pattern] = parseFields({ files: fileRules }, { files: line }).files.patterns;
  assert.ok(pattern !== undefined);
  return { pattern, root: WORKSPACE, files, leftOut: [], hidden: 0, ...more };
}

/** The plan for what lines match, in a workspace at `/w`. */
export function planFor(found: readonly Matches[], options: Partial<PlanOptions> = {}): Plan {
  return plan(found, { workspace: WORKSPACE, target: '', ifNoFilesFound: 'error', ...options });
}

/** The targets of the only file that a line finds. */
export function targetOf(line: string, file: SourceFile, target = ''): string | undefined {
  return planFor([matches(line, [file])], { target }).files[0]?.target;
}

/** The messages that a plan is refused with. */
export function refusals(found: readonly Matches[], options: Partial<PlanOptions> = {}): string[] {
  try {
    planFor(found, options);
    return [];
  } catch (error) {
    assert.ok(error instanceof InputError, String(error));
    assert.ok(error.problems.every(({ input }) => input === 'files'));
    return error.problems.map(({ message }) => message);
  }
}
