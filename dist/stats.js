import { _ as runReportingStep, h as stats } from "./shared.js";

// src/main/stats.ts
await runReportingStep("stats", stats);

export {  };