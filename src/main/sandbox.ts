import { jobMetadata, publishSandbox, saveLeftovers } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { createOrConnect } from '../sandbox/sandbox.ts';

await runStep('sandbox', async (inputs, context, raw) => {
  const metadata = { ...inputs.metadata, ...jobMetadata() };
  const opened = await createOrConnect({ ...inputs, metadata }, context, leftovers =>
    saveLeftovers(leftovers, raw),
  );
  publishSandbox(opened);
});
