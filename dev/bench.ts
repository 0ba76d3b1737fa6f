import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { measure, type Run } from './bench/measure.ts';
import type { Command } from './runner/execute.ts';
import { prepareStep } from './runner/step.ts';

// Compares the built action with curl and the package e2b: the same files, the same server. Prints
// one Markdown table. See dev/bench.md.

const KIB = 1024;
const MIB = 1024 * KIB;
const CONNECTIONS = 24;
const LATENCY_MS = 100;
// Far more than an upload needs, and less than a file of 1 GiB.
const MAX_UPLOAD_MIB = 512;
const HEADERS = {
  'X-Access-Token': 'bench-token',
  'E2b-Sandbox-Id': 'bench',
  'E2b-Sandbox-Port': '49983',
};

const SCRIPTS = {
  sink: path.join(import.meta.dirname, 'bench/sink.ts'),
  e2b: path.join(import.meta.dirname, 'bench/e2b-client.ts'),
};

const { values: options } = parseArgs({
  options: {
    large: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
  },
});

interface Workload {
  readonly title: string;
  /** In bytes. */
  readonly sizes: readonly number[];
  readonly latencies: readonly number[];
}

function workloads(): Workload[] {
  const same = (count: number, size: number) => Array<number>(count).fill(size);
  const mixed = same(500, 0).map((_, index, all) => {
    // 7919 is coprime to the counts in use, so each rank occurs once.
    const rank = ((index * 7919) % all.length) / (all.length - 1);
    return Math.round(KIB * (16 * KIB) ** rank);
  });
  const gibibyte = { title: '1 GiB', sizes: [1024 * MIB], latencies: [0] };
  return [
    { title: '2,000 × 4 KiB', sizes: same(2000, 4 * KIB), latencies: [0, LATENCY_MS] },
    { title: '500 × 1 KiB to 16 MiB', sizes: mixed, latencies: [0] },
    ...(options.large ? [gibibyte] : []),
  ];
}

/** What a contender uploads. */
interface Job {
  readonly folder: string;
  readonly files: readonly string[];
  readonly url: string;
  readonly temp: string;
}

/** The reference comes first. */
const CONTENDERS: Readonly<Record<string, (job: Job) => Command | Promise<Command>>> = {
  'curl -Z': curl,
  upload: job => upload(job, {}),
  'upload, one by one': job => upload(job, { 'files-per-request': '1' }),
  ...(isInstalled('e2b') && {
    'e2b, one list': ({ url, folder }) => ({
      file: process.execPath,
      args: [SCRIPTS.e2b, url, HEADERS['E2b-Sandbox-Id'], HEADERS['X-Access-Token']],
      cwd: folder,
      env: process.env,
    }),
  }),
};

async function upload(job: Job, more: Readonly<Record<string, string>>): Promise<Command> {
  const inputs = {
    'sandbox-id': HEADERS['E2b-Sandbox-Id'],
    token: HEADERS['X-Access-Token'],
    'base-url': job.url,
    'header-prefix': 'E2b',
    files: '**',
    ...more,
  };
  const action = path.join(import.meta.dirname, '../upload');
  const { command } = await prepareStep({ action, inputs, workspace: job.folder, temp: job.temp });
  return command;
}

function curl({ url, files, folder, temp }: Job): Command {
  const common = Object.entries(HEADERS).map(([name, value]) => `header = "${name}: ${value}"`);
  const blocks = files.map(file =>
    [
      ...common,
      `url = "${url}/files?path=${encodeURIComponent(file)}"`,
      `form = "file=@${file}"`,
      'http1.1\nfail\noutput = /dev/null\n',
    ].join('\n'),
  );
  const config = path.join(temp, 'curl.config');
  fs.writeFileSync(config, blocks.join('next\n'));
  const parallel = ['-Z', '--parallel-immediate', '--parallel-max', String(CONNECTIONS)];
  const args = ['--silent', '--show-error', ...parallel, '--config', config];
  return { file: 'curl', args, cwd: folder, env: process.env };
}

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== '';
  } catch {
    return false;
  }
}

