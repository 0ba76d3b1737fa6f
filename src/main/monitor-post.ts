import { rmSync } from 'node:fs';
import { loadMonitorDirectory } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { endMonitor } from '../monitor/end-monitor.ts';
import { isJudged, loadInputs } from '../monitor/record.ts';

const directory = loadMonitorDirectory();
if (directory !== undefined) {
  const inputs = loadInputs(directory) ?? {};
  // Skip a monitor that monitor/stop has already judged.
  if (!isJudged(directory))
    await runReportingStep('monitor-end', (_, context) => endMonitor(directory, context), inputs);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
