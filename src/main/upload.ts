import { runReportingStep } from '../github/step.ts';
import { upload } from '../upload/upload.ts';

await runReportingStep('upload', async (inputs, context) => ({
  upload: await upload(inputs, context),
}));
