import { readFileSync } from 'node:fs';
import type { OnStart, ProcessEnd } from './execute.ts';

export interface Run {
  readonly ms: number;
  /** Always 0, except on Linux. */
  readonly peakMib: number;
}

/** Measures the process that `run` starts. @throws Error if it fails or its memory is unknown */
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
