import { J as fieldsOf, L as sleep, N as gateOf, O as redactor, R as withRetries, U as quote, X as systemCode, Y as parseFields, Z as textsOf, c as openClient, h as secretsIn, i as samplesOf, m as parseInputs, n as readStats, p as inputNames, t as decodeStats, u as proxyCredentials, w as inputError, z as AgentError } from "./shared.js";
import { g as EMPTY_REPORT, w as formatTime, x as formatCount } from "./shared-sync-monitor-sandbox.js";
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
function startNow() {
	return {
		at: Date.now(),
		uptimeMs: uptimeMs()
	};
}
/** Returns a clock of Unix milliseconds that never jumps after the start. */
function clockOf(start) {
	return () => Math.round(start.at + uptimeMs() - start.uptimeMs);
}
function keepInputs(directory, kept) {
	writeFileSync(filesIn(directory).inputs, JSON.stringify(kept), { mode: 384 });
}
function readKeptInputs(directory) {
	const { inputs, start } = parseFields(readIfThere(filesIn(directory).inputs));
	const { at, uptimeMs } = fieldsOf(start);
	if (typeof at !== "number" || typeof uptimeMs !== "number") return void 0;
	return {
		inputs: textsOf(inputs),
		start: {
			at,
			uptimeMs
		}
	};
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
const ASKED = "the job asked for it";
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
		...samplesOf(lines.flatMap(({ reading }) => reading ?? [])),
		failures: lines.flatMap(({ failed }) => failed ?? []),
		end: lines.findLast(({ end }) => end !== void 0)?.end,
		crash: readIfThere(errors).trimEnd().split("\n").at(-1)?.trim() || void 0
	};
}
function parseLine(line) {
	const { at, stats, failure, end } = parseFields(line);
	if (typeof at !== "number") return {};
	const decoded = typeof stats === "string" ? decodeStats(stats) : void 0;
	if (decoded !== void 0) return { reading: {
		at,
		stats: decoded
	} };
	if (typeof failure === "string") return { failed: {
		at,
		message: failure
	} };
	return typeof end === "string" ? { end } : {};
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
		await recordSamples(() => readStats(client, inputs.statsPath), {
			intervalMs: inputs.sampleInterval,
			sleep,
			stop,
			now: clockOf(task.start),
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
async function recordSamples(read, { intervalMs, sleep, stop, now, write, isFull }) {
	while (!stop.aborted && !isFull()) {
		await sleep(intervalMs, stop);
		try {
			const { json } = await read();
			write({
				at: now(),
				stats: json
			});
		} catch (error) {
			if (!(error instanceof AgentError)) throw error;
			write({
				at: now(),
				failure: failureText(error)
			});
		}
	}
	write({
		at: now(),
		end: stop.aborted ? String(stop.reason) : "its record was full"
	});
}
function failureText({ kind, message, hint, isRetryable }) {
	return isRetryable || kind === "cancelled" ? message : `${message} ${hint}`;
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
	if (existsSync(filesIn(directory).stop)) return ASKED;
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
	const { inputs, start, jobPid } = parseFields(await text(process.stdin));
	const { at, uptimeMs } = fieldsOf(start);
	return {
		inputs: textsOf(inputs),
		start: {
			at: Number(at),
			uptimeMs: Number(uptimeMs)
		},
		jobPid: Number(jobPid)
	};
}
function samplerEnvironment() {
	const entries = Object.entries(process.env);
	return Object.fromEntries(entries.filter(([name]) => !name.startsWith("INPUT_")));
}

// src/run/monitor.ts
/**
* Takes the first sample, so that a wrong token, host or ID fails here, then starts the sampler.
* @throws AgentError or InputError
*/
async function startMonitor(inputs, raw, context, { script, openDirectory, jobPid }) {
	const start = startNow();
	const { json } = await takeFirstSample(inputs, context);
	const directory = openDirectory();
	const kept = inputNames("monitor-end").map((name) => [name, raw[name] ?? ""]);
	keepInputs(directory, {
		inputs: {
			...Object.fromEntries(kept),
			"base-url": inputs.baseUrl
		},
		start
	});
	appendLine(directory, {
		at: clockOf(start)(),
		stats: json
	}, context.redact);
	await startSampler(script, directory, {
		inputs: raw,
		start,
		jobPid
	});
	const text = `Monitor: records into ${directory} until process ${jobPid} ends`;
	context.onEvent({
		kind: "found",
		text
	});
}
const FIRST_RETRIES = 2;
async function takeFirstSample(inputs, context) {
	const client = openClient({
		...inputs,
		timeout: sampleTimeout(inputs)
	}, context);
	try {
		const outcome = await withRetries(() => readStats(client, inputs.statsPath), {
			...context,
			retries: FIRST_RETRIES,
			stop: context.cancel,
			onRetry: (retry) => context.onEvent({
				kind: "retry",
				files: [],
				retry
			})
		});
		if ("error" in outcome) throw outcome.error;
		return outcome.value;
	} finally {
		await client.close();
	}
}
/** Stops the sampler and judges its record. @throws InputError if the record is lost */
async function endMonitor(directory, context) {
	const { cancel, onEvent } = context;
	const kept = readKeptInputs(directory);
	if (kept === void 0) throw lostRecord(directory);
	const jobEnd = clockOf(kept.start)();
	requestStop(directory);
	await waitForSampler(directory, {
		...context,
		stop: cancel
	});
	const record = readRecord(directory);
	onEvent({
		kind: "found",
		text: describeRecord(record)
	});
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
	const { samples, stats } = record;
	const gaps = findGaps(record, jobEnd, sampleInterval).map(describeGap);
	const [message, ...details] = gaps;
	const isFailure = failIf.length > 0 && message !== void 0;
	const figures = samples.map((sample) => sample.figures);
	return {
		...EMPTY_REPORT,
		task: "monitor",
		name,
		sandboxId,
		baseUrl,
		samples,
		stats,
		monitored: {
			from: samples[0]?.at ?? jobEnd,
			to: Math.max(samples.at(-1)?.at ?? jobEnd, jobEnd)
		},
		gate: gateOf({
			failIf,
			warnIf
		}, figures, gaps.length > 0),
		errors: isFailure ? [{
			message,
			details
		}] : [],
		warnings: [
			...record.warnings,
			...describeFailures(record),
			...isFailure ? [] : gaps
		]
	};
}
function lostRecord(directory) {
	return inputError("monitor", `its record is lost: something removed files from ${directory}.`);
}
function describeGap({ from, to, why }) {
	return `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${why}.`;
}
function describeFailures({ failures }) {
	const [first, ...others] = failures;
	if (first === void 0) return [];
	return [`${formatCount(failures.length, "sample")} failed${others.length === 0 ? "" : ", the first"}: ${first.message}`];
}
const MAX_DEBUG_LINES = 100;
function describeRecord({ samples, failures, end, crash }) {
	const ending = end ?? crash ?? "unknown";
	const counts = `${formatCount(samples.length, "sample")}, ${failures.length} failed`;
	const lines = failures.slice(0, MAX_DEBUG_LINES).map(({ at, message }) => `- ${new Date(at).toISOString()}: ${message}`);
	return [`Monitor: ${counts}, ended: ${ending}`, ...lines].join("\n");
}
const EXAMPLE = "${{ steps.<its id>.outputs.monitor }}";
/** Returns the directory of the monitor to stop. @throws InputError unless exactly one matches */
function chooseMonitor(wanted, directories) {
	const named = directories.filter((directory) => !isStopped(directory)).filter((directory) => wanted === "" || path.basename(directory) === wanted);
	const [only, ...others] = named;
	if (only !== void 0 && others.length === 0) return only;
	if (only !== void 0) {
		const shown = named.map(nameMonitor).join(", ");
		const why = `${formatCount(named.length, "monitor")} run in this job: ${shown}. Say which one to stop.`;
		throw inputError("monitor", why, EXAMPLE);
	}
	if (wanted === "") throw inputError("monitor", "no monitor runs in this job. Start one in an earlier step, with uses: sandbox-sync/sandbox-sync/monitor@v1.");
	const why = `${quote(wanted)} is no monitor of this job, or was stopped already. Use the output of the step that started it.`;
	throw inputError("monitor", why, EXAMPLE);
}
function nameMonitor(directory) {
	const name = readKeptInputs(directory)?.inputs["name"]?.trim() ?? "";
	const id = path.basename(directory);
	return name === "" ? id : `${quote(name)} (${id})`;
}

export { runSampler as a, readKeptInputs as c, receiveTask as i, endMonitor as n, isStopped as o, startMonitor as r, markStopped as s, chooseMonitor as t };