import { m as runReportingStep, n as endMonitor, s as markJudged, t as chooseMonitor, y as findMonitorDirectories } from "./shared.js";

// src/main/monitor-stop.ts
let judged;
await runReportingStep("monitor-stop", async ({ monitor }, context) => {
	const directory = chooseMonitor(monitor, findMonitorDirectories());
	const result = await endMonitor(directory, context);
	judged = directory;
	return result;
});
if (judged !== void 0) markJudged(judged);

export {  };