import { creationMetadata, publishSandbox, scheduleDeletion } from '../github/job-state.ts';
import { requireFiles } from '../github/runner.ts';
import { runStep } from '../github/step.ts';
import { provideSandbox } from '../sandbox/sandbox.ts';

await runStep('sandbox', async (inputs, context, raw) => {
  // Check first: without these files, no step could use or delete the sandbox.
  requireFiles('GITHUB_STATE', 'GITHUB_OUTPUT', 'RUNNER_TEMP');
  await provideSandbox(inputs, context, {
    trace: creationMetadata(),
    scheduleDeletion: lease => scheduleDeletion(lease, raw),
    publish: publishSandbox,
  });
});
