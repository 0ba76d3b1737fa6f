import { D as EMPTY_REPORT, L as gateOf, O as formatCount, i as slept, j as parseMonitor, l as step, n as monitorDirectory, r as userAgent, s as decodeStats } from "./shared.js";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

// src/monitor/record.ts
/** Reads what was recorded; a line that was not written whole is left out. */
function readRecord(directory) {
	const file = recordFile(directory);
	const lines = (existsSync(file) ? readFileSync(file, "utf8") : "").split("\n").slice(0, -1).map(fieldsOf);
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
	if (existsSync(directory)) touch(requestFile(directory));
}
/** Whether nothing more will be recorded. */
function hasEnded(directory) {
	return existsSync(endedFile(directory)) || !existsSync(directory);
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
function recordFile(directory) {
	return path.join(directory, "record.jsonl");
}
function requestFile(directory) {
	return path.join(directory, "end");
}
function endedFile(directory) {
	return path.join(directory, "ended");
}
function touch(file) {
	writeFileSync(file, "", { mode: 384 });
}
function fieldsOf(line) {
	try {
		const value = JSON.parse(line);
		return typeof value === "object" && value !== null ? { ...value } : {};
	} catch {
		return {};
	}
}

// src/monitor/end.ts
/** The reason of a monitor that the post step ended. */
const ASKED = "the job asked for it";

// src/run/monitor.ts
const PATIENCE_MS = 8e3;
const LOOK_MS = 50;
/** Waits for the end of a monitor that was asked for it, and judges what it recorded. */
async function endMonitor(task, directory, surroundings) {
	const { sandboxId, baseUrl } = task.connection;
	const record = await lastRecord(directory, surroundings);
	surroundings.observer.fact?.({
		kind: "record",
		record
	});
	const figures = record.samples.map(({ stats }) => stats.figures);
	return {
		...EMPTY_REPORT,
		task: "monitor",
		sandboxId,
		baseUrl,
		samples: record.samples,
		stats: record.samples.at(-1)?.stats,
		gate: gateOf(task.gate, figures),
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

// src/main/monitor-post.ts
const directory = monitorDirectory();
if (directory !== void 0) {
	requestEnd(directory);
	await step({
		task: "monitor",
		userAgent,
		parse: parseMonitor,
		run: (task, surroundings) => endMonitor(task, directory, surroundings)
	});
	removeRecord(directory);
}

export {  };