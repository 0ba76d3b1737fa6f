import { loadCleanup, removeJobSandbox } from '../github/job-state.ts';
import { publishKept } from '../github/publish.ts';
import { runAction } from '../github/run-action.ts';
import type { Context } from '../inputs/context.ts';
import { INPUTS, type Inputs } from '../inputs/inputs.ts';
import { deleteAtEnd, deleteUnconfirmed, describeExpiry, SYNC_ID } from '../sandbox/sandbox.ts';

const { cleanup, shouldDelete, inputs: savedInputs } = loadCleanup();
const { id, unconfirmedCreation } = cleanup;
if (id !== undefined && shouldDelete)
  await cleanUp(
    (inputs, context) => deleteAtEnd(id, inputs, context),
    `Sandbox ${id} could not be deleted. ${describeExpiry(cleanup)}`,
  );
else if (id !== undefined && cleanup.isCreated) await publishKept(id, describeExpiry(cleanup));
else if (id !== undefined) console.log(`Sandbox ${id} is not deleted. ${describeExpiry(cleanup)}`);
if (unconfirmedCreation !== undefined)
  await cleanUp(
    (inputs, context) => deleteUnconfirmed(cleanup, inputs, context),
    `A failed attempt may have created a sandbox, with the metadata ${SYNC_ID}=${unconfirmedCreation}. ${describeExpiry(cleanup)}`,
  );
removeJobSandbox();

/** The sandbox expires on its own, so a failed deletion is a warning, and must not fail the job. */
async function cleanUp(
  clean: (inputs: Inputs<'sandbox-end'>, context: Context) => Promise<void>,
  failureWarning: string,
): Promise<void> {
  await runAction({
    task: 'sandbox',
    inputs: INPUTS['sandbox-end'],
    savedInputs,
    async run(inputs, context) {
      await clean(inputs, context);
      return undefined;
    },
    failureWarning,
  });
}
