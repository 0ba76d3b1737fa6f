import { n as step } from "./shared.js";
import { n as stats } from "./shared-sync-upload-stats.js";

// src/main/stats.ts
await step("stats", stats);

export {  };