import { _ as runReportingStep } from "./shared.js";
import { r as upload } from "./transfer.js";

// src/main/upload.ts
await runReportingStep("upload", upload);

export {  };