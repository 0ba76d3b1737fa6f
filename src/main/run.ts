import { runReportingStep } from '../github/step.ts';
import { run } from '../tasks/run.ts';

await runReportingStep('run', run);
