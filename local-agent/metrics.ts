import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, totalmem } from 'node:os';
import { errorCode } from './sandbox-path.ts';

/** Resource usage of this machine, as the stats operation reports it. */
export interface Metrics {
  /** Unix time in whole seconds. */
  readonly ts: number;
  readonly cpu_count: number;
  /** 0 to 100 over all CPUs together, since the reading before. */
  readonly cpu_used_pct: number;
  /** Bytes, as are all fields without a unit in their name. */
  readonly mem_total: number;
  /** Without the page cache. */
  readonly mem_used: number;
  readonly mem_total_mib: number;
  readonly mem_used_mib: number;
  /** The page cache; absent where the system does not tell. */
  readonly mem_cache?: number;
  readonly disk_total: number;
  /** With the blocks reserved for the superuser. */
  readonly disk_used: number;
}

/** Starts a CPU window and returns the function that reads the metrics; each reading ends a window and starts the next. */
export function openMetrics(root: string): () => Promise<Metrics> {
  let last = cpuTimes();
  return async () => {
    const now = cpuTimes();
    const cpuUsed = usedPercent(last, now);
    last = now;
    return {
      ts: Math.floor(Date.now() / 1000),
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

function usedPercent(from: CpuTimes, to: CpuTimes): number {
  const total = to.total - from.total;
  if (total <= 0) return 0;
  const used = 100 * (1 - (to.idle - from.idle) / total);
  return Math.round(100 * Math.min(100, Math.max(0, used))) / 100;
}

type Memory = Pick<Metrics, 'mem_total' | 'mem_used' | 'mem_total_mib' | 'mem_used_mib' | 'mem_cache'>;

async function memory(): Promise<Memory> {
  const info = await memoryInfo();
  if (info === undefined) return withMebibytes(totalmem(), totalmem() - freemem());
  const total = info('MemTotal');
  const used = total - info('MemFree') - info('Buffers') - info('Cached') - info('SReclaimable');
  return { ...withMebibytes(total, used), mem_cache: info('Cached') };
}

function withMebibytes(total: number, used: number): Memory {
  const mebibytes = (bytes: number) => Math.floor(bytes / 1024 ** 2);
  return {
    mem_total: total,
    mem_used: used,
    mem_total_mib: mebibytes(total),
    mem_used_mib: mebibytes(used),
  };
}

// Linux alone tells the page cache from used memory; its figures are in KiB.
async function memoryInfo(): Promise<((name: string) => number) | undefined> {
  try {
    const text = await readFile('/proc/meminfo', 'utf8');
    const kibibytes = new Map(
      text.split('\n').map(line => [line.split(':')[0], Number.parseInt(line.split(':')[1] ?? '0', 10)]),
    );
    return name => (kibibytes.get(name) ?? 0) * 1024;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function disk(root: string): Promise<Pick<Metrics, 'disk_total' | 'disk_used'>> {
  const { blocks, bavail, bsize } = await statfs(root);
  return { disk_total: blocks * bsize, disk_used: (blocks - bavail) * bsize };
}
