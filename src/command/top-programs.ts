import { excerpt } from '../agent/failure.ts';
import { type Condition, isTrueFor } from '../gate/judge.ts';
import { figureOf, type Sample } from '../gate/metrics.ts';
import type { Redact } from '../text/escape.ts';
import { totalSize } from '../text/format.ts';
import { type HelperOptions, runAsRoot } from './session.ts';

/** The programs that used most memory at a time in Unix milliseconds, largest first. */
export interface TopPrograms {
  readonly at: number;
  readonly programs: readonly {
    readonly name: string;
    /** Number of processes. */
    readonly count: number;
    readonly bytes: number;
  }[];
}

const FIRST_PERCENT = 70;
const STEP_PERCENT = 10;

/** Calls `look` after samples with a new high of memory, but never twice at the same time. */
export function watchMemory(
  conditions: readonly Condition[],
  look: () => Promise<TopPrograms | undefined>,
) {
  const watched = conditions.filter(({ metric }) => metric.startsWith('mem_'));
  const levelOf = (sample: Sample) => {
    const trips = watched.some(each => isTrueFor(each, sample));
    const above = (figureOf('mem_used_pct', sample.figures) ?? 0) - FIRST_PERCENT;
    return Math.max(Math.ceil(above / STEP_PERCENT), 0) + (trips ? 1 : 0);
  };
  let level = 0;
  let seen: TopPrograms | undefined;
  const onSample = async (sample: Sample) => {
    // Look again at each higher level, since the last list may have what the kernel kills next.
    const next = levelOf(sample);
    if (next <= level) return;
    // No level is higher until this look has ended.
    level = Number.POSITIVE_INFINITY;
    seen = (await look()) ?? seen;
    level = next;
  };
  return { onSample: (sample: Sample) => void onSample(sample), topPrograms: () => seen };
}

// Leaves out arguments, which may be secret. A process's own name would be "MainThread" for Node.
const LIST_PROCESSES =
  'exec 2>/dev/null; ls -l /proc/[0-9]*/exe; grep -H ^RssAnon /proc/[0-9]*/status';

/** Returns undefined if the programs cannot be listed. */
export async function lookAtPrograms(
  options: HelperOptions,
  now: () => number,
): Promise<TopPrograms | undefined> {
  const at = now();
  try {
    const output = await runAsRoot(options, LIST_PROCESSES);
    const programs = parsePrograms(output, options.client.redact);
    return programs.length === 0 ? undefined : { at, programs };
  } catch {
    // The list only informs, so nothing that fails here may end the step.
    return undefined;
  }
}

const MAX_PROGRAMS = 5;
const MAX_NAME = 40;

/** Reads lines like `… /proc/7/exe -> /bin/node` and `/proc/7/status:RssAnon:    512 kB`. */
export function parsePrograms(output: string, redact: Redact): TopPrograms['programs'] {
  const links = output.matchAll(/\/proc\/(\d+)\/exe -> (?:.*\/)?(.*?)(?: \(deleted\))?$/gm);
  const names = new Map(Array.from(links, ([, pid, name = '']) => [pid, name]));
  const sizes = output.matchAll(/^\/proc\/(\d+)\/status:RssAnon:\s*(\d+) kB$/gm);
  const processes = Array.from(sizes, ([, pid, kib]) => {
    return { name: excerpt(names.get(pid) ?? '', redact, MAX_NAME), size: Number(kib) * 1024 };
  });
  return [...Map.groupBy(processes, ({ name }) => name)]
    .map(([name, all]) => ({ name, count: all.length, bytes: totalSize(all) }))
    .filter(({ name }) => name !== '')
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, MAX_PROGRAMS);
}
