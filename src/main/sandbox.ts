import { jobMetadata, publishSandbox, saveDeletion } from '../github/job-state.ts';
import { requireVariables } from '../github/runner.ts';
import { runStep } from '../github/step.ts';
import { createOrConnect } from '../sandbox/sandbox.ts';

await runStep('sandbox', async (inputs, context, raw) => {
  // Without these files, no later step could use or delete the sandbox.
  requireVariables('GITHUB_STATE', 'GITHUB_OUTPUT', 'RUNNER_TEMP');
  const metadata = { ...inputs.metadata, ...jobMetadata() };
  const opened = await createOrConnect({ ...inputs, metadata }, context, sandbox =>
    saveDeletion(sandbox, raw),
  );
  publishSandbox(opened);
});
