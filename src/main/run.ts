import { run } from '../command/run.ts';
import { sharedVariables } from '../github/job-state.ts';
import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { renderCommand } from '../report/command-section.ts';
import { renderStats } from '../report/stats-section.ts';

await runAction({
  task: 'run',
  inputs: INPUTS.run,
  run: (inputs, context) =>
    run({ ...inputs, env: { ...sharedVariables(), ...inputs.env } }, context),
  sections(results, cancelled) {
    const stats = renderStats(results.stats, cancelled);
    const others = [...Object.keys(stats.outputs), 'report'];
    return { command: renderCommand(results.command, cancelled, others), stats };
  },
});
