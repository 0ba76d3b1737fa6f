import { runReportingStep } from '../github/step.ts';
import { upload } from '../upload/upload.ts';

await runReportingStep('upload', async (inputs, context) => ({
  sandbox: inputs,
  upload: await upload(inputs, context),
}));
