import { r as step } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { r as stats } from "./shared-sync-upload-stats.js";

// src/main/stats.ts
await step("stats", stats);

export {  };