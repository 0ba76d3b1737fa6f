import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { HEADERS } from './contenders/contender.ts';
import { sum } from './results.ts';
import type { Target } from './sink/start.ts';

const MAIN = path.resolve(import.meta.dirname, '../agent/main.ts');

/** Starts the local agent, which writes what it gets below a folder. */
export async function startDiskAgent(folder: string): Promise<Target> {
  const root = path.join(folder, 'sandbox');
  const options = [
    '--root',
    root,
    '--sandbox-id',
    HEADERS['E2b-Sandbox-Id'],
    '--header-prefix',
    'E2b',
  ];
  const env = { ...process.env, LOCAL_AGENT_TOKEN: HEADERS['X-Access-Token'] };
  const child = spawn(process.execPath, [MAIN, ...options], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: string[] = await once(createInterface(child.stdout), 'line');
  const url = (line ?? '').replace('base-url: ', '');
  return {
    async setUp() {
      for (const name of readdirSync(root)) rmSync(path.join(root, name), { recursive: true });
      return url;
    },
    async counts() {
      const sizes = readdirSync(root, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => statSync(path.join(entry.parentPath, entry.name)).size);
      return {
        connections: null,
        requests: null,
        files: sizes.length,
        bytes: sum(sizes),
        cpuMs: null,
      };
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
