import { run } from '../command/run.ts';
import { runReportingStep } from '../github/step.ts';

await runReportingStep('run', run);
