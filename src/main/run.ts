import { run } from '../command/run.ts';
import { runReportingStep } from '../github/step.ts';

await runReportingStep('run', async (inputs, context) => ({
  sandbox: inputs,
  ...(await run(inputs, context)),
}));
