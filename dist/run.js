import { E as sandboxEnd, _ as runReportingStep, i as run } from "./shared.js";

// src/main/run.ts
await runReportingStep("run", (inputs, context) => run(inputs, {
	...context,
	sandboxEndsAt: sandboxEnd(inputs.sandboxId)
}));

export {  };