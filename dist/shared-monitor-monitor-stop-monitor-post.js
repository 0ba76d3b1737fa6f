import { At as metricsOf, Dt as gateOf, K as inputNames, R as EMPTY_REPORT, W as reportUnseen, _ as requireFileCommands, c as parseFieldsOf, ct as inputError, dt as formatBytes, ht as formatNumber, l as textsOf, lt as abbreviate, nt as METRICS, pt as formatCount, s as fieldsOf, t as decodeStats, u as systemCode } from "./shared.js";
import { d as saveState, p as setOutput, s as getState } from "./vendor.js";
import { n as findStaleTimes, t as describeUnseen, u as READ_FLAGS } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { lstat, mkdtemp, open } from "node:fs/promises";
import path from "node:path";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";

// src/monitor/foreign-file.ts
/** Reads a file that any step of the job may have replaced: by a pipe, a link, or a huge one. */
async function readForeign(file, maxBytes) {
	let handle;
	try {
		if (!(await lstat(file)).isFile()) return refuse("it is not a regular file");
		handle = await open(file, READ_FLAGS);
		const stats = await handle.stat();
		if (!stats.isFile()) return refuse("it is not a regular file");
		if (stats.size > maxBytes) return refuse(`it is larger than ${formatBytes(maxBytes)}`);
		const stream = handle.createReadStream({
			end: maxBytes,
			autoClose: false
		});
		return {
			text: await text(stream),
			problem: void 0
		};
	} catch (error) {
		const code = systemCode(error);
		if (code === void 0) throw error;
		return refuse(code === "ENOENT" ? void 0 : `it cannot be read: ${code}`);
	} finally {
		await handle?.close();
	}
}
function refuse(problem) {
	return {
		text: "",
		problem
	};
}

// src/monitor/directory.ts
/** The paths of the files in a monitor's directory. */
function filesIn(directory) {
	return {
		record: path.join(directory, "record.jsonl"),
		last: path.join(directory, "last.json"),
		crash: path.join(directory, "crash.txt"),
		endRequest: path.join(directory, "end"),
		ended: path.join(directory, "ended"),
		inputs: path.join(directory, "inputs.json"),
		stopped: path.join(directory, "stopped")
	};
}
const MAX_INPUTS_BYTES = 1048576;
/** Keeps what the end of a monitor needs, for a step that stops it. */
function keepInputs(directory, inputs) {
	writeFileSync(filesIn(directory).inputs, JSON.stringify(inputs), {
		mode: 384,
		flag: "wx"
	});
}
/** What was kept; nothing if it is lost. */
async function readKeptInputs(directory) {
	const { text } = await readForeign(filesIn(directory).inputs, MAX_INPUTS_BYTES);
	return textsOf(parseFieldsOf(text));
}
/** @throws InputError if the inputs that a monitor was started with are lost */
function requireInputs(kept) {
	if (kept["fail-if"] === void 0) throw inputError("monitor", "its saved inputs are lost.");
}
/** Notes that a step has judged the monitor, so that its post step has nothing left to do. */
function markStopped(directory) {
	writeMark(filesIn(directory).stopped);
}
function isStopped(directory) {
	return existsSync(filesIn(directory).stopped);
}
/** Asks the monitor in a directory to end. */
function requestEnd(directory) {
	writeMark(filesIn(directory).endRequest);
}
function writeMark(file) {
	try {
		writeFileSync(file, "", {
			mode: 384,
			flag: "wx"
		});
	} catch (error) {
		if (systemCode(error) === void 0) throw error;
	}
}
/** Whether nothing more will be recorded. */
function hasEnded(directory) {
	return existsSync(filesIn(directory).ended) || !existsSync(directory);
}
/** Removes a monitor's directory as far as possible. A monitor that still runs then ends. */
function removeDirectory(directory) {
	try {
		rmSync(directory, {
			recursive: true,
			force: true,
			maxRetries: 5,
			retryDelay: 50
		});
	} catch (error) {
		if (systemCode(error) === void 0) throw error;
	}
}

