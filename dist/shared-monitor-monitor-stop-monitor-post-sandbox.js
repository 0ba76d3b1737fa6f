import { $ as EMPTY_REPORT, C as fieldsOf, Dt as AgentError, E as textsOf, Et as withRetries, G as reportError, H as annotate, St as gateOf, Tt as sleep, U as logLine, W as toMessage, X as tryToSample, _t as formatTime, a as cancelSignal, at as USER_AGENT, et as parseInputs, f as readInputs, ft as inputError, gt as formatNumber, h as hasEnded, ht as formatDuration, l as lastCallSignal, lt as secretsInHeaders, m as filesIn, mt as formatCount, n as parseGiven, o as environmentWarnings, ot as isHeaderValue, p as secretsOf, pt as abbreviate, r as reportBug, rt as METRICS, t as debugLog, tt as showInputs, ut as InputError, w as parseFieldsOf, wt as metricsOf, x as readForeign, xt as redactor } from "./shared.js";
import { d as saveState, f as setFailed, m as setSecret, p as setOutput, s as getState } from "./vendor.js";
import { a as describeUnseen, c as readStats, l as badAnswer, o as findStaleTimes, s as decodeStats, u as parseAnswer } from "./shared-sync-upload-stats-monitor-stop-monitor-post-sandbox.js";
import { n as openServiceClient, t as openClient } from "./shared-sync-upload-stats-sandbox.js";
import { hash, randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";

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
	const isTooLong = lines.length > MAX_LINES;
	const tooLong = isTooLong ? `it has more than ${formatNumber(MAX_LINES)} lines` : void 0;
	const parsed = parseLines(isTooLong ? [] : lines, /* @__PURE__ */ new Set([...Object.keys(METRICS), ...judged]));
	const lastFigures = parsed.samples.at(-1)?.figures;
	return {
		...parsed,
		stats: lastFigures && lastStats(last.text, lastFigures, judged),
		crash: await readCrash(directory),
		problem: record.problem ?? tooLong
	};
}
function parseLines(lines, metrics) {
	const written = lines.filter((line) => line !== "");
	const entries = written.map(parseFieldsOf).filter(hasTime);
	const samples = entries.filter(({ figures }) => figures !== void 0).map(({ at, figures }) => ({
		at,
		figures: figuresIn(figures, metrics)
	}));
	const last = samples.at(-1);
	if (entries.length < written.length && last !== void 0) samples.push({
		at: last.at,
		figures: /* @__PURE__ */ new Map()
	});
	const warnings = entries.flatMap(({ warning }) => typeof warning === "string" && warning !== "" ? warning.split("\n", MAX_WARNINGS) : []);
	return {
		samples,
		gaps: momentsOf("gap", entries),
		warnings: [...new Set(warnings.map(cut))].slice(0, MAX_WARNINGS),
		start: entries.findLast(({ start }) => start !== void 0)?.at,
		end: momentsOf("end", entries).at(-1)
	};
}
const MAX_TIME = 864e13;
function hasTime(fields) {
	const { at } = fields;
	return typeof at === "number" && Math.abs(at) <= MAX_TIME;
}
function momentsOf(name, entries) {
	return entries.flatMap(({ at, [name]: what }) => typeof what === "string" ? [{
		at,
		what: cut(what)
	}] : []);
}
function cut(text) {
	return text.slice(0, MAX_TEXT);
}
function figuresIn(value, metrics) {
	const figures = /* @__PURE__ */ new Map();
	for (const [metric, figure] of Object.entries(fieldsOf(value))) if (typeof figure === "number" && Number.isFinite(figure) && metrics.has(metric)) figures.set(metric, figure);
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
/** The reason of a monitor that the post step ended. */
const ASKED = "the job asked for it";

// src/run/monitor.ts
/**
* Waits for a monitor that was asked to end, and judges its record. If that does not cover the whole
* job, `fail-if` fails: nobody knows what the sandbox used meanwhile.
*/
async function endMonitor(inputs, directory, context) {
	const { name, sandboxId, baseUrl, failIf, warnIf, sampleInterval } = inputs;
	const jobEnd = context.now();
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
	const isFatal = failIf.length > 0;
	return {
		...EMPTY_REPORT,
		task: "monitor",
		name,
		sandboxId,
		baseUrl,
		samples,
		stats,
		gate: gateOf(inputs, figures, unseen.length > 0),
		errors: [...findRecordErrors(record), ...(isFatal ? unseenLines : []).map((message) => ({
			message,
			details: []
		}))],
		warnings: [
			...record.warnings,
			...describeGaps(record),
			...isFatal ? [] : unseenLines
		],
		cancelled: context.cancel.aborted
	};
}
const PATIENCE_MS$1 = 8e3;
const CHECK_MS = 50;
async function waitForEnd(directory, { sleep, cancel, clock }) {
	const deadline = clock() + PATIENCE_MS$1;
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

// src/github/plain-step.ts
/** Runs a step that writes no report: what it does is in the log, what goes wrong is its error. */
async function plainStep(entry, run, { given, onFailure = (lines) => setFailed(toMessage(lines)) } = {}) {
	process.stdout.on("error", () => {});
	const raw = given ?? readInputs(entry);
	const redact = redactor(secretsOf(raw));
	const debug = debugLog(raw);
	const context = {
		cancel: cancelSignal(),
		lastCall: lastCallSignal(),
		now: Date.now,
		sleep,
		random: Math.random,
		log: logLine,
		warn: (line) => annotate.warning([line])
	};
	debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
	for (const warning of environmentWarnings()) context.warn(warning);
	try {
		const inputs = given === void 0 ? parseGiven(entry, raw, redact) : parseInputs(entry, raw);
		for (const line of showInputs(entry, inputs)) debug(`Input ${line}`);
		await run(inputs, context, raw);
	} catch (error) {
		onFailure(describeFailure(error).map(redact));
	}
}
function describeFailure(error) {
	const { message, details } = error instanceof InputError || error instanceof AgentError ? reportError(error) : reportBug(error);
	return [message, ...details];
}

// src/github/sandbox-state.ts
const STATE = "sandbox";
/** What the main step keeps for the post step, which may get other inputs. */
const KEPT_INPUTS = [
	"api-url",
	"retries",
	"timeout"
];
/** Metadata by which a sandbox can be traced to this very step. */
function traceOfStep() {
	const trace = {
		"github-repository": process.env["GITHUB_REPOSITORY"],
		"github-run-id": process.env["GITHUB_RUN_ID"],
		"github-job": process.env["GITHUB_JOB"],
		"sandbox-sync-id": randomUUID()
	};
	const known = Object.entries(trace).flatMap(([key, value]) => value ? [[key, value]] : []);
	return Object.fromEntries(known);
}
/** @throws InputError if the post step and later steps cannot be told of a sandbox */
function requireFileCommands() {
	const missing = ["GITHUB_STATE", "GITHUB_OUTPUT"].find((name) => !process.env[name]);
	if (missing !== void 0) throw inputError("sandbox", `cannot start: ${missing} is not set.`);
}
/** Tells the post step of a sandbox, but not the API key: only a digest to recognize it by. */
function keepSandbox(id, endsAt, raw) {
	const inputs = Object.fromEntries(KEPT_INPUTS.map((name) => [name, raw[name] ?? ""]));
	saveState(STATE, {
		...inputs,
		id,
		endsAt,
		key: digestOf(raw)
	});
}
/** The sandbox that this post step is to delete, if any. */
function keptSandbox() {
	const { id, endsAt, key, ...kept } = textsOf(parseFieldsOf(getState(STATE)));
	if (id === void 0) return void 0;
	const inputs = {
		...readInputs("sandbox-end"),
		...kept
	};
	return {
		id,
		endsAt: Number(endsAt),
		inputs,
		hasKey: digestOf(inputs) === key
	};
}
function digestOf(raw) {
	const key = (raw["api-key"] ?? "").trim();
	return hash("sha256", key).slice(0, 16);
}
/** Masks the token of a sandbox, and sets the outputs. */
function publishSandbox({ id, token, domain }) {
	if (token !== void 0) setSecret(token);
	setOutput("id", id);
	if (token !== void 0) setOutput("token", token);
	if (domain !== void 0) setOutput("domain", domain);
}

// src/sandbox/failure.ts
const HINTS = {
	unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
	forbidden: "Check what the API key may do, and the limits of your account.",
	rejected: "Check template, lifetime and the limits of your account.",
	busy: "Delete sandboxes that you no longer need, check the limits of your account, or run the job later.",
	server: "Check the service's status, and run the job again.",
	"not-found": "Check template, api-url, and sandbox-id: a sandbox that was deleted or has expired is gone.",
	"sandbox-not-found": "Check sandbox-id: a sandbox that was deleted or has expired is gone.",
	unreachable: "Check api-url, that the host can be reached from this runner, and its proxy settings (HTTPS_PROXY, NO_PROXY).",
	tls: "Check api-url, and that its port speaks TLS. If the host's certificate comes from a private CA, set NODE_EXTRA_CA_CERTS to its file.",
	"not-http": "Check api-url.",
	connection: "The connection to the service is unreliable. Run the job again.",
	stalled: "Run the job again, or raise timeout.",
	"bad-answer": "Check api-url: it is the URL of the service's API, such as https://api.e2b.app, not of its website.",
	redirected: "Redirects are not followed, so that the API key stays where it was sent. Check api-url."
};
/** The same error, with what to do about a failure of the service's API. */
function apiError(error) {
	const { kind, message, status, retryAfterMs, cause } = error;
	const hint = HINTS[kind] ?? error.hint;
	return new AgentError(kind, message, {
		status,
		retryAfterMs,
		hint,
		cause
	});
}
/** Whether a request certainly had no effect, so that it may be repeated. */
function hadNoEffect({ kind, status }) {
	return status === 429 || status === 503 || kind === "unreachable" || kind === "too-many-open";
}
const LOST = [
	"connection",
	"stalled",
	"cancelled",
	"bad-answer"
];
/** Whether a request may have had its effect although it failed. */
function mayHaveWorked({ kind, status }) {
	if (status === void 0) return LOST.includes(kind);
	return status === 201 || status === 408 || status >= 500 && status !== 503;
}

// src/sandbox/api.ts
/** Opens the API; `secrets` are shown in no message either. @throws InputError for a bad proxy */
function openApi({ apiUrl, apiKey, headers, retries, timeout }, secrets, options) {
	const client = openServiceClient({
		baseUrl: apiUrl,
		headers: {
			...headers,
			"X-API-Key": apiKey
		},
		secrets: [apiKey, ...secrets],
		timeout
	}, {
		cancel: options.lastCall,
		now: options.now
	});
	async function send(request, decode) {
		const { method, path, body, statuses = [200, 201], isRepeatable = () => true } = request;
		const sending = {
			method,
			path,
			statuses,
			...body && jsonBody(body)
		};
		const policy = {
			...options,
			retries,
			isRepeatable
		};
		try {
			const outcome = await withRetries(() => client.send(sending), policy);
			if ("error" in outcome) throw outcome.error;
			return decode(outcome.value);
		} catch (error) {
			throw error instanceof AgentError ? apiError(error) : error;
		}
	}
	const decode = (answer) => decodeSandbox(answer, client.redact);
	const pathOf = (id) => `/sandboxes/${encodeURIComponent(id)}`;
	return {
		create: ({ template, lifetime, metadata, env }) => {
			return send({
				method: "POST",
				path: "/sandboxes",
				body: {
					templateID: template,
					timeout: lifetime,
					secure: true,
					metadata,
					envVars: env
				},
				isRepeatable: hadNoEffect
			}, decode);
		},
		connect: async (id, lifetime) => {
			const body = { timeout: lifetime };
			return {
				...await send({
					method: "POST",
					path: `${pathOf(id)}/connect`,
					body
				}, decode),
				id
			};
		},
		remove: (id) => send({
			method: "DELETE",
			path: pathOf(id),
			statuses: [
				200,
				204,
				404
			]
		}, ({ status }) => status !== 404),
		close: () => client.close()
	};
}
function jsonBody(value) {
	const bytes = Buffer.from(JSON.stringify(value));
	return {
		headers: {
			"Content-Type": "application/json",
			"Content-Length": String(bytes.length)
		},
		body: { [Symbol.asyncIterator]: () => once(bytes) }
	};
}
async function* once(bytes) {
	yield bytes;
}
/** @throws AgentError unless the answer names a sandbox */
function decodeSandbox(answer, redact) {
	const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(parseAnswer(answer));
	const isClean = (text) => redact(text) === text;
	if (typeof id !== "string" || !/^(?=.*\w)[\x21-\x7e]{1,200}$/.test(id) || !isClean(id)) throw badAnswer(answer, "it names no sandbox");
	const hasToken = typeof token === "string" && token !== "" && isHeaderValue(token);
	const hasDomain = typeof domain === "string" && /^[\w.-]+$/.test(domain) && isClean(domain);
	return {
		id,
		token: hasToken ? token : void 0,
		domain: hasDomain ? domain : void 0
	};
}

// src/sandbox/ready.ts
/** The URL of a sandbox's agent in a service that has its API at `api.` before its domain. */
function agentUrl(id, domain, apiUrl) {
	const [, ownDomain] = /^api\.(.+)$/.exec(new URL(apiUrl).host) ?? [];
	const host = domain ?? ownDomain;
	const url = /^[\w-]{1,57}$/.test(id) ? URL.parse(`https://49983-${id}.${host}`) : null;
	return host === void 0 ? void 0 : url?.origin;
}
const PATIENCE_MS = 6e4;
const INTERVAL_MS = 1e3;
const ATTEMPT_MS = 1e4;
/** Waits at most a minute for the agent of a sandbox to answer. @throws AgentError if it does not */
async function waitForAgent({ id, token, url }, { cancel, now, sleep }) {
	const client = openClient({
		sandboxId: id,
		token,
		baseUrl: url,
		allowInsecureHttp: false,
		port: 49983,
		headerPrefix: "E2b",
		statsPath: "/metrics",
		headers: {},
		timeout: ATTEMPT_MS
	}, {
		cancel,
		now
	});
	const deadline = now() + PATIENCE_MS;
	try {
		for (;;) {
			const sampled = await tryToSample(() => readStats(client, "/metrics", /* @__PURE__ */ new Set()));
			if (!(sampled instanceof AgentError) || hasAnswered(sampled)) return;
			if (!(sampled.retryable || sampled.kind === "sandbox-not-found") || now() > deadline || !await sleep(INTERVAL_MS, cancel)) throw notReady(sampled);
		}
	} finally {
		await client.close();
	}
}
/** Whether an error is the answer of an agent that is up; the step that needs more says so. */
function hasAnswered({ kind, status, retryable }) {
	return status !== void 0 && !retryable && kind !== "sandbox-not-found";
}
function notReady({ kind, message, status, cause }) {
	const hint = kind === "cancelled" ? "The job was cancelled." : "Run the job again. If the sandbox's agent is reached at another address, set wait: false.";
	return new AgentError(kind, `The agent does not answer: ${message}`, {
		status,
		hint,
		cause
	});
}

// src/sandbox/sandbox.ts
/** Creates a sandbox, or connects to one, for a job. @throws AgentError */
async function getSandbox(inputs, context, job) {
	const { apiUrl, wait } = inputs;
	const { cancel, log } = context;
	const api = openApi(inputs, secretsInHeaders(Object.entries(inputs.env)), {
		...context,
		stop: cancel,
		onRetry: retryLog(context)
	});
	try {
		const sandbox = await (inputs.sandboxId === "" ? create : connect)(api, inputs, context, job);
		job.publish(sandbox);
		const { id, token, domain } = sandbox;
		if (token === void 0) throw noToken(id);
		if (cancel.aborted) throw cancelled();
		const url = agentUrl(id, domain, apiUrl);
		if (wait && url === void 0) log("The service names no domain, so nothing was waited for.");
		if (wait && url !== void 0) await waitForAgent({
			id,
			token,
			url
		}, context);
	} finally {
		await api.close();
	}
}
/** Deletes a sandbox, or warns that it is left. `endsAt` is in milliseconds since 1970. */
async function deleteSandbox({ id, endsAt }, inputs, context) {
	const options = {
		...context,
		stop: context.lastCall,
		onRetry: retryLog(context)
	};
	const api = openApi(inputs, [], options);
	try {
		const wasThere = await api.remove(id);
		context.log(wasThere ? `Deleted sandbox ${id}` : `Sandbox ${id} was already gone`);
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		context.warn(`${leftBehind(id, endsAt)} ${error.message} ${error.hint}`);
	} finally {
		await api.close();
	}
}
/** Says that a sandbox was not deleted, and how long it lives. */
function leftBehind(id, endsAt) {
	return `Sandbox ${id} could not be deleted. It ends by itself at ${formatTime(endsAt)}, unless its lifetime was extended.`;
}
async function create(api, inputs, { cancel, now, log, warn }, { trace, willDelete }) {
	const { template, lifetime, env } = inputs;
	if (cancel.aborted) throw cancelled();
	const metadata = {
		...inputs.metadata,
		...trace
	};
	const seconds = Math.ceil(lifetime / 1e3);
	const sandbox = await api.create({
		template,
		lifetime: seconds,
		metadata,
		env
	}).catch((error) => {
		if (error instanceof AgentError && mayHaveWorked(error)) warn(lostSandbox(trace, now() + lifetime));
		throw error;
	});
	const keep = () => willDelete(sandbox.id, now() + lifetime);
	if (inputs.delete ?? true) await keepOrRemove(keep, () => api.remove(sandbox.id));
	log(`Created sandbox ${sandbox.id} from ${template}, for ${formatDuration(lifetime)}`);
	return sandbox;
}
/** Without a post step that knows it, nobody would delete the sandbox later. */
async function keepOrRemove(keep, remove) {
	try {
		keep();
	} catch (error) {
		await remove();
		throw error;
	}
}
async function connect(api, inputs, { now, log }, { willDelete }) {
	const { sandboxId, lifetime } = inputs;
	if (inputs.delete ?? false) willDelete(sandboxId, now() + lifetime);
	const sandbox = await api.connect(sandboxId, Math.ceil(lifetime / 1e3));
	log(`Connected to sandbox ${sandboxId}, for at least ${formatDuration(lifetime)}`);
	return sandbox;
}
function retryLog({ log }) {
	return ({ attempt, error, delayMs }) => log(`Attempt ${attempt} failed, next in ${formatDuration(delayMs)}: ${error.message}`);
}
function lostSandbox(trace, endsAt) {
	return `The answer was lost, so a sandbox may have been created that nobody deletes. Look for one with the metadata ${Object.entries(trace).map(([key, value]) => `${key}=${value}`).join(", ")}. It ends by itself at ${formatTime(endsAt)}.`;
}
function noToken(id) {
	return new AgentError("bad-answer", `The service returned no token for sandbox ${id}.`, { hint: "Nothing can be sent to it without one. Its template may be too old for `secure`: build the template again, or use another one." });
}
function cancelled() {
	return new AgentError("cancelled", "The job was cancelled.");
}

export { keptSandbox as a, traceOfStep as c, openCrashFile as d, readCrash as f, keepSandbox as i, plainStep as l, getSandbox as n, publishSandbox as o, leftBehind as r, requireFileCommands as s, deleteSandbox as t, endMonitor as u };