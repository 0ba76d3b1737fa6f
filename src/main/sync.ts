import { runReportingStep } from '../github/step.ts';
import { sync } from '../tasks/sync.ts';

await runReportingStep('sync', sync);
