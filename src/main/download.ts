import { download } from '../download/download.ts';
import { runReportingStep } from '../github/step.ts';

await runReportingStep('download', async (inputs, context) => ({
  download: await download(inputs, context),
}));
