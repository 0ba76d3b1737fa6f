import { C as loadMonitorDirectory, P as INPUTS, _ as runAction, a as hasFile, h as renderMonitor, n as endMonitor, o as loadInputs } from "./shared.js";
import { rmSync } from "node:fs";

// src/main/monitor-post.ts
const directory = loadMonitorDirectory();
if (directory !== void 0) {
	const savedInputs = loadInputs(directory) ?? {};
	if (!hasFile(directory, "judged")) await runAction({
		task: "monitor",
		inputs: INPUTS["monitor-end"],
		savedInputs,
		run: (_, context) => endMonitor(directory, context),
		sections: ({ stats }, cancelled) => ({ stats: renderMonitor(stats, cancelled) })
	});
	rmSync(directory, {
		recursive: true,
		force: true,
		maxRetries: 5
	});
}

export {  };