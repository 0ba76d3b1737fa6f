import { t as openClient } from "./shared-sync-upload-stats-sandbox.js";
import { B as EMPTY_REPORT, F as judgementLine, I as takeSamples, L as tryToSample, M as reportError, N as waitError, P as formatFigure, R as unmet, X as METRICS, Y as CONTRACT, Z as metricKind, dt as gateOf, ft as isGated, gt as AgentError, ht as withRetries, i as parseWithDigits, n as fieldsOf, ot as truncate, pt as metricsOf, rt as formatTime, t as digitsOf, tt as formatDuration, z as waitUntil } from "./shared.js";

// src/agent/words.ts
const MAX_CHARACTERS = 300;
const MAX_SEARCHED = 16384;
/** What an error's body says, whether JSON, HTML or text, in one line of at most 300 characters. */
function wordsOf(text, redact) {
	const message = messageIn(text);
	const isText = message !== void 0 && !HTML.test(message);
	const page = redact(message ?? text).slice(0, MAX_SEARCHED);
	const line = redact(redact(isText ? message : shownText(page)).slice(0, MAX_SEARCHED).replace(/\s+/g, " ").trim());
	return truncate(line, MAX_CHARACTERS);
}
const HTML = /<(?:!doctype|html|head|body|title|center|h\d|p|div|pre)\b/i;
const ENTITIES = new Map(Object.entries({
	lt: "<",
	gt: ">",
	quot: "\"",
	apos: "'",
	"#39": "'",
	nbsp: " ",
	amp: "&"
}));
function shownText(html) {
	return html.replace(/<!--.*?(-->|$)|<(style|script)\b.*?(<\/\2>|$)/gis, " ").replace(/<[^<>]*>/g, " ").replace(/&(#?\w+);/g, (entity, name) => ENTITIES.get(name) ?? entity);
}
/** The message in a JSON body; undefined if it is not JSON. */
function messageIn(text) {
	try {
		const body = JSON.parse(text);
		if (typeof body === "string") return body;
		if (typeof body !== "object" || body === null) return text;
		const { message, error } = fieldsOf(body);
		return [message, error].find((each) => typeof each === "string") ?? JSON.stringify(body);
	} catch {
		return;
	}
}

// src/agent/answer.ts
const { STATUS_CODES } = process.getBuiltinModule("node:http");
const MAX_BYTES = 131072;
const MAX_RETRY_AFTER_MS = 6e4;
/** @throws AgentError if the body is longer than 128 KiB */
async function readAnswer({ statusCode: status, headers, body }, { label, isEarly }) {
	const chunks = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > MAX_BYTES) {
			const message = `${label} answered ${status} with a response larger than 128 KiB.`;
			throw new AgentError("bad-answer", message, { status });
		}
		chunks.push(chunk);
	}
	return {
		label,
		status,
		text: new TextDecoder().decode(Buffer.concat(chunks)),
		retryAfter: [headers["retry-after"]].flat()[0],
		location: [headers["location"]].flat()[0],
		isEarly
	};
}
/** @throws AgentError if the answer is not JSON */
function parseAnswer(answer) {
	try {
		return JSON.parse(answer.text);
	} catch {
		throw badAnswer(answer, "it is not JSON");
	}
}
/** An error for a 2xx answer that breaks the contract. `why` completes the sentence. */
function badAnswer({ label, status }, why) {
	const message = `${label} answered ${status} with an unusable answer: ${why}.`;
	return new AgentError("bad-answer", message, { status });
}
const KINDS = {
	401: "unauthorized",
	403: "forbidden",
	404: "not-found",
	405: "not-found",
	408: "busy",
	409: "busy",
	410: "sandbox-not-found",
	413: "too-large",
	425: "busy",
	429: "busy",
	500: "server",
	502: "server",
	503: "server",
	504: "server",
	507: "disk-full",
	520: "server",
	521: "server",
	522: "server",
	523: "server",
	524: "server"
};
const RULES = [
	{
		statuses: [404, 502],
		words: /\bsandbox(?: id)?(?: \\?["'`][^"'`]+["'`]| [\w.-]*[\d_-][\w.-]*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
		kind: "sandbox-not-found"
	},
	{
		statuses: [400],
		words: /(?:missing|required|no|invalid)\b.*\b(?:header|sandbox.?id|sandbox.?port)/i,
		kind: "not-routed"
	},
	{
		statuses: [
			400,
			401,
			404,
			500
		],
		words: /\b(?:unknown user|user:? [\w.'"`-]+ (?:was )?not found|error looking up user)/i,
		kind: "unknown-user"
	},
	{
		statuses: [400, 500],
		words: /not a directory|\bENOTDIR\b|\bpath is a file\b/i,
		kind: "not-a-directory"
	},
	{
		statuses: [500],
		words: /no space left on device|disk quota exceeded/i,
		kind: "disk-full"
	}
];
const PERMISSION_DENIED = /permission denied/i;
const HINTS = [
	[/is a directory/i, "The target is a directory in the sandbox: end the target with / to put the file in it."],
	[PERMISSION_DENIED, "Set username to a user who may write there, or give the files another target."],
	[/read-only file system/i, "Nothing can be stored at this target. Choose another."],
	[/text file busy/i, "The sandbox is running this file. Stop it, or upload to another target."],
	[/file name too long/i, "A name may have 255 bytes. Give the file a shorter target."],
	[/cloudflare|firewall|captcha|been blocked|access denied by/i, "Something before the service refuses the request. Let requests of this runner through there."]
];
const HINTS_BY_STATUS = {
	402: "The service wants to be paid, or a quota is used up: look into your account there.",
	414: "The URL is too long: shorten the file's target.",
	431: "The headers are too long: shorten token, sandbox-id or headers."
};
/** What a status other than 200 and 201 means. `now` is in milliseconds since 1970. */
function statusFailure(answer, redact, now) {
	const { label, status, retryAfter, location } = answer;
	const words = wordsOf(answer.text, redact);
	const reason = STATUS_CODES[status] === void 0 ? "" : ` ${STATUS_CODES[status]}`;
	const destination = isRedirect(status) ? destinationOf(location, redact) : "";
	const quoted = words === "" ? "" : ` It said: ${JSON.stringify(words)}.`;
	return new AgentError(kindOf(status, words), `${label} answered ${status}${reason}${destination}.${quoted}`, {
		status,
		retryAfterMs: parseRetryAfter(retryAfter, now),
		hint: hintOn(status, words)
	});
}
/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3), at most a minute. */
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : void 0;
}
function kindOf(status, words) {
	const rule = RULES.find((each) => each.statuses.includes(status) && each.words.test(words));
	if (rule !== void 0) return rule.kind;
	if (isRedirect(status)) return "redirected";
	return KINDS[status] ?? (status >= 400 ? "rejected" : "bad-answer");
}
function hintOn(status, words) {
	const isAboutToken = status === 401 || status === 403;
	const hint = HINTS.filter(([pattern]) => !isAboutToken || pattern !== PERMISSION_DENIED).find(([pattern]) => pattern.test(words))?.[1] ?? HINTS_BY_STATUS[status];
	if (hint === void 0 && status >= 520) return "Check port, and that the service is up.";
	return hint;
}
function isRedirect(status) {
	return status >= 300 && status < 400;
}
/** Host and path; a query may hold a secret of somebody else. */
function destinationOf(location, redact) {
	const url = location === void 0 ? null : URL.parse(location, "http://same-host");
	if (url === null) return "";
	return `, which leads to ${redact(`${url.host === "same-host" ? "" : url.host}${url.pathname}`).slice(0, 200)}`;
}

