import { t as runReportingStep } from "./shared-sync-monitor-sandbox.js";
import { t as sync } from "./shared-sync.js";

// src/main/sync.ts
await runReportingStep("sync", sync);

export {  };