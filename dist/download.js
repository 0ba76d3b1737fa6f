import { t as download } from "./transfer.js";
import { m as runReportingStep } from "./shared.js";

// src/main/download.ts
await runReportingStep("download", async (inputs, context) => ({ download: await download(inputs, context) }));

export {  };