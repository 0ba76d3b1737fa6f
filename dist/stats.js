import { _ as runReportingStep, p as stats } from "./shared.js";

// src/main/stats.ts
await runReportingStep("stats", stats);

export {  };