import { spawnSync } from 'node:child_process';
import { globSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
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
using temp = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-tests-'));
await build(config);

// These folders mostly test pure functions, so their tests can share one process.
const isPure = (file: string) => /test.(gate|inputs|project|report|stats|text|upload)\b/.test(file);
const results = [
  run(files.filter(isPure), '--test-isolation=none'),
  run(
    files.filter(file => !isPure(file)),
    // One more than the number of cores, since some tests mostly wait.
    `--test-concurrency=${availableParallelism() + 1}`,
  ),
];
const tap = results.map(({ report }) => report).join('');
for (const [, name, reason] of tap.matchAll(/^ *ok \d+ - (.*) # SKIP *(.*)$/gm))
  console.log(`Skipped: ${name} (${reason})`);
const isBroken = results.some(({ status }) => status !== 0);
const [passed, skipped] = [sum('pass'), sum('skipped')];
const failed = Math.max(sum('fail') + sum('cancelled'), isBroken || passed === 0 ? 1 : 0);
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);

/** Runs test files and prints their results. Also returns the results as TAP. */
function run(some: readonly string[], how: string) {
  if (some.length === 0) return { status: 0, report: '' };
  const report = path.join(temp.path, 'report.tap');
  const show = ['--test-reporter=spec', '--test-reporter-destination=stdout'];
  const keep = ['--test-reporter=tap', `--test-reporter-destination=${report}`];
  const limit = [`--test-timeout=${TIMEOUT_MS}`, '--import=./test/support/end-process.ts'];
  const select = `--test-name-pattern=${values.name}`;
  const args = ['--test', how, ...limit, select, ...show, ...keep, ...some];
  // Cache compiled code, since compiling takes a quarter of the action's time.
  const cache = path.join(tmpdir(), 'sandbox-sync-tests-compiled');
  const env = { ...process.env, NODE_COMPILE_CACHE: cache, SANDBOX_SYNC_DIST: 'built' };
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: 'inherit', env });
  return { status, report: readFileSync(report, 'utf8') };
}

function sum(kind: string): number {
  const lines = tap.matchAll(new RegExp(`^# ${kind} (\\d+)$`, 'gm'));
  return [...lines].reduce((total, [, count]) => total + Number(count), 0);
}
