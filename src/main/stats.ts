import { runReportingStep } from '../github/step.ts';
import { stats } from '../tasks/measure.ts';

await runReportingStep('stats', stats);
