import { _ as runReportingStep, f as stats } from "./shared.js";

// src/main/stats.ts
await runReportingStep("stats", stats);

export {  };