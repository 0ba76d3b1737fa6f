import { A as deleteUnconfirmed, O as SYNC_ID, P as INPUTS, S as loadCleanup, T as removeJobSandbox, _ as runAction, j as describeExpiry, k as deleteAtEnd, v as publishKept } from "./shared.js";

// src/main/sandbox-post.ts
const { cleanup, shouldDelete, inputs: savedInputs } = loadCleanup();
const { id, unconfirmedCreation } = cleanup;
if (id !== void 0 && shouldDelete) await cleanUp((inputs, context) => deleteAtEnd(id, inputs, context), `Sandbox ${id} could not be deleted. ${describeExpiry(cleanup)}`);
else if (id !== void 0 && cleanup.isCreated) await publishKept(id, describeExpiry(cleanup));
else if (id !== void 0) console.log(`Sandbox ${id} is not deleted. ${describeExpiry(cleanup)}`);
if (unconfirmedCreation !== void 0) await cleanUp((inputs, context) => deleteUnconfirmed(cleanup, inputs, context), `A failed attempt may have created a sandbox, with the metadata ${SYNC_ID}=${unconfirmedCreation}. ${describeExpiry(cleanup)}`);
removeJobSandbox();
/** The sandbox expires on its own, so a failed deletion is a warning, and must not fail the job. */
async function cleanUp(clean, failureWarning) {
	await runAction({
		task: "sandbox",
		inputs: INPUTS["sandbox-end"],
		savedInputs,
		async run(inputs, context) {
			await clean(inputs, context);
		},
		failureWarning
	});
}

export {  };