import { _ as runReportingStep, b as createMonitorDirectory, o as startMonitor } from "./shared.js";
import path from "node:path";

// src/main/monitor.ts
const files = {
	script: path.join(import.meta.dirname, "monitor-sampler.js"),
	openDirectory: createMonitorDirectory
};
await runReportingStep("monitor", (inputs, context, raw) => startMonitor(inputs, raw, context, files));

export {  };