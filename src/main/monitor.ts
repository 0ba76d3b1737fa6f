import path from 'node:path';
import { logLine } from '../github/log.ts';
import { newMonitorDirectory } from '../github/runner.ts';
import { step } from '../github/step.ts';
import { startSampler } from '../monitor/start.ts';
import { formatDuration } from '../text/units.ts';

const sampler = path.join(import.meta.dirname, 'monitor-sampler.js');
await step('monitor', async ({ sandboxId, baseUrl, sampleInterval }, { debug }, raw) => {
  // Known to the post step before there is anything to end.
  const directory = await newMonitorDirectory({ ...raw, 'base-url': baseUrl });
  await startSampler(sampler, directory, { inputs: raw, jobPid: process.ppid });
  debug?.('monitor', `Monitor: records into ${directory}, until process ${process.ppid} ends`);
  logLine(`Monitoring sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
  return undefined;
});
