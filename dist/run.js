import { _ as runReportingStep, d as run } from "./shared.js";

// src/main/run.ts
await runReportingStep("run", run);

export {  };