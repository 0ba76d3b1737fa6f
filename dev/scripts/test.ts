import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

// Runs the tests: the quick ones unless told otherwise, --long for those in *.long.test.ts, --all
// for both, and then with every case of their tables. Of these, only those in the files and folders
// that are named, if any are; a file that is named runs whatever it is. --name takes a pattern, and
// runs only the tests whose names match it.

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
// Most of a test's time is that of the processes it starts: more files at once would only slow each
// other down.
const args = ['--test', '--test-concurrency=3', `--test-name-pattern=${values.name}`, ...files];
const env = {
  ...process.env,
  // A run of the action compiles more than it does: a quarter of its time is saved.
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
