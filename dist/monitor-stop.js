import { _ as runReportingStep, a as endMonitor, i as chooseMonitor, u as markStopped, x as findMonitorDirectories } from "./shared.js";

// src/main/monitor-stop.ts
let judged;
await runReportingStep("monitor-stop", async ({ monitor }, context) => {
	const directory = chooseMonitor(monitor, findMonitorDirectories());
	const report = await endMonitor(directory, context);
	judged = directory;
	return report;
});
if (judged !== void 0) markStopped(judged);

export {  };