import { s as step } from "./shared.js";
import { r as stats } from "./shared-sync-upload-stats-monitor-stop-monitor-post-sandbox.js";

// src/main/stats.ts
await step("stats", stats);

export {  };