// src/github/monitor-state.ts
const DIRECTORY = "directory";
const KEPT = "inputs";
const MONITOR_PREFIX = "sandbox-sync-monitor-";
/**
* Makes a monitor's directory, and passes it and the inputs to the post step: in composite actions,
* the runner may give that step the inputs of an outer one. @throws InputError
*/
async function newMonitorDirectory(raw) {
	requireFileCommands("monitor", ["GITHUB_STATE"]);
	const directory = await mkdtemp(path.join(tempDirectory(), MONITOR_PREFIX));
	const kept = Object.fromEntries(inputNames("monitor-end").map((name) => [name, raw[name] ?? ""]));
	saveState(DIRECTORY, directory);
	saveState(KEPT, kept);
	keepInputs(directory, kept);
	if (process.env["GITHUB_OUTPUT"]) setOutput("monitor", path.basename(directory));
	return directory;
}
/** The directories of the monitors that this job has started. */
function findMonitors() {
	return readdirSync(tempDirectory()).filter((name) => name.startsWith(MONITOR_PREFIX)).map((name) => path.join(tempDirectory(), name));
}
/** The inputs that the main step kept; none if they are lost. */
function keptInputs() {
	return textsOf(parseFieldsOf(getState(KEPT)));
}
/** The directory that the main step made for its monitor, and whether it really is one. */
function monitorDirectory() {
	const state = getState(DIRECTORY);
	if (state === "") return void 0;
	const directory = path.resolve(state);
	return {
		directory,
		isOwn: path.dirname(directory) === tempDirectory() && path.basename(directory).startsWith(MONITOR_PREFIX)
	};
}
function tempDirectory() {
	return path.resolve(process.env["RUNNER_TEMP"] || tmpdir());
}

