import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { renderStats } from '../report/stats-section.ts';
import { stats } from '../stats/stats.ts';

await runAction({
  task: 'stats',
  inputs: INPUTS.stats,
  run: async (inputs, context) => ({ stats: await stats(inputs, context) }),
  sections: (results, cancelled) => ({ stats: renderStats(results.stats, cancelled) }),
});
