import { runReportingStep } from '../github/step.ts';
import { stats } from '../tasks/stats-task.ts';

await runReportingStep('stats', stats);
