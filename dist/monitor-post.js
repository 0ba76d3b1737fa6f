import { o as monitorDirectory, t as runReportingStep } from "./shared-sync-monitor-sandbox.js";
import { c as readKeptInputs, n as endMonitor, o as isStopped } from "./shared-monitor-sampler.js";
import { rmSync } from "node:fs";

// src/main/monitor-post.ts
const directory = monitorDirectory();
if (directory !== void 0) {
	const inputs = readKeptInputs(directory)?.inputs ?? {};
	if (!isStopped(directory)) await runReportingStep("monitor-end", (_, context) => endMonitor(directory, context), { given: inputs });
	rmSync(directory, {
		recursive: true,
		force: true,
		maxRetries: 5
	});
}

export {  };