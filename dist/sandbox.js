import { D as saveDeletion, O as requireVariables, S as jobMetadata, T as publishSandbox, t as createOrConnect, v as runStep } from "./shared.js";

// src/main/sandbox.ts
await runStep("sandbox", async (inputs, context, raw) => {
	requireVariables("GITHUB_STATE", "GITHUB_OUTPUT", "RUNNER_TEMP");
	await createOrConnect(inputs, context, {
		jobMetadata: jobMetadata(),
		scheduleDeletion: (deletion) => saveDeletion(deletion, raw),
		publish: publishSandbox
	});
});

export {  };