import { b as gateOf, d as slept, f as decodeStats, g as parseMonitor, h as EMPTY_REPORT, m as formatCount, p as step, r as userAgent, t as monitorDirectory } from "./shared.js";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

// src/monitor/record.ts
/** Reads what was recorded so far; a last line that is still being written is left out. */
function readRecord(directory) {
	const file = recordFile(directory);
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n").slice(0, -1).map(fieldsOf);
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
/** Removes a monitor's directory. One that should still be running sees that, and ends. */
function removeRecord(directory) {
	rmSync(directory, {
		recursive: true,
		force: true
	});
}
/** Asks the monitor in a directory to end. */
function requestEnd(directory) {
	writeFileSync(endFile(directory), "", { mode: 384 });
}
function recordFile(directory) {
	return path.join(directory, "record.jsonl");
}
function endFile(directory) {
	return path.join(directory, "end");
}
function fieldsOf(line) {
	const value = JSON.parse(line);
	return typeof value === "object" && value !== null ? { ...value } : {};
}

// src/run/monitor.ts
const PATIENCE_MS = 8e3;
const LOOK_MS = 50;
/** Ends the monitor that records in a directory, and judges what it recorded. */
async function endMonitor(task, directory, surroundings) {
	const { sandboxId, baseUrl } = task.connection;
	const record = await lastRecord(directory, surroundings);
	removeRecord(directory);
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
async function lastRecord(directory, { sleep, cancel }) {
	requestEnd(directory);
	for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
		const record = readRecord(directory);
		if (record.end !== void 0 || !await slept(sleep(LOOK_MS, cancel))) return record;
	}
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
	const odd = end === void 0 ? ["The monitor ended before the job did, its last samples may be missing."] : [];
	return [...missing, ...odd];
}

// src/main/monitor-post.ts
const directory = monitorDirectory();
if (directory !== void 0) await step("monitor", (raw, surroundings) => endMonitor(parseMonitor(raw), directory, {
	...surroundings,
	userAgent
}));

export {  };