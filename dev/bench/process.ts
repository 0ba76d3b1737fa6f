import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** A process to start. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The expected exit code. Default 0. */
  readonly exitCode?: string;
}

/** How a process went. */
export interface Ended {
  /** From before its start to its end, in milliseconds. */
  readonly ms: number;
  /**
   * The most memory that it or one of its children held, in bytes; undefined on systems without
   * /proc.
   */
  readonly peakBytes: number | undefined;
}

/** Runs a process to its end and measures it. @throws Error for another exit code */
export async function measure({ file, args, cwd, env, exitCode = '0' }: Command): Promise<Ended> {
  const start = performance.now();
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const memory = watchMemory(child.pid ?? 0);
  const exit = once(child, 'exit').then(([code]) => ({
    code: String(code),
    ms: performance.now() - start,
  }));
  const [{ code, ms }, stdout, stderr] = await Promise.all([
    exit,
    text(child.stdout),
    text(child.stderr),
  ]);
  const peakBytes = memory.stop();
  if (code !== exitCode)
    throw new Error(`${file} ended with ${code}:\n${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  return { ms, peakBytes };
}

const LOOK_MS = 5;

/** Polls the high-water mark of a process; growth after the last look is missed. */
function watchMemory(pid: number): { stop: () => number | undefined } {
  let peak: number | undefined;
  const look = () => {
    for (const each of [pid, ...childrenOf(pid)])
      peak = Math.max(peak ?? 0, highWaterMark(each)) || undefined;
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return peak;
    },
  };
}

/** Peak memory of a process so far, in bytes; 0 if it has ended. */
export function highWaterMark(pid: number): number {
  const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(readProc(`${pid}/status`))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}

function childrenOf(pid: number): number[] {
  return readProc(`${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** A file of /proc; empty if the process has ended. */
export function readProc(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, 'utf8');
  } catch {
    return '';
  }
}
