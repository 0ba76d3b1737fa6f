import { jobMetadata, publishSandbox, saveCleanup } from '../github/job-state.ts';
import { runAction } from '../github/run-action.ts';
import { INPUTS } from '../inputs/inputs.ts';
import { rawValue } from '../inputs/parsers.ts';
import { openSandbox } from '../sandbox/sandbox.ts';

await runAction({
  task: 'sandbox',
  inputs: INPUTS.sandbox,
  async run(inputs, context, raw) {
    const metadata = { ...inputs.metadata, ...jobMetadata() };
    // Later steps fill in the placeholders.
    const baseUrl = rawValue(raw, 'base-url');
    const opened = await openSandbox({ ...inputs, metadata, baseUrl }, context, cleanup =>
      saveCleanup(cleanup, raw),
    );
    publishSandbox(opened);
    return undefined;
  },
});
