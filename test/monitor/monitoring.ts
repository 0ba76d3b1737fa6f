import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LocalAgent, startAgent } from '../../local-agent/agent.ts';
import type { AgentOptions } from '../../local-agent/options.ts';
import { runStep, type StepEnd } from '../../local-runner/step.ts';

export const TOKEN = 'the-access-token-42';
export const MONITOR = path.resolve(import.meta.dirname, '../../monitor');

/** A job with a monitor in it, and the sandbox that it watches. */
export interface Job extends AsyncDisposable {
  readonly agent: LocalAgent;
  readonly temp: string;
  /** Runs the main step. */
  main(inputs?: Readonly<Record<string, string>>): Promise<StepEnd>;
  /** Runs the post step after a main step. */
  post(main: StepEnd, inputs?: Readonly<Record<string, string>>): Promise<StepEnd>;
}

/** Starts a job; whatever it leaves running ends when its folder is removed. */
export async function openJob(options: Partial<AgentOptions> = {}): Promise<Job> {
  const temp = mkdtempSync(path.join(tmpdir(), 'sandbox-sync-job-'));
  const root = path.join(temp, 'root');
  const agent = await startAgent({ root, token: TOKEN, sandboxId: 'sandbox1', ...options });
  const step = (inputs: Readonly<Record<string, string>>) => ({
    action: MONITOR,
    workspace: temp,
    temp,
    inputs: { 'sandbox-id': 'sandbox1', token: TOKEN, 'base-url': agent.url, interval: '200ms', ...inputs },
  });
  return {
    agent,
    temp,
    main: (inputs = {}) => runStep(step(inputs)),
    post: ({ state }, inputs = {}) => runStep({ ...step(inputs), post: { state } }),
    async [Symbol.asyncDispose]() {
      await agent.close();
      rmSync(temp, { recursive: true, force: true });
    },
  };
}

/** The monitor's directory as its main step left it in the state. */
export function directoryOf(main: StepEnd): string {
  return main.state['directory'] ?? '';
}

/** Waits until something is so; the test fails where it is not in half a minute. */
export async function until<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 1500; tries += 1) {
    const found = look();
    if (found !== undefined) return found;
    await delay(20);
  }
  throw new Error('what was waited for did not come');
}

/** The folder of /proc of the process that samples into a directory, if there is one. */
export function processIn(directory: string): string | undefined {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => path.join('/proc', name))
    .find(folder => commandLineOf(folder).at(-2) === directory);
}

/** A file of the sampling process as the system shows it. */
export function readProcess(folder: string, name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

function commandLineOf(folder: string): string[] {
  try {
    return readProcess(folder, 'cmdline').split('\0');
  } catch {
    // It ended meanwhile.
    return [];
  }
}
