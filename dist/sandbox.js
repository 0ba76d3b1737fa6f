import { c as traceOfStep, i as keepSandbox, l as plainStep, n as getSandbox, o as publishSandbox, s as requireFileCommands } from "./shared-monitor-monitor-stop-monitor-post-sandbox.js";

// src/main/sandbox.ts
await plainStep("sandbox", async (inputs, context, raw) => {
	requireFileCommands();
	await getSandbox(inputs, context, {
		trace: traceOfStep(),
		willDelete: (id, endsAt) => keepSandbox(id, endsAt, raw),
		publish: publishSandbox
	});
});

export {  };