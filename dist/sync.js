import { _ as runReportingStep } from "./shared.js";
import { t as sync } from "./transfer.js";

// src/main/sync.ts
await runReportingStep("sync", sync);

export {  };