import { forgetJobSandbox, sandboxToDelete } from '../github/handover.ts';
import { runStep } from '../github/step.ts';
import { deleteSandbox, leftBehind } from '../sandbox/sandbox.ts';

forgetJobSandbox();
const kept = sandboxToDelete();
if (kept !== undefined)
  await runStep('sandbox-end', (inputs, context) => deleteSandbox(kept.lease, inputs, context), {
    given: kept.inputs,
    // Do not fail the job: the sandbox will end by itself.
    onFailure: ({ warn }, lines) => warn([leftBehind(kept.lease), ...lines].join(' ')),
  });
