import { D as deleteAtEnd, E as SYNC_ID, O as deleteLost, h as runStep, k as describeEnd, w as removeJobSandbox, x as loadLeftovers } from "./shared.js";

// src/main/sandbox-post.ts
const { left, isToDelete, inputs: saved } = loadLeftovers();
const { id, lost } = left;
if (id !== void 0 && isToDelete) await runStep("sandbox-end", (inputs, context) => deleteAtEnd(id, inputs, context), saved, `Sandbox ${id} could not be deleted. ${describeEnd(left)}`);
else if (id !== void 0) console.log(`Sandbox ${id} is not deleted. ${describeEnd(left)}`);
if (lost !== void 0) await runStep("sandbox-end", (inputs, context) => deleteLost(left, inputs, context), saved, `A failed attempt may have created a sandbox, with the metadata ${SYNC_ID}=${lost}. ${describeEnd(left)}`);
removeJobSandbox();

export {  };