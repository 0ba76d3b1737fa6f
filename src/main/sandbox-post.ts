import { loadDeletion, removeJobSandbox } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { deleteAtEnd, notDeletedWarning } from '../sandbox/sandbox.ts';

const saved = loadDeletion();
if (saved !== undefined)
  await runStep(
    'sandbox-end',
    (inputs, context) => deleteAtEnd(saved.sandbox.id, inputs, context),
    saved.inputs,
    // The sandbox expires on its own, so a failed deletion must not fail the job.
    notDeletedWarning(saved.sandbox),
  );
removeJobSandbox();
