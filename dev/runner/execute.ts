import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { EOL } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called with each line of standard output as it arrives. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly onStart?: OnStart | undefined;
}

/** Called once the process has started, with a function that signals it. */
export type OnStart = (signal: (name: NodeJS.Signals) => void, pid: number | undefined) => void;

/** Line breaks in the output are LF on all systems. */
export interface ProcessEnd {
  /** Null if a signal ended the process. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a process to its end, without standard input. @throws Error if it cannot be started */
export async function execute(command: Command): Promise<ProcessEnd> {
  const { file, args, cwd, env, onLine, onStart } = command;
  const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const read = async (output: Readable) => (await text(output)).replaceAll(EOL, '\n');
  if (onLine) createInterface(child.stdout).on('line', onLine);
  onStart?.(name => child.kill(name), child.pid);
  const [stdout, stderr, [exitCode]] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, stdout, stderr };
}

export interface Run {
  readonly ms: number;
  /** Always 0, except on Linux. */
  readonly peakMib: number;
}

/**
 * Measures the process that `run` starts.
 * @throws Error if the process fails or, on Linux, if its memory is unknown
 */
export async function measure(run: (onStart: OnStart) => Promise<ProcessEnd>): Promise<Run> {
  let start = 0;
  let peakMib = 0;
  let timer: NodeJS.Timeout | undefined;
  const end = await run((_signal, pid) => {
    start = performance.now();
    timer = setInterval(() => (peakMib = Math.max(peakMib, peakMibOf(pid))), 5).unref();
  });
  const ms = performance.now() - start;
  clearInterval(timer);
  if (end.exitCode !== 0)
    throw new Error(`ended with ${end.exitCode}: ${(end.stdout + end.stderr).slice(-2000)}`);
  if (peakMib === 0 && process.platform === 'linux')
    throw new Error('the peak memory was not seen');
  return { ms, peakMib };
}

function peakMibOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
