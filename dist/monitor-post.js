import { b as requestEnd, c as keptInputs, ft as inputError, g as isStopped, i as step, u as monitorDirectory, y as removeDirectory, yt as quote } from "./shared.js";
import { u as endMonitor } from "./shared-monitor-monitor-stop-monitor-post-sandbox.js";

// src/main/monitor-post.ts
const monitor = monitorDirectory();
if (monitor !== void 0) {
	const { directory, isOwn } = monitor;
	const kept = keptInputs();
	if (isOwn) process.on("exit", () => removeDirectory(directory));
	const run = async (inputs, context) => {
		const notOwn = `${quote(directory)} is not a monitor directory below RUNNER_TEMP.`;
		if (!isOwn) throw inputError("monitor", notOwn);
		if (kept["fail-if"] === void 0) throw inputError("monitor", "its saved inputs are lost.");
		requestEnd(directory);
		return endMonitor(inputs, directory, context);
	};
	if (!isOwn || !isStopped(directory)) await step("monitor-end", run, kept);
}

export {  };