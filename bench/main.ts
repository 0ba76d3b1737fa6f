import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { measureColdStarts } from './cold-start.ts';
import { lineup } from './contenders/list.ts';
import { describeMachine } from './machine.ts';
import { type Options, readOptions } from './options.ts';
import type { Results, Row } from './results.ts';
import { measureWorkload } from './rounds.ts';
import { type Sink, startSink } from './sink.ts';
import { measureSink } from './sink-limit.ts';
import { resultTables, targetTable } from './table.ts';
import { judge } from './targets.ts';
import { workloads } from './workloads.ts';

// Measures the contenders against one server in turn: the tables go to the output, everything to a file of JSON.

const say = (line: string) => console.error(line);
const COLD_START = 'cold-start';
const names = [...workloads(false).map(({ name }) => name), COLD_START];
const options = readOptions(process.argv.slice(2), names, path.join(import.meta.dirname, 'results.json'));
// So that what is temporary is removed.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
await using sink = await startSink();
const results = await run(options, sink);
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
console.log(resultTables(results));
if (results.targets.length > 0) console.log(targetTable(results.targets));

async function run({ quick, rounds, isWanted }: Options, sink: Sink): Promise<Results> {
  const { contenders, leftOut } = await lineup();
  for (const each of leftOut) say(`Left out: ${each}`);
  const limit = await measureSink(sink, quick ? 100 : 2000);
  const course = { sink, withWarmUp: !quick, say };
  const plan = { ...course, contenders, rounds: quick ? 1 : rounds };
  const rows: Row[] = [];
  for (const workload of workloads(quick)) {
    if (isWanted(workload.name)) rows.push(...(await measureWorkload(workload, plan)));
  }
  const starts = { ...course, rounds: quick ? 1 : (rounds ?? 20) };
  const coldStarts = isWanted(COLD_START) ? await measureColdStarts(starts) : [];
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    sink: limit,
    rows,
    coldStarts,
    // A hundredth of the files is no measure of anything.
    targets: quick ? [] : judge({ rows, coldStarts }),
    leftOut,
  };
}
