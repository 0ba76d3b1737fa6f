import { D as requireFiles, E as scheduleDeletion, T as publishSandbox, r as provideSandbox, v as runStep, y as creationMetadata } from "./shared.js";

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