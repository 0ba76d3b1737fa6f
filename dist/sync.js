import { r as step } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { t as sync } from "./shared-sync-upload-stats.js";

// src/main/sync.ts
await step("sync", sync);

export {  };