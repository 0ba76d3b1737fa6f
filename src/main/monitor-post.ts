import { rmSync } from 'node:fs';
import { loadMonitorDirectory } from '../github/job-state.ts';
import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { endMonitor } from '../monitor/end-monitor.ts';
import { hasFile, loadInputs } from '../monitor/record.ts';
import { renderMonitor } from '../report/stats-section.ts';

const directory = loadMonitorDirectory();
if (directory !== undefined) {
  const savedInputs = loadInputs(directory) ?? {};
  // Skip a monitor that monitor/stop has already judged.
  if (!hasFile(directory, 'judged'))
    await runAction({
      task: 'monitor',
      inputs: INPUTS['monitor-end'],
      savedInputs,
      run: (_, context) => endMonitor(directory, context),
      sections: ({ stats }, cancelled) => ({
        stats: renderMonitor(stats, cancelled),
      }),
    });
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
