import type { RawInputs } from '../inputs/parse.ts';
import type { Inputs } from '../inputs/table.ts';
import { startSampler } from '../monitor/start.ts';
import type { Surroundings } from '../run/surroundings.ts';
import { formatDuration } from '../text/units.ts';
import { logLine } from './log.ts';
import { newMonitorDirectory } from './runner.ts';

/** What starting a monitor takes beside its inputs. */
export interface Starting extends Surroundings {
  readonly raw: RawInputs;
  /** Path of the sampling process's script. */
  readonly sampler: string;
}

/** Starts the sampling process; there is nothing to report before the job's end. */
export async function startMonitor(
  { sandboxId, baseUrl, sampleInterval }: Inputs<'monitor'>,
  { raw, sampler, debug }: Starting,
): Promise<undefined> {
  // Known to the post step before there is anything to end.
  const directory = await newMonitorDirectory({ ...raw, 'base-url': baseUrl });
  await startSampler(sampler, directory, { inputs: raw, jobPid: process.ppid });
  debug?.('monitor', `Monitor: records into ${directory}, until process ${process.ppid} ends`);
  logLine(`Monitoring sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
}
