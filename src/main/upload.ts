import { runReportingStep } from '../github/step.ts';
import { upload } from '../run/sync.ts';

await runReportingStep('upload', upload);
