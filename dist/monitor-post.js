import { a as keptInputs, c as isStopped, d as removeDirectory, f as requireInputs, o as monitorDirectory, t as endMonitor } from "./shared-monitor-monitor-stop-monitor-post.js";
import { r as step } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { bt as quote, ct as inputError } from "./shared.js";

// src/main/monitor-post.ts
const monitor = monitorDirectory();
if (monitor !== void 0) {
	const { directory, isOwn } = monitor;
	const kept = keptInputs();
	if (isOwn) process.on("exit", () => removeDirectory(directory));
	const run = async (inputs, context) => {
		const notOwn = `${quote(directory)} is not a monitor directory below RUNNER_TEMP.`;
		if (!isOwn) throw inputError("monitor", notOwn);
		requireInputs(kept);
		return endMonitor(inputs, directory, context);
	};
	if (!isOwn || !isStopped(directory)) await step("monitor-end", run, kept);
}

export {  };