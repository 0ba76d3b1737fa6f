import { g as stats, v as runReportingStep } from "./shared.js";

// src/main/stats.ts
await runReportingStep("stats", stats);

export {  };