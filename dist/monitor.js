import { P as INPUTS, _ as runAction, i as startMonitor, y as createMonitorDirectory } from "./shared.js";
import path from "node:path";

// src/main/monitor.ts
const files = {
	script: path.join(import.meta.dirname, "monitor-sampler.js"),
	openDirectory: createMonitorDirectory
};
await runAction({
	task: "monitor",
	inputs: INPUTS.monitor,
	async run(inputs, context, raw) {
		await startMonitor(inputs, raw, context, files);
	},
	sections: () => ({})
});

export {  };