import path from 'node:path';
import type { Contender, Job } from './contenders/contender.ts';
import { measure } from './process.ts';
import type { Row } from './results.ts';
import type { Counts } from './sink/messages.ts';
import type { Sink } from './sink.ts';
import { median } from './statistics.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { titleOf, type Workload, writeFiles } from './workloads.ts';

/** How to measure. */
export interface Plan {
  readonly contenders: readonly Contender[];
  readonly sink: Sink;
  /** In place of the workload's own number. */
  readonly rounds: number | undefined;
  readonly withWarmUp: boolean;
  /** Told what happens. */
  readonly say: (line: string) => void;
}

/** Measures the contenders of a workload at each of its latencies. Its files are removed afterwards. */
export async function measureWorkload(workload: Workload, plan: Plan): Promise<Row[]> {
  using temp = temporaryFolder();
  plan.say(`${workload.name}: writing ${workload.sizes.length} files`);
  const folder = path.join(temp.path, 'files');
  const job = { folder, temp: temp.path, url: plan.sink.url, files: writeFiles(folder, workload.sizes) };
  const rows: Row[] = [];
  for (const latencyMs of workload.latenciesMs)
    rows.push(...(await takeTurns({ workload, latencyMs, job }, plan)));
  return rows;
}

interface Course {
  readonly workload: Workload;
  readonly latencyMs: number;
  readonly job: Job;
}

interface Run {
  /** For all files of the workload. */
  readonly ms: number;
  readonly peakBytes: number | undefined;
  readonly counts: Counts;
  readonly sinkBusy: number;
}

/** All contenders in each round, one after the other, so that what disturbs the machine disturbs them all. */
async function takeTurns(course: Course, plan: Plan): Promise<Row[]> {
  const { workload, latencyMs } = course;
  const kinds: readonly string[] = workload.kinds;
  const contenders = plan.contenders.filter(({ kind }) => kinds.includes(kind)).filter(suits(latencyMs));
  const runs = contenders.map((): Run[] => []);
  const rounds = plan.rounds ?? workload.rounds;
  // With latency, the files have been read by the rounds without.
  for (let round = plan.withWarmUp && latencyMs === 0 ? 0 : 1; round <= rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const run = await runOnce(contender, course, plan.sink);
      const title = `${workload.name}, ${latencyMs} ms, round ${round} of ${rounds}: ${contender.name}`;
      plan.say(`${title} took ${Math.round(run.ms)} ms${round === 0 ? ' (not counted)' : ''}`);
      if (round > 0) runs[index]?.push(run);
    }
  }
  return contenders.map((contender, index) => toRow(contender, course, runs[index] ?? []));
}

/** Waiting makes one process a file take minutes, and says nothing new. */
function suits(latencyMs: number): (contender: Contender) => boolean {
  return ({ kind }) => latencyMs === 0 || kind !== 'curl loop';
}

async function runOnce(contender: Contender, { workload, latencyMs, job }: Course, sink: Sink): Promise<Run> {
  await using prepared = await contender.prepare(job);
  await sink.setUp({ latencyMs });
  const ended = await measure(prepared.command);
  const counts = await sink.counts();
  const sizes = workload.sizes.slice(0, contender.sample);
  checkDelivered(contender, counts, sizes);
  const ms = contender.measuresItself === true ? lastNumber(ended.stdout) : ended.ms;
  return {
    ...ended,
    ms: (ms * workload.sizes.length) / sizes.length,
    counts,
    sinkBusy: counts.cpuMs / ended.ms,
  };
}

function lastNumber(text: string): number {
  const number = Number(/(\S+)\s*$/.exec(text)?.[1]);
  if (Number.isNaN(number)) throw new Error(`No number at the end of: ${text}`);
  return number;
}

/** A contender that did not deliver is no faster, but wrong. */
function checkDelivered({ name }: Contender, { files, bytes }: Counts, sizes: readonly number[]): void {
  if (files === sizes.length && bytes === sum(sizes)) return;
  throw new Error(`${name} delivered ${files} of ${sizes.length} files, ${bytes} of ${sum(sizes)} bytes`);
}

function toRow(contender: Contender, { workload, latencyMs }: Course, runs: readonly Run[]): Row {
  const { name, kind, sample, measuresItself = false } = contender;
  const files = workload.sizes.length;
  const roundsMs = runs.map(({ ms }) => ms);
  const peaks = runs.flatMap(({ peakBytes }) => peakBytes ?? []);
  return {
    workload: workload.name,
    title: titleOf(workload),
    latencyMs,
    contender: name,
    kind,
    files,
    bytes: sum(workload.sizes),
    sample: sample !== undefined && sample < files ? sample : null,
    roundsMs,
    medianMs: median(roundsMs),
    // A process that measures a part of itself has more in memory than that part.
    peakBytes: measuresItself || peaks.length === 0 ? null : Math.max(...peaks),
    sinkBusy: Math.max(...runs.map(run => run.sinkBusy)),
    requests: runs.at(-1)?.counts.requests ?? 0,
    connections: runs.at(-1)?.counts.connections ?? 0,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
