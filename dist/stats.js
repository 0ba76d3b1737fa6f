import { m as runReportingStep, u as stats } from "./shared.js";

// src/main/stats.ts
await runReportingStep("stats", async (inputs, context) => ({ stats: await stats(inputs, context) }));

export {  };