import { t as runReportingStep } from "./shared-sync-monitor-sandbox.js";
import { i as stats } from "./shared-sync-monitor-sampler.js";

// src/main/stats.ts
await runReportingStep("stats", stats);

export {  };