import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Contender, Job, Kind } from './contenders/contender.ts';
import { lineMs, type Place, placeText } from './places.ts';
import { type Ended, measure } from './process.ts';
import { median, type Row, sum } from './results.ts';
import type { Counts, Target } from './sink/start.ts';
import { titleOf, type Workload, writeFiles } from './workloads.ts';

/** How to measure. */
export interface Plan {
  readonly servers: Readonly<Record<Place['server'], Target>>;
  /** File of the sink's CA certificate; undefined without TLS. */
  readonly caFile: string | undefined;
  /** A folder for measurements. */
  readonly temp: string;
  /** Overrides the number of rounds of each measurement. */
  readonly rounds: number | undefined;
  readonly withWarmUp: boolean;
  /** Gets a line for each step. */
  readonly say: (line: string) => void;
}

/**
 * Measures the contenders of a workload in each of its places. Its files are removed afterwards.
 */
export async function measureWorkload(
  workload: Workload,
  all: readonly Contender[],
  plan: Plan,
): Promise<Row[]> {
  const { temp, say } = plan;
  say(`${workload.name}: writing ${workload.sizes.length} files`);
  const folder = path.join(temp, workload.name);
  const files = writeFiles(folder, workload.sizes);
  const rows: Row[] = [];
  for (const place of workload.places) {
    if (place.tls && plan.caFile === undefined) continue;
    const contenders = all.filter(contender => takesPart(contender, workload, place));
    rows.push(
      ...(await takeTurns(contenders, { workload, place, job: { folder, temp, files } }, plan)),
    );
  }
  rmSync(folder, { recursive: true });
  return rows;
}

/** At a distance they take minutes and show nothing new. */
const SLOW: readonly Kind[] = ['curl loop', 'e2b one'];

function takesPart({ kind }: Contender, { kinds }: Workload, place: Place): boolean {
  if (placeText(place) !== '' && SLOW.includes(kind)) return false;
  // The local agent only takes forms.
  if (place.server === 'agent' && kind === 'e2b stream') return false;
  return kinds.includes(kind) && (place.tls || kind !== 'curl -Z h2');
}

interface Course {
  readonly workload: Workload;
  readonly place: Place;
  readonly job: Pick<Job, 'folder' | 'temp' | 'files'>;
}

interface Run extends Ended {
  readonly counts: Counts;
  readonly serverBusy: number | null;
}

/** Runs all contenders in each round, so that what disturbs the machine disturbs them all. */
async function takeTurns(
  contenders: readonly Contender[],
  course: Course,
  plan: Plan,
): Promise<Row[]> {
  const { workload, place } = course;
  const runs = contenders.map((): Run[] => []);
  const rounds = plan.rounds ?? workload.rounds;
  // The first place has already read the files once.
  for (
    let round = plan.withWarmUp && place === workload.places[0] ? 0 : 1;
    round <= rounds;
    round += 1
  ) {
    for (const [index, contender] of contenders.entries()) {
      const run = await runOnce(contender, course, plan);
      const where = placeText(place) || 'near';
      const title = `${workload.name}, ${where}, round ${round} of ${rounds}: ${contender.name}`;
      plan.say(`${title} took ${Math.round(run.ms)} ms${round === 0 ? ' (not counted)' : ''}`);
      if (round > 0) runs[index]?.push(run);
    }
  }
  return contenders.map((contender, index) => toRow(contender, course, runs[index] ?? []));
}

async function runOnce(
  contender: Contender,
  { workload, place, job }: Course,
  plan: Plan,
): Promise<Run> {
  const server = plan.servers[place.server];
  const command = await contender.prepare({
    ...job,
    url: await server.setUp(place),
    caFile: plan.caFile,
  });
  const { ms, peakBytes } = await measure(command);
  const counts = await server.counts();
  const sizes = workload.sizes.slice(0, contender.sample);
  checkDelivered(contender, counts, sizes);
  const msOfAll = (ms * workload.sizes.length) / sizes.length;
  return {
    ms: msOfAll,
    peakBytes,
    counts,
    serverBusy: counts.cpuMs === null ? null : counts.cpuMs / ms,
  };
}

/** A contender that did not deliver is wrong, not fast. */
function checkDelivered(
  { name }: Contender,
  { files, bytes }: Counts,
  sizes: readonly number[],
): void {
  if (files === sizes.length && bytes === sum(sizes)) return;
  throw new Error(
    `${name} delivered ${files} of ${sizes.length} files, ${bytes} of ${sum(sizes)} bytes`,
  );
}

function toRow(contender: Contender, { workload, place }: Course, runs: readonly Run[]): Row {
  const { name, kind, sample } = contender;
  const files = workload.sizes.length;
  const roundsMs = runs.map(({ ms }) => ms);
  const bytes = sum(workload.sizes);
  return {
    workload: workload.name,
    title: titleOf(workload),
    place: placeText(place),
    lineMs: lineMs(place, bytes),
    contender: name,
    kind,
    files,
    bytes,
    sample: sample !== undefined && sample < files ? sample : null,
    roundsMs,
    medianMs: median(roundsMs),
    peakBytes: largest(runs.map(run => run.peakBytes)),
    serverBusy: largest(runs.map(run => run.serverBusy)),
    requests: runs.at(-1)?.counts.requests ?? null,
    connections: runs.at(-1)?.counts.connections ?? null,
  };
}

function largest(numbers: readonly (number | null | undefined)[]): number | null {
  const known = numbers.filter(each => each !== null && each !== undefined);
  return known.length === 0 ? null : Math.max(...known);
}
