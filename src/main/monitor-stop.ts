import { findMonitorDirectories } from '../github/job-state.ts';
import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { chooseMonitor, endMonitor } from '../monitor/end-monitor.ts';
import { saveFile } from '../monitor/record.ts';
import { renderMonitor } from '../report/stats-section.ts';

let judged: string | undefined;
await runAction({
  task: 'monitor',
  inputs: INPUTS['monitor-stop'],
  async run({ monitor }, context) {
    const directory = chooseMonitor(monitor, findMonitorDirectories());
    const result = await endMonitor(directory, context);
    judged = directory;
    return result;
  },
  sections: ({ stats }, cancelled) => ({
    stats: renderMonitor(stats, cancelled),
  }),
  earlierStep: result => result,
});
// Mark it last: if this process is killed earlier, the post step judges the monitor.
if (judged !== undefined) saveFile(judged, 'judged');
