import { c as plainStep, i as keepSandbox, n as getSandbox, o as publishSandbox, s as traceOfStep } from "./shared-sync-upload-stats-sandbox.js";
import { _ as requireFileCommands } from "./shared.js";

// src/main/sandbox.ts
await plainStep("sandbox", async (inputs, context, raw) => {
	requireFileCommands("sandbox", ["GITHUB_STATE", "GITHUB_OUTPUT"]);
	await getSandbox(inputs, context, {
		trace: traceOfStep(),
		willDelete: (id, endsAt) => keepSandbox(id, endsAt, raw),
		publish: publishSandbox
	});
});

export {  };