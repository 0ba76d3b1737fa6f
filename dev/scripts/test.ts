import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

// Runs the quick tests; with --long those in *.long.test.ts; with --all both, with every case of
// their tables. Files and folders select tests below them; a named file runs in any case. --name
// PATTERN runs only tests with matching names.

const PROJECT = path.resolve(import.meta.dirname, '../..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    long: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    name: { type: 'string', default: '.' },
  },
});
const files = (positionals.length === 0 ? ['test'] : positionals).flatMap(testsAt);
if (files.length === 0) throw new Error(`There is no such test in ${positionals.join(', ')}`);
// Tests mostly wait for the processes that they start; more files at once only slow each other
// down.
const args = ['--test', '--test-concurrency=3', `--test-name-pattern=${values.name}`, ...files];
const env = {
  ...process.env,
  // Compiling takes a quarter of the action's time.
  NODE_COMPILE_CACHE: path.join(tmpdir(), 'sandbox-sync-tests-compiled'),
  ...(values.all && { TEST_CASES: 'all' }),
};
const { status } = spawnSync(process.execPath, args, { cwd: PROJECT, env, stdio: 'inherit' });
process.exitCode = status ?? 1;

function testsAt(place: string): string[] {
  if (place.endsWith('.ts')) return [place];
  const found = globSync(`${place.replaceAll('\\', '/')}/**/*.test.ts`, { cwd: PROJECT });
  return found.filter(file => values.all || file.endsWith('.long.test.ts') === values.long);
}
