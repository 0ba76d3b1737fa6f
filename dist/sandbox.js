import { D as scheduleDeletion, O as traceOfStep, T as publishSandbox, k as requireFiles, r as provideSandbox, y as runStep } from "./shared.js";

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