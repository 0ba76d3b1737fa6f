import { _ as runReportingStep } from "./shared.js";
import { t as download } from "./transfer.js";

// src/main/download.ts
await runReportingStep("download", download);

export {  };