import { d as run, v as runReportingStep } from "./shared.js";

// src/main/run.ts
await runReportingStep("run", run);

export {  };