import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';

const MIB = 1024 ** 2;

/**
 * Returns a function that reads the resource usage of this machine in the format of `GET /metrics`.
 * The CPU share covers the time since the last reading.
 */
export function openMetrics(root: string): () => Readonly<Record<string, number>> {
  let last = cpuTimes();
  return () => {
    const now = cpuTimes();
    const idle = (now.idle - last.idle) / Math.max(1, now.total - last.total);
    last = now;
    const [memTotal, memUsed] = [totalmem(), totalmem() - freemem()];
    const { blocks, bavail, bsize } = statfsSync(root);
    return {
      ts: Math.floor(Date.now() / 1000),
      cpu_count: availableParallelism(),
      cpu_used_pct: Math.round(10_000 * (1 - idle)) / 100,
      mem_total: memTotal,
      mem_used: memUsed,
      mem_total_mib: Math.floor(memTotal / MIB),
      mem_used_mib: Math.floor(memUsed / MIB),
      // Count the blocks reserved for the superuser as used.
      disk_used: (blocks - bavail) * bsize,
      disk_total: blocks * bsize,
    };
  };
}

function cpuTimes() {
  const times = cpus().flatMap(cpu => Object.entries(cpu.times));
  const sum = (some: typeof times) => some.reduce((total, [, ms]) => total + ms, 0);
  return { idle: sum(times.filter(([kind]) => kind === 'idle')), total: sum(times) };
}
