import { c as run, m as runReportingStep } from "./shared.js";

// src/main/run.ts
await runReportingStep("run", async (inputs, context) => ({
	sandbox: inputs,
	...await run(inputs, context)
}));

export {  };