import path from 'node:path';
import { createMonitorDirectory } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { startMonitor } from '../tasks/monitor.ts';
import { formatDuration } from '../text/format.ts';

await runReportingStep('monitor', async (inputs, context, raw) => {
  const { name, sandboxId, sampleInterval } = inputs;
  const script = path.join(import.meta.dirname, 'monitor-sampler.js');
  await startMonitor(inputs, raw, context, { script, openDirectory: createMonitorDirectory });
  const activity = name === '' ? 'Monitoring' : `${name}: monitoring`;
  context.log.line(
    `${activity} sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`,
  );
  return undefined;
});
