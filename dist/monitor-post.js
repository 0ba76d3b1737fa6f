import { O as slept, T as gateOf, a as parseFieldsOf, h as EMPTY_REPORT, n as step, t as decodeStats, u as monitorDirectory, y as formatCount } from "./shared.js";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

// src/monitor/record.ts
const RECORD = "record.jsonl";
const REQUEST = "end";
const ENDED = "ended";
/** Reads what was recorded; a line that was not written whole is left out. */
function readRecord(directory) {
	const file = path.join(directory, RECORD);
	const lines = (existsSync(file) ? readFileSync(file, "utf8") : "").split("\n").slice(0, -1).map(parseFieldsOf);
	const moments = (name) => lines.flatMap(({ at, [name]: what }) => typeof what === "string" ? [{
		at: Number(at),
		what
	}] : []);
	return {
		samples: moments("stats").map(({ at, what }) => ({
			at,
			stats: decodeStats(what)
		})),
		gaps: moments("gap"),
		end: moments("end").at(-1)
	};
}
/** Asks the monitor in a directory to end. */
function requestEnd(directory) {
	if (existsSync(directory)) touch(path.join(directory, REQUEST));
}
/** Whether nothing more will be recorded. */
function hasEnded(directory) {
	return existsSync(path.join(directory, ENDED)) || !existsSync(directory);
}
/** Removes a monitor's directory. One that should still be running sees that, and ends. */
function removeRecord(directory) {
	rmSync(directory, {
		recursive: true,
		force: true,
		maxRetries: 5,
		retryDelay: 50
	});
}
function touch(file) {
	writeFileSync(file, "", { mode: 384 });
}

// src/monitor/sampler.ts
/** The reason of a monitor that the post step ended. */
const ASKED = "the job asked for it";

// src/run/monitor.ts
const PATIENCE_MS = 8e3;
const LOOK_MS = 50;
/** Waits for the end of a monitor that was asked for it, and judges what it recorded. */
async function endMonitor(inputs, directory, surroundings) {
	const { sandboxId, baseUrl } = inputs;
	const record = await lastRecord(directory, surroundings);
	if (surroundings.debug !== void 0) show(record, surroundings.debug);
	const figures = record.samples.map(({ stats }) => stats.figures);
	return {
		...EMPTY_REPORT,
		task: "monitor",
		sandboxId,
		baseUrl,
		samples: record.samples,
		stats: record.samples.at(-1)?.stats,
		gate: gateOf(inputs, figures),
		errors: nothingSampled(record),
		warnings: warningsOf(record)
	};
}
/** What was recorded when the monitor had ended, or had long had to. */
async function lastRecord(directory, { sleep, cancel, clock }) {
	const patience = clock() + PATIENCE_MS;
	while (!hasEnded(directory) && clock() < patience) if (!await slept(sleep(LOOK_MS, cancel))) break;
	return readRecord(directory);
}
function nothingSampled({ samples, gaps }) {
	if (samples.length > 0) return [];
	return [{
		message: "The sandbox was not sampled once.",
		details: gaps.slice(-1).map(({ what }) => what)
	}];
}
function warningsOf({ samples, gaps, end }) {
	const [first] = gaps;
	const missing = first === void 0 || samples.length === 0 ? [] : [`${formatCount(gaps.length, "reading")} failed, the first: ${first.what}`];
	const early = end === void 0 || end.what === "the job asked for it" ? [] : [`The monitor ended before the job did: ${end.what}.`];
	const killed = end === void 0 ? ["The monitor was ended from outside, its last samples may be missing."] : [];
	return [
		...missing,
		...early,
		...killed
	];
}
function show({ samples, gaps, end }, debug) {
	debug("record", `Monitor: ${formatCount(samples.length, "sample")}, ${formatCount(gaps.length, "failed reading")}`);
	for (const { at, what } of gaps) debug("failed reading", `- ${new Date(at).toISOString()}: ${what}`);
	debug("record", `Monitor: ended at ${end === void 0 ? "a time unknown" : `${new Date(end.at).toISOString()}: ${end.what}`}`);
}

// src/main/monitor-post.ts
const directory = monitorDirectory();
if (directory !== void 0) {
	requestEnd(directory);
	await step("monitor", (inputs, surroundings) => endMonitor(inputs, directory, surroundings));
	removeRecord(directory);
}

export {  };