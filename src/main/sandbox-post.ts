import { loadLeftovers, removeJobSandbox } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { deleteAtEnd, describeEnd, notDeletedWarning } from '../sandbox/sandbox.ts';

const left = loadLeftovers();
if (left?.toDelete !== undefined || left?.lost !== undefined)
  await runStep(
    'sandbox-end',
    (inputs, context) => deleteAtEnd(left, inputs, context),
    left.inputs,
    // The sandbox expires on its own, so a failed deletion must not fail the job.
    notDeletedWarning(left),
  );
else if (left?.id !== undefined)
  console.log(`Sandbox ${left.id} is not deleted. ${describeEnd(left)}`);
removeJobSandbox();
