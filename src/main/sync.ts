import { runReportingStep } from '../github/step.ts';
import { sync } from '../sync/sync.ts';

await runReportingStep('sync', sync);
