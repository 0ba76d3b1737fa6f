import { R as formatDuration, _ as runReportingStep, s as startMonitor, y as createMonitorDirectory } from "./shared.js";
import path from "node:path";

// src/main/monitor.ts
await runReportingStep("monitor", async (inputs, context, raw) => {
	const { name, sandboxId, sampleInterval } = inputs;
	const setup = {
		script: path.join(import.meta.dirname, "monitor-sampler.js"),
		openDirectory: createMonitorDirectory,
		jobPid: process.ppid
	};
	await startMonitor(inputs, raw, context, setup);
	const activity = name === "" ? "Monitoring" : `${name}: monitoring`;
	context.log(`${activity} sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
});

export {  };