import { _ as runReportingStep, a as endMonitor, c as isStopped, l as loadInputs, w as loadMonitorDirectory } from "./shared.js";
import { rmSync } from "node:fs";

// src/main/monitor-post.ts
const directory = loadMonitorDirectory();
if (directory !== void 0) {
	const inputs = loadInputs(directory) ?? {};
	if (!isStopped(directory)) await runReportingStep("monitor-end", (_, context) => endMonitor(directory, context), inputs);
	rmSync(directory, {
		recursive: true,
		force: true,
		maxRetries: 5
	});
}

export {  };