// src/stats/stats.ts
/** Gets the stats once; `judged` are the metrics that conditions name. @throws AgentError */
async function readStats(client, statsPath, judged) {
	const answer = await client.send({
		method: "GET",
		path: statsPath,
		headers: { "Cache-Control": "no-cache" }
	});
	const stats = decodeStats(answer.text, judged, client.redact);
	if (stats instanceof Error) throw badAnswer(answer, stats.message);
	return stats;
}
/** Decodes the agent's stats, or returns an error that says why they are none. */
function decodeStats(text, judged, redact = (same) => same) {
	try {
		const body = parseWithDigits(text, redact);
		if (typeof body !== "object" || body === null || Array.isArray(body)) return /* @__PURE__ */ new Error("it is not a JSON object");
		const json = !text.includes("\\") && redact(text) === text ? text.trim() : JSON.stringify(body);
		return {
			...figuresIn(new Map(Object.entries(body)), judged),
			json
		};
	} catch (error) {
		if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
		return /* @__PURE__ */ new Error("it is not JSON");
	}
}
function figuresIn(fields, judged) {
	const digits = /* @__PURE__ */ new Map();
	const warnings = [];
	for (const metric of /* @__PURE__ */ new Set([...Object.keys(METRICS), ...judged])) {
		const value = fields.get(metric);
		const found = plainDigits(metric, digitsOf(value));
		const isExpected = Object.hasOwn(CONTRACT, metric) || judged.has(metric);
		if (found !== void 0) digits.set(metric, found);
		else if (isExpected && value !== void 0 && value !== null) warnings.push(`The sandbox's ${metric} cannot be used: it is not a valid number.`);
	}
	dropUnknown(digits);
	if (!["mem_used", "mem_total"].some((name) => fields.get(name) != null)) addFromMebibytes(digits);
	addDerived(digits);
	return {
		figures: new Map([...digits].map(([metric, text]) => [metric, Number(text)])),
		digits,
		warnings
	};
}
const MAX_INT64 = 2n ** 63n - 1n;
/** The digits of a number that is valid for the metric: in the contract, none is negative. */
function plainDigits(metric, sent) {
	if (sent === void 0) return void 0;
	const figure = Number(sent);
	const isWhole = /^\d+$/.test(sent);
	const digits = isWhole ? sent : String(figure);
	if (!Object.hasOwn(CONTRACT, metric)) return Number.isFinite(figure) ? digits : void 0;
	if (metricKind(metric) === "percentage") return Number.isFinite(figure) && figure >= 0 ? digits : void 0;
	return (isWhole ? BigInt(sent) <= MAX_INT64 : Number.isSafeInteger(figure) && figure >= 0) ? digits : void 0;
}
/** A total of 0 means that the service does not know, so what is used of it is not known either. */
function dropUnknown(digits) {
	const isUnknown = (total) => digits.has(total) && Number(digits.get(total)) === 0;
	if (isUnknown("mem_total") || isUnknown("mem_total_mib")) for (const metric of ["mem_used", "mem_used_mib"]) digits.delete(metric);
	if (isUnknown("disk_total")) digits.delete("disk_used");
}
/** Adds the memory in bytes, for a service that reports it only in MiB. */
function addFromMebibytes(digits) {
	const used = digits.get("mem_used_mib");
	const total = digits.get("mem_total_mib");
	if (used === void 0 || total === void 0) return;
	digits.set("mem_used", String(BigInt(used) * 2n ** 20n));
	digits.set("mem_total", String(BigInt(total) * 2n ** 20n));
}
/** Adds free bytes and used percent. */
function addDerived(digits) {
	for (const name of ["mem", "disk"]) {
		const total = BigInt(digits.get(`${name}_total`) ?? 0);
		const used = digits.get(`${name}_used`);
		if (total === 0n || used === void 0) continue;
		digits.set(`${name}_used_pct`, percentage(BigInt(used), total));
		digits.set(`${name}_free`, String(total - BigInt(used)));
	}
}
/** Percent with two decimals, rounded half up, in whole numbers since floats are inexact. */
function percentage(used, total) {
	const hundredths = (used * 20000n + total) / (total * 2n);
	return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}

