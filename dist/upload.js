import { r as step } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { n as upload } from "./shared-sync-upload-stats.js";

// src/main/upload.ts
await step("upload", upload);

export {  };