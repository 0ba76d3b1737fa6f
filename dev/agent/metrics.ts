import { readFileSync, statfsSync } from 'node:fs';
import { cpus, freemem, totalmem } from 'node:os';

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
    return {
      ts: Math.floor(Date.now() / 1000),
      cpu_count: cpus().length,
      cpu_used_pct: Math.round(100 * Math.max(0, used)) / 100,
      ...memory(),
      ...disk(root),
    };
  };
}

function cpuTimes() {
  const times = cpus().map(cpu => cpu.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  const busy = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
  return { idle, total: idle + busy };
}

/** Used memory excludes the page cache if the system tells the two apart. */
function memory() {
  const info = memoryInfo();
  const total = info?.('MemTotal') ?? totalmem();
  const used = total - (info?.('MemAvailable') ?? freemem());
  return {
    mem_total_mib: Math.floor(total / 1024 ** 2),
    mem_used_mib: Math.floor(used / 1024 ** 2),
    mem_total: total,
    mem_used: used,
    ...(info && { mem_cache: info('Cached') + info('SReclaimable') }),
  };
}

// Only Linux tells the page cache from used memory, in KiB.
function memoryInfo(): ((name: string) => number) | undefined {
  if (process.platform !== 'linux') return undefined;
  const text = readFileSync('/proc/meminfo', 'utf8');
  return name => 1024 * Number(new RegExp(`^${name}: *(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Blocks reserved for the superuser count as used. */
function disk(root: string) {
  const { blocks, bavail, bsize } = statfsSync(root);
  return { disk_used: (blocks - bavail) * bsize, disk_total: blocks * bsize };
}
