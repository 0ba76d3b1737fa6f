import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Exchange } from './agent/agent.ts';
import { type Answer, jsonAnswer } from './agent/answer.ts';
import { readFiles } from './agent/files.ts';
import { startService } from './agent/service.ts';
import { execute, measure, type OnStart, type ProcessEnd, type Run } from './runner/execute.ts';
import { runStep } from './runner/step.ts';

// Compares the built action with curl on the same files and server. Prints a Markdown table.
// See dev/bench.md.

const KIB = 1024;
const MIB = 1024 * KIB;
const CONNECTIONS = 24;
// An upload needs far less; reading the file of 1 GiB into memory would exceed it.
const MAX_UPLOAD_MIB = 512;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });

const small = Array<number>(2000).fill(4 * KIB);
const mixed = Array.from({ length: 500 }, (_, index) =>
  Math.round(KIB * (16 * KIB) ** (index / 499)),
);
/** By title: the sizes of the files in bytes, and the latency of the server. */
const WORKLOADS: Readonly<Record<string, readonly [sizes: readonly number[], latencyMs: number]>> =
  {
    '2,000 × 4 KiB': [small, 0],
    '2,000 × 4 KiB, 100 ms latency': [small, 100],
    '500 × 1 KiB to 16 MiB': [mixed, 0],
    '1 GiB': [[1024 * MIB], 0],
  };

using temp = fs.mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-bench-'));
// Counts what the server received, and sets the latency of its answers.
const sink = { files: 0, bytes: 0, latencyMs: 0 };
await using service = await startService({ folder: temp.path, intercept: receive });
const sandbox = service.create();

type Contender = (folder: string, files: string[], onStart: OnStart) => Promise<ProcessEnd>;

/** The first contender is the baseline for the others. */
const CONTENDERS: Readonly<Record<string, Contender>> = {
  'curl -Z': curl,
  upload: uploadIn('auto'),
  'upload, one by one': uploadIn('1'),
};

console.log(
  `Measured on ${new Date().toISOString().slice(0, 10)} on ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}. Each cell: fastest time, its ratio to curl, peak memory.\n`,
);
const names = Object.keys(CONTENDERS);
console.log(`|  | ${names.join(' | ')} |\n| --- |${names.map(() => ' --- |').join('')}`);
for (const [title, [sizes, latencyMs]] of Object.entries(WORKLOADS))
  console.log(`| ${title} | ${cellsOf(await compare(sizes, latencyMs)).join(' | ')} |`);

/** Counts and discards uploaded files, which is cheaper than storing them. */
async function receive({ request }: Exchange): Promise<Answer> {
  const names: string[] = [];
  await readFiles(request, (name, content) => {
    names.push(name);
    content.on('data', (chunk: Buffer) => (sink.bytes += chunk.length));
  });
  sink.files += names.length;
  if (sink.latencyMs > 0) await sleep(sink.latencyMs);
  const target = new URL(request.url ?? '', service.url).searchParams.get('path');
  const entries = (target === null ? names : [target]).map(name => {
    const stored = path.posix.resolve('/home/user', name);
    return { name: path.posix.basename(stored), path: stored, type: 'file' };
  });
  return jsonAnswer(entries);
}

/** Runs all contenders in each round, so that noise on the machine affects them alike. */
async function compare(sizes: readonly number[], latencyMs: number): Promise<Run[]> {
  using folder = fs.mkdtempDisposableSync(path.join(temp.path, 'files-'));
  const files = writeFiles(folder.path, sizes);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const best: Record<string, Run> = {};
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [name, contender] of Object.entries(CONTENDERS)) {
      Object.assign(sink, { files: 0, bytes: 0, latencyMs });
      const run = await measure(onStart => contender(folder.path, files, onStart));
      // An incomplete delivery must not count as a fast one.
      if (sink.files !== sizes.length || sink.bytes !== bytes)
        throw new Error(`${name} delivered ${sink.files} files with ${sink.bytes} bytes`);
      if (name.startsWith('upload') && run.peakMib > MAX_UPLOAD_MIB)
        throw new Error(`${name} took ${run.peakMib} MiB, more than ${MAX_UPLOAD_MIB}`);
      console.error(`${name}: ${Math.round(run.ms)} ms`);
      const { ms, peakMib } = best[name] ?? run;
      best[name] = { ms: Math.min(ms, run.ms), peakMib: Math.max(peakMib, run.peakMib) };
    }
  }
  return Object.values(best);
}

function cellsOf(runs: readonly Run[]): string[] {
  return runs.map(({ ms, peakMib }) => {
    const ratio = ms / (runs[0]?.ms ?? ms);
    return `${(ms / 1000).toFixed(2)} s, ${ratio.toFixed(2)} ×, ${Math.round(peakMib)} MiB`;
  });
}

/** Writes files of random bytes, 100 per directory. Returns their paths relative to the folder. */
function writeFiles(folder: string, sizes: readonly number[]): string[] {
  const noise = randomBytes(MIB);
  return sizes.map((size, index) => {
    const name = `directory-${Math.floor(index / 100)}/file-${index}.bin`;
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    for (let left = size; left > 0; left -= noise.length)
      fs.appendFileSync(path.join(folder, name), noise.subarray(0, left));
    return name;
  });
}

function uploadIn(filesPerRequest: string): Contender {
  const { id, token } = sandbox;
  const connection = { 'sandbox-id': id, token, 'base-url': service.url, 'header-prefix': 'E2b' };
  const inputs = { ...connection, files: '**', 'files-per-request': filesPerRequest };
  const action = path.join(import.meta.dirname, '../upload');
  return (workspace, _files, onStart) =>
    runStep({ action, inputs, workspace, temp: temp.path, onStart });
}

async function curl(cwd: string, files: readonly string[], onStart: OnStart): Promise<ProcessEnd> {
  const headers = {
    'X-Access-Token': sandbox.token,
    'E2b-Sandbox-Id': sandbox.id,
    'E2b-Sandbox-Port': '49983',
  };
  const common = Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"`);
  const blocks = files.map(file =>
    [
      ...common,
      `url = "${service.url}/files?path=${encodeURIComponent(file)}"`,
      `form = "file=@${file}"`,
      'http1.1\nfail\noutput = /dev/null\n',
    ].join('\n'),
  );
  const config = path.join(temp.path, 'curl.config');
  fs.writeFileSync(config, blocks.join('next\n'));
  const parallel = ['-Z', '--parallel-immediate', '--parallel-max', String(CONNECTIONS)];
  const args = ['--silent', '--show-error', ...parallel, '--config', config];
  return await execute({ file: 'curl', args, cwd, env: process.env, onStart });
}
