import { E as sandboxToDelete, S as forgetJobSandbox, n as leftBehind, t as deleteSandbox, y as runStep } from "./shared.js";

// src/main/sandbox-post.ts
forgetJobSandbox();
const saved = sandboxToDelete();
if (saved !== void 0) await runStep("sandbox-end", (inputs, context) => deleteSandbox(saved.lease, inputs, context), {
	inputs: saved.inputs,
	onFailure: ({ warn }, lines) => warn([leftBehind(saved.lease), ...lines].join(" "))
});

export {  };