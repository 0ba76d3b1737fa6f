import { t as runReportingStep } from "./shared-sync-monitor-sandbox.js";
import { r as stats } from "./shared-sync.js";

// src/main/stats.ts
await runReportingStep("stats", stats);

export {  };