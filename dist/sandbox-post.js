import { a as forgetJobSandbox, l as sandboxToDelete, n as runStep } from "./shared-sync-monitor-sandbox.js";
import { n as leftBehind, t as deleteSandbox } from "./shared-sandbox.js";

// src/main/sandbox-post.ts
forgetJobSandbox();
const kept = sandboxToDelete();
if (kept !== void 0) await runStep("sandbox-end", (inputs, context) => deleteSandbox(kept.lease, inputs, context), {
	given: kept.inputs,
	onFailure: ({ warn }, lines) => warn([leftBehind(kept.lease), ...lines].join(" "))
});

export {  };