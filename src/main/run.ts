import { sandboxEnd } from '../github/job-state.ts';
import { runReportingStep } from '../github/step.ts';
import { run } from '../tasks/run.ts';

await runReportingStep('run', (inputs, context) =>
  run(inputs, context, sandboxEnd(inputs.sandboxId)),
);
