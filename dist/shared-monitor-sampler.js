import { D as formatTime, g as EMPTY_REPORT, v as gateOf, w as formatCount } from "./shared-sync-monitor-sandbox.js";
import { A as quote, C as sleep, I as parseFields, L as systemCode, R as textsOf, S as redactor, T as AgentError, c as parseInputs, i as proxyCredentials, l as secretsIn, n as openClient, s as inputNames, v as inputError } from "./shared.js";
import { c as requestStats, o as withClient, r as sample, s as decodeStats } from "./shared-sync-monitor-sampler.js";
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

// src/monitor/record.ts
/** Returns a monitor's files, none of which contains a secret input. */
function filesIn(directory) {
	return {
		inputs: path.join(directory, "inputs.json"),
		record: path.join(directory, "record.jsonl"),
		pid: path.join(directory, "pid"),
		errors: path.join(directory, "errors.txt"),
		stop: path.join(directory, "stop")
	};
}
function uptimeMs() {
	return Number(process.hrtime.bigint()) / 1e6;
}
/** Returns the Unix time, in milliseconds, at which the monotonic clock was 0. */
function clockOrigin() {
	return Date.now() - uptimeMs();
}
/** Returns a clock of Unix milliseconds that does not jump when the system's time is changed. */
function clockSince(origin) {
	return () => Math.round(origin + uptimeMs());
}
function keepInputs(directory, kept) {
	writeFileSync(filesIn(directory).inputs, JSON.stringify(kept), { mode: 384 });
}
function readKeptInputs(directory) {
	const { inputs, origin } = parseFields(readIfThere(filesIn(directory).inputs));
	return typeof origin === "number" ? {
		inputs: textsOf(inputs),
		origin
	} : void 0;
}
/** Returns undefined once the sampler has signed off. */
function samplerPid(directory) {
	return Number(readIfThere(filesIn(directory).pid)) || void 0;
}
const STOPPED = "stopped";
function requestStop(directory) {
	appendFileSync(filesIn(directory).stop, "", { mode: 384 });
}
function markStopped(directory) {
	writeFileSync(filesIn(directory).stop, STOPPED);
}
function isStopped(directory) {
	return readIfThere(filesIn(directory).stop) === STOPPED;
}
/** The sampler records this reason if the job stops it. */
const STOP_REQUESTED = "the job asked for it";
/** Appends a line without the secrets that a service may repeat. */
function appendLine(directory, line, redact) {
	const text = redact(JSON.stringify(line));
	appendFileSync(filesIn(directory).record, `${text}\n`, { mode: 384 });
}
const MAX_BYTES = 16777216;
function isFull(directory) {
	return statSync(filesIn(directory).record).size >= MAX_BYTES;
}
/** Reads the record, skipping the partial line that a killed sampler may leave. */
function readRecord(directory) {
	const { record, errors } = filesIn(directory);
	const lines = readIfThere(record).split("\n").map(parseLine);
	return {
		samples: lines.flatMap(({ sample }) => sample ?? []),
		failures: lines.flatMap(({ failure }) => failure ?? []),
		end: lines.findLast(({ end }) => end !== void 0)?.end,
		crash: readIfThere(errors).trimEnd().split("\n").at(-1)?.trim() || void 0
	};
}
function parseLine(line) {
	const { at, stats, failure, end } = parseFields(line);
	if (typeof failure === "string") return { failure };
	if (typeof end === "string") return { end };
	if (typeof at !== "number" || typeof stats !== "string") return {};
	const decoded = decodeStats(stats);
	if (decoded === void 0) return { failure: "The stats were not a JSON object." };
	return { sample: {
		at,
		...decoded
	} };
}
const GAP_INTERVALS = 10;
const MIN_GAP_MS = 3e4;
/** Finds gaps over ten intervals and 30 s, and the time after a sampler that ended early. */
function findGaps({ samples, end, crash }, jobEnd, intervalMs) {
	const times = samples.map(({ at }) => at);
	const last = times.at(-1) ?? jobEnd;
	const longest = Math.max(GAP_INTERVALS * intervalMs, MIN_GAP_MS);
	const isLong = ({ from, to }) => to - from > longest;
	const between = times.map((from, index) => ({
		from,
		to: times[index + 1] ?? from,
		why: ""
	})).filter(isLong);
	const after = {
		from: last,
		to: Math.max(jobEnd, last),
		why: ""
	};
	if (end === "the job asked for it") return isLong(after) ? [...between, after] : between;
	const reason = end ?? crash;
	const why = reason === void 0 ? "something else ended the monitor" : `the monitor had ended: ${reason}`;
	return [...between, {
		...after,
		why: `, since ${why}`
	}];
}
function readIfThere(file) {
	try {
		return readFileSync(file, "utf8");
	} catch (error) {
		if (systemCode(error) === "ENOENT") return "";
		throw error;
	}
}

