import { D as forgetJobSandbox, j as sandboxToDelete, n as leftBehind, t as deleteSandbox, w as runStep } from "./shared.js";

// src/main/sandbox-post.ts
forgetJobSandbox();
const kept = sandboxToDelete();
if (kept !== void 0) await runStep("sandbox-end", (inputs, context) => deleteSandbox(kept.lease, inputs, context), {
	given: kept.inputs,
	onFailure: ({ warn }, lines) => warn([leftBehind(kept.lease), ...lines].join(" "))
});

export {  };