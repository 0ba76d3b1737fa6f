import path from 'node:path';
import { createMonitorDirectory } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { startMonitor } from '../monitor/start-monitor.ts';

const script = path.join(import.meta.dirname, 'monitor-sampler.js');
const files = { script, openDirectory: createMonitorDirectory };
await runReportingStep('monitor', async (inputs, context, raw) => {
  await startMonitor(inputs, raw, context, files);
  // The step that ends the monitor reports.
  return undefined;
});
