import { loadLeftovers, removeJobSandbox } from '../github/job-state.ts';
import { runStep } from '../github/step.ts';
import { deleteAtEnd, deleteLost, describeEnd, SYNC_ID } from '../sandbox/sandbox.ts';

const { left, isToDelete, inputs: saved } = loadLeftovers();
const { id, lost } = left;
// The sandbox expires on its own, so a failed deletion is a warning, and must not fail the job.
if (id !== undefined && isToDelete)
  await runStep(
    'sandbox-end',
    (inputs, context) => deleteAtEnd(id, inputs, context),
    saved,
    `Sandbox ${id} could not be deleted. ${describeEnd(left)}`,
  );
else if (id !== undefined) console.log(`Sandbox ${id} is not deleted. ${describeEnd(left)}`);
if (lost !== undefined)
  await runStep(
    'sandbox-end',
    (inputs, context) => deleteLost(left, inputs, context),
    saved,
    `A failed attempt may have created a sandbox, with the metadata ${SYNC_ID}=${lost}. ${describeEnd(left)}`,
  );
removeJobSandbox();
