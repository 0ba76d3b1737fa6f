import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LocalAgent, startAgent } from '../../dev/agent/agent.ts';
import type { Fault, FaultAction } from '../../dev/agent/faults.ts';
import type { AgentOptions } from '../../dev/agent/options.ts';

export const TOKEN = 'the-access-token-42';
export const SANDBOX_ID = 'sandbox1';

/** The metrics of a world's agent, unless given. */
export const METRICS = {
  ts: 1_767_225_600,
  cpu_count: 4,
  cpu_used_pct: 12.5,
  mem_total: 8_589_934_592,
  mem_used: 2_147_483_648,
  mem_total_mib: 8192,
  mem_used_mib: 2048,
  disk_total: 10_737_418_240,
  disk_used: 1_234_567_890,
};

/** The outputs for METRICS without a gate. */
export const STATS_OUTPUTS = {
  ts: '1767225600',
  'cpu-count': '4',
  'cpu-used-pct': '12.5',
  'mem-total': '8589934592',
  'mem-used': '2147483648',
  'mem-total-mib': '8192',
  'mem-used-mib': '2048',
  'disk-total': '10737418240',
  'disk-used': '1234567890',
  'mem-used-pct': '25.00',
  'mem-free': '6442450944',
  'disk-used-pct': '11.50',
  'disk-free': '9502850350',
  stats: JSON.stringify(METRICS),
  gate: 'none',
  breaches: '[]',
};

/** Everything around one step: the runner's places, and a sandbox with its agent. */
export interface World extends AsyncDisposable {
  /** The checkout, an absolute path. */
  readonly workspace: string;
  /** A directory outside the checkout. */
  readonly outside: string;
  /** The job's RUNNER_TEMP. */
  readonly temp: string;
  /** The directory on disk that is the sandbox's `/`. */
  readonly root: string;
  readonly agent: LocalAgent;
  /** Writes files of the checkout, by relative path. */
  write(files: Files): void;
  /** The content of a file in the sandbox; relative paths start at the user's home. */
  stored(file: string): Buffer;
}

export type Files = Readonly<Record<string, string | Buffer>>;

export interface WorldOptions extends Partial<AgentOptions> {
  /** Files of the checkout. Default: one small file. */
  readonly files?: Files;
}

/** Creates a world. Disposing of it removes everything in it. */
export async function openWorld({
  files = { 'a.txt': 'text' },
  ...options
}: WorldOptions = {}): Promise<World> {
  const directory = realpathSync.native(mkdtempSync(path.join(tmpdir(), 'sandbox-sync-test-')));
  const place = (name: string) => {
    mkdirSync(path.join(directory, name));
    return path.join(directory, name);
  };
  const [workspace, outside, temp, root] = [
    place('work'),
    place('outside'),
    place('temp'),
    place('root'),
  ];
  const agent = await startAgent({
    root,
    token: TOKEN,
    sandboxId: SANDBOX_ID,
    metrics: () => METRICS,
    ...options,
  });
  const world: World = {
    workspace,
    outside,
    temp,
    root,
    agent,
    write: more => writeFiles(workspace, more),
    stored: file => readFileSync(path.resolve(root, 'home/user', file.replace(/^\//, '../../'))),
    async [Symbol.asyncDispose]() {
      await agent.close();
      // A monitor that a test did not end writes here until it notices that the directory is gone.
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  world.write(files);
  return world;
}

/** Small files `f0.txt` and so on. */
export function manyFiles(count: number): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`f${index}.txt`, `content ${index}`]),
  );
}

/** Empty files with names of 200 characters. */
export function longNames(count: number, filler: string): Files {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [String(index).padStart(200, filler), '']),
  );
}

/** A world whose agent misbehaves at every upload that `rule` covers. */
export function openFaulty(
  action: FaultAction,
  rule: Partial<Fault> = {},
  options: WorldOptions = {},
) {
  return openWorld({ ...options, faults: [{ on: 'upload', ...rule, do: action }] });
}

function writeFiles(directory: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
