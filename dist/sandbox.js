import { C as publishSandbox, D as requireFiles, E as traceOfStep, T as scheduleDeletion, _ as runStep, r as provideSandbox } from "./shared.js";

// src/main/sandbox.ts
await runStep("sandbox", async (inputs, context, raw) => {
	requireFiles("GITHUB_STATE", "GITHUB_OUTPUT", "RUNNER_TEMP");
	await provideSandbox(inputs, context, {
		trace: traceOfStep(),
		willDelete: (lease) => scheduleDeletion(lease, raw),
		publish: publishSandbox
	});
});

export {  };