import { download } from '../download/download.ts';
import { runReportingStep } from '../github/step.ts';

await runReportingStep('download', async (inputs, context) => ({
  sandbox: inputs,
  download: await download(inputs, context),
}));
