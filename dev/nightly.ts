import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

// What takes minutes, or needs the network: many seeds of the chaos test, the bench with its memory
// and delivery, the links to other sites, and the self-run in act if that is installed.

const PROJECT = path.resolve(import.meta.dirname, '..');
const SEEDS = Array.from({ length: 50 }, (_, index) => index + 1).join(' ');
/** Uploads of any size stay well below; a leak of a 1 GiB file does not. */
const MOST_MIB = 512;

const chaos = globSync('test/**/chaos.test.ts', { cwd: PROJECT });
const problems = [
  ...run('many chaos seeds', ['dev/test.ts', ...chaos], { CHAOS_SEEDS: SEEDS }).problems,
  ...checkMemory(),
  ...(await checkLinks()),
  ...selfRun(),
];
for (const problem of problems) console.log(`::error::${problem}`);
console.log(problems.length === 0 ? 'All is well.' : `Problems: ${problems.length}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function run(title: string, args: readonly string[], env = {}, file = process.execPath) {
  console.log(`\n── ${title}`);
  const options = { cwd: PROJECT, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(file, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1024 ** 3,
  });
  console.log(stdout);
  return { stdout, problems: status === 0 ? [] : [`${title}: ended with ${status}`] };
}

function checkMemory(): string[] {
  const bench = run('the bench', ['dev/bench.ts', '--large', '--rounds', '1']);
  const uploads = bench.stdout.split('\n').flatMap(row => row.split(' | ').slice(2, 4));
  const peaks = uploads.map(cell => Number(/([\d.]+) MiB/.exec(cell)?.[1] ?? 0));
  const most = Math.max(0, ...peaks);
  if (most < MOST_MIB) return bench.problems;
  return [...bench.problems, `an upload took ${most} MiB, more than ${MOST_MIB}`];
}

/** Asks for each page that the documents link to. */
async function checkLinks(): Promise<string[]> {
  const documents = globSync('{*,docs/*,*/README,dev/*,.github/*}.md', { cwd: PROJECT });
  const texts = documents.map(file => readFileSync(path.join(PROJECT, file), 'utf8'));
  const links = new Set(texts.flatMap(text => text.match(/(?<=\]\()https:[^)\s#]+/g) ?? []));
  const problems = [...links].map(async link => {
    const problem = await fetch(link, { signal: AbortSignal.timeout(30_000) }).then(
      // Some sites refuse programs; the page may be there.
      ({ status }) => (status === 404 || status === 410 ? status : undefined),
      String,
    );
    return problem === undefined ? [] : [`${link}: ${problem}`];
  });
  return (await Promise.all(problems)).flat();
}

/** The job self-run of ci.yml, by a program that knows nothing of this project. */
function selfRun(): string[] {
  if (spawnSync('act', ['--version']).status !== 0) {
    console.log('act is not installed, so the self-run is left out.');
    return [];
  }
  const job = ['-W', '.github/workflows/ci.yml', '-j', 'self-run', '--matrix', 'os:ubuntu-latest'];
  return run('self-run in act', [...job, '-P', 'ubuntu-latest=-self-hosted'], {}, 'act').problems;
}
