import { runReportingStep } from '../github/step.ts';
import { upload } from '../tasks/upload.ts';

await runReportingStep('upload', upload);
