import { text } from 'node:stream/consumers';
import type { RawInputs } from '../inputs/parse.ts';

/** What the sampling process is told when it starts. */
export interface Handover {
  readonly inputs: RawInputs;
  /** The monitor's directory. */
  readonly directory: string;
  /** The process whose end is the end of the job. */
  readonly jobPid: number;
}

/** Reads the handover from this process's standard input. */
export async function receiveHandover(): Promise<Handover> {
  const received: unknown = JSON.parse(await text(process.stdin));
  if (typeof received !== 'object' || received === null) throw new TypeError('no handover came');
  const { inputs, directory, jobPid } = { inputs: {}, directory: '', jobPid: 0, ...received };
  const named = Object.entries({ ...inputs }).map(([name, value]) => [name, String(value)]);
  return { inputs: Object.fromEntries(named), directory: String(directory), jobPid: Number(jobPid) };
}
