import { runReportingStep } from '../github/step.ts';
import { stats } from '../stats/stats.ts';

await runReportingStep('stats', async (inputs, context) => ({
  stats: await stats(inputs, context),
}));
