import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';
import { errorCode } from './sandbox-path.ts';

/**
 * Starts a CPU window and returns the function that reads the resource usage of this machine, as
 * the stats operation reports it; each reading ends a window and starts the next. Fields without a
 * unit in their name are bytes, `ts` is in seconds.
 */
export function openMetrics(root: string): () => Promise<Readonly<Record<string, number>>> {
  let last = cpuTimes();
  return async () => {
    const now = cpuTimes();
    const cpuUsed = usedPercent(last, now);
    last = now;
    const ts = Math.floor(Date.now() / 1000);
    return {
      ts,
      cpu_count: cpus().length,
      cpu_used_pct: cpuUsed,
      ...(await memory()),
      ...(await disk(root)),
    };
  };
}

interface CpuTimes {
  readonly idle: number;
  readonly total: number;
}

function cpuTimes(): CpuTimes {
  const sum = { idle: 0, total: 0 };
  for (const { times } of cpus()) {
    sum.idle += times.idle;
    sum.total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return sum;
}

/** 0 to 100 over all CPUs together. */
function usedPercent(from: CpuTimes, to: CpuTimes): number {
  const total = to.total - from.total;
  if (total <= 0) return 0;
  const used = 100 * (1 - (to.idle - from.idle) / total);
  return Math.round(100 * Math.min(100, Math.max(0, used))) / 100;
}

/** Used memory excludes the page cache if the system tells the two apart. */
async function memory() {
  const info = await memoryInfo();
  if (info === undefined) return withMebibytes(totalmem(), totalmem() - freemem());
  const total = info('MemTotal');
  const cache = info('Cached') + info('SReclaimable');
  return { ...withMebibytes(total, total - info('MemAvailable')), mem_cache: cache };
}

function withMebibytes(total: number, used: number) {
  const [totalMib, usedMib] = [total, used].map(bytes => Math.floor(bytes / 1024 ** 2));
  return {
    mem_total_mib: totalMib ?? 0,
    mem_used_mib: usedMib ?? 0,
    mem_total: total,
    mem_used: used,
  };
}

// Only Linux tells the page cache from used memory, in KiB.
async function memoryInfo(): Promise<((name: string) => number) | undefined> {
  try {
    const text = await readFile('/proc/meminfo', 'utf8');
    const kibibytes = new Map(
      text
        .split('\n')
        .map(line => [line.split(':')[0], Number.parseInt(line.split(':')[1] ?? '0', 10)]),
    );
    return name => (kibibytes.get(name) ?? 0) * 1024;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Blocks reserved for the superuser count as used. */
async function disk(root: string) {
  const { blocks, bavail, bsize } = await statfs(root);
  return { disk_used: (blocks - bavail) * bsize, disk_total: blocks * bsize };
}
