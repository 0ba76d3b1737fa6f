import { spawnSync } from 'node:child_process';
import { globSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from './agent/service.ts';
import { runInAct } from './nightly/act.ts';
import { runE2bSdk } from './nightly/e2b-sdk.ts';
import { tryActions } from './nightly/real-agent.ts';
import { measure } from './runner/execute.ts';
import { runStep } from './runner/step.ts';

// Runs the tests that take minutes or need the network: many seeds of the chaos tests, the
// benchmark, the memory limits, external links, E2B's SDK against the stand-in, and workflows in
// act if it is installed. With --agent URL --token TOKEN, only runs the actions against that agent.

const PROJECT = path.resolve(import.meta.dirname, '..');
const SEEDS = Array.from({ length: 100 }, (_, index) => index + 1).join(' ');

// Only about 16 MiB are in use, but the peak is higher and varies: V8 collects garbage late.
const MAX_MIB = 256;

/** Commands that write 200 MB each. */
const OUTPUTS: Readonly<Record<string, string>> = {
  lines: 'yes "$(printf %060d)" | head -c 200000000 || true',
  'line breaks alone': 'yes "" | head -c 200000000 || true',
  'one line': 'head -c 200000000 /dev/zero | tr "\\0" x',
};

const { values } = parseArgs({ options: { agent: { type: 'string' }, token: { type: 'string' } } });
const { agent, token = '' } = values;
const problems = agent === undefined ? await runSlowTests() : await tryActions(agent, token);
for (const problem of problems) console.log(`::error::${problem}`);
console.log(`Problems: ${problems.length}`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function runSlowTests(): Promise<string[]> {
  const chaos = globSync('test/**/*chaos.test.ts', { cwd: PROJECT });
  return [
    ...run('the bench', ['dev/bench.ts', '--rounds', '1']),
    ...(await checkMemory()),
    ...run('many chaos seeds', ['dev/test.ts', ...chaos], { CHAOS_SEEDS: SEEDS }),
    ...(await checkLinks()),
    ...(await runE2bSdk()),
    ...(await runInAct()),
  ];
}

function run(title: string, args: readonly string[], env = {}): string[] {
  console.log(`\n── ${title}`);
  const options = { cwd: PROJECT, env: { ...process.env, ...env } };
  const { status } = spawnSync(process.execPath, args, { ...options, stdio: 'inherit' });
  return status === 0 ? [] : [`${title}: ended with ${status}`];
}

/** Returns a problem for each command that fails or makes the action `run` exceed `MAX_MIB`. */
async function checkMemory(): Promise<string[]> {
  const problems: string[] = [];
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-memory-'));
  await using service = await startService({ folder: folder.path, runCommands: true });
  const { id, token } = service.create();
  const connection = { 'sandbox-id': id, token, 'base-url': service.url, 'header-prefix': 'E2b' };
  const place = { workspace: folder.path, temp: folder.path, action: path.join(PROJECT, 'run') };
  for (const [what, run] of Object.entries(OUTPUTS)) {
    const inputs = { ...connection, run };
    const seen = await measure(onStart => runStep({ ...place, inputs, onStart })).catch(String);
    const text = typeof seen === 'string' ? seen : `${Math.round(seen.peakMib)} MiB`;
    console.log(`200 MB of ${what}: ${text}`);
    if (typeof seen === 'string' || seen.peakMib > MAX_MIB)
      problems.push(`run, 200 MB of ${what}: ${text}, where ${MAX_MIB} MiB are allowed`);
  }
  return problems;
}

async function checkLinks(): Promise<string[]> {
  const documents = globSync('{*,docs/*,*/README,dev/*,.github/*}.md', { cwd: PROJECT });
  const texts = documents.map(file => readFileSync(path.join(PROJECT, file), 'utf8'));
  const links = new Set(texts.flatMap(text => text.match(/(?<=\]\()https:[^)\s#]+/g) ?? []));
  const problems = [...links].map(async link => {
    const problem = await fetch(link, { signal: AbortSignal.timeout(30_000) }).then(
      // Ignore other statuses, since some sites reject scripts.
      ({ status }) => (status === 404 || status === 410 ? status : undefined),
      String,
    );
    return problem === undefined ? [] : [`${link}: ${problem}`];
  });
  return (await Promise.all(problems)).flat();
}
