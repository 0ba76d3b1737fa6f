import { runReportingStep } from '../github/step.ts';
import { stats } from '../run/measure.ts';

await runReportingStep('stats', stats);
