import { rmSync } from 'node:fs';
import { monitorDirectory } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { isStopped, loadInputs } from '../monitor/record.ts';
import { endMonitor } from '../tasks/monitor.ts';

const directory = monitorDirectory();
if (directory !== undefined) {
  const inputs = loadInputs(directory)?.inputs ?? {};
  // If a step stopped the monitor, it has already been judged.
  if (!isStopped(directory))
    await runReportingStep('monitor-end', (_, context) => endMonitor(directory, context), {
      inputs,
    });
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
