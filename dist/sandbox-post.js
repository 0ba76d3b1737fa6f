import { D as removeJobSandbox, n as deleteAtEnd, r as notDeletedWarning, v as runStep, w as loadDeletion } from "./shared.js";

// src/main/sandbox-post.ts
const saved = loadDeletion();
if (saved !== void 0) await runStep("sandbox-end", (inputs, context) => deleteAtEnd(saved.sandbox.id, inputs, context), saved.inputs, notDeletedWarning(saved.sandbox));
removeJobSandbox();

export {  };