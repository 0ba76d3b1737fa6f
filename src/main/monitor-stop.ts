import { findMonitorDirectories } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { markStopped } from '../monitor/record.ts';
import { chooseMonitor, endMonitor } from '../tasks/monitor.ts';

let judged: string | undefined;
await runReportingStep('monitor-stop', async ({ monitor }, context) => {
  const directory = chooseMonitor(monitor, findMonitorDirectories());
  const report = await endMonitor(directory, context);
  judged = directory;
  return report;
});
// Mark it last: if this process is killed earlier, the post step judges the monitor.
if (judged !== undefined) markStopped(judged);
