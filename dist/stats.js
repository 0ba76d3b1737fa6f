import { n as step } from "./shared.js";
import { r as stats } from "./shared-sync-upload-stats.js";

// src/main/stats.ts
await step("stats", stats);

export {  };