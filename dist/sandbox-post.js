import { S as loadScheduledDeletion, n as leftBehind, t as deleteSandbox, v as runStep, x as forgetJobSandbox } from "./shared.js";

// src/main/sandbox-post.ts
forgetJobSandbox();
const saved = loadScheduledDeletion();
if (saved !== void 0) await runStep("sandbox-end", (inputs, context) => deleteSandbox(saved.lease, inputs, context), {
	inputs: saved.inputs,
	onFailure: ({ warn }, lines) => warn([leftBehind(saved.lease), ...lines].join(" "))
});

export {  };