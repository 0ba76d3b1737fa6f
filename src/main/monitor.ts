import path from 'node:path';
import { createMonitorDirectory } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { startMonitor } from '../tasks/monitor.ts';

const script = path.join(import.meta.dirname, 'monitor-sampler.js');
const files = { script, openDirectory: createMonitorDirectory };
await runReportingStep('monitor', (inputs, context, raw) =>
  startMonitor(inputs, raw, context, files),
);