// src/monitor/sampler.ts
async function runSampler(directory, task) {
	const inputs = parseInputs("monitor", task.inputs);
	const { stop, cancel, close } = watchForEnd(directory, task.jobPid, inputs.maxDuration);
	const connection = {
		...inputs,
		timeout: sampleTimeout(inputs)
	};
	const redact = redactor([...secretsIn(task.inputs), ...proxyCredentials()]);
	const client = openClient(connection, {
		cancel,
		now: Date.now,
		redact
	});
	try {
		await recordSamples(() => requestStats(client, inputs.statsPath), {
			intervalMs: inputs.sampleInterval,
			sleep,
			stop,
			now: clockSince(task.origin),
			write: (line) => appendLine(directory, line, redact),
			isFull: () => isFull(directory)
		});
	} catch (error) {
		process.stderr.write(`${String(error)}\n`);
	}
	close();
	await client.close();
	signOff(directory);
}
const MIN_TIMEOUT_MS = 1e4;
/** Caps a sample's timeout (ms), so that one slow answer does not open a gap. */
function sampleTimeout({ timeout, sampleInterval }) {
	return Math.min(timeout, Math.max(MIN_TIMEOUT_MS, sampleInterval));
}
async function recordSamples(request, { intervalMs, sleep, stop, now, write, isFull }) {
	while (!stop.aborted && !isFull()) {
		await sleep(intervalMs, stop);
		try {
			const { text } = await request();
			write({
				at: now(),
				stats: text
			});
		} catch (error) {
			if (!(error instanceof AgentError)) throw error;
			write({
				at: now(),
				failure: error.message
			});
		}
	}
	write({
		at: now(),
		end: stop.aborted ? String(stop.reason) : "its record was full"
	});
}
const CHECK_MS = 200;
const LAST_SAMPLE_MS = 5e3;
const JOB_GONE = "its job is gone";
/** Aborts `stop` with the reason to end, and `cancel` 5 s later. */
function watchForEnd(directory, jobPid, maxDurationMs) {
	const stop = new AbortController();
	const cancel = new AbortController();
	const endsAt = performance.now() + maxDurationMs;
	const timer = setInterval(() => {
		const reason = findReasonToEnd(directory, jobPid, performance.now() > endsAt);
		if (reason === void 0) return;
		clearInterval(timer);
		stop.abort(reason);
		setTimeout(() => cancel.abort(), reason === JOB_GONE ? 0 : LAST_SAMPLE_MS).unref();
	}, CHECK_MS);
	return {
		stop: stop.signal,
		cancel: cancel.signal,
		close: () => clearInterval(timer)
	};
}
function findReasonToEnd(directory, jobPid, isTimeUp) {
	if (existsSync(filesIn(directory).stop)) return STOP_REQUESTED;
	if (!existsSync(directory) || !isRunning(jobPid)) return JOB_GONE;
	return isTimeUp ? "max-duration was over" : void 0;
}
const PATIENCE_MS = 8e3;
const WAIT_MS = 50;
/** Waits for the sampler to exit, at most 8 s. */
async function waitForSampler(directory, { sleep, stop, clock }) {
	const deadline = clock() + PATIENCE_MS;
	let isWaiting = true;
	while (isWaiting && isSampling(directory) && clock() < deadline) isWaiting = await sleep(WAIT_MS, stop);
}
function signOff(directory) {
	rmSync(filesIn(directory).pid, { force: true });
}
function isSampling(directory) {
	const pid = samplerPid(directory);
	return pid !== void 0 && isRunning(pid);
}
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return systemCode(error) === "EPERM";
	}
}

// src/monitor/start.ts
async function startSampler(script, directory, task) {
	const { errors, pid } = filesIn(directory);
	const errorFile = openSync(errors, "a", 384);
	const child = spawn(process.execPath, [script, directory], {
		env: samplerEnvironment(),
		cwd: path.dirname(directory),
		detached: true,
		windowsHide: true,
		stdio: [
			"pipe",
			"ignore",
			errorFile
		]
	});
	closeSync(errorFile);
	await once(child, "spawn");
	writeFileSync(pid, String(child.pid), { mode: 384 });
	child.stdin?.end(JSON.stringify(task));
	child.unref();
}
async function receiveTask() {
	const { inputs, origin, jobPid } = parseFields(await text(process.stdin));
	return {
		inputs: textsOf(inputs),
		origin: Number(origin),
		jobPid: Number(jobPid)
	};
}
function samplerEnvironment() {
	const entries = Object.entries(process.env);
	return Object.fromEntries(entries.filter(([name]) => !name.startsWith("INPUT_")));
}

