import { P as INPUTS, _ as runAction, b as findMonitorDirectories, h as renderMonitor, n as endMonitor, s as saveFile, t as chooseMonitor } from "./shared.js";

// src/main/monitor-stop.ts
let judged;
await runAction({
	task: "monitor",
	inputs: INPUTS["monitor-stop"],
	async run({ monitor }, context) {
		const directory = chooseMonitor(monitor, findMonitorDirectories());
		const result = await endMonitor(directory, context);
		judged = directory;
		return result;
	},
	sections: ({ stats }, cancelled) => ({ stats: renderMonitor(stats, cancelled) }),
	earlierStep: (result) => result
});
if (judged !== void 0) saveFile(judged, "judged");

export {  };