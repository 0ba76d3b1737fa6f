import { B as formatDuration, S as createMonitorDirectory, o as startMonitor, v as runReportingStep } from "./shared.js";
import path from "node:path";

// src/main/monitor.ts
await runReportingStep("monitor", async (inputs, context, raw) => {
	const { name, sandboxId, sampleInterval } = inputs;
	const script = path.join(import.meta.dirname, "monitor-sampler.js");
	await startMonitor(inputs, raw, context, {
		script,
		openDirectory: createMonitorDirectory
	});
	const activity = name === "" ? "Monitoring" : `${name}: monitoring`;
	context.log.line(`${activity} sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
});

export {  };