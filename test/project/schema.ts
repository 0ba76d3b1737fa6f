import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

const VALIDATOR = path.resolve(import.meta.dirname, '../../node_modules/@action-validator/cli/cli.mjs');

/** Fails unless a text is what the published schema of a file of that name asks for. */
export function validate(t: TestContext, name: string, text: string): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'schema-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, path.basename(name));
  writeFileSync(file, text);
  execFileSync(process.execPath, [VALIDATOR, file], { stdio: 'pipe' });
}
