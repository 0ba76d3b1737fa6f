import { runReportingStep } from '../github/step.ts';
import { upload } from '../tasks/sync.ts';

await runReportingStep('upload', upload);