async function compare(): Promise<void> {
  if (!isInstalled('e2b')) console.error('e2b is left out: npm install --no-save e2b');
  using temp = fs.mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-bench-'));
  const sink = spawn(process.execPath, [SCRIPTS.sink, String(LATENCY_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => sink.kill());
  const [line] = await once(createInterface(sink.stdout), 'line');
  const ports: { readonly near: number; readonly far: number } = JSON.parse(String(line));
  const rows: string[][] = [];
  for (const { title, sizes, latencies } of workloads()) {
    const folder = path.join(temp.path, 'files');
    const files = writeFiles(folder, sizes);
    for (const latency of latencies) {
      const port = latency === 0 ? ports.near : ports.far;
      const job = { folder, files, url: `http://127.0.0.1:${port}`, temp: temp.path };
      const runs = await takeTurns(job, sum(sizes), ports.near);
      rows.push([latency === 0 ? title : `${title}, ${latency} ms latency`, ...cellsOf(runs)]);
    }
    fs.rmSync(folder, { recursive: true });
  }
  sink.kill();
  printTable([['', ...Object.keys(CONTENDERS)], rows[0]?.map(() => '---') ?? [], ...rows]);
}

/** Runs all contenders in each round, so that what disturbs the machine disturbs them all. */
async function takeTurns(job: Job, bytes: number, sinkPort: number): Promise<Run[][]> {
  const rounds = Number(options.rounds);
  const runs = Object.keys(CONTENDERS).map((): Run[] => []);
  // The first round warms up the page cache and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, [name, prepare]] of Object.entries(CONTENDERS).entries()) {
      const run = await measure(await prepare(job));
      const sink = await fetch(`http://127.0.0.1:${sinkPort}`);
      const counted: { files: number; bytes: number } = JSON.parse(await sink.text());
      // A contender that did not deliver is wrong, not fast.
      if (counted.files !== job.files.length || counted.bytes !== bytes)
        throw new Error(
          `${name} delivered ${counted.files} files with ${counted.bytes} bytes, not ${job.files.length} with ${bytes}`,
        );
      if (name.startsWith('upload') && run.peakMib > MAX_UPLOAD_MIB)
        throw new Error(`${name} took ${run.peakMib} MiB, more than ${MAX_UPLOAD_MIB}`);
      console.error(`${name}: ${Math.round(run.ms)} ms`);
      if (round > 0) runs[index]?.push(run);
    }
  }
  return runs;
}

function cellsOf(runs: readonly (readonly Run[])[]): string[] {
  const times = runs.map(each => each.map(({ ms }) => ms).toSorted((a, b) => a - b));
  const medians = times.map(each => each[each.length >> 1] ?? Number.NaN);
  return medians.map((ms, index) => {
    const peak = Math.round(Math.max(...(runs[index] ?? []).map(({ peakMib }) => peakMib)));
    return `${(ms / 1000).toFixed(2)} s, ${(ms / (medians[0] ?? ms)).toFixed(2)} ×, ${peak} MiB`;
  });
}

function printTable(rows: readonly (readonly string[])[]): void {
  const model = cpus()[0]?.model ?? '';
  const date = new Date().toISOString().slice(0, 10);
  console.log(
    `Measured on ${date} on ${cpus().length} × ${model.trim()}, Node ${process.version}. Each cell: median time, its ratio to curl, peak memory.\n`,
  );
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}

/** Writes files of noise, a hundred per directory. Returns their paths below the folder. */
function writeFiles(folder: string, sizes: readonly number[]): string[] {
  const noise = randomBytes(MIB);
  return sizes.map((size, index) => {
    const name = `directory-${Math.floor(index / 100)}/file-${index}.bin`;
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), '');
    for (let left = size; left > 0; left -= noise.length)
      fs.appendFileSync(path.join(folder, name), noise.subarray(0, left));
    return name;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

await compare();
