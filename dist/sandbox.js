import { E as requireFiles, T as scheduleDeletion, _ as runStep, r as provideSandbox, v as creationMetadata, w as publishSandbox } from "./shared.js";

// src/main/sandbox.ts
await runStep("sandbox", async (inputs, context, raw) => {
	requireFiles("GITHUB_STATE", "GITHUB_OUTPUT", "RUNNER_TEMP");
	await provideSandbox(inputs, context, {
		trace: creationMetadata(),
		scheduleDeletion: (lease) => scheduleDeletion(lease, raw),
		publish: publishSandbox
	});
});

export {  };