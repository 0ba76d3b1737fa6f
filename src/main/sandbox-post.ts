import { loadDeletion, removeJobSandbox } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { deleteOrWarn, notDeletedWarning } from '../sandbox/sandbox.ts';

const saved = loadDeletion();
if (saved !== undefined)
  await runStep('sandbox-end', (inputs, context) => deleteOrWarn(saved.deletion, inputs, context), {
    inputs: saved.inputs,
    // The sandbox expires on its own, so a failed deletion must not fail the job.
    onFailure: ({ warn }, lines) => warn([notDeletedWarning(saved.deletion), ...lines].join(' ')),
  });
removeJobSandbox();