// src/monitor/crash.ts
const RESERVED_BYTES = 4096;
const MAX_BYTES$1 = 65536;
const MAX_REASON = 1e3;
/** Creates the file for the sampling process's error output, and opens it. */
function openCrashFile(directory) {
	const { crash } = filesIn(directory);
	writeFileSync(crash, " ".repeat(RESERVED_BYTES), {
		mode: 384,
		flag: "wx"
	});
	return openSync(crash, "r+");
}
/** The line in a crashed sampling process's output that says why; undefined if there is none. */
async function readCrash(directory) {
	const { text } = await readForeign(filesIn(directory).crash, MAX_BYTES$1);
	const lines = text.split("\n").map((line) => line.trim());
	const isError = (line) => /^(?:\w*Error\b.*:|FATAL ERROR:)/.test(line);
	return (lines.find(isError) ?? lines.find((line) => /^[^(]/.test(line)))?.slice(0, MAX_REASON);
}

// src/monitor/recorder.ts
const MAX_RECORD_BYTES = 33554432;
const MAX_SAMPLES = 5e4;

// src/monitor/record.ts
const MAX_BYTES = MAX_RECORD_BYTES + 1048576;
const MAX_LINES = MAX_SAMPLES + 100;
const MAX_LAST_BYTES = 1048576;
const MAX_TEXT = 1e3;
const MAX_WARNINGS = 100;
/** Reads the record of a monitor; `judged` are the metrics to keep beside the known ones. */
async function readRecord(directory, judged) {
	const files = filesIn(directory);
	const record = await readForeign(files.record, MAX_BYTES);
	const last = await readForeign(files.last, MAX_LAST_BYTES);
	const lines = record.text.split("\n", MAX_LINES + 1);
	const tooLong = lines.length > MAX_LINES ? `it has more than ${formatNumber(MAX_LINES)} lines` : void 0;
	const problem = record.problem ?? tooLong;
	const metrics = /* @__PURE__ */ new Set([...Object.keys(METRICS), ...judged]);
	const parsed = parseRecord(problem === void 0 ? lines : [], metrics);
	const lastFigures = parsed.samples.at(-1)?.figures;
	return {
		...parsed,
		stats: lastFigures && lastStats(last.text, lastFigures, judged),
		crash: await readCrash(directory),
		problem
	};
}
function parseRecord(lines, metrics) {
	const written = lines.filter((line) => line !== "");
	const entries = written.flatMap((line) => parseLine(line, metrics) ?? []);
	const samples = entries.flatMap(({ at, figures }) => figures ? [{
		at,
		figures
	}] : []);
	const last = samples.at(-1);
	if (entries.length < written.length && last !== void 0) samples.push({
		at: last.at,
		figures: /* @__PURE__ */ new Map()
	});
	const warnings = entries.flatMap(({ warning }) => warning?.split("\n", MAX_WARNINGS) ?? []);
	return {
		samples,
		gaps: entries.flatMap(({ at, gap }) => gap === void 0 ? [] : [{
			at,
			what: gap
		}]),
		warnings: [...new Set(warnings.map(cut))].slice(0, MAX_WARNINGS),
		start: entries.findLast(({ isStart }) => isStart)?.at,
		end: entries.flatMap(({ at, end }) => end === void 0 ? [] : [{
			at,
			what: end
		}]).at(-1)
	};
}
const MAX_TIME = 864e13;
/** Undefined for a damaged line. */
function parseLine(line, metrics) {
	const { at, start, figures, gap, end, warning } = parseFieldsOf(line);
	if (typeof at !== "number" || Math.abs(at) > MAX_TIME) return void 0;
	return {
		at,
		isStart: start !== void 0,
		figures: figures === void 0 ? void 0 : keptFigures(fieldsOf(figures), metrics),
		gap: typeof gap === "string" ? cut(gap) : void 0,
		end: typeof end === "string" ? cut(end) : void 0,
		warning: typeof warning === "string" && warning !== "" ? warning : void 0
	};
}
function cut(text) {
	return text.slice(0, MAX_TEXT);
}
function keptFigures(fields, metrics) {
	const figures = /* @__PURE__ */ new Map();
	for (const metric of metrics) {
		const figure = fields[metric];
		if (typeof figure === "number" && Number.isFinite(figure)) figures.set(metric, figure);
	}
	return figures;
}
/** The last sample's stats as the agent sent them, or from the record if that text is gone. */
function lastStats(json, figures, judged) {
	const sent = decodeStats(json, judged);
	if (!(sent instanceof Error)) return sent;
	const recorded = decodeStats(JSON.stringify(Object.fromEntries(figures)), judged);
	return recorded instanceof Error ? void 0 : {
		...recorded,
		json: ""
	};
}

// src/monitor/sampler.ts
/** The gap of a sandbox that was there before: most often, the job deleted it. */
const GONE = "the sandbox was gone";
/** The end of a monitor that a step asked to stop. */
const ASKED = "the job asked for it";

// src/run/monitor.ts
/**
* Ends a monitor, and judges its record. If that does not cover the whole job, `fail-if` fails:
* nobody knows what the sandbox used meanwhile.
*/
async function endMonitor(inputs, directory, context) {
	const { name, sandboxId, baseUrl, failIf, warnIf, sampleInterval } = inputs;
	const jobEnd = context.now();
	requestEnd(directory);
	await waitForEnd(directory, context);
	const record = await readRecord(directory, metricsOf(failIf, warnIf));
	writeDebug(record, context);
	const { samples, stats } = record;
	const unseen = findUnseenTimes(record, jobEnd, sampleInterval * UNSEEN_INTERVALS);
	const unseenLines = abbreviate(unseen, MAX_UNSEEN, {
		show: describeUnseen,
		more: (rest) => `And ${formatCount(rest, "more time")}.`
	});
	const figures = samples.map((sample) => sample.figures);
	const { errors, warnings } = reportUnseen(unseenLines, inputs);
	return {
		...EMPTY_REPORT,
		task: "monitor",
		name,
		sandboxId,
		baseUrl,
		samples,
		stats,
		gate: gateOf(inputs, figures, unseen.length > 0),
		errors: [...findRecordErrors(record), ...errors],
		warnings: [
			...record.warnings,
			...describeGaps(record),
			...warnings
		],
		cancelled: context.cancel.aborted
	};
}
const PATIENCE_MS = 8e3;
const CHECK_MS = 50;
async function waitForEnd(directory, { sleep, cancel, clock }) {
	const deadline = clock() + PATIENCE_MS;
	let isWaiting = true;
	while (isWaiting && !hasEnded(directory) && clock() < deadline) isWaiting = await sleep(CHECK_MS, cancel);
}
const UNSEEN_INTERVALS = 10;
const MAX_UNSEEN = 10;
/** Times without samples for longer than `longestMs`, with stale ones, or after the monitor. */
function findUnseenTimes(record, jobEnd, longestMs) {
	const { start, samples } = record;
	if (samples.length === 0) return [];
	const times = [start ?? 0, ...samples.map(({ at }) => at)];
	const last = times.at(-1) ?? 0;
	const to = Math.max(jobEnd, last);
	const wasAsked = record.end?.what === ASKED;
	const gaps = times.flatMap((from, index) => {
		const next = times[index + 1] ?? to;
		return Math.abs(next - from) > longestMs ? [{
			from,
			to: next,
			why: ""
		}] : [];
	});
	const beforeEnd = wasAsked ? gaps : gaps.filter(({ from }) => from !== last);
	const afterEnd = wasAsked ? [] : [{
		from: last,
		to,
		why: describeEnd(record)
	}];
	return [
		...beforeEnd,
		...findStaleTimes(samples),
		...afterEnd
	];
}
function describeEnd({ end, crash }) {
	if (end !== void 0) return `since the monitor had ended: ${end.what}`;
	if (crash !== void 0) return `since the monitor crashed: ${crash}`;
	return "since something else ended the monitor";
}
function describeGaps({ samples, gaps }) {
	const last = samples.at(-1)?.at ?? 0;
	const [first, ...others] = gaps.filter(({ at, what }) => what !== "the sandbox was gone" || at < last);
	if (first === void 0 || samples.length === 0) return [];
	if (others.length === 0) return [`1 sample failed: ${first.what}`];
	return [`${formatCount(others.length + 1, "sample")} failed, the first: ${first.what}`];
}
function findRecordErrors({ samples, gaps, crash, problem }) {
	if (problem !== void 0) return [{
		message: `The monitor's record cannot be used: ${problem}.`,
		details: []
	}];
	if (samples.length > 0) return [];
	const crashed = crash === void 0 ? [] : [`The monitor crashed: ${crash}`];
	return [{
		message: "The sandbox was never sampled.",
		details: [...gaps.slice(-1).map(({ what }) => what), ...crashed]
	}];
}
const MAX_DEBUG_GAPS = 200;
function writeDebug({ samples, gaps, end }, { debug }) {
	debug(`Monitor: ${formatCount(samples.length, "sample")}, ${formatCount(gaps.length, "failed sample")}`);
	for (const { at, what } of gaps.slice(0, MAX_DEBUG_GAPS)) debug(`- ${new Date(at).toISOString()}: ${what}`);
	debug(`Monitor: ended at ${(end && `${new Date(end.at).toISOString()}: ${end.what}`) ?? "an unknown time"}`);
}

export { keptInputs as a, isStopped as c, removeDirectory as d, requireInputs as f, findMonitors as i, markStopped as l, openCrashFile as n, monitorDirectory as o, readCrash as r, newMonitorDirectory as s, endMonitor as t, readKeptInputs as u };