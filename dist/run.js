import { _ as runReportingStep, d as run } from "./shared.js";

// src/main/run.ts
await runReportingStep("run", async (inputs, context) => ({
	sandbox: inputs,
	...await run(inputs, context)
}));

export {  };