import { jobMetadata, publishSandbox, saveLeftovers } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { rawValue } from '../inputs/parsers.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

await runStep('sandbox', async (inputs, context, raw) => {
  const metadata = { ...inputs.metadata, ...jobMetadata() };
  // Later steps fill in the placeholders.
  const baseUrl = rawValue(raw, 'base-url');
  const opened = await openSandbox({ ...inputs, metadata, baseUrl }, context, leftovers =>
    saveLeftovers(leftovers, raw),
  );
  publishSandbox(opened);
});
