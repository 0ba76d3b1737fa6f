import { S as loadMonitorDirectory, a as isJudged, m as runReportingStep, n as endMonitor, o as loadInputs } from "./shared.js";
import { rmSync } from "node:fs";

// src/main/monitor-post.ts
const directory = loadMonitorDirectory();
if (directory !== void 0) {
	const inputs = loadInputs(directory) ?? {};
	if (!isJudged(directory)) await runReportingStep("monitor-end", (_, context) => endMonitor(directory, context), inputs);
	rmSync(directory, {
		recursive: true,
		force: true,
		maxRetries: 5
	});
}

export {  };