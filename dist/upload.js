import { t as runReportingStep } from "./shared-sync-monitor-sandbox.js";
import { n as upload } from "./shared-sync.js";

// src/main/upload.ts
await runReportingStep("upload", upload);

export {  };