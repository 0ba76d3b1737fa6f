import { findMonitorDirectories } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { chooseMonitor, endMonitor } from '../monitor/end-monitor.ts';
import { markJudged } from '../monitor/record.ts';

let judged: string | undefined;
await runReportingStep('monitor-stop', async ({ monitor }, context) => {
  const directory = chooseMonitor(monitor, findMonitorDirectories());
  const result = await endMonitor(directory, context);
  judged = directory;
  return result;
});
// Mark it last: if this process is killed earlier, the post step judges the monitor.
if (judged !== undefined) markJudged(judged);
