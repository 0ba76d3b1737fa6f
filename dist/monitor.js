import { T as formatDuration, s as openMonitorDirectory, t as runReportingStep } from "./shared-sync-monitor-sandbox.js";
import { r as startMonitor } from "./shared-monitor-sampler.js";
import path from "node:path";

// src/main/monitor.ts
await runReportingStep("monitor", async (inputs, context, raw) => {
	const { name, sandboxId, sampleInterval } = inputs;
	const places = {
		script: path.join(import.meta.dirname, "monitor-sampler.js"),
		openDirectory: openMonitorDirectory,
		jobPid: process.ppid
	};
	await startMonitor(inputs, raw, context, places);
	const who = name === "" ? "Monitoring" : `${name}: monitoring`;
	context.log(`${who} sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
});

export {  };