// src/run/monitor.ts
const FIRST_RETRIES = 2;
/**
* Takes the first sample, so that a wrong token, host or ID fails here, then starts the sampler.
* @throws AgentError or InputError
*/
async function startMonitor(inputs, raw, context, { script, openDirectory, jobPid }) {
	const origin = clockOrigin();
	const connection = {
		...inputs,
		timeout: sampleTimeout(inputs)
	};
	const outcome = await withClient(connection, context, (client) => sample({
		...inputs,
		retries: FIRST_RETRIES
	}, client, context));
	if ("error" in outcome) throw outcome.error;
	const directory = openDirectory();
	const judging = inputNames("monitor-end").map((name) => [name, raw[name] ?? ""]);
	const kept = {
		...Object.fromEntries(judging),
		"base-url": inputs.baseUrl
	};
	keepInputs(directory, {
		inputs: kept,
		origin
	});
	const first = {
		at: clockSince(origin)(),
		stats: outcome.value.json
	};
	appendLine(directory, first, context.redact);
	await startSampler(script, directory, {
		inputs: raw,
		origin,
		jobPid
	});
}
/** Stops the sampler and judges its record. @throws InputError if the record is lost */
async function endMonitor(directory, context) {
	const { cancel } = context;
	const kept = readKeptInputs(directory);
	if (kept === void 0) throw lostRecord(directory);
	const jobEnd = clockSince(kept.origin)();
	requestStop(directory);
	await waitForSampler(directory, {
		...context,
		stop: cancel
	});
	const record = readRecord(directory);
	if (record.samples.length === 0) throw lostRecord(directory);
	const end = record.end ?? (cancel.aborted ? "the job asked for it" : void 0);
	return {
		...judgeRecord(parseInputs("monitor-end", kept.inputs), {
			...record,
			end
		}, jobEnd),
		cancelled: cancel.aborted
	};
}
/** Judges a record; a gap fails a gate with `fail-if` and is a warning otherwise. */
function judgeRecord({ name, sandboxId, baseUrl, failIf, warnIf, sampleInterval }, record, jobEnd) {
	const { samples } = record;
	const gaps = findGaps(record, jobEnd, sampleInterval).map(describeGap);
	const [message, ...details] = gaps;
	const isFailure = failIf.length > 0 && message !== void 0;
	return {
		...EMPTY_REPORT,
		task: "monitor",
		name,
		sandboxId,
		baseUrl,
		samples,
		monitored: {
			from: samples[0]?.at ?? jobEnd,
			to: Math.max(samples.at(-1)?.at ?? jobEnd, jobEnd)
		},
		gate: gateOf({
			failIf,
			warnIf
		}, samples, gaps.length > 0),
		errors: isFailure ? [{
			message,
			details
		}] : [],
		warnings: [...describeFailures(record), ...isFailure ? [] : gaps]
	};
}
function lostRecord(directory) {
	return inputError("monitor", `its record is lost: something removed files from ${directory}.`);
}
function describeGap({ from, to, why }) {
	return `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${why}.`;
}
function describeFailures({ failures: [first, ...others] }) {
	if (first === void 0) return [];
	const which = others.length === 0 ? "" : ", the first";
	return [`${formatCount(others.length + 1, "sample")} failed${which}: ${first}`];
}
/** Returns the directory of the monitor to stop. @throws InputError unless exactly one matches */
function chooseMonitor(wanted, directories) {
	const running = directories.filter((directory) => !isStopped(directory));
	const [only, ...others] = running.filter((each) => wanted === "" || path.basename(each) === wanted);
	if (only !== void 0 && others.length === 0) return only;
	const what = wanted === "" ? "is needed unless exactly one monitor runs" : `${quote(wanted)} is no running monitor of this job`;
	const names = running.map(nameMonitor).join(", ") || "none";
	throw inputError("monitor", `${what}. Running: ${names}. Use the output of the step that started the monitor.`, "${{ steps.<its id>.outputs.monitor }}");
}
function nameMonitor(directory) {
	const name = readKeptInputs(directory)?.inputs["name"]?.trim() ?? "";
	const id = path.basename(directory);
	return name === "" ? id : `${quote(name)} (${id})`;
}

export { runSampler as a, readKeptInputs as c, receiveTask as i, endMonitor as n, isStopped as o, startMonitor as r, markStopped as s, chooseMonitor as t };