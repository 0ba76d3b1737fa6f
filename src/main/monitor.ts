import path from 'node:path';
import { logLine } from '../github/log.ts';
import { newMonitorDirectory } from '../github/monitor-state.ts';
import { step } from '../github/step.ts';
import { startSampler } from '../monitor/start.ts';
import { formatDuration } from '../text/format.ts';

const sampler = path.join(import.meta.dirname, 'monitor-sampler.js');
await step('monitor', async ({ sandboxId, baseUrl, sampleInterval, name }, { debug }, raw) => {
  // Tell the post step about the directory before starting the process that it must end.
  const directory = await newMonitorDirectory({ ...raw, 'base-url': baseUrl });
  await startSampler(sampler, directory, { inputs: raw, jobPid: process.ppid });
  debug(`Monitor: records into ${directory}, until process ${process.ppid} ends`);
  const who = name === '' ? 'Monitoring' : `${name}: monitoring`;
  logLine(`${who} sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
  return undefined;
});
