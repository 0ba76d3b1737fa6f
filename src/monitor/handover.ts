import { text } from 'node:stream/consumers';
import type { RawInputs } from '../inputs/parse.ts';

/** What the sampling process is told when it starts. */
export interface Handover {
  readonly inputs: RawInputs;
  /** The process whose end is the end of the job. */
  readonly jobPid: number;
}

/** Reads the handover from this process's standard input. */
export async function receiveHandover(): Promise<Handover> {
  const received: unknown = JSON.parse(await text(process.stdin));
  if (typeof received !== 'object' || received === null) throw new TypeError('no handover came');
  const { inputs, jobPid } = { inputs: {}, jobPid: undefined, ...received };
  if (typeof jobPid !== 'number') throw new TypeError('the handover names no process');
  return {
    inputs: Object.fromEntries(Object.entries({ ...inputs }).map(([name, value]) => [name, String(value)])),
    jobPid,
  };
}
