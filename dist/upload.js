import { m as runReportingStep } from "./shared.js";
import { r as upload } from "./transfer.js";

// src/main/upload.ts
await runReportingStep("upload", async (inputs, context) => ({ upload: await upload(inputs, context) }));

export {  };