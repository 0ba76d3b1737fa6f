import { c as isStopped, f as requireInputs, i as findMonitors, l as markStopped, t as endMonitor, u as readKeptInputs } from "./shared-monitor-monitor-stop-monitor-post.js";
import { r as step } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { bt as quote, ct as inputError, pt as formatCount, q as parseInputs } from "./shared.js";
import path from "node:path";

// src/main/monitor-stop.ts
const EXAMPLE = "${{ steps.<its id>.outputs.monitor }}";
let stopped;
await step("monitor-stop", async ({ monitor }, context) => {
	const directory = await chooseMonitor(monitor);
	const kept = await readKeptInputs(directory);
	requireInputs(kept);
	const report = await endMonitor(parseInputs("monitor-end", kept), directory, context);
	stopped = directory;
	return report;
});
if (stopped !== void 0) markStopped(stopped);
/** The directory of the monitor to stop. @throws InputError unless it is clear which one it is */
async function chooseMonitor(name) {
	const all = findMonitors();
	if (all.length === 0) throw inputError("monitor", "no monitor runs in this job. Start one in an earlier step, with uses: sandbox-sync/sandbox-sync/monitor@v1.");
	const named = all.filter((directory) => !isStopped(directory)).filter((directory) => name === "" || path.basename(directory) === name);
	const [only, ...others] = named;
	if (only === void 0 && name === "") throw inputError("monitor", "every monitor of this job was stopped already.");
	if (only === void 0) {
		const why = `${quote(name)} is no monitor of this job, or was stopped already. Use the output of the step that started it.`;
		throw inputError("monitor", why, EXAMPLE);
	}
	if (others.length === 0) return only;
	const shown = await Promise.all(named.map(describeMonitor));
	const why = `${formatCount(named.length, "monitor")} run in this job: ${shown.join(", ")}. Say which one to stop.`;
	throw inputError("monitor", why, EXAMPLE);
}
async function describeMonitor(directory) {
	const { name = "" } = await readKeptInputs(directory);
	return name === "" ? path.basename(directory) : `${quote(name)} (${path.basename(directory)})`;
}

export {  };