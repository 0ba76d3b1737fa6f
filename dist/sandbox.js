import { c as publishSandbox, d as traceOfStep, f as requireFiles, n as runStep, u as scheduleDeletion } from "./shared-sync-monitor-sandbox.js";
import { r as provideSandbox } from "./shared-sandbox.js";

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