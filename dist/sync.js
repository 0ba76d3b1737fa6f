import { m as runReportingStep } from "./shared.js";
import { n as sync } from "./transfer.js";

// src/main/sync.ts
await runReportingStep("sync", sync);

export {  };