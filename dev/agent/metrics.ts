import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';

const MIB = 1024 ** 2;

/**
 * Returns a function that reads the resource usage of this machine in the format of `GET /metrics`.
 * The CPU share covers the time since the last reading. `ts` is in seconds; memory and disk are in
 * bytes unless named `_mib`.
 */
export function openMetrics(root: string): () => Readonly<Record<string, number>> {
  let last = cpuTimes();
  return () => {
    const now = cpuTimes();
    const total = now.total - last.total;
    const used = total > 0 ? 100 * (1 - (now.idle - last.idle) / total) : 0;
    last = now;
    const memory = { total: totalmem(), used: totalmem() - freemem() };
    const { blocks, bavail, bsize } = statfsSync(root);
    return {
      ts: Math.floor(Date.now() / 1000),
      cpu_count: availableParallelism(),
      cpu_used_pct: Math.round(100 * Math.max(0, used)) / 100,
      mem_total: memory.total,
      mem_used: memory.used,
      mem_total_mib: Math.floor(memory.total / MIB),
      mem_used_mib: Math.floor(memory.used / MIB),
      // Count the blocks reserved for the superuser as used.
      disk_used: (blocks - bavail) * bsize,
      disk_total: blocks * bsize,
    };
  };
}

function cpuTimes() {
  const times = cpus().map(cpu => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const busy = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
  return { idle, total: idle + busy };
}
