import { D as saveDeletion, O as requireVariables, t as createOrConnect, v as runStep, w as publishSandbox, x as jobMetadata } from "./shared.js";

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