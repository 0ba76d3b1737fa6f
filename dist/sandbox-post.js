import { S as loadDeletion, T as removeJobSandbox, n as deleteOrWarn, r as notDeletedWarning, v as runStep } from "./shared.js";

// src/main/sandbox-post.ts
const saved = loadDeletion();
if (saved !== void 0) await runStep("sandbox-end", (inputs, context) => deleteOrWarn(saved.deletion, inputs, context), {
	inputs: saved.inputs,
	onFailure: ({ warn }, lines) => warn([notDeletedWarning(saved.deletion), ...lines].join(" "))
});
removeJobSandbox();

export {  };