import { A as requireVariables, D as publishSandbox, k as saveDeletion, t as createOrConnect, w as jobMetadata, y as runStep } from "./shared.js";

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