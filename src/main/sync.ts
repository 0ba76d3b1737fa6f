import { runReportingStep } from '../github/step.ts';
import { sync } from '../run/sync.ts';

await runReportingStep('sync', sync);
