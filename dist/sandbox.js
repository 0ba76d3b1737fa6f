import { D as traceOfStep, E as scheduleDeletion, O as requireFiles, r as provideSandbox, v as runStep, w as publishSandbox } from "./shared.js";

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