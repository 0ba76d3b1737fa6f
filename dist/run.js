import { D as sandboxEnd, i as run, v as runReportingStep } from "./shared.js";

// src/main/run.ts
await runReportingStep("run", (inputs, context) => run(inputs, {
	...context,
	sandboxEndsAt: sandboxEnd(inputs.sandboxId)
}));

export {  };