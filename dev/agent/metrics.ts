import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';

const MIB = 1024 ** 2;

/**
 * Reads the resource usage of this machine, as the stats operation reports it. The CPU's share is
 * that since the last reading. Fields without a unit in their name are bytes, `ts` is in seconds.
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
      // Blocks reserved for the superuser count as used.
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
