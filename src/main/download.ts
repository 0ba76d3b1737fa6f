import { runReportingStep } from '../github/step.ts';
import { download } from '../tasks/download.ts';

await runReportingStep('download', download);
