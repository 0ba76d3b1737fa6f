import { C as openMonitorDirectory, W as formatDuration, _ as runReportingStep, o as startMonitor } from "./shared.js";
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