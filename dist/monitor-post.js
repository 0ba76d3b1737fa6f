import { F as firstOf, G as formatTime, H as formatCount, L as EMPTY_REPORT, Q as gateOf, T as parseFieldsOf, Z as inputError, b as keptInputs, n as step, q as quote, t as decodeStats, tt as metricsOf, x as monitorDirectory } from "./shared.js";
import path from "node:path";
import { createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

// src/monitor/record.ts
const RECORD = "record.jsonl";
const LAST = "last.json";
const REQUEST = "end";
const ENDED = "ended";
/** Reads what was recorded, line by line; where one cannot be read, a sample without figures comes last. `judged` are metrics to keep. */
async function readRecord(directory, judged) {
	const samples = [];
	const gaps = [];
	const warnings = /* @__PURE__ */ new Set();
	let stats;
	let start;
	let end;
	let isWhole = true;
	for await (const line of linesOf(path.join(directory, RECORD))) {
		const fields = parseFieldsOf(line);
		const at = Number(fields["at"]);
		isWhole &&= !Number.isNaN(at);
		const [what, gap, ended, warning] = [
			"stats",
			"gap",
			"end",
			"warning"
		].map((name) => fields[name]);
		if (typeof what === "string") {
			stats = decodeStats(what, judged);
			samples.push({
				at,
				figures: stats.figures
			});
		}
		if (typeof warning === "string" && warning !== "") for (const each of warning.split("\n")) warnings.add(each);
		if (typeof gap === "string") gaps.push({
			at,
			what: gap
		});
		if (typeof ended === "string") end = {
			at,
			what: ended
		};
		if ("start" in fields) start = at;
	}
	const sent = path.join(directory, LAST);
	if (stats !== void 0 && existsSync(sent)) stats = {
		...stats,
		json: readFileSync(sent, "utf8")
	};
	const last = samples.at(-1);
	if (!isWhole && last !== void 0) samples.push({
		at: last.at,
		figures: /* @__PURE__ */ new Map()
	});
	return {
		samples,
		stats,
		warnings: [...warnings],
		start,
		gaps,
		end
	};
}
async function* linesOf(file) {
	if (existsSync(file)) yield* createInterface({
		input: createReadStream(file),
		crlfDelay: Number.POSITIVE_INFINITY
	});
}
/** Asks the monitor in a directory to end. */
function requestEnd(directory) {
	if (existsSync(directory)) writeFileSync(path.join(directory, REQUEST), "", { mode: 384 });
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

// src/monitor/sampler.ts
/** What a reading finds of a sandbox that it found before: most often, the job deleted it. */
const GONE = "the sandbox was gone";
/** The reason of a monitor that the post step ended. */
const ASKED = "the job asked for it";

// src/run/monitor.ts
const PATIENCE_MS = 8e3;
const LOOK_MS = 50;
/**
* Waits for the end of a monitor that was asked for it, and judges what it recorded. Where that does not cover the whole
* job, nobody knows what the sandbox used meanwhile: with conditions of `fail-if`, that fails.
*/
async function endMonitor(inputs, directory, surroundings) {
	const { sandboxId, baseUrl, failIf, warnIf, sampleInterval } = inputs;
	const jobEnd = surroundings.now();
	await hasEndedIn(directory, surroundings);
	const record = await readRecord(directory, metricsOf(failIf, warnIf));
	if (surroundings.debug !== void 0) show(record, surroundings.debug);
	const { samples, stats } = record;
	const unseen = unseenTimes(record, jobEnd, sampleInterval * UNSEEN_INTERVALS);
	const figures = samples.map((sample) => sample.figures);
	const isFatal = failIf.length > 0;
	return {
		...EMPTY_REPORT,
		task: "monitor",
		sandboxId,
		baseUrl,
		samples,
		stats,
		gate: gateOf(inputs, figures, unseen.length > 0),
		errors: [...nothingSampled(record), ...(isFatal ? unseen : []).map((message) => ({
			message,
			details: []
		}))],
		warnings: [
			...record.warnings,
			...failedReadings(record),
			...isFatal ? [] : unseen
		],
		cancelled: surroundings.cancel.aborted
	};
}
/** Waits until the monitor has ended, or had long had to. */
async function hasEndedIn(directory, { sleep, cancel, clock }) {
	const patience = clock() + PATIENCE_MS;
	let goesOn = true;
	while (goesOn && !hasEnded(directory) && clock() < patience) goesOn = await sleep(LOOK_MS, cancel);
}
const UNSEEN_INTERVALS = 10;
const MAX_SPANS = 10;
/** A sentence for each time in which nothing was seen: longer than `longestMs`, or from the monitor's end to that of the job. */
function unseenTimes({ start, samples, end }, jobEnd, longestMs) {
	if (samples.length === 0) return [];
	const seen = [start ?? 0, ...samples.map(({ at }) => at)];
	const isWhole = end?.what === ASKED;
	const why = end === void 0 ? "something else ended the monitor" : `the monitor had ended: ${end.what}`;
	const spans = seen.flatMap((from, index) => {
		const to = seen[index + 1] ?? Math.max(jobEnd, from);
		if (index === seen.length - 1 && !isWhole) return [[
			from,
			to,
			`, since ${why}`
		]];
		return Math.abs(to - from) > longestMs ? [[
			from,
			to,
			""
		]] : [];
	});
	return firstOf(spans, MAX_SPANS, {
		show: ([from, to, cause]) => `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${cause}.`,
		more: (rest) => `And ${formatCount(rest, "more time")}.`
	});
}
function failedReadings({ samples, gaps }) {
	const last = samples.at(-1)?.at ?? 0;
	const [first, ...others] = gaps.filter(({ at, what }) => what !== "the sandbox was gone" || at < last);
	if (first === void 0 || samples.length === 0) return [];
	return [`${formatCount(others.length + 1, "reading")} failed, the first: ${first.what}`];
}
function nothingSampled({ samples, gaps }) {
	if (samples.length > 0) return [];
	return [{
		message: "The sandbox was never sampled.",
		details: gaps.slice(-1).map(({ what }) => what)
	}];
}
function show({ samples, gaps, end }, debug) {
	debug("record", `Monitor: ${formatCount(samples.length, "sample")}, ${formatCount(gaps.length, "failed reading")}`);
	for (const { at, what } of gaps) debug("failed reading", `- ${new Date(at).toISOString()}: ${what}`);
	debug("record", `Monitor: ended at ${end === void 0 ? "an unknown time" : `${new Date(end.at).toISOString()}: ${end.what}`}`);
}

// src/main/monitor-post.ts
const monitor = monitorDirectory();
if (monitor !== void 0) {
	const { directory, isOwn } = monitor;
	const kept = keptInputs();
	if (isOwn) process.on("exit", () => removeRecord(directory));
	const run = async (inputs, surroundings) => {
		if (!isOwn) throw inputError("monitor", `${quote(directory)} is not a monitor directory below RUNNER_TEMP.`);
		if (kept["fail-if"] === void 0) throw inputError("monitor", "its saved inputs are lost.");
		requestEnd(directory);
		return endMonitor(inputs, directory, surroundings);
	};
	await step("monitor-end", run, { given: kept });
}

export {  };