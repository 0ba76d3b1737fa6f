import { m as runReportingStep } from "./shared.js";
import { r as upload } from "./transfer.js";

// src/main/upload.ts
await runReportingStep("upload", async (inputs, context) => ({
	sandbox: inputs,
	upload: await upload(inputs, context)
}));

export {  };