// src/stats/unseen.ts
const MIN_STALE_MS = 1e4;
/** The times in which the sandbox's clock stood still. A clock at 0 counts as not reported. */
function findStaleTimes(samples) {
	const times = [];
	let first;
	for (const [index, sample] of samples.entries()) {
		const ts = sample.figures.get("ts") ?? 0;
		if (first?.figures.get("ts") !== ts) first = sample;
		const isLast = samples[index + 1]?.figures.get("ts") !== ts;
		const ms = sample.at - first.at;
		if (!isLast || ts === 0 || ms < MIN_STALE_MS) continue;
		const why = `since its clock (ts) stood still for ${formatDuration(ms)}: the stats were stale or cached`;
		times.push({
			from: first.at,
			to: sample.at,
			why
		});
	}
	return times;
}
/** Says when the sandbox was not seen, and why. */
function describeUnseen({ from, to, why }) {
	const because = why === "" ? "" : `, ${why}`;
	return `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${because}.`;
}

// src/run/measure.ts
/** Waits for the sandbox, samples and judges it. Failures are in the report. */
async function stats(inputs, context) {
	const { sandboxId, baseUrl } = inputs;
	const { cancel } = context;
	const gate = gateOf(inputs, []);
	const base = {
		...EMPTY_REPORT,
		task: "stats",
		sandboxId,
		baseUrl,
		gate
	};
	const client = openClient(inputs, context);
	try {
		const waitProblem = await waitFor(inputs, client, context);
		if (waitProblem !== void 0) return {
			...base,
			errors: [waitProblem],
			cancelled: cancel.aborted
		};
		const measured = await measure(inputs, client, context);
		return {
			...base,
			...measured,
			cancelled: cancel.aborted
		};
	} finally {
		await client.close();
	}
}
/** Waits until the conditions of `wait-until` hold. Returns why the run cannot go on, if so. */
async function waitFor(inputs, client, context) {
	const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
	const { sleep, cancel, clock, observer } = context;
	if (conditions === void 0) return void 0;
	observer.waiting(inputs);
	const wait = await waitUntil(conditions, () => sample(inputs, client, context), {
		intervalMs,
		timeoutMs,
		onSample: (state) => observer.waited(state)
	}, {
		sleep,
		stop: cancel,
		now: clock
	});
	return wait.held ? void 0 : waitError(wait);
}
/** Finds out before the upload if `fail-if` can never be judged. */
async function checkGateIsJudgeable(inputs, client, context) {
	if (!isGated(inputs)) return {
		problem: void 0,
		sample: void 0
	};
	const sampled = await tryToSample(() => sample(inputs, client, context));
	if (sampled instanceof AgentError) return {
		problem: void 0,
		sample: void 0
	};
	const { figures } = sampled;
	const taken = {
		at: context.now(),
		figures
	};
	const missing = unmet(inputs.failIf, figures).filter(({ holds }) => holds === void 0);
	if (missing.length === 0) return {
		problem: void 0,
		sample: taken
	};
	const breaches = missing.map((judgement) => ({
		...judgement,
		level: "fail"
	}));
	const error = {
		message: "The gate cannot be judged, so nothing was uploaded.",
		details: missing.map(judgementLine)
	};
	return {
		problem: {
			gate: {
				...gateOf(inputs, []),
				breaches
			},
			errors: [error]
		},
		sample: taken
	};
}
/** Takes samples and judges them. The gate fails if they cannot be had, or are stale. */
async function measure(inputs, client, context, previous) {
	const { samples: count, sampleInterval: intervalMs, retries, failIf } = inputs;
	const { sleep, cancel, now, observer } = context;
	const read = () => withRetries(() => sample(inputs, client, context), {
		...context,
		retries,
		stop: cancel,
		onRetry: (retry) => observer.event({
			kind: "retry",
			files: [],
			retry
		})
	});
	const taken = await takeSamples(read, {
		count,
		intervalMs,
		previous
	}, {
		sleep,
		stop: cancel,
		now
	});
	const { samples, error } = taken;
	if (error !== void 0) observer.event({
		kind: "failed",
		files: [],
		error
	});
	const before = taken.previous === void 0 ? [] : [taken.previous];
	const stale = findStaleTimes([...before, ...samples]).map(describeUnseen);
	const isBlind = samples.length < count || stale.length > 0;
	return {
		samples,
		stats: taken.stats,
		gate: gateOf(inputs, samples.map(({ figures }) => figures), isBlind),
		errors: [...error === void 0 ? [] : [reportError(error)], ...failIf.length > 0 ? stale.map((message) => ({
			message,
			details: []
		})) : []],
		warnings: [...taken.warnings, ...failIf.length > 0 ? [] : stale]
	};
}
async function sample(inputs, client, context) {
	const { statsPath, failIf, warnIf, waitUntil: awaited = [] } = inputs;
	const sampled = await readStats(client, statsPath, metricsOf(failIf, warnIf, awaited));
	const shown = [...sampled.figures].map(([name, figure]) => `${name} ${formatFigure(name, figure)}`);
	context.debug(`Sample: ${shown.join(", ")}`);
	return sampled;
}

export { describeUnseen as a, readStats as c, readAnswer as d, statusFailure as f, waitFor as i, badAnswer as l, measure as n, findStaleTimes as o, stats as r, decodeStats as s, checkGateIsJudgeable as t, parseAnswer as u };