import { c as run, m as runReportingStep } from "./shared.js";

// src/main/run.ts
await runReportingStep("run", run);

export {  };