import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runInAct } from './nightly/act.ts';
import { runE2bSdk } from './nightly/e2b-sdk.ts';
import { tryActions } from './nightly/real-agent.ts';
import { runMemoryProblems } from './nightly/run-memory.ts';

// Runs the tests that take minutes or need the network: many seeds of the chaos tests, the
// benchmark, the memory limits, external links, E2B's SDK against the stand-in, and workflows in
// act if it is installed. With --agent URL --token TOKEN, only runs the actions against that agent.

const PROJECT = path.resolve(import.meta.dirname, '..');
const SEEDS = Array.from({ length: 100 }, (_, index) => index + 1).join(' ');

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
    ...(await runMemoryProblems()),
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
