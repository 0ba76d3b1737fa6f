import { S as findMonitorDirectories, _ as runReportingStep, a as endMonitor, i as chooseMonitor, u as markJudged } from "./shared.js";

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