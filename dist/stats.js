import { g as runReportingStep, m as stats } from "./shared.js";

// src/main/stats.ts
await runReportingStep("stats", stats);

export {  };