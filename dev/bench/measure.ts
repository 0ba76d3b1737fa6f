import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Command } from '../runner/execute.ts';

/** One run of a process. */
export interface Run {
  readonly ms: number;
  /** 0 if the system is not Linux. */
  readonly peakMib: number;
}

/** Runs a process to its end. @throws Error if it fails, or its memory cannot be measured */
export async function measure({ file, args, cwd, env }: Command): Promise<Run> {
  const start = performance.now();
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let peakMib = 0;
  const timer = setInterval(() => {
    peakMib = Math.max(peakMib, peakOf(child.pid));
  }, 5);
  const exit = once(child, 'exit').then(([code]) => ({ code, ms: performance.now() - start }));
  const [{ code, ms }, ...said] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  clearInterval(timer);
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${said.join('').slice(-2000)}`);
  if (peakMib === 0 && process.platform === 'linux')
    throw new Error(`the peak memory of ${file} was not seen`);
  return { ms, peakMib };
}

/** The high-water mark of a process in MiB; 0 if it has ended, or the system is not Linux. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
