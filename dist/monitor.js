import { i as startMonitor, m as runReportingStep, v as createMonitorDirectory } from "./shared.js";
import path from "node:path";

// src/main/monitor.ts
const files = {
	script: path.join(import.meta.dirname, "monitor-sampler.js"),
	openDirectory: createMonitorDirectory
};
await runReportingStep("monitor", async (inputs, context, raw) => {
	await startMonitor(inputs, raw, context, files);
});

export {  };