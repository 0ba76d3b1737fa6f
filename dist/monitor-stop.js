import { i as findMonitors, t as runReportingStep } from "./shared-sync-monitor-sandbox.js";
import { n as endMonitor, s as markStopped, t as chooseMonitor } from "./shared-monitor-sampler.js";

// src/main/monitor-stop.ts
let judged;
await runReportingStep("monitor-stop", async ({ monitor }, context) => {
	const directory = chooseMonitor(monitor, findMonitors());
	const report = await endMonitor(directory, context);
	judged = directory;
	return report;
});
if (judged !== void 0) markStopped(judged);

export {  };