import { A as publishSandbox, M as scheduleDeletion, N as traceOfStep, P as requireFiles, r as provideSandbox, w as runStep } from "./shared.js";

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