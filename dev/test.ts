import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'rolldown';
import config from '../rolldown.config.ts';

// Builds dist, then runs all tests, or those in the given files and folders. --name PATTERN selects
// tests by name.

// A test that hangs fails by its name. Longer than an action may take (test/support/run-action.ts),
// and than all seeds of a chaos test together.
const TIMEOUT_MS = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string', default: '.' } },
});
const cwd = path.resolve(import.meta.dirname, '..');
const files = (positionals.length === 0 ? ['test'] : positionals).flatMap(place =>
  place.endsWith('.ts') ? [place] : globSync(`${place}/**/*.test.ts`, { cwd }),
);
if (files.length === 0) throw new Error(`There are no tests in ${positionals.join(', ')}`);
await build(config);

const args = [
  '--test',
  // One more than the number of cores, since some tests mostly wait.
  `--test-concurrency=${availableParallelism() + 1}`,
  `--test-timeout=${TIMEOUT_MS}`,
  '--import=./test/support/end-process.ts',
  `--test-name-pattern=${values.name}`,
  ...files,
];
// Cache compiled code, since compiling takes a quarter of the action's time.
const cache = path.join(tmpdir(), 'sandbox-sync-tests-compiled');
const env = { ...process.env, NODE_COMPILE_CACHE: cache, SANDBOX_SYNC_DIST: 'built' };
const { status } = spawnSync(process.execPath, args, { cwd, stdio: 'inherit', env });
process.exitCode = status ?? 1;
