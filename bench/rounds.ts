import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Contender, Job } from './contenders/contender.ts';
import { type Ended, measure } from './process.ts';
import { median, type Row } from './results.ts';
import type { Counts, Sink } from './sink/start.ts';
import { titleOf, type Workload, writeFiles } from './workloads.ts';

/** How to measure. */
export interface Plan {
  readonly sink: Sink;
  /** A folder for what a measurement needs. */
  readonly temp: string;
  /** In place of the own number of what is measured. */
  readonly rounds: number | undefined;
  readonly withWarmUp: boolean;
  /** Told what happens. */
  readonly say: (line: string) => void;
}

/** Measures the contenders of a workload at each of its latencies. Its files are removed afterwards. */
export async function measureWorkload(workload: Workload, all: readonly Contender[], plan: Plan): Promise<Row[]> {
  const { sink, temp, say } = plan;
  say(`${workload.name}: writing ${workload.sizes.length} files`);
  const folder = path.join(temp, workload.name);
  const job = { folder, temp, url: sink.url, files: writeFiles(folder, workload.sizes) };
  const rows: Row[] = [];
  for (const latencyMs of workload.latenciesMs) {
    const contenders = all.filter(contender => takesPart(contender, workload, latencyMs));
    rows.push(...(await takeTurns(contenders, { workload, latencyMs, job }, plan)));
  }
  rmSync(folder, { recursive: true });
  return rows;
}

/** Waiting makes one process per file take minutes, and says nothing new. */
function takesPart({ kind }: Contender, { kinds }: Workload, latencyMs: number): boolean {
  return kinds.includes(kind) && (latencyMs === 0 || kind !== 'curl loop');
}

interface Course {
  readonly workload: Workload;
  readonly latencyMs: number;
  readonly job: Job;
}

interface Run extends Ended {
  readonly counts: Counts;
  readonly sinkBusy: number;
}

/** All contenders in each round, one after the other, so that what disturbs the machine disturbs them all. */
async function takeTurns(contenders: readonly Contender[], course: Course, plan: Plan): Promise<Row[]> {
  const { workload, latencyMs } = course;
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

async function runOnce(contender: Contender, { workload, latencyMs, job }: Course, sink: Sink): Promise<Run> {
  const command = await contender.prepare(job);
  await sink.setUp(latencyMs);
  const { ms, peakBytes } = await measure(command);
  const counts = await sink.counts();
  const sizes = workload.sizes.slice(0, contender.sample);
  checkDelivered(contender, counts, sizes);
  const msOfAll = (ms * workload.sizes.length) / sizes.length;
  return { ms: msOfAll, peakBytes, counts, sinkBusy: counts.cpuMs / ms };
}

/** A contender that did not deliver is no faster, but wrong. */
function checkDelivered({ name }: Contender, { files, bytes }: Counts, sizes: readonly number[]): void {
  if (files === sizes.length && bytes === sum(sizes)) return;
  throw new Error(`${name} delivered ${files} of ${sizes.length} files, ${bytes} of ${sum(sizes)} bytes`);
}

function toRow(contender: Contender, { workload, latencyMs }: Course, runs: readonly Run[]): Row {
  const { name, kind, sample } = contender;
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
    peakBytes: peaks.length === 0 ? null : Math.max(...peaks),
    sinkBusy: Math.max(...runs.map(run => run.sinkBusy)),
    requests: runs.at(-1)?.counts.requests ?? 0,
    connections: runs.at(-1)?.counts.connections ?? 0,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
