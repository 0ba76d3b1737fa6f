import { runReportingStep } from '../github/step.ts';
import { stats } from '../stats/stats.ts';

await runReportingStep('stats', async (inputs, context) => ({
  sandbox: inputs,
  stats: await stats(inputs, context),
}));
