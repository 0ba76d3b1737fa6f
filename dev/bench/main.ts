import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { hasOpenssl, makeKeys } from '../agent/keys.ts';
import { startDiskAgent } from './agent.ts';
import { measureColdStarts } from './cold-start.ts';
import { actionContenders } from './contenders/action.ts';
import { curlContenders } from './contenders/curl.ts';
import { e2bContenders, e2bVersion } from './contenders/e2b.ts';
import { describeMachine } from './machine.ts';
import type { Results, Row } from './results.ts';
import { measureWorkload } from './rounds.ts';
import { measureSampler } from './sampler.ts';
import { startSink } from './sink/start.ts';
import { resultTables, targetTable } from './table.ts';
import { judge } from './targets.ts';
import { workloads } from './workloads.ts';

// Measures the contenders against one server in turn: the tables go to the output, everything to a
// file of JSON.

interface Options {
  /** Names of what to measure. */
  readonly wanted: readonly string[];
  /** In place of each workload's own number. */
  readonly rounds: number | undefined;
  /** Where the results go, as JSON; undefined for nowhere. */
  readonly json: string | undefined;
  /** A hundredth of the files and one round: shows that it works, not how fast. */
  readonly quick: boolean;
}

const NAMES = [...workloads(false).map(({ name }) => name), 'cold-start', 'sampler'];

const options = readOptions(process.argv.slice(2));
const results = await run(options);
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
console.log(resultTables(results));
// Targets make no sense for a hundredth of the files.
if (!options.quick) console.log(targetTable(judge(results)));

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      workload: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { workload, rounds, quick } = values;
  for (const name of workload)
    if (!NAMES.includes(name))
      throw new Error(`--workload ${name}: it must be one of ${NAMES.join(', ')}`);
  if (rounds !== undefined && !/^[1-9]\d*$/.test(rounds))
    throw new Error(`--rounds ${rounds}: it must be a whole number above 0`);
  const isWhole = workload.length === 0 && !quick;
  return {
    wanted: workload.length === 0 ? NAMES : workload,
    rounds: rounds === undefined ? undefined : Number(rounds),
    json: values.json ?? (isWhole ? path.join(import.meta.dirname, 'results.json') : undefined),
    quick,
  };
}

async function run({ wanted, rounds, quick }: Options): Promise<Results> {
  using temp = mkdtempDisposableSync(path.join(tmpdir(), 'sandbox-sync-bench-'));
  process.once('exit', () => temp.remove());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  using keys = hasOpenssl ? makeKeys() : undefined;
  await using sink = await startSink(keys);
  await using agent = await startDiskAgent(temp.path);
  const contenders = [...actionContenders, ...curlContenders, ...e2bContenders()];
  const say = (line: string) => console.error(line);
  const own = { servers: { sink, agent }, caFile: keys?.certFile, temp: temp.path };
  const plan = { ...own, say, rounds: quick ? 1 : rounds, withWarmUp: !quick };
  const rows: Row[] = [];
  for (const workload of workloads(quick))
    if (wanted.includes(workload.name))
      rows.push(...(await measureWorkload(workload, contenders, plan)));
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    rows,
    coldStarts: wanted.includes('cold-start') ? await measureColdStarts(plan) : [],
    samplerPeakBytes: wanted.includes('sampler')
      ? await measureSampler(plan, quick ? 2 : 20)
      : null,
    leftOut: [
      ...(e2bVersion() === null
        ? ['e2b: it is not installed, npm ci --prefix dev/bench does it']
        : []),
      ...(keys === undefined ? ['TLS: there is no openssl for its keys'] : []),
    ],
  };
}
