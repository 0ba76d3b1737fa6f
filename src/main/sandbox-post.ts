import { loadDeletion, removeJobSandbox } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { deleteAtEnd, notDeletedWarning } from '../sandbox/sandbox.ts';

const saved = loadDeletion();
if (saved !== undefined)
  await runStep('sandbox-end', (inputs, context) => deleteAtEnd(saved.sandbox, inputs, context), {
    inputs: saved.inputs,
    // The sandbox expires on its own, so a failed deletion must not fail the job.
    failureWarning: notDeletedWarning(saved.sandbox),
  });
removeJobSandbox();
