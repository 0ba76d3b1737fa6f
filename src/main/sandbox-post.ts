import { forgetJobSandbox, loadScheduledDeletion } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { deleteSandbox, leftBehind } from '../sandbox/sandbox.ts';

forgetJobSandbox();
const saved = loadScheduledDeletion();
if (saved !== undefined)
  await runStep('sandbox-end', (inputs, context) => deleteSandbox(saved.lease, inputs, context), {
    inputs: saved.inputs,
    // Do not fail the job: the sandbox will end by itself.
    onFailure: ({ warn }, lines) => warn([leftBehind(saved.lease), ...lines].join(' ')),
  });
