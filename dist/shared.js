import { t as require_undici } from "./undici.js";
import { a as info, c as saveState, d as setSecret, f as startGroup, i as getState, l as setFailed, m as summary$1, n as endGroup, o as isDebug, p as warning, r as getInput, s as notice, t as debug, u as setOutput } from "./core.js";
import { setImmediate, setTimeout as setTimeout$1 } from "node:timers/promises";
import { once } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { randomUUID } from "node:crypto";
import path, { posix } from "node:path";
import { appendFileSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { spawn } from "node:child_process";

// package.json
var version = "1.0.0";

// src/text/format.ts
const BINARY_UNITS = [
	"B",
	"KiB",
	"MiB",
	"GiB",
	"TiB",
	"PiB",
	"EiB"
];
/** Formats bytes in units of 1024 with at most one decimal: `512 B`, `3.4 MiB`, `12 GiB`. */
function formatBytes(bytes) {
	const last = BINARY_UNITS.length - 1;
	let step = 0;
	while (step < last && Math.abs(bytes) / 1024 ** step >= 999.95) step += 1;
	return `${formatDecimal(bytes / 1024 ** step, 1)} ${BINARY_UNITS[step]}`;
}
/** Formats a duration: `80 ms`, `3.4 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
function formatDuration(ms) {
	if (Math.round(ms) < 1e3) return `${Math.round(ms)} ms`;
	const seconds = Math.round(ms / 1e3);
	if (seconds < 60) return `${formatDecimal(ms / 1e3, 1)} s`;
	return seconds < 3600 ? formatSixtieths(seconds, "min", "s") : formatSixtieths(Math.floor(seconds / 60), "h", "min");
}
function formatSixtieths(count, large, small) {
	const remainder = count % 60 === 0 ? "" : ` ${count % 60} ${small}`;
	return `${Math.floor(count / 60)} ${large}${remainder}`;
}
function formatRate(bytes, ms) {
	return `${formatBytes(bytes * 1e3 / Math.max(ms, 1))}/s`;
}
/** Formats Unix milliseconds as a time of day: `09:05:00 UTC`. */
function formatTime(ms) {
	return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}
/** Formats an integer (`12,000`) without `toLocaleString`, whose first call takes 12 ms. */
function formatNumber(count) {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
function formatCount(count, noun) {
	return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
function formatDecimal(value, decimals) {
	return String(Number(value.toFixed(decimals)));
}
function totalSize(files) {
	return files.reduce((sum, { size = 0 }) => sum + size, 0);
}
function systemCode(error) {
	if (!(error instanceof Error) || !("code" in error)) return void 0;
	return typeof error.code === "string" ? error.code : void 0;
}
function errorText(error) {
	return error instanceof Error ? error.message : String(error);
}

// src/text/shorten.ts
/** Cuts after `limit` characters and adds `…`, without splitting a surrogate pair. */
function cutEnd(text, limit) {
	return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`;
}
/** Keeps the first `limit` items; `more` turns the number of the rest into a last item. */
function firstOf(items, limit, more) {
	if (items.length <= limit) return items;
	return [...items.slice(0, limit), more(items.length - limit)];
}
/** Lists at most `limit` names: `a, b`, `a, b, and 3 more`; or `a and 4 more` with a limit of 1. */
function listSome(names, limit = 10) {
	const more = (count) => `and ${formatNumber(count)} more`;
	return firstOf(names, limit, more).join(limit === 1 ? " " : ", ");
}

// src/text/escape.ts
const INVISIBLE = /(?![\ufe0f\u200c\u200d])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;
/** Escapes invisible characters, such as `\n` or `\u{202e}`, to keep untrusted text on one line. */
function escapeInvisible(text) {
	return text.replace(INVISIBLE, escapeCharacter);
}
const MAX_QUOTED = 100;
/** Quotes a value as JSON, cut after 100 characters; Windows paths keep single backslashes. */
function quote(value) {
	return JSON.stringify(cutEnd(value, MAX_QUOTED)).replaceAll("\\\\", "\\");
}
/** Wraps text in backticks, which the summary shows as code. */
function inlineCode(text) {
	return `\`${text.replaceAll("`", "'")}\``;
}
/** Escapes invisible characters, and what the runner would treat as a command. */
function escapeCommands(text) {
	return disarm(escapeInvisible(text));
}
const COLOR = "\x1B\\[[\\d;:]*m";
const NOT_IN_OUTPUT = new RegExp(`(?!${COLOR}|[\\t\\n])(?:${INVISIBLE.source})`, "gu");
/** Like `escapeCommands`, but keeps lines, tabs and colors. */
function escapeOutput(lines) {
	return disarm(lines.replace(NOT_IN_OUTPUT, escapeCharacter));
}
function disarm(lines) {
	return lines.replace(/^[^\S\n]*::/gm, "\\$&").replaceAll("##[", "##\\[");
}
function removeColors(text) {
	return text.replace(new RegExp(COLOR, "gu"), "");
}
function escapeCharacter(character) {
	if (character === "\n") return "\\n";
	if (character === "\r") return "\\r";
	if (character === "	") return "\\t";
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
function redactor(secrets) {
	const starts = secrets.map((secret) => secret.slice(0, MAX_QUOTED));
	const forms = [...secrets, ...starts].filter((secret) => secret !== "").flatMap(encodingsOf);
	const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
	return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, "***"), text);
}
function encodingsOf(secret) {
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret.toWellFormed())
	];
}

// src/agent/failure.ts
var AgentError = class extends Error {
	name = "AgentError";
	kind;
	status;
	retryAfterMs;
	hint;
	/** True if the request certainly had no effect: it was never sent, or was refused. */
	hadNoEffect;
	constructor(kind, message, details = {}) {
		super(message);
		const { status, retryAfterMs, hint, hadNoEffect = false } = details;
		this.kind = kind;
		this.status = status;
		this.retryAfterMs = retryAfterMs;
		this.hint = hint ?? GENERAL_HINTS[kind];
		this.hadNoEffect = hadNoEffect || isRefusal(kind, status);
	}
	get isRetryable() {
		return RETRYABLE.includes(this.kind);
	}
};
const GENERAL_HINTS = {
	unauthorized: "Check token (the sandbox's access token, not an API key), username and base-url.",
	forbidden: "Check base-url, that the token may use this sandbox, and that the sandbox may resume.",
	"sandbox-not-found": "Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job.",
	"not-found": "Check base-url: the service has no such operation there.",
	"no-such-file": "Check the path, and that an earlier step has written the file. If it may be missing, set if-no-files-found.",
	rejected: "The agent does not take this request. Check base-url, header-prefix, sandbox-id and port.",
	"too-large": "A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way.",
	busy: "The sandbox or its host is busy, or still starting. Run the job again.",
	server: "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
	"disk-full": "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk.",
	unreachable: "Check the host and port of base-url, that the service is up, and that this runner can reach it. If it needs a proxy, set HTTPS_PROXY.",
	untrusted: "Check base-url. For a certificate of a private CA, NODE_EXTRA_CA_CERTS must name the file of the CA, which must exist where the step runs.",
	connection: "The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If base-url begins with http://, the port may want https://.",
	"bad-response": "Check that base-url and the paths lead to the in-sandbox agent.",
	"file-changed": "Check that the runner may read the file, and upload once nothing writes it any more.",
	"not-written": "Check that the runner may write the target, that it is no folder (a target that ends in a slash keeps the name of the file), and that the disk is not full.",
	cancelled: "cancelled"
};
const RETRYABLE = [
	"busy",
	"server",
	"connection",
	"unreachable"
];
const FATAL = [
	"unauthorized",
	"forbidden",
	"sandbox-not-found",
	"disk-full",
	"unreachable",
	"untrusted",
	"cancelled"
];
/** True if no other request can succeed either, once one has failed despite its retries. */
function isFatal(kind) {
	return FATAL.includes(kind);
}
function isRefusal(kind, status = 0) {
	if (kind === "rejected" || kind === "sandbox-not-found") return status !== 500;
	return status >= 300 && status < 500 && status !== 408;
}
function failureInfoOf({ kind, status, message, hint }) {
	return {
		kind,
		status,
		message,
		hint
	};
}
function wrapSystemErrors(kind, what, call) {
	try {
		return call();
	} catch (error) {
		const code = systemCode(error);
		throw code === void 0 ? error : new AgentError(kind, `${what} (${code}).`);
	}
}
const MAX_EXCERPT = 300;
/** Returns the start of a third party's text, on one line and without secrets. */
function excerpt(text, redact, limit = MAX_EXCERPT) {
	return cutEnd(redact(text).replace(/\s+/g, " ").trim(), limit);
}
/** Wraps network errors of undici and Node in an AgentError, and returns all others unchanged. */
function networkError(error, label, redact, proxyVariables = []) {
	if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error)) return error;
	const code = codeOf(error);
	if (code === void 0) return error;
	const rule = LOST_ROUTE.test(error.message) ? void 0 : UNSENT_RULES.find((each) => each.code?.test(code) ?? each.message?.test(error.message));
	const text = excerpt(rule?.words ?? messageOf(error), redact);
	const detail = text.includes(code) ? text : `${text} (${code})`;
	const hadNoEffect = rule !== void 0;
	const kind = rule === void 0 ? "connection" : rule.kind ?? "unreachable";
	const mayBeProxy = kind === "unreachable" && proxyVariables.length > 0;
	const hint = rule?.hint ?? (mayBeProxy ? proxyHint(proxyVariables) : void 0);
	return new AgentError(kind, `${label} failed: ${detail}.`, {
		hint,
		hadNoEffect
	});
}
const LOST_ROUTE = /^(read|write) E(HOST|NET)UNREACH/;
const UNSENT_RULES = [
	{
		code: /^ERR_SSL_WRONG_VERSION_NUMBER$/,
		words: "the port speaks http, not https",
		hint: "Check the port in base-url. If there is no https, write http://; for another machine, set allow-insecure-http: true as well. The URL of a proxy usually begins with http://, too."
	},
	{
		code: /CERT|^(UNABLE_TO_|HOSTNAME_MISMATCH)/,
		kind: "untrusted"
	},
	{ code: /^EPROTO|_TLS_|_SSL_/ },
	{ code: /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5))/ },
	{ message: /^(Secure )?Proxy /i }
];
function proxyHint(variables) {
	return `Check the proxy in ${variables.join(", ")}: is it up, may it reach the host, and does its URL have the user and password that it requires? If NO_PROXY exempts the host, check base-url, and that the service is up.`;
}
function codeOf(error) {
	return systemCode(error) ?? (error.name === "HTTPParserError" ? error.name : void 0) ?? (error.cause instanceof Error ? codeOf(error.cause) : void 0);
}
function messageOf(error) {
	if (!(error instanceof AggregateError)) return error.message.replace(/; if the root CA .*/, "");
	return error.errors.map(errorText).join("; ");
}

// src/text/json.ts
var import_undici = require_undici();
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
/** Returns undefined, which JSON cannot express, if the text is not JSON, or nested too deeply. */
function parseJson(text, revive) {
	try {
		return JSON.parse(text, revive);
	} catch {
		return;
	}
}
function parseFields(text) {
	return fieldsOf(parseJson(text));
}
function stringFieldsOf(value) {
	const fields = Object.entries(fieldsOf(value));
	return Object.fromEntries(fields.map(([name, field]) => [name, String(field)]));
}
/** Like `parseJson`, but redacts strings and keys, not numbers that look like secrets. */
function parseRedacted(text, redact) {
	return parseJson(text, (_, value) => {
		if (typeof value === "string") return redact(value);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([name, field]) => [redact(name), field]));
	});
}

// src/agent/http.ts
const MAX_CONNECT_MS = 1e4;
function openDispatcher(baseUrl, timeoutMs) {
	const options = {
		allowH2: false,
		connectTimeout: Math.min(timeoutMs, MAX_CONNECT_MS)
	};
	if (isLocalHttp(baseUrl)) return new import_undici.Agent(options);
	try {
		return new import_undici.EnvHttpProxyAgent(options);
	} catch {
		const message = `${proxyVariables(baseUrl).join(", ")}: not the URL of an http, https or socks5 proxy.`;
		throw new AgentError("unreachable", message, { hint: "Example: http://host:3128" });
	}
}
/** Returns true for http to this runner, which no proxy may carry: it would see the token. */
function isLocalHttp(url) {
	return /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:|$)/.test(new URL(url).origin);
}
/** Returns the names of the proxy variables that apply. Their values may contain passwords. */
function proxyVariables(baseUrl) {
	if (isLocalHttp(baseUrl)) return [];
	return Object.keys(process.env).filter((name) => /^https?_proxy$/i.test(name)).filter((name) => process.env[name]).sort();
}
async function sendRequest(label, url, body, options) {
	const response = await (0, import_undici.request)(url, {
		...options,
		body: body ?? null,
		headersTimeout: 0,
		bodyTimeout: 0
	});
	return {
		label,
		status: response.statusCode,
		headers: response.headers,
		body: response.body
	};
}
const MAX_RESPONSE_BYTES = 4194304;
async function readResponse({ body, ...response }) {
	const read = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > MAX_RESPONSE_BYTES) {
			const { label, status } = response;
			const message = `${label} answered ${status} with more than ${formatBytes(MAX_RESPONSE_BYTES)}.`;
			throw new AgentError("bad-response", message, { status });
		}
		read.push(chunk);
	}
	return {
		...response,
		body: new TextDecoder().decode(Buffer.concat(read))
	};
}
function parseResponse(response) {
	const value = parseJson(response.body);
	if (value === void 0) throw bodyError(response, "it is not JSON");
	return value;
}
/** Builds the error for a body that is unusable, although the status is fine. */
function bodyError(response, why) {
	const { label, status } = response;
	const message = `${label} answered ${status} with an unusable response: ${why}.`;
	const hadNoEffect = isFromProxy(response) && status !== 201;
	return new AgentError("bad-response", message, {
		status,
		hadNoEffect
	});
}
/** Returns true if the body is neither JSON nor empty, like that of a proxy or a website. */
function isFromProxy({ body }) {
	return body.trim() !== "" && parseJson(body) === void 0;
}
function statusError(response, redact, now, hints = {}) {
	const { status, headers, body } = response;
	if (status >= 300 && status < 400) return redirectError(response, redact);
	const message = messageIn(body, redact);
	const matched = excerpt(message, redact, MAX_MATCHED);
	const rule = STATUS_RULES.find((each) => each.statuses.includes(status) && (each.message?.test(matched) ?? true));
	const kind = rule?.kind ?? kindOfClass(status);
	const words = excerpt(message, redact);
	const quoted = words === "" ? "" : ` It said: ${JSON.stringify(words)}.`;
	const [retryAfter] = [headers["retry-after"]].flat();
	return new AgentError(kind, `${describeStatus(response)}${quoted}`, {
		status,
		retryAfterMs: parseRetryAfter(retryAfter, now),
		hint: rule?.hint ?? hints[kind],
		hadNoEffect: PLACEMENT_ERROR.test(String(parseFields(body)["error_code"]))
	});
}
const PLACEMENT_ERROR = /^sandbox_(create_failed|capacity_unavailable|placement_timeout)$/;
const MAX_MATCHED = 5e3;
const STATUS_RULES = [
	{
		statuses: [404],
		message: /^path '.*' does not exist$/,
		kind: "no-such-file"
	},
	{
		statuses: [404, 502],
		message: /\bsandbox(?: id)?(?: \S*[\d"'`]\S*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
		kind: "sandbox-not-found"
	},
	{
		statuses: [400, 401],
		message: /\busername (is required|not provided)|\b(unknown|invalid) user|\blooking up user/i,
		kind: "unauthorized",
		hint: "Set username: user, or another user of the sandbox."
	},
	{
		statuses: [500],
		message: /\bis a directory\b|\bpath is a file\b|\bnot a directory\b|\bseeker can't seek\b/i,
		kind: "rejected"
	},
	{
		statuses: [500],
		message: /\b(permission denied|text file busy|read-only file system)\b/i,
		kind: "rejected",
		hint: "The sandbox allows no writing there. Upload to a folder of your own, not directly to /tmp, or under another name, and move it with `mv` in `run`."
	},
	{
		statuses: [400],
		message: /\brouting header\b/i,
		kind: "rejected",
		hint: "Set header-prefix to what precedes -Sandbox-Id in the name of that header, such as E2b."
	},
	{
		statuses: [503],
		message: /\bno compatible node\b/i,
		kind: "rejected"
	},
	{
		statuses: [401],
		kind: "unauthorized"
	},
	{
		statuses: [403],
		kind: "forbidden"
	},
	{
		statuses: [404, 405],
		kind: "not-found"
	},
	{
		statuses: [410],
		kind: "sandbox-not-found"
	},
	{
		statuses: [413],
		kind: "too-large"
	},
	{
		statuses: [
			408,
			409,
			425,
			429,
			503
		],
		kind: "busy"
	},
	{
		statuses: [501, 505],
		kind: "rejected"
	},
	{
		statuses: [507],
		kind: "disk-full"
	}
];
function kindOfClass(status) {
	if (status < 300) return "bad-response";
	return status < 500 ? "rejected" : "server";
}
const { STATUS_CODES } = process.getBuiltinModule("node:http");
function describeStatus({ label, status }) {
	const phrase = STATUS_CODES[status];
	return `${label} answered ${status}${phrase === void 0 ? "" : ` ${phrase}`}.`;
}
function redirectError(response, redact) {
	const [location = ""] = [response.headers["location"]].flat();
	const origin = /^https?:/i.test(location) ? URL.parse(redact(location))?.origin : void 0;
	const leadsTo = origin === void 0 ? "" : ` It leads to ${excerpt(origin, redact)}.`;
	const message = `${describeStatus(response)}${leadsTo} Redirects are not followed.`;
	return new AgentError("not-found", message, {
		status: response.status,
		hint: "Change base-url: it must lead to the agent without a redirect."
	});
}
function messageIn(text, redact) {
	if (/^\s*</.test(text)) return /<title>([^<&]*)<\/title>/i.exec(text)?.[1] ?? "";
	const body = parseRedacted(text, redact);
	if (body === void 0) return text;
	const { message, error } = fieldsOf(body);
	return [
		body,
		message,
		error
	].find((each) => typeof each === "string") ?? JSON.stringify(body);
}
const MAX_RETRY_AFTER_MS = 6e4;
/** Returns undefined for a missing, invalid or past Retry-After (RFC 9110, section 10.2.3). */
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : void 0;
}

// src/agent/client.ts
const USER_AGENT = `sandbox-sync/${version}`;
function postJson(path, message, limits) {
	const bytes = Buffer.from(JSON.stringify(message));
	const headers = {
		"Content-Type": "application/json",
		"Content-Length": String(bytes.length)
	};
	return {
		...limits,
		method: "POST",
		path,
		headers,
		body: [bytes]
	};
}
function openAgent(address, redacting) {
	const { token, sandboxId, port, headerPrefix } = address;
	const headers = {
		...address.headers,
		"X-Access-Token": token,
		[`${headerPrefix}-Sandbox-Id`]: sandboxId,
		[`${headerPrefix}-Sandbox-Port`]: String(port)
	};
	return openClient({
		...address,
		headers
	}, redacting);
}
/** @throws AgentError if the URL of a proxy is invalid */
function openClient(address, { redact }) {
	const dispatcher = openDispatcher(address.baseUrl, address.timeout);
	const service = {
		...address,
		redact,
		dispatcher
	};
	return {
		send: (request) => exchange(request, service, readResponse),
		receive: (request, read) => exchange(request, service, (response, idle) => read({
			...response,
			body: restartOnChunk(response.body, idle)
		})),
		redact,
		[Symbol.asyncDispose]: () => dispatcher.destroy()
	};
}
const OWN_HEADERS = {
	Accept: "application/json",
	"User-Agent": USER_AGENT
};
const SUCCESS = [
	200,
	201,
	204
];
async function exchange(request, service, read) {
	const { method, path, headers, body, onSent, hints } = request;
	const { baseUrl, dispatcher, redact } = service;
	const label = `${method} ${baseUrl}${path.replace(/\?.*/s, "")}`;
	const timeoutMessage = `${label} failed: the response did not end within timeout.`;
	const idle = idleTimeout(request.timeout, timeoutMessage);
	let isSent = body === void 0;
	async function* sendBody(chunks) {
		yield* restartOnChunk(chunks, idle, onSent);
		isSent = true;
	}
	const cancelMessage = `${label} was cancelled.`;
	if (request.signal.aborted) throw new AgentError("cancelled", cancelMessage, { hadNoEffect: true });
	const onCancel = () => idle.end(new AgentError("cancelled", cancelMessage));
	request.signal.addEventListener("abort", onCancel, { signal: idle.signal });
	try {
		idle.restart();
		const response = await sendRequest(label, `${baseUrl}${path}`, body && sendBody(body), {
			method,
			headers: {
				...service.headers,
				...OWN_HEADERS,
				...headers
			},
			signal: idle.signal,
			dispatcher
		});
		idle.signal.throwIfAborted();
		if (!SUCCESS.includes(response.status)) throw statusError(await readResponse(response), redact, Date.now(), hints);
		const result = await read(response, idle);
		if (isSent) return result;
		const earlyMessage = `${label} answered ${response.status} before everything was sent.`;
		throw new AgentError("connection", earlyMessage);
	} catch (error) {
		throw networkError(error, label, redact, proxyVariables(baseUrl));
	} finally {
		idle.end();
		await setImmediate();
	}
}
/** Aborts `signal` on `end`, or `ms` milliseconds after the last `restart`. */
function idleTimeout(ms, timeoutMessage) {
	const aborter = new AbortController();
	let timer;
	const end = (error) => {
		clearTimeout(timer);
		aborter.abort(error);
	};
	const restart = () => {
		clearTimeout(timer);
		timer = setTimeout(() => end(new AgentError("connection", timeoutMessage)), ms);
	};
	return {
		signal: aborter.signal,
		end,
		restart
	};
}
async function* restartOnChunk(chunks, { signal, restart }, onTaken) {
	for await (const chunk of chunks) {
		yield chunk;
		if (signal.aborted) return;
		restart();
		onTaken?.(chunk.length);
	}
}

// src/agent/retry.ts
async function withRetries(request, options) {
	const { retries, random, sleep, stop, onRetry, isRepeatable } = options;
	let failure;
	for (let attempt = 1;; attempt += 1) try {
		return {
			status: "done",
			attempts: attempt,
			value: await request()
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		if (error.kind === "cancelled" && error.hadNoEffect && failure !== void 0) return failure;
		failure = {
			status: "failed",
			attempts: attempt,
			error
		};
		if (attempt > retries || !error.isRetryable || isRepeatable?.(error) === false || stop.aborted) return failure;
		const delayMs = backoff(attempt, random, error.retryAfterMs);
		onRetry({
			attempt,
			error,
			delayMs
		});
		if (!await sleep(delayMs, stop)) return failure;
	}
}
function describeRetry(name, { attempt, error, delayMs }) {
	return `Attempt ${attempt} for ${name} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}
const BASE_MS = 1e3;
const CAP_MS = 3e4;
/**
* Returns a delay in milliseconds: half of an exponential backoff (or `retryAfterMs` if longer),
* plus random jitter of up to the other half. Four retries wait at least 7.5 s in total.
*/
function backoff(attempt, random, retryAfterMs = 0) {
	const half = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) / 2;
	return Math.round(Math.max(half, retryAfterMs) + random() * half);
}
/** Returns Unix time in ms that ignores later changes of the runner's clock. */
function now() {
	return Math.round(performance.timeOrigin + performance.now());
}
function sleep(ms, stop) {
	return setTimeout$1(ms, true, { signal: stop }).catch(() => false);
}

// src/inputs/input-error.ts
var InputError = class extends Error {
	problems;
	constructor(problems) {
		super(problems.map(({ input, message }) => `${input}: ${message}`).join("\n"));
		this.name = "InputError";
		this.problems = problems;
	}
};
function inputError(input, message, example) {
	const suggestion = example === void 0 ? "" : ` Example: ${inlineCode(`${input}: ${example}`)}`;
	return new InputError([{
		input,
		message: message + suggestion
	}]);
}
/** Collects the problems of all InputErrors. `placeOf` begins their messages: `line 3: `. */
function tryAll(items, parse, placeOf = () => "") {
	const problems = [];
	const parsed = [];
	for (const item of items) try {
		parsed.push(parse(item));
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		const place = placeOf(item);
		problems.push(...error.problems.map((each) => ({
			...each,
			message: place + each.message
		})));
	}
	return {
		parsed,
		problems
	};
}

// src/inputs/mistakes.ts
const EMPTY = [/^(null|undefined)?$/, "is empty or null. Check the name of the secret or variable that it comes from, or the `id` of the step and the name of its output. GitHub passes no masked outputs to other jobs, and no secrets to workflows of forks and Dependabot."];
const QUOTED = [/^(["'`]).*\1$/s, "is in quotation marks. Remove them."];
const VARIABLE = [/\$([A-Z_]{2}|env:|[{(])|\{\{.*\}\}/, "contains a variable that is not expanded here. Use an expression, such as `${{ env.NAME }}`."];
const NOT_IN_A_SECRET = [/^(["'`$]|secrets\.)|[^!-~]|[{}]/, "begins with a quotation mark, $ or secrets., or has a space, a brace or another character that it cannot have. Give it alone, or as `${{ secrets.NAME }}`."];
const COMMENT = [/\s#/, "has a # in it. Write each comment on a line of its own."];
const TARGET_MISTAKES = [
	QUOTED,
	VARIABLE,
	[/\s#\s/, COMMENT[1]]
];
const PATTERN_MISTAKES = [
	[/^(!|$)/, "is not a pattern. After a !, write what to exclude."],
	[/[^\\/"'`]\*\*|\*\*[^\\/\s,:"'`]/, "has a ** beside other characters, so it matches no folders. Write it alone between slashes, such as src/**/*.js."],
	[/[*?[].*[\\/]\.\.([\\/]|$)/, "has a .. after a wildcard."]
];
const UNMATCHED_MISTAKES = [
	[path.sep === "/" ? /\\/ : /(?!)/, "has a backslash, which does not separate folders here. Write a slash."],
	QUOTED,
	[/^\$([A-Z_]+|env:\w+|\{\w+\}|\(.*\))(?=[\\/]|$)|\$\{\{/, VARIABLE[1]],
	COMMENT,
	[/[-=]>|^[^:]{2,}:(?!\/\/)\S/, "has an arrow or a colon in it. In front of a target, write =>; a ! line has none."],
	[/\{[^{}]*,[^{}]*\}|[+@?!]\(/, "has braces or parentheses, which have no meaning here. Write a line for each name."],
	[/^-\s/, "begins with a dash. Below |, write each name on its own line, without a dash."],
	[/,|\*\s/, "has a comma or a space, which separates nothing. Write each name on its own line."]
];
/** Maps each kind of value to the mistakes to look for, in this order. */
const MISTAKES = {
	"sandbox-id": [EMPTY, [/[^\w.-]|^\W*$|.{201}/s, "is not an ID: it may have letters, digits, dots, - and _."]],
	token: [
		EMPTY,
		[/^(sk_)?e2b_/i, "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox."],
		NOT_IN_A_SECRET,
		[/^.{1,7}$/, "is too short: an access token has at least eight characters."]
	],
	"api-key": [EMPTY, NOT_IN_A_SECRET],
	"header-prefix": [[/[^!#$%&'*+\-.^_`|~\dA-Za-z]|^$/, "cannot be part of a header's name."], [/-$|-Sandbox\b/i, "is more than the prefix: -Sandbox-Id and -Sandbox-Port are added to it."]],
	script: [[/^$/, "is required: the commands to run."]],
	"base-url": [[/^$/, "is not set, or its expression is empty. With sandbox-id and token, it is needed."], EMPTY],
	"api-url": [EMPTY],
	"url-path": [[/^(?!\/)|[\s?#]/, "is not a plain URL path that begins with a slash."]],
	"unix-time": [[/\D/, "is not a Unix time in whole seconds."]],
	condition: [
		QUOTED,
		COMMENT,
		[/\d,\d/, "has a comma in its number. Write a point."],
		[/^-?[\d.]+\s*\S*\s*[<>=!]/, "begins with the number. Write the metric first."],
		[/^(cpu|mem|disk)-(used|free)(-pct|-mib)?[ .<>=!]/, "has hyphens in place of underscores."],
		[/^(mem|disk)_(used|free)(_mib)?\b.*%$/, "is in bytes. Judge mem_used_pct or disk_used_pct."]
	],
	pattern: PATTERN_MISTAKES,
	"unmatched-exclude": UNMATCHED_MISTAKES,
	"unmatched-pattern": [...UNMATCHED_MISTAKES, [/(?<!\[)\[(?![[*?]\])/, "has a [, which begins a set of characters. If a name has a [, write [[], as in pages/[[]id].tsx."]],
	"missing-file": [[/\*|\/$/, "is not the path of one file. Name each file."], ...UNMATCHED_MISTAKES],
	target: [
		[/^(home\/|~[^/]|\$HOME\b|\$\{HOME\})/, "starts below the user's home already. Write the path from there, or a full one such as /home/user/app."],
		...TARGET_MISTAKES,
		[/(^|\/)\.\.(\/|$)|[\\*\n]|^[a-z][a-z\d+.-]*:\//i, "is not a plain POSIX path without .., such as /srv/app."]
	],
	"local-target": TARGET_MISTAKES,
	"local-path": [[/^~?[/\\]|(^|[/\\])\.{1,2}([/\\]|$)|[/\\]$|^[a-z]:/i, "is not the relative path of a file inside working-directory."]]
};
/** The log masks the values of these inputs, and messages never quote them. */
const SECRET_INPUTS = [
	"token",
	"signature",
	"api-key"
];
function findMistake(kind, value) {
	return MISTAKES[kind].find(([pattern]) => pattern.test(value))?.[1];
}
/** @throws InputError if the value has a mistake of its kind */
function rejectMistakes(kind, value, input, example) {
	const mistake = findMistake(kind, value);
	if (mistake === void 0) return;
	const name = value === "" || SECRET_INPUTS.includes(input) ? "" : `${quote(value)} `;
	throw inputError(input, name + mistake, example);
}
/** Returns a parser that rejects mistakes of a kind and replaces an empty value with `fallback`. */
function textInput(kind, example, fallback = "") {
	return (value, input) => {
		const text = value || fallback;
		rejectMistakes(kind, text, input, example);
		return text;
	};
}

// src/inputs/parsers.ts
/** Returns an input's value without spaces around it, and '' if it is unset. */
function rawValue(raw, name) {
	return (raw[name] ?? "").trim();
}
const anyText = (value) => value;
function optional(parse) {
	return (value, input) => value === "" ? void 0 : parse(value, input);
}
/** Parses a boolean of YAML 1.2's core schema, as `getBooleanInput` of @actions/core does. */
function flag(fallback) {
	return (value, input) => {
		if (value === "") return fallback;
		if (/^(true|True|TRUE)$/.test(value)) return true;
		if (/^(false|False|FALSE)$/.test(value)) return false;
		const isYes = /^(true|yes|y|on|1)$/i.test(value);
		const [status] = /success|failure/i.exec(value) ?? [];
		const example = status ? `\${{ job.status == '${status}' }}` : String(isYes);
		throw inputError(input, `${quote(value)} is neither true nor false.`, example);
	};
}
function choice(fallback, ...alternatives) {
	const words = [fallback, ...alternatives];
	return (value, input) => {
		const word = value === "" ? fallback : words.find((candidate) => candidate === value);
		if (word !== void 0) return word;
		throw inputError(input, `${quote(value)} is not one of ${words.join(", ")}.`, fallback);
	};
}
function wholeNumber(min, max, fallback) {
	return (value, input) => {
		if (value === "" || value === fallback) return fallback;
		const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
		if (number >= min && number <= max) return number;
		const message = `${quote(value)} is not a whole number from ${min} to ${max}.`;
		throw inputError(input, message, String(fallback));
	};
}
const DEFAULT_CONCURRENCY = 24;
const concurrency = (value, input) => wholeNumber(1, 100, DEFAULT_CONCURRENCY)(value === "auto" ? "" : value, input);
const MILLISECONDS = new Map(Object.entries({
	ms: 1,
	s: 1e3,
	m: 6e4,
	h: 36e5
}));
const MAX_DURATION_MS = 864e5;
/** Parses a duration such as `500ms`, `30s`, `5m` or `2h`, from `min` ms to 24 h, to ms. */
function duration(min, fallback) {
	return (value, input) => {
		const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(value || fallback) ?? [];
		const ms = Math.round(Number(number) * (MILLISECONDS.get(unit) ?? NaN));
		if (ms >= min && ms <= MAX_DURATION_MS) return ms;
		const shortest = formatDuration(min).replace(" ", "");
		const message = `${quote(value)} is not a duration from ${shortest} to 24h: write a number with ms, s, m or h.`;
		throw inputError(input, message, fallback);
	};
}
const BYTES_PER_UNIT = {
	B: 1,
	kB: 1e3,
	MB: 1e6,
	GB: 1e9,
	TB: 0xe8d4a51000,
	KiB: 1024,
	MiB: 2 ** 20,
	GiB: 2 ** 30,
	TiB: 2 ** 40
};
const SIZE_UNITS = Object.keys(BYTES_PER_UNIT);
function findUnit(units, written) {
	return units.find((unit) => unit.toLowerCase() === written.toLowerCase());
}
function byteSize(fallback) {
	return (value, input) => {
		const [, number, suffix = ""] = /^(\d{1,15}(?:\.\d{1,3})?)\s*(\w*)$/.exec(value || fallback) ?? [];
		const unit = findUnit(SIZE_UNITS, suffix || "B") ?? "";
		const bytes = Math.round(Number(number) * (BYTES_PER_UNIT[unit] ?? NaN));
		if (bytes >= 1) return bytes;
		const message = `${quote(value)} is not a size: write bytes, or a number with ${SIZE_UNITS.join(", ")}.`;
		throw inputError(input, message, fallback);
	};
}
const MAX_SHARDS = 256;
const shard = (value, input) => {
	if (value === "") return void 0;
	const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
	if (1 <= index && index <= count && count <= MAX_SHARDS) return {
		index,
		count
	};
	const message = `${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.`;
	throw inputError(input, message, "2/4");
};
/** Parses one `KEY=value` per line. Messages omit values, which may be secret. */
const keyValues = (value, input) => {
	const pairs = parseLines(value, (line) => {
		const [, key, content = ""] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
		if (key !== void 0) return [key, content];
		throw inputError(input, `this is not of the form ${input === "env" ? "KEY=value, or KEY<<END, lines, END" : "KEY=value"}.`, "\"SUITE=api\"");
	});
	return Object.fromEntries(pairs);
};
const OPTIONS_EXAMPLE = `'{"allow_internet_access": false}'`;
const TAKEN = /^(templateID|timeout|metadata|envVars|secure|autoPause)$/;
const createOptions = (value, input) => {
	const text = value || "{}";
	const options = text.startsWith("{") ? parseJson(text) : void 0;
	if (options === void 0) throw inputError(input, "is not a JSON object.", OPTIONS_EXAMPLE);
	const fields = fieldsOf(options);
	const taken = Object.keys(fields).find((name) => TAKEN.test(name));
	if (taken === void 0) return fields;
	throw inputError(input, `has ${quote(taken)}. Leave it out: template, lifetime, metadata, env or the action itself sets it.`, OPTIONS_EXAMPLE);
};
const BLOCK = /^[ \t]*([^=\s]+?)<<(\S+)[ \t]*\r?\n(?:([^]*?)\r?\n)??[ \t]*\2[ \t\r]*$/gm;
const WRAPPED = /^(["'])(?:(?!\1).)*\1$/;
/** Like `keyValues`, but also takes values of several lines, and rejects quotes around a value. */
const variables = (value, input) => {
	const texts = /* @__PURE__ */ new Map();
	const lines = value.replace(BLOCK, (block, key, _, text = "") => {
		const mark = `\0${texts.size}`;
		texts.set(mark, String(text));
		return `${key}=${mark}${block.replace(/[^\n]/g, "")}`;
	});
	const entries = Object.entries(keyValues(lines, input)).map(([key, content]) => {
		if (!WRAPPED.test(content)) return [key, texts.get(content) ?? content];
		const message = `${key} is in quotation marks, which would be part of the value. Remove them, or to keep them, write three lines: ${key}<<END, the value, and END.`;
		throw inputError(input, message);
	});
	return Object.fromEntries(entries);
};
/** Parses all lines except blank ones and comments. @throws InputError with every line's problem */
function parseLines(value, parse) {
	const lines = value.split(/\r?\n/).map((line, index) => ({
		line: line.trim(),
		place: `line ${index + 1}: `
	})).filter(({ line }) => line !== "" && !line.startsWith("#"));
	const { parsed, problems } = tryAll(lines, ({ line }) => parse(line), ({ place }) => place);
	if (problems.length > 0) throw new InputError(problems);
	return parsed;
}

// src/inputs/connection.ts
const DEFAULT_PORT = 49983;
const BASE_URL_EXAMPLE = "https://sandbox.example.com";
const baseUrl = (value) => parseUrl(value, "base-url", BASE_URL_EXAMPLE);
const API_URL_EXAMPLE = "https://api.e2b.app";
const apiUrl = (value) => {
	const url = parseUrl(value, "api-url", API_URL_EXAMPLE);
	if (!isUnencrypted(url)) return url;
	const message = `${quote(value)} would send secrets unencrypted. Use https.`;
	throw inputError("api-url", message, API_URL_EXAMPLE);
};
function parseUrl(value, input, example) {
	if (value.includes("@")) throw inputError(input, "must not contain credentials or an @: secrets have their own inputs.", example);
	rejectMistakes(input, value, input, example);
	const url = /^https?:\/\/(?!\/)[^\\\s?#${}]+$/i.test(value) ? URL.parse(value) : null;
	if (url !== null) return url.href.replace(/\/+$/, "");
	throw inputError(input, `${quote(value)} is not a URL that begins with https:// and has no query, fragment, variable or unknown placeholder.`, example);
}
function isUnencrypted(url) {
	return !/^https:/i.test(url) && !isLocalHttp(url);
}
const sandboxId = textInput("sandbox-id", "${{ steps.sandbox.outputs.id }}");
function isSandboxId(id) {
	return findMistake("sandbox-id", id) === void 0;
}
const RESERVED$1 = /^(accept|user-agent|content-(type|length|encoding)|connection|keep-alive|upgrade|expect|transfer-encoding|proxy-authorization|x-access-token|[^-]+-sandbox-(id|port))$/i;
const HEADER_EXAMPLE = "\"X-Metadata-build: 42\"";
/** Parses one header per line. Messages omit values, which may be secret. */
const headers = (value, input) => {
	const lines = parseLines(value, (line) => {
		const header = splitHeader(line);
		if (header === void 0) throw inputError(input, "this is not of the form Name: value.", HEADER_EXAMPLE);
		const [name] = header;
		if (!RESERVED$1.test(name)) return header;
		const message = `the action itself sets ${quote(name)}. Remove the line.`;
		throw inputError(input, message, HEADER_EXAMPLE);
	});
	const names = lines.map(([name]) => name.toLowerCase());
	const repeated = names.find((name, index) => names.indexOf(name) < index);
	if (repeated === void 0) return Object.fromEntries(lines);
	const message = `${quote(repeated)} stands on two lines. Remove one of them.`;
	throw inputError(input, message, HEADER_EXAMPLE);
};
const HEADER = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+)\s*:\s*([\t\x20-\x7e\x80-\xff]*)$/;
function splitHeader(line) {
	const [, name, value = ""] = HEADER.exec(line) ?? [];
	return name === void 0 ? void 0 : [name, value];
}
/** The inputs without which no sandbox can be reached. */
const REQUIRED_TO_CONNECT = [
	"sandbox-id",
	"token",
	"base-url"
];
/** Fills in the job's sandbox, unless the step sets a token or base URL. */
function withJobSandbox(raw, sandboxes) {
	const explicit = ["token", "base-url"].filter((name) => rawValue(raw, name) !== "");
	if (explicit.length > 0) {
		const [missing] = REQUIRED_TO_CONNECT.filter((name) => rawValue(raw, name) === "");
		if (missing === void 0 || sandboxes.length === 0) return raw;
		const message = `is empty. Set it, or remove ${explicit.join(" and ")} to use the sandbox of this job.`;
		throw inputError(missing, message);
	}
	const givenId = rawValue(raw, "sandbox-id");
	const [match, ...more] = sandboxes.filter(({ id }) => givenId === "" || id === givenId);
	if (match === void 0 || more.length > 0) {
		if (isDryRun(raw)) return raw;
		throw inputError("sandbox-id", explainChoice(givenId, sandboxes));
	}
	const { id, token, baseUrl, headerPrefix } = match;
	return {
		...raw,
		"sandbox-id": id,
		token,
		"base-url": baseUrl,
		"header-prefix": rawValue(raw, "header-prefix") || headerPrefix
	};
}
function isDryRun(raw) {
	return /^true$/i.test(rawValue(raw, "dry-run"));
}
function explainChoice(givenId, sandboxes) {
	if (sandboxes.length === 0) return "no earlier step of this job has left a sandbox, or its step was not waited for. Use sandbox-sync/sandbox-sync/sandbox in one, or set sandbox-id, token and base-url here.";
	const ids = listSome(sandboxes.map(({ id }) => quote(id)));
	return givenId === "" ? `is empty. Say which sandbox, such as \${{ steps.sandbox.outputs.id }}; this job has ${ids}.` : `${quote(givenId)} is not a sandbox of this job. Set token and base-url too, or use one that this job has: ${ids}.`;
}
/** Fills in placeholders. An invalid ID is left to its own parser, so that it is reported once. */
function fillPlaceholders(raw) {
	const id = rawValue(raw, "sandbox-id");
	const url = rawValue(raw, "base-url").replaceAll("{sandbox-id}", isSandboxId(id) ? id : "id").replaceAll("{port}", rawValue(raw, "port") || String(49983));
	return {
		...raw,
		"base-url": url
	};
}
const E2B_DOMAINS = [
	"e2b.app",
	"e2b.dev",
	"e2b.pro",
	"e2b-staging.dev"
];
/** Returns the `header-prefix` of the service at a URL, as far as it is known. */
function headerPrefixOf(baseUrl) {
	const host = `.${URL.parse(baseUrl)?.hostname}`;
	return E2B_DOMAINS.some((domain) => host.endsWith(`.${domain}`)) ? "E2b" : "Svc";
}
function secretsIn(raw) {
	const inputs = SECRET_INPUTS.map((name) => rawValue(raw, name));
	const headers = (raw["headers"] ?? "").split("\n").flatMap(secretsInHeader);
	return [...inputs, ...headers].filter((secret) => ![
		"",
		"null",
		"undefined"
	].includes(secret));
}
function isSecretHeader(name) {
	return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}
const MIN_SECRET_LENGTH = 8;
function secretsInHeader(line) {
	const [name = "", content = ""] = splitHeader(line.trim()) ?? [];
	if (!isSecretHeader(name)) return [];
	return [content, content.replace(/^\S+\s+/, "")].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
}

// src/gate/metrics.ts
/** Known metrics. Each has an output with hyphens in its name, such as `mem-used`. */
const METRICS = {
	ts: "plain",
	cpu_count: "plain",
	cpu_used_pct: "percentage",
	mem_total: "bytes",
	mem_used: "bytes",
	mem_cache: "bytes",
	mem_total_mib: "mebibytes",
	mem_used_mib: "mebibytes",
	disk_total: "bytes",
	disk_used: "bytes",
	mem_used_pct: "percentage",
	mem_free: "bytes",
	disk_used_pct: "percentage",
	disk_free: "bytes",
	oom_kills: "plain"
};
/** Returns undefined for custom metrics whose name does not end in `_mib`. */
function unitOf(metric) {
	if (Object.hasOwn(METRICS, metric)) return METRICS[metric];
	return metric.endsWith("_mib") ? "mebibytes" : void 0;
}
/** Formats a figure in its metric's unit: `93.2 %`, `512 MiB`, `4`. */
function formatFigure(metric, figure) {
	return FORMATS[unitOf(metric) ?? "plain"](figure);
}
const FORMATS = {
	percentage: (figure) => `${formatDecimal(figure, 1)} %`,
	bytes: formatBytes,
	mebibytes: (figure) => formatBytes(figure * 2 ** 20),
	plain: (figure) => formatDecimal(figure, 2)
};
/** Each function expects at least one figure, oldest first. */
const AGGREGATES = {
	last: (figures) => figures.at(-1) ?? NaN,
	min: (figures) => figures.reduce((low, figure) => Math.min(low, figure)),
	max: (figures) => figures.reduce((high, figure) => Math.max(high, figure)),
	mean: (figures) => figures.reduce((sum, figure) => sum + figure) / figures.length,
	p50: (figures) => percentile(50, figures),
	p95: (figures) => percentile(95, figures)
};
const AGGREGATE_NAMES = Object.keys(AGGREGATES).filter(isAggregate);
function isAggregate(name) {
	return Object.hasOwn(AGGREGATES, name);
}
/** Uses the nearest rank: the smallest figure that is at least as large as `percent` % of all. */
function percentile(percent, figures) {
	const rank = Math.ceil(percent * figures.length / 100);
	return Float64Array.from(figures).sort()[rank - 1] ?? NaN;
}
function figureOf(metric, figures) {
	return Object.hasOwn(figures, metric) ? figures[metric] : void 0;
}
function valuesOf(metric, samples) {
	return samples.flatMap(({ figures }) => figureOf(metric, figures) ?? []);
}
/** Returns undefined if no sample has the metric. */
function aggregatesOf(metric, samples) {
	const figures = valuesOf(metric, samples);
	if (figures.length === 0) return void 0;
	return Object.fromEntries(AGGREGATE_NAMES.map((name) => [name, AGGREGATES[name](figures)]));
}
function aggregateOf(aggregate, metric, samples) {
	const figures = valuesOf(metric, samples);
	return figures.length === 0 ? void 0 : AGGREGATES[aggregate](figures);
}

// src/gate/judge.ts
const OPERATORS = [
	">",
	">=",
	"<",
	"<=",
	"==",
	"!="
];
function judgeGate({ failIf, warnIf }, samples, isIncomplete) {
	const judgeAs = (level, conditions) => conditions.map((each) => ({
		...judge(each, samples, isIncomplete),
		level
	}));
	const judgements = [...judgeAs("fail", failIf), ...judgeAs("warn", warnIf)];
	return {
		state: stateOf(judgements),
		judgements
	};
}
function stateOf(judgements) {
	if (judgements.length === 0) return "none";
	const [worst] = judgements.filter(({ result }) => result !== "false");
	if (worst === void 0) return "passed";
	return worst.level === "fail" ? "failed" : "warned";
}
/** Judges a condition. If samples are missing (`isIncomplete`), the others can only make it true. */
function judge(condition, samples, isIncomplete) {
	const { metric, aggregate = "last", operator, limit } = condition;
	const unknown = (why) => ({
		condition,
		result: "unknown",
		why
	});
	const why = whyNotJudged(metric, samples);
	if (why !== void 0) return unknown(why);
	const figures = valuesOf(metric, samples);
	const figure = AGGREGATES[aggregate](figures);
	const match = (condition.aggregate === void 0 ? mostExtreme(operator, figures) : [figure]).find((candidate) => COMPARE[operator](candidate, limit));
	if (match !== void 0) return {
		condition,
		result: "true",
		figure: match
	};
	return isIncomplete ? unknown("samples are missing") : {
		condition,
		result: "false",
		figure
	};
}
/** Returns true if this sample alone makes the condition true. */
function isTrueFor(condition, sample) {
	return judge(condition, [sample], false).result === "true";
}
function whyNotJudged(metric, samples) {
	if (samples.length === 0) return "there are no stats";
	const lacking = samples.filter(({ figures }) => figureOf(metric, figures) === void 0);
	const [first] = lacking;
	if (first === void 0) return void 0;
	if (lacking.length < samples.length) return `${formatNumber(lacking.length)} of ${formatCount(samples.length, "sample")} do not report ${inlineCode(metric)}`;
	return `the sandbox does not report ${inlineCode(metric)}; it reports ${namesIn(first)}`;
}
const COMPARE = {
	">": (figure, limit) => figure > limit,
	">=": (figure, limit) => figure >= limit,
	"<": (figure, limit) => figure < limit,
	"<=": (figure, limit) => figure <= limit,
	"==": (figure, limit) => figure === limit,
	"!=": (figure, limit) => figure !== limit
};
function mostExtreme(operator, figures) {
	if (operator.startsWith(">")) return [AGGREGATES.max(figures)];
	return operator.startsWith("<") ? [AGGREGATES.min(figures)] : figures;
}
const MAX_REPORTED = 30;
function namesIn({ figures }) {
	return listSome(Object.keys(figures).sort().map(inlineCode), MAX_REPORTED) || "nothing";
}
/** Describes a judgement that is not true. */
function describeJudgement(judgement) {
	const { condition } = judgement;
	const text = inlineCode(condition.text);
	if (judgement.result === "unknown") return `${text} cannot be judged: ${judgement.why}`;
	return `${text} is false: it was ${formatJudged(condition, judgement.figure)}`;
}
/** Formats a judged figure, and adds it unrounded if it would look equal to the limit. */
function formatJudged({ metric, limit, limitText }, figure) {
	const text = formatFigure(metric, figure);
	return figure !== limit && text === limitText ? `${text} (${figure})` : text;
}

// src/inputs/conditions.ts
const conditions = (value, input) => parseLines(value, (line) => parseCondition(line, input, "mem_used_pct > 80"));
/** Returns undefined if the step does not wait. `ready` adds no condition: any stats will do. */
const waitConditions = (value, input) => {
	const lines = parseLines(value, (line) => /^ready$/i.test(line) ? "ready" : parseCondition(line, input, "ready"));
	return lines.length > 0 ? lines.filter((line) => line !== "ready") : void 0;
};
const CONDITION = /^([\p{L}_][\p{L}\p{N}_.:/-]*)\s*([<>=!]+)\s*(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(\S*)$/iu;
const FORM = `this is not of the form METRIC OPERATOR NUMBER, with one of ${OPERATORS.join(" ")}. Write one condition or comment per line, which in fail-if and warn-if means "or"; in YAML, the list begins with |. If the number is missing, an expression may be empty`;
const UNITS = {
	percentage: ["%", ""],
	bytes: SIZE_UNITS,
	mebibytes: [...SIZE_UNITS, ""],
	plain: [""],
	unknown: [
		"%",
		...SIZE_UNITS,
		""
	]
};
function parseCondition(line, input, example) {
	rejectMistakes("condition", line, input, example);
	const problem = (why, better = example) => inputError(input, `${quote(line)}: ${why}.`, better);
	const [, name = "", sign, number = "", suffix = ""] = CONDITION.exec(line) ?? [];
	const operator = OPERATORS.find((each) => each === sign);
	if (operator === void 0) throw problem(FORM);
	const [metric, aggregate] = splitName(name);
	if (aggregate !== void 0 && !isAggregate(aggregate)) throw problem(`"${aggregate}" is not one of the aggregates ${AGGREGATE_NAMES.join(", ")}`);
	const metricUnit = unitOf(metric) ?? "unknown";
	const units = UNITS[metricUnit];
	const unit = findUnit(units, suffix);
	if (unit === void 0) {
		const right = units.map((each) => each || "no unit").join(" or ");
		const better = units.includes("MiB") ? `${name} ${sign} 512MiB` : example;
		throw problem(`write the number with ${right}, not with ${suffix || "no unit"}`, better);
	}
	const factor = BYTES_PER_UNIT[unit];
	const amount = factor === void 0 ? Number(number) : Math.round(Number(number) * factor);
	const mistake = findAmountMistake(amount, metricUnit, unit);
	if (mistake !== void 0) throw problem(mistake);
	const limit = metricUnit === "mebibytes" && factor !== void 0 ? amount / 2 ** 20 : amount;
	const limitText = `${number} ${unit || (IMPLIED_UNITS[metricUnit] ?? "")}`.trim();
	return {
		text: `${name} ${sign} ${number}${unit}`,
		metric,
		aggregate,
		operator,
		limit,
		limitText
	};
}
function findAmountMistake(amount, metricUnit, unit) {
	if (metricUnit === "bytes" && amount < 0) return "bytes are never negative";
	if (metricUnit !== "percentage") return void 0;
	if (amount < 0 || amount > 100) return `${amount} is not a percentage from 0 to 100`;
	return unit === "" && amount > 0 && amount < 1 ? `write a number from 1 to 100, or ${amount}% if you mean it` : void 0;
}
const IMPLIED_UNITS = {
	percentage: "%",
	mebibytes: "MiB"
};
/** Splits at the last dot, unless it is part of a custom metric's name, such as `gpu.0`. */
function splitName(name) {
	const [, metric = "", aggregate = ""] = /^(.+)\.(.*)$/.exec(name) ?? [];
	return isAggregate(aggregate) || unitOf(metric) !== void 0 ? [metric, aggregate] : [name];
}

// src/inputs/files.ts
const EXAMPLE = "dist/**";
const TARGET_EXAMPLE = `${EXAMPLE} => app`;
const DOWNLOAD_EXAMPLE = "app/reports/junit.xml => reports/junit.xml";
function fileRules(value) {
	const patterns = [];
	const excludes = [];
	parseLines(value, (line) => {
		if (line.startsWith("!")) excludes.push(parseExclude(line));
		else patterns.push(parsePattern(line));
	});
	if (patterns.length > 0) return {
		patterns,
		excludes
	};
	throw inputError("files", `is required: at least one line must say what to upload.${value === "" ? " In YAML, quote a value that begins with ! or *." : ""}`, EXAMPLE);
}
function parseExclude(line) {
	const exclude = line.slice(1).trim();
	rejectMistakes("pattern", exclude, "files", EXAMPLE);
	return exclude;
}
function parsePattern(line) {
	const [pattern, target] = splitAtArrow(line, "pattern => target", TARGET_EXAMPLE);
	rejectMistakes("pattern", pattern, "files", EXAMPLE);
	if (target !== void 0) rejectMistakes("target", target, "files", TARGET_EXAMPLE);
	return {
		pattern,
		target
	};
}
function downloadLines(value) {
	const lines = parseLines(value, parseDownloadLine);
	const required = "is required: at least one line must say what to download.";
	if (lines.length === 0) throw inputError("files", required, DOWNLOAD_EXAMPLE);
	const keys = lines.map(({ target }) => `${target.toLowerCase()}/`);
	const conflicting = keys.map((key) => lines.filter((_, index) => keys[index]?.startsWith(key))).find(({ length }) => length > 1);
	if (conflicting === void 0) return lines;
	const message = `two targets are the same, or one is inside the other: ${listSome(conflicting.map(({ path, target }) => `${quote(path)} to ${quote(target)}`))}.`;
	throw inputError("files", message, DOWNLOAD_EXAMPLE);
}
function parseDownloadLine(line) {
	const [path, given] = splitAtArrow(line, "path => target", DOWNLOAD_EXAMPLE);
	const target = posix.join(given ?? "", given === void 0 || given.endsWith("/") ? posix.basename(path) : "");
	if (given !== void 0) rejectMistakes("local-target", given, "files", DOWNLOAD_EXAMPLE);
	rejectMistakes("local-path", target, "files", DOWNLOAD_EXAMPLE);
	return {
		path,
		target
	};
}
/** Splits a line at the only ` => `, or else at the only `=>`, since names may contain an arrow. */
function splitAtArrow(line, form, example) {
	const spaced = line.split(/(?:^|\s+)=>(?:\s+|$)/);
	const [source = "", target, ...others] = (spaced.length > 1 ? spaced : line.split("=>")).map((part) => part.trim());
	if (source !== "" && target !== "" && others.length === 0) return [source, target];
	throw inputError("files", `${quote(line)} is not of the form ${form}.`, example);
}

// src/inputs/inputs.ts
/** Maps each action to the folder of its action.yml and its scripts in src/main, main one first. */
const ACTIONS = {
	sync: {
		folder: ".",
		scripts: ["sync"]
	},
	upload: {
		folder: "upload",
		scripts: ["upload"]
	},
	download: {
		folder: "download",
		scripts: ["download"]
	},
	stats: {
		folder: "stats",
		scripts: ["stats"]
	},
	run: {
		folder: "run",
		scripts: ["run"]
	},
	monitor: {
		folder: "monitor",
		scripts: [
			"monitor",
			"monitor-sampler",
			"monitor-post"
		]
	},
	"monitor-stop": {
		folder: "monitor/stop",
		scripts: ["monitor-stop"]
	},
	sandbox: {
		folder: "sandbox",
		scripts: ["sandbox", "sandbox-post"]
	}
};
const headerPrefix = textInput("header-prefix", "E2b");
const token = textInput("token", "${{ steps.sandbox.outputs.token }}");
const connectionInputs = {
	"sandbox-id": sandboxId,
	token,
	"base-url": baseUrl,
	"allow-insecure-http": flag(false),
	port: wholeNumber(1, 65535, DEFAULT_PORT),
	"header-prefix": headerPrefix,
	headers,
	timeout: duration(1, "60s")
};
const retries = wholeNumber(0, 10, 4);
const statsPath = textInput("url-path", "/metrics", "/metrics");
const summary = flag(true);
const uploadInputs = {
	"upload-path": textInput("url-path", "/files", "/files"),
	files: fileRules,
	target: textInput("target", "app"),
	"working-directory": anyText,
	username: anyText,
	signature: anyText,
	"signature-expiration": textInput("unix-time", "1798761600"),
	"if-no-files-found": choice("error", "warn", "ignore"),
	"include-hidden-files": flag(false),
	"follow-symlinks": flag(void 0),
	"state-file": anyText,
	shard,
	concurrency,
	"files-per-request": wholeNumber(1, 1e3, "auto"),
	checksums: flag(false),
	"dry-run": flag(false)
};
const downloadInputs = {
	files: downloadLines,
	"working-directory": anyText,
	"max-size": byteSize("1GiB"),
	username: anyText,
	"if-no-files-found": choice("error", "warn", "ignore"),
	concurrency
};
const gateInputs = {
	"fail-if": conditions,
	"warn-if": conditions
};
const statsInputs = {
	"stats-path": statsPath,
	...gateInputs,
	"wait-until": waitConditions,
	"wait-timeout": duration(1, "5m"),
	samples: wholeNumber(1, 1e3, 1),
	"sample-interval": duration(200, "1s")
};
const monitorInputs = {
	...gateInputs,
	"sample-interval": duration(200, "5s"),
	name: anyText,
	summary
};
const runInputs = {
	run: textInput("script", "npm ci && npm test"),
	"working-directory": anyText,
	env: variables,
	username: anyText,
	"max-duration": optional(duration(1e3, "1h")),
	...monitorInputs,
	"sample-interval": duration(200, "1s")
};
const apiInputs = {
	"api-url": apiUrl,
	"api-key": textInput("api-key", "${{ secrets.E2B_API_KEY }}"),
	headers,
	retries,
	timeout: duration(1, "60s")
};
/** Maps each action, and each post step with saved inputs, to the parsers of its inputs. */
const INPUTS = {
	sync: {
		...connectionInputs,
		retries,
		...uploadInputs,
		...statsInputs,
		summary
	},
	upload: {
		...connectionInputs,
		retries,
		...uploadInputs,
		summary
	},
	download: {
		...connectionInputs,
		retries,
		...downloadInputs,
		summary
	},
	stats: {
		...connectionInputs,
		retries,
		...statsInputs,
		summary
	},
	monitor: {
		...connectionInputs,
		"stats-path": statsPath,
		...monitorInputs,
		"max-duration": duration(1e3, "6h")
	},
	"monitor-stop": {
		monitor: anyText,
		summary
	},
	run: {
		...connectionInputs,
		retries,
		...runInputs
	},
	"monitor-end": {
		"sandbox-id": anyText,
		"base-url": anyText,
		...monitorInputs
	},
	sandbox: {
		...apiInputs,
		template: anyText,
		lifetime: duration(1e3, "15m"),
		metadata: keyValues,
		env: variables,
		"create-options": createOptions,
		"sandbox-id": sandboxId,
		token,
		"base-url": baseUrl,
		"header-prefix": headerPrefix,
		delete: flag(void 0)
	},
	"sandbox-end": {
		...apiInputs,
		template: anyText,
		"sandbox-id": anyText,
		delete: flag(void 0)
	}
};

// src/inputs/parse-inputs.ts
/** @throws InputError with the problems of all inputs, and of rules that compare inputs */
function parseInputs(parsers, raw, environment = {}) {
	const opensSandbox = "template" in parsers;
	const filled = fillHeaderPrefix(fillPlaceholders(raw), opensSandbox);
	const { parsed, problems } = tryAll(Object.entries(parsers), ([name, parse]) => {
		const value = rawValue(filled, name);
		const isLeftOut = value === "" && mayBeEmpty(name, opensSandbox, raw);
		return [camelCase(name), isLeftOut ? value : parse(value, name)];
	});
	const inputs = Object.fromEntries(parsed);
	problems.push(...tryAll([
		checkHttpIsAllowed,
		checkWayToSandbox,
		checkUserOfCommand
	], (rule) => rule(inputs, raw)).problems, ...findUnknownInputs(parsers, environment));
	if (problems.length > 0) throw new InputError(problems);
	return inputs;
}
/** The action `sandbox` uses the API of E2B, whatever the host. */
function fillHeaderPrefix(raw, opensSandbox) {
	const fallback = opensSandbox && wayToSandbox(raw) !== WAYS.takeOver ? "E2b" : headerPrefixOf(rawValue(raw, "base-url"));
	return {
		...raw,
		"header-prefix": rawValue(raw, "header-prefix") || fallback
	};
}
function camelCase(name) {
	return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}
/**
* Finds inputs that the action does not have. GitHub only warns of them, so a misspelt `fail-if`
* would judge nothing. Jobs set variables such as INPUT_NAME for themselves, so a name only counts
* if it has a hyphen, or if it is that of an input but for - and _, and that input is not set.
*/
function findUnknownInputs(parsers, environment) {
	const valueOf = (name) => environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? "";
	const bare = (name) => name.replaceAll(/[-_]/g, "");
	return Object.keys(environment).flatMap((variable) => /^INPUT_(.+)$/.exec(variable)?.[1]?.toLowerCase() ?? []).filter((name) => valueOf(name) !== "" && !Object.hasOwn(parsers, name)).flatMap((input) => {
		const near = Object.entries(parsers).find(([name]) => bare(name) === bare(input));
		if (near === void 0 ? !input.includes("-") : !isDefault(valueOf(near[0]), near[1])) return [];
		const advice = near?.[0] ?? listSome(actionsWith(input));
		return {
			input,
			message: `is not an input of this action.${advice === "" ? "" : ` Did you mean ${advice}?`}`
		};
	});
}
function isDefault(value, parse) {
	const [given, fallback] = tryAll([value, ""], (text) => parse(text, "")).parsed;
	return value === "" || isDeepStrictEqual(given, fallback);
}
function actionsWith(input) {
	const parsers = INPUTS;
	return Object.entries(ACTIONS).filter(([action]) => Object.hasOwn(parsers[action] ?? {}, input)).map(([, { folder }]) => path.posix.join("sandbox-sync/sandbox-sync", folder));
}
function checkHttpIsAllowed({ baseUrl = "", allowInsecureHttp }) {
	if (baseUrl === "" || allowInsecureHttp !== false || !isUnencrypted(baseUrl)) return;
	const message = `${quote(baseUrl)} would send secrets unencrypted. Use https, or set allow-insecure-http: true.`;
	throw inputError("base-url", message, BASE_URL_EXAMPLE);
}
const API = ["api-url", "api-key"];
const AT_CREATION = [
	"metadata",
	"env",
	"create-options"
];
const WAYS = {
	create: {
		required: API,
		unused: ["token"],
		why: "template creates a sandbox"
	},
	connect: {
		required: API,
		unused: AT_CREATION,
		why: "sandbox-id is that of a sandbox that exists"
	},
	takeOver: {
		required: REQUIRED_TO_CONNECT,
		unused: [
			...API,
			"delete",
			...AT_CREATION
		],
		why: "token takes a sandbox over as it is"
	}
};
function wayToSandbox(raw) {
	const isSet = (name) => rawValue(raw, name) !== "";
	if (isSet("template")) return WAYS.create;
	return isSet("token") || isSet("base-url") && !API.some(isSet) ? WAYS.takeOver : WAYS.connect;
}
function mayBeEmpty(name, opensSandbox, raw) {
	if (!opensSandbox) return isDryRun(raw) && REQUIRED_TO_CONNECT.includes(name);
	return [...API, ...REQUIRED_TO_CONNECT].includes(name) && !wayToSandbox(raw).required.includes(name);
}
function checkWayToSandbox({ template, sandboxId }, raw) {
	if (template === void 0 || sandboxId === void 0) return;
	if (template === "" === (sandboxId === "")) {
		const message = `is ${quote(sandboxId)}, and template is ${quote(template)}. Set template to create a sandbox, or sandbox-id to connect to one, and leave the other empty. An unset variable is empty, so check the names in expressions.`;
		throw inputError("sandbox-id", message);
	}
	const { unused, why } = wayToSandbox(raw);
	const message = `has no effect, since ${why}. Leave out one of them.`;
	const problems = unused.filter((name) => rawValue(raw, name) !== "").map((input) => ({
		input,
		message
	}));
	if (problems.length > 0) throw new InputError(problems);
}
function checkUserOfCommand({ run, username = "", headers = {} }) {
	const isTaken = Object.keys(headers).some((name) => /^authorization$/i.test(name));
	if (run === void 0 || username === "" || !isTaken) return;
	const message = `${quote(username)} would replace the header Authorization. Remove one of them.`;
	throw inputError("username", message);
}

// src/report/section.ts
/** Returns all lines of a problem, for an annotation. */
function linesOf({ verdict, lines, output }) {
	const { cause = [], lastWords = [] } = output ?? {};
	return [
		sentenceCase(verdict),
		...cause.length > 0 ? cause : lastWords,
		...lines
	];
}
function sentenceCase(text) {
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
/** Explains anything that a step has thrown. */
function problemOfError(error) {
	if (error instanceof AgentError) return problemOfFailure(error);
	if (error instanceof InputError) return problemOfInputs(error);
	if (error instanceof Error && "syscall" in error) return {
		verdict: error.message,
		lines: []
	};
	return {
		verdict: "Sandbox Sync itself failed",
		lines: ["This is a bug; please report it.", ...(error instanceof Error ? error.stack ?? error.message : String(error)).split("\n")]
	};
}
/** Explains what a service has refused or the system has reported. */
function problemOfFailure(failure) {
	return {
		verdict: failure.kind === "cancelled" ? failure.hint : VERDICTS[failure.kind],
		lines: explainFailure(failure)
	};
}
/** Returns what the service or the system said, then advice. */
function explainFailure({ kind, message, hint }) {
	return [message, ...kind === "cancelled" ? [] : [hint]];
}
const VERDICTS = {
	unauthorized: "access was denied",
	forbidden: "access is forbidden",
	"sandbox-not-found": "the sandbox was not found",
	"not-found": "the service has no such operation",
	"no-such-file": "the file is not in the sandbox",
	rejected: "the request was rejected",
	"too-large": "the request is too large",
	busy: "the sandbox or its service is busy, or not ready",
	server: "the service failed",
	"disk-full": "the sandbox's disk is full",
	unreachable: "the host cannot be reached",
	untrusted: "the certificate is not trusted",
	connection: "the connection failed",
	"bad-response": "the response cannot be used",
	"file-changed": "a file cannot be read",
	"not-written": "a file cannot be written"
};
function problemOfInputs({ problems }) {
	const names = [...new Set(problems.map(({ input }) => input))];
	const [name = ""] = names;
	return {
		verdict: names.length === 1 ? `input ${inlineCode(name)} is invalid` : `${formatCount(names.length, "input")} are invalid`,
		lines: problems.map(({ input, message }) => `${inlineCode(input)}: ${message}`)
	};
}

// src/report/render.ts
function renderReport(report) {
	const { error, cancelled, name } = report;
	const all = Object.values(report.sections);
	const problems = [...error ? [error] : [], ...all.flatMap((section) => section.problems)];
	const warnings = all.flatMap((section) => section.warnings);
	const level = levelOf(cancelled, problems, warnings.length > 0 || all.some((section) => section.hasWarned));
	const done = all.map((section) => section.done).filter((words) => words !== "");
	const verdict = problems[0]?.verdict ?? (cancelled ? done[0] : done.join(" · ")) ?? "";
	const facts = all.flatMap((section) => section.facts ?? []);
	const command = all.map((section) => section.command ?? "").join("");
	return {
		level,
		verdict,
		command,
		subject: name || command,
		problems,
		warnings,
		fileLines: all.flatMap(({ fileLines = [] }) => fileLines),
		facts: problems.length === 0 ? facts : [...doneBeside(all), ...facts],
		outputs: Object.assign(report.gateNotJudged ? { gate: "failed" } : {}, ...all.map(({ outputs }) => outputs)),
		scriptOutputs: all.flatMap(({ scriptOutputs = [] }) => scriptOutputs),
		attachments: Object.assign({}, ...all.map(({ attachments }) => attachments)),
		blocks: all.flatMap(({ blocks = [] }) => blocks),
		json: Object.fromEntries(Object.entries(report.sections).map(([key, { json }]) => [key, json]))
	};
}
/** Says what was done in a step that failed, except for a gate, whose table says it. */
function doneBeside(sections) {
	return sections.filter(({ done, blocks = [] }) => done !== "" && blocks.length === 0).map(({ done }) => `${sentenceCase(done)}.`);
}
/** Returns the verdict with what it is about, as log, annotation and report.json have it. */
function headlineOf({ subject, verdict }) {
	return subject === "" ? sentenceCase(verdict) : `${subject}: ${verdict}`;
}
function succeeded({ level }) {
	return level === "success" || level === "warning";
}
function levelOf(cancelled, problems, hasWarned) {
	if (cancelled) return "cancelled";
	if (problems.length > 0) return "failure";
	return hasWarned ? "warning" : "success";
}
const REPORT_SCHEMA_URL = "https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json";
function reportJson(report, rendered) {
	const { task, name, sandbox, cancelled } = report;
	const document = {
		$schema: REPORT_SCHEMA_URL,
		task,
		name,
		sandbox: {
			id: sandbox.id,
			baseUrl: sandbox.baseUrl
		},
		succeeded: succeeded(rendered),
		headline: headlineOf(rendered),
		cancelled,
		errors: rendered.problems.map((problem) => {
			const [message = "", ...details] = linesOf(problem);
			return {
				message,
				details
			};
		}),
		warnings: rendered.warnings,
		...rendered.json
	};
	return `${JSON.stringify(document)}\n`;
}
/**
* Redacts what users typed, such as a token in the wrong input or in a file name. Skips figures and
* other numbers, which may happen to contain the digits of a secret.
*/
function redactTexts(results, redact) {
	return mapStrings(results, (text, key) => UNREDACTED.test(key) ? text : redact(text));
}
const UNREDACTED = /^(task|status|kind|by|result|state|level|operator|aggregate|digest|sha256)$/;
const DECODED = /^(samples|response)$/;
function mapStrings(value, map, key = "") {
	if (typeof value === "string") return map(value, key);
	if (typeof value !== "object" || value === null || DECODED.test(key)) return value;
	if (Array.isArray(value)) return value.map((item) => mapStrings(item, map, key));
	const entries = Object.entries(value);
	return Object.fromEntries(entries.map(([name, field]) => [name, mapStrings(field, map, name)]));
}

// src/sandbox/sandbox-api.ts
/** `stop` only prevents retries. */
function openApi({ apiUrl: baseUrl, apiKey, headers, timeout, retries }, context, stop) {
	const { killImminent, sleep, random, log } = context;
	const endpoint = {
		baseUrl,
		headers: {
			...headers,
			"X-API-Key": apiKey
		},
		timeout
	};
	const client = openClient(endpoint, context);
	const limits = {
		signal: killImminent,
		timeout
	};
	const onRetry = (retry) => log.line(describeRetry("the sandbox", retry));
	return {
		...client,
		limits,
		retries,
		sleep,
		random,
		stop,
		onRetry
	};
}
/** Calls `onUncertain` if a failed attempt may have created a sandbox. */
async function createSandbox(api, inputs, onUncertain) {
	const { template: templateID, lifetime, metadata, env: envVars, createOptions } = inputs;
	const settings = {
		timeout: toSeconds(lifetime),
		secure: true,
		autoPause: false
	};
	const message = {
		...createOptions,
		templateID,
		...settings,
		metadata,
		envVars
	};
	const request = postJson("/sandboxes", message, api.limits);
	const isRepeatable = ({ hadNoEffect, status }) => hadNoEffect || status === 503;
	const create = async () => {
		try {
			return decodeSandbox(await api.send(request));
		} catch (error) {
			if (!(error instanceof AgentError && error.hadNoEffect)) onUncertain();
			throw error;
		}
	};
	const cancelled = "cancelled while the sandbox was created";
	return await callWithRetries({
		...api,
		isRepeatable
	}, create, cancelled);
}
/** Extends the sandbox's lifetime to at least `lifetimeMs` from now. */
async function connectToSandbox(api, id, lifetimeMs) {
	const message = { timeout: toSeconds(lifetimeMs) };
	const request = postJson(`/sandboxes/${id}/connect`, message, api.limits);
	const connect = async () => decodeSandbox(await api.send(request));
	return {
		...await callWithRetries(api, connect),
		id
	};
}
/** Logs whether the sandbox was deleted or already gone. */
function deleteSandbox(api, id, log) {
	const request = {
		...api.limits,
		method: "DELETE",
		path: `/sandboxes/${id}`
	};
	return callWithRetries(api, async () => {
		try {
			const response = await api.send(request);
			if (isFromProxy(response)) throw bodyError(response, "it is not JSON");
			log.line(`Deleted sandbox ${id}`);
		} catch (error) {
			if (!(error instanceof AgentError && error.kind === "sandbox-not-found")) throw error;
			log.line(`Sandbox ${id} was already gone`);
		}
	});
}
/** Finds sandboxes by their metadata. */
function findSandboxIds(api, key, value) {
	const query = String(new URLSearchParams({ metadata: `${key}=${value}` }));
	const request = {
		...api.limits,
		method: "GET",
		path: `/v2/sandboxes?${query}`
	};
	return callWithRetries(api, async () => {
		const response = await api.send(request);
		const list = parseResponse(response);
		if (!Array.isArray(list)) throw bodyError(response, "it is no list");
		const isOurs = (entry) => fieldsOf(fieldsOf(entry)["metadata"])[key] === value;
		return list.filter(isOurs).map((entry) => decodeSandbox(response, entry).id);
	});
}
async function callWithRetries(api, call, cancelled = "cancelled") {
	const outcome = await withRetries(call, api);
	if (outcome.status === "done") return outcome.value;
	const { kind, message } = outcome.error;
	const hint = kind === "cancelled" ? cancelled : API_HINTS[kind] ?? OTHER_HINT;
	throw new AgentError(kind, message, { hint });
}
function toSeconds(ms) {
	return Math.ceil(ms / 1e3);
}
function decodeSandbox(response, value = parseResponse(response)) {
	const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(value);
	if (typeof id !== "string" || !isSandboxId(id)) throw bodyError(response, "it names no sandbox");
	const text = (field) => typeof field === "string" && field !== "" ? field : void 0;
	return {
		id,
		token: text(token),
		domain: text(domain)
	};
}
const API_HINTS = {
	unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
	"not-found": "Check template or sandbox-id, and api-url, to which /sandboxes is added.",
	"sandbox-not-found": "Check sandbox-id (a sandbox that was deleted or has expired is gone), and api-url, to which /sandboxes is added.",
	unreachable: "Check api-url, that this runner can reach the host, and its proxy settings (HTTPS_PROXY, NO_PROXY).",
	untrusted: "Check api-url. For a certificate of a private CA, set NODE_EXTRA_CA_CERTS to the file of the CA.",
	connection: "The connection is unreliable, or the service needs longer to answer: run the job again, or raise timeout. If api-url begins with http://, the port may want https://.",
	"bad-response": "Check api-url: it is the URL of the service's API, not of its website."
};
const OTHER_HINT = "Check api-url, the limits of your account and the service's status. Then run the job again.";

// src/sandbox/sandbox.ts
const SYNC_ID = "sandbox-sync-id";
const NO_TOKEN = "Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another.";
/**
* Creates a sandbox, connects to one, or takes one over. Calls `save` before a failure could leave
* behind what the post step does not know. `baseUrl` is empty if the domain is unknown.
*/
async function openSandbox(inputs, context, save) {
	const { template, sandboxId, baseUrl: givenUrl, headerPrefix, apiUrl } = inputs;
	const { log, cancel } = context;
	if (inputs.token !== "") {
		log.line(`Took over sandbox ${sandboxId}`);
		return {
			id: sandboxId,
			token: inputs.token,
			baseUrl: givenUrl,
			headerPrefix,
			domain: void 0,
			endsAt: void 0
		};
	}
	await using api = openApi(inputs, context, cancel);
	const opened = await (template === "" ? connect : create)(api, inputs, context, save);
	const { id, domain: apiDomain, endsAt } = opened;
	const token = requireToken(opened);
	checkDomain(opened);
	const { domain, baseUrl: defaultUrl } = addressOf(apiDomain, apiUrl);
	const baseUrl = givenUrl || defaultUrl;
	if (baseUrl === "") log.warning("The service names no domain. Set base-url, so that later steps find the sandbox.");
	else log.line(`Its URL: ${fillPlaceholders({
		"sandbox-id": id,
		"base-url": baseUrl
	})["base-url"]}`);
	return {
		id,
		token,
		domain,
		baseUrl,
		headerPrefix,
		endsAt
	};
}
function requireToken({ id, token }) {
	if (token !== void 0 && findMistake("token", token) === void 0) return token;
	throw new AgentError("bad-response", `No usable token for sandbox ${id}.`, { hint: NO_TOKEN });
}
function checkDomain({ id, domain }) {
	if (domain === void 0 || /^[a-z\d.-]+(:\d+)?$/i.test(domain)) return;
	const message = `The API names ${quote(domain)} as the domain of sandbox ${id}.`;
	throw new AgentError("bad-response", message, { hint: "Check api-url." });
}
async function deleteAtEnd(id, inputs, context) {
	await using api = openApi(inputs, context, context.killImminent);
	await deleteSandbox(api, id, context.log);
}
/** Deletes what an unconfirmed creation has left, but not the sandbox of a later attempt. */
async function deleteUnconfirmed({ id: created, unconfirmedCreation = "" }, inputs, context) {
	await using api = openApi(inputs, context, context.killImminent);
	const found = await findSandboxIds(api, SYNC_ID, unconfirmedCreation);
	if (found.length === 0 && created === void 0) throw new AgentError("not-found", "The service does not list it yet.", { hint: "" });
	for (const id of found.filter((each) => each !== created)) {
		context.log.line(`A failed attempt had created sandbox ${id}`);
		await deleteSandbox(api, id, context.log);
	}
}
function describeExpiry({ endsAt, isCreated }) {
	const time = new Date(endsAt).toUTCString();
	return isCreated ? `It ends by itself at ${time}, unless its lifetime was extended.` : `It lives at least until ${time}, perhaps longer.`;
}
/** `apiDomain` is what the API's response says, if anything. */
function addressOf(apiDomain, apiUrl) {
	const domain = apiDomain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
	if (apiUrl.startsWith("http:")) return {
		domain,
		baseUrl: apiUrl
	};
	if (domain === void 0) return {
		domain,
		baseUrl: ""
	};
	return {
		domain,
		baseUrl: `https://${E2B_DOMAINS.includes(domain) ? "sandbox" : "{port}-{sandbox-id}"}.${domain}`
	};
}
async function create(api, inputs, { now, log }, save) {
	const { template, lifetime, metadata } = inputs;
	const syncId = metadata[SYNC_ID];
	const endsAt = now() + lifetime;
	save({
		isCreated: true,
		endsAt,
		unconfirmedCreation: syncId
	});
	let unconfirmedCreation;
	let created;
	try {
		created = await createSandbox(api, inputs, () => unconfirmedCreation = syncId);
		log.line(`Created sandbox ${created.id} from ${template}, for ${formatDuration(lifetime)}`);
		return {
			...created,
			endsAt
		};
	} finally {
		save({
			id: created?.id,
			isCreated: true,
			endsAt: now() + lifetime,
			unconfirmedCreation
		});
	}
}
const HOUR_MS$1 = 36e5;
async function connect(api, { sandboxId: id, lifetime }, { now, log }, save) {
	save({
		id,
		isCreated: false,
		endsAt: now() + lifetime
	});
	const sandbox = await connectToSandbox(api, id, lifetime);
	log.line(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
	return {
		...sandbox,
		endsAt: lifetime > HOUR_MS$1 ? now() + lifetime : void 0
	};
}

// src/github/job-state.ts
/** Reads the step's inputs, masking secrets before anything can be logged. */
function readInputs(parsers) {
	const names = Object.keys(parsers);
	const raw = Object.fromEntries(names.map((name) => [name, getInput(name, { trimWhitespace: false })]));
	for (const secret of secretsIn(raw)) setSecret(secret);
	return raw;
}
function jobMetadata() {
	const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, GITHUB_JOB } = process.env;
	return {
		"github-repository": GITHUB_REPOSITORY ?? "",
		"github-run-id": GITHUB_RUN_ID ?? "",
		"github-run-attempt": GITHUB_RUN_ATTEMPT ?? "",
		"github-job": GITHUB_JOB ?? "",
		[SYNC_ID]: randomUUID()
	};
}
const SHARED = "SHA REF REF_NAME REF_TYPE REPOSITORY REPOSITORY_OWNER RUN_ID RUN_NUMBER RUN_ATTEMPT WORKFLOW JOB ACTOR EVENT_NAME HEAD_REF BASE_REF SERVER_URL";
/**
* Returns what a command in the sandbox may know about the job: no token and no path. Without
* GITHUB_ACTIONS, since tools such as vitest would then print commands for the runner.
*/
function sharedVariables() {
	const names = SHARED.split(" ").map((name) => `GITHUB_${name}`);
	return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]));
}
function saveCleanup(cleanup, raw) {
	const names = Object.keys(INPUTS["sandbox-end"]).filter((name) => name !== "api-key");
	const inputs = Object.fromEntries(names.map((name) => [name, rawValue(raw, name)]));
	saveState("sandbox", {
		...cleanup,
		inputs
	});
}
function loadCleanup() {
	const { endsAt, isCreated, ...state } = parseFields(getState("sandbox"));
	const { id, unconfirmedCreation } = stringFieldsOf(state);
	const saved = stringFieldsOf(state["inputs"]);
	const own = readInputs(INPUTS["sandbox-end"]);
	const isOwn = (name) => rawValue(own, name) === saved[name];
	const choice = [
		[
			"template",
			"sandbox-id",
			"api-url"
		].every(isOwn) ? own["delete"] : "",
		saved["delete"],
		String(isCreated)
	].find((each) => /^\s*(true|false)\s*$/i.test(each ?? ""));
	return {
		cleanup: {
			id,
			endsAt: Number(endsAt),
			isCreated: isCreated === true,
			unconfirmedCreation
		},
		shouldDelete: /true/i.test(choice ?? ""),
		inputs: {
			...own,
			...saved
		}
	};
}
const SANDBOX_PREFIX = "sandbox-sync-sandbox-";
/** Masks the token and sets the outputs. If the URL is known, saves the sandbox for later steps. */
function publishSandbox(sandbox) {
	const { id, token, domain = "", baseUrl, headerPrefix } = sandbox;
	setSecret(token);
	const { "base-url": url } = fillPlaceholders({
		"sandbox-id": id,
		"base-url": baseUrl
	});
	const outputs = {
		id,
		token,
		domain,
		"base-url": url,
		"header-prefix": headerPrefix
	};
	for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
	if (baseUrl === "") return;
	const file = path.join(tempDirectory(), `${SANDBOX_PREFIX}${id}.json`);
	saveState("job-sandbox", file);
	const newFile = path.join(tempDirectory(), `new-${path.basename(file)}`);
	writeFileSync(newFile, JSON.stringify(sandbox), { mode: 384 });
	renameSync(newFile, file);
}
function loadJobSandboxes() {
	const sandboxes = filesInTemp(SANDBOX_PREFIX).flatMap((file) => {
		const fields = parseFields(readFileSync(file, "utf8"));
		const { id, token, baseUrl, headerPrefix } = stringFieldsOf(fields);
		if (!id || !token || !baseUrl || !headerPrefix) return [];
		return [{
			id,
			token,
			baseUrl,
			headerPrefix,
			endsAt: typeof fields["endsAt"] === "number" ? fields["endsAt"] : void 0
		}];
	});
	for (const { token } of sandboxes) setSecret(token);
	return sandboxes;
}
function removeJobSandbox() {
	const file = getState("job-sandbox");
	if (file !== "") rmSync(file, { force: true });
}
const MONITOR_PREFIX = "sandbox-sync-monitor-";
function createMonitorDirectory() {
	const directory = mkdtempSync(path.join(tempDirectory(), MONITOR_PREFIX));
	saveState("directory", directory);
	setOutput("monitor", path.basename(directory));
	return directory;
}
function loadMonitorDirectory() {
	return getState("directory") || void 0;
}
function findMonitorDirectories() {
	return filesInTemp(MONITOR_PREFIX);
}
function filesInTemp(prefix) {
	const directory = tempDirectory();
	return readdirSync(directory).filter((name) => name.startsWith(prefix)).sort().map((name) => path.join(directory, name));
}
function tempDirectory() {
	return path.resolve(process.env["RUNNER_TEMP"] || tmpdir());
}

// src/github/log.ts
const MAX_ANNOTATION_LENGTH = 4e3;
/** Opens a log that redacts secrets and escapes workflow commands in every line. */
function openLog(redact) {
	const clean = (line) => escapeCommands(redact(line));
	const toMessage = (lines) => cutEnd(lines.map(clean).join("\n"), MAX_ANNOTATION_LENGTH);
	return {
		line: (text) => info(clean(text)),
		output: logOutput(redact),
		debug(text) {
			if (isDebug()) debug(clean(text));
		},
		group(title, lines) {
			startGroup(title);
			info(lines.map(clean).join("\n"));
			endGroup();
		},
		warning: (text) => warning(toMessage(text.split("\n"))),
		fail: (lines) => setFailed(toMessage(lines))
	};
}
const MAX_OUTPUT_LENGTH = 16777216;
function logOutput(redact) {
	let left = MAX_OUTPUT_LENGTH;
	return (lines) => {
		if (left <= 0) return;
		const text = escapeOutput(redact(lines)).slice(0, left);
		left -= text.length;
		info(text.replace(/\n$/, ""));
		if (left <= 0) info("The rest of the output is not shown, since the log is limited to 16 MiB.");
	};
}

// src/report/html.ts
const ENTITIES = new Map(Object.entries({
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	"\"": "&quot;",
	"'": "&#39;"
}));
/**
* Escapes strings for HTML. Markdown needs no escaping, since HTML blocks only end at a blank line
* (CommonMark 4.6).
*/
function html(parts, ...values) {
	return { html: String.raw({ raw: parts }, ...values.map(toHtml)) };
}
function concat(pieces, separator = "") {
	return { html: pieces.map((piece) => piece.html).join(separator) };
}
const MAX_CODE = 300;
/** Renders text as code, cut after 300 characters. */
function code(text) {
	return html`<code>${cutEnd(escapeInvisible(text), MAX_CODE)}</code>`;
}
const MAX_PROSE = 2e3;
const MAX_PIECES = 101;
/** Renders a sentence in which backticks and quotation marks enclose code, which alone is cut. */
function prose(text) {
	return concat(text.split(/("(?:\\.|[^"\\])+"|`[^`]+`)/, MAX_PIECES).map((piece, index) => index % 2 === 0 ? breakMentions(cutEnd(escapeInvisible(piece), MAX_PROSE)) : code(piece.slice(1, -1))));
}
/** Keeps GitHub from expanding mentions and emoji names, which it only finds in one piece. */
function breakMentions(text) {
	const { html: escaped } = html`${text}`;
	return { html: escaped.replace(/@(?=\w)|:(?=[a-z+-][\w+-]*:)/gi, "<span>$&</span>") };
}
function unbroken(figure) {
	return { html: toHtml(figure).replaceAll(" ", "&nbsp;") };
}
/** Renders lines of a command's output, or nothing if there are none. */
function outputBlock(lines) {
	if (lines.length === 0) return [];
	return [html`<pre>${concat(lines.map((line) => html`${line.replaceAll("	", "    ")}`), "\n")}</pre>`];
}
const MAX_ITEMS = 30;
function shortList(items) {
	if (items.length === 0) return [];
	return [html`<ul>${concat(limitItems(items).map((item) => html`\n<li>${item}</li>`))}\n</ul>`];
}
/** Keeps the first 30 items and adds one that counts the others. */
function limitItems(items) {
	const more = (count) => html`and ${formatNumber(count)} more; the report file has them all`;
	return firstOf(items, 30, more);
}
function toHtml(value) {
	if (typeof value !== "string") return value.html;
	return escapeInvisible(value).replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}

// src/report/summary.ts
const DOCS = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs";
const LEVEL_MARKS = {
	success: "✅",
	warning: "⚠️",
	failure: "❌",
	cancelled: "⛔"
};
/** Returns the job summary in Markdown and HTML. */
function summaryOf(report, rendered) {
	const { level, facts, blocks } = rendered;
	const shownFacts = facts.map((line) => html`<p>${prose(line)}</p>`);
	return (level === "success" ? [
		oneLine(report, rendered),
		...shownFacts,
		...blocks
	] : [
		heading(rendered),
		...details(rendered),
		...shownFacts,
		...blocks,
		footer(report)
	]).map((block) => `${block.html}\n\n`).join("");
}
/** Says how to open and delete a sandbox that was kept, in E2B's command line. */
function describeKept(id, expiry) {
	return [
		`Sandbox \`${id}\` was kept. ${expiry}`,
		`To open a shell in it on E2B: \`npx @e2b/cli@2 sandbox connect ${id}\``,
		`To delete it: \`npx @e2b/cli@2 sandbox kill ${id}\``
	];
}
function summaryOfLines(lines) {
	return `${html`<p>ℹ️ ${concat(lines.map(prose), "<br>")}</p>`.html}\n\n`;
}
function oneLine({ sandbox: { id } }, rendered) {
	const sandbox = id === "" ? html`` : html` · sandbox ${code(id)}`;
	return html`<p>${titleOf$1(rendered)}${sandbox}</p>`;
}
function heading(rendered) {
	return html`<h3>${titleOf$1(rendered)}</h3>`;
}
const MAX_TITLE = 60;
const MIN_SUBJECT = 20;
/** Cuts the subject if need be, but never the verdict. */
function titleOf$1({ level, subject, verdict }) {
	const mark = LEVEL_MARKS[level];
	if (subject === "") return html`${mark} ${prose(sentenceCase(verdict))}`;
	return html`${mark} ${code(cutSubject(subject, verdict))}: ${prose(verdict)}`;
}
function cutSubject(subject, verdict) {
	return cutEnd(subject, Math.max(MAX_TITLE - verdict.length, MIN_SUBJECT));
}
/** Explains the verdict, then lists the other problems and the warnings. */
function details({ level, command, subject, verdict, problems, warnings }) {
	const [first, ...others] = problems;
	return [
		...command === "" || command === cutSubject(subject, verdict) ? [] : [html`<p>${code(command)}</p>`],
		...first === void 0 ? [] : explain(first),
		...shortList([...others.map((each) => html`${LEVEL_MARKS[level]} ${renderProblem(each)}`), ...warnings.map((each) => html`⚠️ ${prose(each)}`)])
	];
}
const MAX_PARAGRAPHS = 2;
function explain({ lines, output }) {
	const { cause = [], lastLines = [] } = output ?? {};
	const shown = lines.map(prose);
	return [
		...outputBlock(cause),
		...lines.length > MAX_PARAGRAPHS ? shortList(shown) : shown.map((line) => html`<p>${line}</p>`),
		...lastLines.length > cause.length ? showLastLines(lastLines, cause.length > 0) : []
	];
}
function showLastLines(lastLines, isFolded) {
	const block = outputBlock(lastLines);
	if (!isFolded) return [html`<p>Last lines of the output:</p>`, ...block];
	const title = `Last ${formatCount(lastLines.length, "line")} of the output`;
	return [
		html`<details><summary>${title}</summary>`,
		...block,
		html`</details>`
	];
}
function renderProblem({ verdict, lines }) {
	return concat(limitItems([sentenceCase(verdict), ...lines].map(prose)), "<br>");
}
function footer({ sandbox: { id } }) {
	const sandbox = id === "" ? html`` : html`Sandbox ${code(id)} · `;
	return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">Help</a></p>`;
}

// src/github/publish.ts
/** Writes the outputs, the summary and the verdict, even if one of them fails. */
async function publish(report, log, { withSummary }) {
	const rendered = renderReport(report);
	if (rendered.fileLines.length > 0) log.group("Files", rendered.fileLines);
	writeOutputs(report, rendered, log);
	if (withSummary) await writeSummary(summaryOf(report, rendered), log.warning);
	logVerdict(rendered, log);
}
/** Tells how to look into a sandbox that was kept, and how to delete it. */
async function publishKept(id, expiry) {
	const lines = describeKept(id, expiry);
	notice(lines.join("\n"));
	await writeSummary(summaryOfLines(lines), warning);
}
function writeOutputs(report, rendered, log) {
	try {
		setOutputs(rendered.scriptOutputs);
		const names = rendered.scriptOutputs.map(([name]) => inlineCode(name));
		if (names.length > 0) log.line(`Outputs of the script: ${listSome(names)}`);
		setOutputs(Object.entries(rendered.outputs));
		setOutputs(Object.entries(writeFiles(report, rendered)));
	} catch (error) {
		log.fail([`The step's outputs could not be written: ${errorText(error)}.`]);
	}
}
function setOutputs(outputs) {
	for (const [name, value] of outputs) setOutput(name, value);
}
/** Writes the report and the attachments. Returns their paths by output. */
function writeFiles(report, rendered) {
	const folder = mkdtempSync(path.join(tempDirectory(), "sandbox-sync-"));
	const write = (name, text) => {
		const file = path.join(folder, name);
		writeFileSync(file, text, { mode: 384 });
		return file;
	};
	const attachments = Object.entries(rendered.attachments).map(([output, text]) => {
		return [output, text && write(`${output}.txt`, text)];
	});
	const reportFile = write("report.json", reportJson(report, rendered));
	return {
		...Object.fromEntries(attachments),
		report: reportFile
	};
}
async function writeSummary(text, warn) {
	try {
		await summary$1.addRaw(text).write();
	} catch (error) {
		warn(`The job summary could not be written: ${errorText(error)}.`);
	}
}
/** Logs facts, warnings and the verdict, which begins an annotation if the step did not go well. */
function logVerdict(rendered, log) {
	const { level, subject, problems, warnings, facts } = rendered;
	const headline = headlineOf(rendered);
	for (const line of facts) log.line(line);
	if (level === "success") return log.line(headline);
	if (level === "warning") return log.warning([headline, ...warnings].join("\n"));
	for (const text of warnings) log.warning(subject === "" ? text : `${subject}: ${text}`);
	const [first = [], ...others] = problems.map(linesOf);
	log.fail([
		headline,
		...first.slice(1),
		...others.flat()
	]);
}

// src/github/run-action.ts
/** Runs an action, and reports its results or why it failed. */
async function runAction(action) {
	process.stdout.on("error", () => {});
	const raw = action.savedInputs ?? readInputs(action.inputs);
	const outcome = await tryAction(action, raw);
	if (action.sections === void 0) return logFailure(action, outcome);
	await reportOutcome(action, action.sections, raw, outcome);
	if (outcome.context.cancel.aborted) process.stdout.write("", () => process.exit());
}
/** Parses the inputs and runs the action. */
async function tryAction({ inputs: parsers, savedInputs, run }, raw) {
	const signals = listenForCancel();
	let context = openContext(raw, [], signals);
	let connection = {};
	try {
		const usesSandbox = "port" in parsers;
		if (usesSandbox) context = openContext(raw, loadJobSandboxes(), signals);
		const { version, platform, arch } = process;
		context.log.debug(`${USER_AGENT} on Node.js ${version}, ${platform} ${arch}`);
		const filled = usesSandbox ? withJobSandbox(raw, context.sandboxes) : raw;
		const inputs = parseInputs(parsers, filled, savedInputs ? {} : process.env);
		connection = inputs;
		return {
			context,
			connection,
			results: await run(inputs, context, filled)
		};
	} catch (thrown) {
		return {
			context,
			connection,
			error: problemOfError(thrown)
		};
	}
}
function logFailure({ failureWarning }, outcome) {
	const { error, context } = outcome;
	if (error === void 0) return;
	const lines = linesOf(error);
	if (failureWarning === void 0) context.log.fail(lines);
	else context.log.warning([failureWarning, ...lines].join(" "));
}
async function reportOutcome({ task, earlierStep }, sections, raw, { context, connection, ...outcome }) {
	const { log, redact } = context;
	const cancelled = context.cancel.aborted;
	const earlier = outcome.results && earlierStep?.(outcome.results);
	const { sandboxId: id = "", baseUrl = "" } = earlier?.sandbox ?? connection;
	const unredacted = {
		name: earlier?.name ?? rawValue(raw, "name"),
		sandbox: {
			id,
			baseUrl
		},
		error: void 0,
		...outcome
	};
	const { results, error, ...subject } = redactTexts(unredacted, redact);
	if (results === void 0 && error === void 0) return;
	const report = {
		task,
		...subject,
		error,
		cancelled,
		gateNotJudged: error !== void 0 && (earlierStep !== void 0 || rawValue(raw, "fail-if") !== ""),
		sections: results === void 0 ? {} : sections(results, cancelled)
	};
	await publish(report, log, { withSummary: !/^false$/i.test(rawValue(raw, "summary")) });
}
function openContext(raw, sandboxes, signals) {
	const redact = redactor([...secretsIn(raw), ...sandboxes.map(({ token }) => token)]);
	return {
		workspace: process.env["GITHUB_WORKSPACE"] || process.cwd(),
		...signals,
		now,
		sleep,
		random: Math.random,
		redact,
		sandboxes,
		log: openLog(redact)
	};
}
const SIGNALS = [
	{
		name: "SIGINT",
		graceMs: 6500
	},
	{
		name: "SIGTERM",
		graceMs: 2e3
	},
	{
		name: "SIGBREAK",
		graceMs: 2e3
	}
];
function listenForCancel() {
	const cancel = new AbortController();
	const killImminent = new AbortController();
	for (const { name, graceMs } of SIGNALS) process.on(name, () => {
		cancel.abort("the step was cancelled");
		setTimeout(() => killImminent.abort(), graceMs).unref();
	});
	return {
		cancel: cancel.signal,
		killImminent: killImminent.signal
	};
}

// src/report/figures.ts
const RESOURCES = [
	{
		name: "CPU",
		used: ["cpu_used_pct"],
		total: "cpu_count",
		free: ""
	},
	{
		name: "memory",
		used: ["mem_used", "mem_used_pct"],
		total: "mem_total",
		free: "mem_free"
	},
	{
		name: "disk",
		used: ["disk_used", "disk_used_pct"],
		total: "disk_total",
		free: "disk_free"
	}
];
/** Returns the resource of a metric. An unknown metric is its own resource. */
function resourceOf(metric) {
	const inBytes = metric.replace(/_mib$/, "");
	return RESOURCES.find(({ used, free }) => used.includes(inBytes) || free === metric) ?? {
		name: inlineCode(metric),
		used: [metric],
		total: "",
		free: ""
	};
}
function formatMetric(metric) {
	const { name, free } = resourceOf(metric);
	return metric === free ? `free ${name}` : name;
}
/** Returns `CPU 12 %, memory 40 %`, or the peaks of several samples. */
function describeUsage(samples) {
	const figures = RESOURCES.flatMap((resource) => formatPeaks(resource, samples).slice(-1).map((peak) => `${resource.name} ${peak}`)).join(", ") || "no CPU, memory or disk usage";
	return samples.length === 1 ? figures : `peak of ${formatNumber(samples.length)} samples: ${figures}`;
}
function formatPeaks({ used }, samples) {
	return used.flatMap((metric) => {
		const figure = aggregateOf("max", metric, samples);
		return figure === void 0 ? [] : formatFigure(metric, figure);
	});
}
function figuresTable({ samples, gate, monitored }) {
	const judgements = gate.judgements.slice(0, 30);
	const metrics = new Set(judgements.map(({ condition }) => condition.metric));
	const rows = [.../* @__PURE__ */ new Set([...RESOURCES, ...[...metrics].map(resourceOf)])].flatMap((resource) => describeResource(resource, judgements, samples));
	if (samples.length === 0 || rows.length === 0) return [];
	const [{ at } = { at: 0 }] = samples;
	const time = at > (monitored?.to ?? at) ? "After its end" : "Now";
	const headings = [
		"",
		samples.length > 1 ? "Peak" : time,
		"Allowed"
	];
	const columns = judgements.length > 0 ? 3 : 2;
	const head = tableRow("th", headings.slice(0, columns));
	const body = rows.map((cells) => tableRow("td", cells.slice(0, columns)));
	return [html`<table>\n${concat([head, ...body])}</table>`];
}
function tableRow(tag, cells) {
	const aligned = cells.map((cell, column) => html`<${tag} align="${column === 0 ? "left" : "right"}">${cell}</${tag}>`);
	return html`<tr>${concat(aligned)}</tr>\n`;
}
/** Returns the cells of a row, or no row if the resource is neither reported nor judged. */
function describeResource(resource, judgements, samples) {
	const [first, second] = formatPeaks(resource, samples).map(unbroken);
	const conditions = judgements.filter(({ condition }) => resourceOf(condition.metric).name === resource.name).map(describeCondition);
	if (first === void 0 && conditions.length === 0) return [];
	const peak = html`${first ?? "not reported"}${second === void 0 ? "" : html` (${second})`}`;
	const least = judgements.some(({ condition }) => condition.metric === resource.free) ? aggregateOf("min", resource.free, samples) : void 0;
	const free = least === void 0 ? "" : html`<br>${formatFigure(resource.free, least)} free`;
	return [[
		formatResource(resource, samples),
		html`${peak}${free}`,
		concat(conditions, "<br>")
	]];
}
function formatResource({ name, total }, samples) {
	const heading = prose(sentenceCase(name));
	const figure = aggregateOf("last", total, samples);
	if (!figure) return heading;
	const size = total === "cpu_count" ? formatCount(figure, "core") : formatFigure(total, figure);
	return html`${heading} (${unbroken(size)})`;
}
const TRIPPED_MARKS = {
	fail: "❌",
	warn: "⚠️"
};
/** Conditions say what trips them. The table says what is allowed, which is the opposite. */
const ALLOWED = {
	">": "≤",
	">=": "<",
	"<": "≥",
	"<=": ">",
	"==": "≠",
	"!=": "="
};
/** Returns a cell such as `❌ ≤ 90 %`, `✅ mean ≤ 80 % (45.1 %)` or `≤ 90 % (not judged)`. */
function describeCondition(judgement) {
	const { metric, aggregate, operator, limitText } = judgement.condition;
	const prefix = aggregate === void 0 ? "" : `${aggregate} `;
	const suffix = metric === resourceOf(metric).free ? " free" : "";
	const allowed = unbroken(`${prefix}${ALLOWED[operator]} ${limitText}${suffix}`);
	if (judgement.result === "unknown") return html`${allowed} (not judged)`;
	const mark = judgement.result === "true" ? TRIPPED_MARKS[judgement.level] : "✅";
	const figure = aggregate === void 0 ? "" : ` (${formatJudged(judgement.condition, judgement.figure)})`;
	return html`${mark}&nbsp;${allowed}${figure}`;
}

// src/report/chart.ts
const MIN_SAMPLES = 10;
const MAX_POINTS = 60;
const LIMIT_COLOR = "#d1242f";
const PLOTS = [
	{
		mark: "🟦",
		color: "#388bfd",
		metric: "cpu_used_pct"
	},
	{
		mark: "🟪",
		color: "#a371f7",
		metric: "mem_used_pct"
	},
	{
		mark: "🟩",
		color: "#2da44e",
		metric: "disk_used_pct"
	}
];
/** Draws the samples one after the other, since a line of Mermaid cannot show a gap in time. */
function drawChart({ samples, gate }) {
	const perPoint = Math.ceil(samples.length / MAX_POINTS);
	const points = [...Map.groupBy(samples, (_, index) => Math.floor(index / perPoint)).values()];
	const complete = PLOTS.map((plot) => {
		const peaks = points.flatMap((point) => aggregateOf("max", plot.metric, point) ?? []);
		return {
			...plot,
			figures: peaks
		};
	}).filter(({ figures }) => figures.length === points.length);
	if (samples.length < MIN_SAMPLES || complete.length === 0) return [];
	const limits = gate.judgements.map(({ condition }) => condition).filter(({ aggregate }) => aggregate === void 0).filter((condition) => complete.some(({ metric }) => metric === condition.metric));
	const lines = [...complete, ...limits.map(({ limit }) => ({
		color: LIMIT_COLOR,
		figures: points.map(() => limit)
	}))];
	const legend = complete.map(({ mark, metric }) => `${mark} ${formatMetric(metric)}`);
	if (limits.length > 0) legend.push(`🟥 limit: ${limits.map(nameLimit).join(", ")}`);
	return [html`<p>In percent: ${legend.join(" · ")}</p>`, renderChart(samples, lines)];
}
function nameLimit({ metric, limitText }) {
	return `${formatMetric(metric)} ${limitText}`;
}
function renderChart(samples, lines) {
	const [from = 0, to = from] = [samples[0]?.at, samples.at(-1)?.at];
	const axis = `${samples.length} samples from ${formatTime(from)} to ${formatTime(to)}`;
	const top = Math.max(100, ...lines.flatMap(({ figures }) => figures));
	const style = {
		xyChart: {
			width: 800,
			height: 320,
			xAxis: {
				showLabel: false,
				showTick: false
			}
		},
		themeVariables: { xyChart: {
			backgroundColor: "transparent",
			plotColorPalette: lines.map(({ color }) => color).join(", ")
		} }
	};
	return { html: [
		"```mermaid",
		`%%{init: ${JSON.stringify(style)}}%%`,
		"xychart-beta",
		"  accTitle: CPU, memory and disk over time",
		`  accDescr: ${axis}, in percent`,
		`  x-axis "${axis}" 1 --> ${samples.length}`,
		`  y-axis 0 --> ${Math.ceil(top)}`,
		...lines.map(({ figures }) => `  line [${figures.map((each) => each.toFixed(2)).join(", ")}]`),
		"```"
	].join("\n") };
}

// src/report/stats-section.ts
/** Renders the stats of a monitor, whose chart is worth a look without a gate, too. */
function renderMonitor(result, cancelled) {
	const section = renderStats(result, cancelled);
	return result.gate.state === "none" ? {
		...section,
		blocks: drawChart(result)
	} : section;
}
function renderStats(result, cancelled) {
	const { samples, response, gate, monitored } = result;
	const tripped = gate.judgements.filter((each) => each.result === "true").map(entryOf);
	const unjudged = gate.judgements.filter((each) => each.result === "unknown").map(entryOf);
	const aggregates = allAggregates(result);
	const figures = samples.at(-1)?.figures ?? {};
	return {
		problems: problemsOf(result, cancelled),
		done: describeStats(result, cancelled),
		warnings: warningsOf(result, cancelled),
		hasWarned: gate.state === "warned",
		outputs: {
			...figureOutputs(figures),
			stats: samples.length === 0 ? "" : JSON.stringify(response),
			gate: gate.state,
			tripped: JSON.stringify(tripped),
			unjudged: JSON.stringify(unjudged),
			aggregates: JSON.stringify(aggregates)
		},
		blocks: gate.state === "none" ? [] : [...figuresTable(result), ...drawChart(result)],
		json: {
			monitored: monitored && monitoredJson(monitored),
			figures,
			samples: samples.map(({ at, figures: each }) => ({
				at,
				figures: each
			})),
			response,
			gate: {
				state: gate.state,
				tripped,
				unjudged
			},
			aggregates
		}
	};
}
/** Lists problems: what was not seen, since the rest follows from it, then what tripped. */
function problemsOf({ samples, error, gate, monitored }, cancelled) {
	const failIf = gate.judgements.filter(({ level }) => level === "fail");
	const gaps = failIf.length === 0 ? [] : monitored?.gaps ?? [];
	const unseen = [...error === void 0 ? [] : [{
		verdict: UNREAD,
		lines: explainFailure(error)
	}], ...gaps.map((gap) => ({
		verdict: describeGap(gap),
		lines: explainGap(gap)
	}))];
	const tripped = failIf.filter(({ result }) => result === "true");
	const unjudged = failIf.filter(({ result }) => result === "unknown").filter(({ condition }) => !cancelled && unseen.length === 0 || isUnreported(condition, samples));
	const named = tripped.length > 0 ? tripped : unjudged;
	if (named.length === 0) return unseen;
	const lines = [...tripped, ...unjudged].flatMap((each) => explainJudgement(each, samples));
	return [...unseen, {
		verdict: `gate failed: ${summarizeJudgements(named)}`,
		lines
	}];
}
const UNREAD = "the stats could not be read";
function isUnreported({ metric }, samples) {
	return samples.some(({ figures }) => figureOf(metric, figures) === void 0);
}
function warningsOf({ samples, gate, monitored }, cancelled) {
	const { gaps = [], failures = [] } = monitored ?? {};
	const hasFailIf = gate.judgements.some(({ level }) => level === "fail");
	return [
		...warningJudgements(gate).filter(({ result }) => result === "true" || !cancelled).flatMap((each) => explainJudgement(each, samples)),
		...gate.state === "none" || gaps.length > 0 ? [] : describeFailures(failures),
		...hasFailIf ? [] : gaps.map((gap) => [`${sentenceCase(describeGap(gap))}.`, ...explainGap(gap)].join(" "))
	];
}
function warningJudgements({ judgements }) {
	return judgements.filter(({ level, result }) => level === "warn" && result !== "false");
}
function describeGap({ from, to }) {
	return `the sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}`;
}
function explainGap({ endReason, failures }) {
	const end = endReason === void 0 ? [] : [`Sampling had ended: ${endReason}.`];
	return [...describeFailures(failures), ...end];
}
function describeFailures(failures) {
	const last = failures.at(-1);
	if (last === void 0) return [];
	const suffix = failures.length === 1 ? "" : ", the last";
	return [`${formatCount(failures.length, "sample")} failed${suffix}: ${last.message}`];
}
/** Says what passed, and the figures if no table has them. */
function describeStats({ samples, gate, monitored }, cancelled) {
	if (cancelled) return "cancelled";
	if (gate.state === "passed") return "gate passed";
	if (gate.state === "warned") return `gate warned: ${summarizeJudgements(warningJudgements(gate))}`;
	if (gate.state === "failed") return "";
	if (samples.length === 0) return monitored === void 0 ? "" : "no stats were read";
	return `${describeUsage(samples)} · no gate`;
}
const MAX_NAMED = 3;
function summarizeJudgements(judgements) {
	return listSome(judgements.map(summarizeJudgement), MAX_NAMED);
}
/** Describes a judgement in a few words, such as `memory 93 % > 90 %`. */
function summarizeJudgement(judgement) {
	const { condition } = judgement;
	const { text, metric, aggregate, operator, limitText } = condition;
	if (judgement.result === "unknown") return `\`${text}\` cannot be judged`;
	const comparison = `${formatJudged(condition, judgement.figure)} ${operator} ${limitText}`;
	return [
		formatMetric(metric),
		aggregate ?? [],
		comparison
	].flat().join(" ");
}
/** Says how often a condition tripped, or why it cannot be judged, if the heading does not say it. */
function explainJudgement(judgement, samples) {
	const { condition } = judgement;
	const { metric, aggregate } = condition;
	const text = inlineCode(condition.text);
	if (judgement.result === "unknown") return [`${text}: ${judgement.why}.`];
	if (samples.length < 2 || aggregate !== void 0) return [];
	const allSamples = formatCount(samples.length, "sample");
	const first = samples.find(({ figures }) => figureOf(metric, figures) === judgement.figure);
	const count = samples.filter((sample) => isTrueFor(condition, sample)).length;
	return [`${text}: ${formatJudged(condition, judgement.figure)} at ${formatTime(first?.at ?? 0)}, in ${formatNumber(count)} of ${allSamples}.`];
}
function figureOutputs(figures) {
	const outputs = Object.keys(METRICS).map((metric) => {
		return [metric.replaceAll("_", "-"), String(figureOf(metric, figures) ?? "")];
	});
	return Object.fromEntries(outputs);
}
/** Returns all aggregates by metric. One that no sample has is undefined, so not in the JSON. */
function allAggregates({ gate, samples }) {
	const judged = gate.judgements.map(({ condition }) => condition.metric);
	const metrics = [...Object.keys(METRICS), ...judged];
	return Object.fromEntries(metrics.map((metric) => [metric, aggregatesOf(metric, samples)]));
}
function entryOf(judgement) {
	const { level, condition, result: _, ...outcome } = judgement;
	const { text, metric, limit } = condition;
	return {
		level,
		condition: text,
		metric,
		limit,
		...outcome
	};
}
function monitoredJson({ from, to, gaps, failures }) {
	return {
		from,
		to,
		gaps: gaps.map((gap) => ({
			from: gap.from,
			to: gap.to
		})),
		failures: failures.map(({ askedAt, at, message }) => ({
			askedAt,
			answeredAt: at,
			message
		}))
	};
}

// src/stats/sampling.ts
const MAX_STATS_LENGTH = 131072;
async function readStats(client, path, limits) {
	const headers = { "Cache-Control": "no-cache" };
	const request = {
		...limits,
		method: "GET",
		path,
		headers,
		hints: STATS_HINTS
	};
	const response = await client.send(request);
	if (response.body.length > MAX_STATS_LENGTH) throw bodyError(response, "it is longer than 128 KiB");
	const value = parseRedacted(response.body, client.redact);
	if (typeof value !== "object" || value === null || Array.isArray(value)) throw bodyError(response, "it is not a JSON object");
	return {
		figures: figuresIn(value),
		response: value
	};
}
/** Reads the stats with the input `retries`, and logs the retries and the response. */
async function readStatsWithRetries({ statsPath, retries, timeout }, client, context) {
	const { cancel, log } = context;
	const read = () => readStats(client, statsPath, {
		signal: cancel,
		timeout
	});
	const outcome = await withRetries(read, {
		...context,
		retries,
		stop: cancel,
		onRetry: (retry) => log.line(describeRetry("the stats", retry))
	});
	if (outcome.status === "done") log.debug(`Stats: ${JSON.stringify(outcome.value.response)}`);
	return outcome;
}
async function trySample(read, now) {
	const askedAt = now();
	try {
		const { figures, response } = await read();
		return {
			observation: {
				kind: "sample",
				askedAt,
				at: now(),
				figures
			},
			response
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		const at = now();
		const unanswered = `The sandbox had not answered after ${formatDuration(at - askedAt)}.`;
		return { observation: {
			kind: "failure",
			askedAt,
			at,
			message: error.kind === "cancelled" ? unanswered : error.message
		} };
	}
}
/** Takes a sample after each interval until `stop` aborts. */
async function takeSamples(take, options) {
	const { intervalMs, firstMs = intervalMs, sleep, stop, sampleOnStop } = options;
	for (let waitMs = firstMs; !stop.aborted; waitMs = intervalMs) if (await sleep(waitMs, stop) || sampleOnStop) await take();
}
/** How long to wait at the end for a response that is still due. */
const LAST_RESPONSE_MS = 5e3;
/** Returns a signal that aborts a while after `stop` does, to be declared with `using`. */
function deadlineAfter(stop, ms, sleep) {
	const deadline = new AbortController();
	const abort = () => deadline.abort();
	stop.addEventListener("abort", () => void sleep(ms, deadline.signal).then(abort));
	return {
		signal: deadline.signal,
		[Symbol.dispose]: abort
	};
}
const MIN_SAMPLE_TIMEOUT_MS = 1e4;
/** Returns milliseconds. A sample that hangs must not take the place of many. */
function sampleTimeout(inputs) {
	return Math.min(inputs.timeout, Math.max(MIN_SAMPLE_TIMEOUT_MS, inputs.sampleInterval));
}
const STATS_HINTS = { "not-found": "Check base-url and stats-path, which is added to it: the service has no such operation there. If it has no stats, use the actions `upload`, `download`, and `run` without conditions." };
const MAX_FIGURE = 2 ** 63;
/** Returns the numbers among the fields, and the figures that follow from them. */
function figuresIn(fields) {
	const numbers = Object.entries(fields).flatMap(([name, field]) => {
		const value = name === "oom_kills" && Array.isArray(field) ? field.length : field;
		return typeof value === "number" && Math.abs(value) <= MAX_FIGURE ? [[name, value]] : [];
	});
	const figures = Object.fromEntries(numbers);
	dropUnknownTotals(figures);
	addDerivedFigures(figures);
	return figures;
}
function addDerivedFigures(figures) {
	for (const name of ["mem_total", "mem_used"]) {
		const { [name]: bytes, [`${name}_mib`]: mebibytes } = figures;
		if (bytes === void 0 && mebibytes !== void 0) figures[name] = mebibytes * 2 ** 20;
		if (mebibytes === void 0 && bytes !== void 0) figures[`${name}_mib`] = Math.floor(bytes / 2 ** 20);
	}
	for (const name of ["mem", "disk"]) {
		const { [`${name}_total`]: total, [`${name}_used`]: used } = figures;
		if (total === void 0 || used === void 0) continue;
		figures[`${name}_used_pct`] = Math.round(used / total * 1e4) / 100;
		figures[`${name}_free`] = total - used;
	}
}
/** Services report an unknown total as 0. Drops it, and figures that mean nothing without it. */
function dropUnknownTotals(figures) {
	for (const total of [
		"mem_total",
		"mem_total_mib",
		"disk_total"
	]) if ((figures[total] ?? 1) < 1) for (const part of [
		"total",
		"used",
		"used_pct",
		"free"
	]) delete figures[total.replace("total", part)];
}

// src/stats/stats.ts
/** @throws AgentError or InputError if `wait-until` fails; failed samples go into the result */
async function stats(inputs, context) {
	await using client = openAgent(inputs, context);
	await waitForSandbox(inputs, client, context);
	return await takeStats(inputs, client, context, { cpuWindowStarted: false });
}
/** Without stats, no condition passes. */
function withoutStats(conditions) {
	return {
		samples: [],
		response: {},
		gate: judgeGate(conditions, [], true)
	};
}
const WAIT_LOG_INTERVAL_MS = 15e3;
/** Waits until one sample meets `wait-until`, or the step is cancelled. @throws AgentError if late */
async function waitForSandbox(inputs, client, context) {
	const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval } = inputs;
	const { cancel, now, sleep, log } = context;
	if (conditions === void 0) return;
	log.line(`Waiting up to ${formatDuration(timeoutMs)} for the sandbox`);
	const startedAt = now();
	let nextLogMs = WAIT_LOG_INTERVAL_MS;
	for (;;) {
		const outcome = await readStatsWithRetries({
			...inputs,
			retries: 0
		}, client, context);
		if (cancel.aborted) return;
		const waitedMs = now() - startedAt;
		const waited = formatDuration(waitedMs);
		const error = outcome.status === "failed" ? outcome.error : void 0;
		if (error?.isRetryable === false) throw error;
		const reasons = outcome.status === "failed" ? [outcome.error.message] : describeFalse(conditions, outcome.value);
		if (reasons.length === 0) {
			log.line(`The sandbox was ready after ${waited}`);
			return;
		}
		const why = reasons.join("; ");
		const leftMs = timeoutMs - waitedMs;
		if (leftMs <= 0) {
			const message = `The sandbox was not ready within ${waited}. ${why}`;
			throw new AgentError("busy", message, { hint: hintToWaitLonger(error) });
		}
		if (waitedMs >= nextLogMs) {
			nextLogMs = waitedMs + WAIT_LOG_INTERVAL_MS;
			log.line(`Waited ${waited}: ${why}`);
		}
		await sleep(Math.min(sampleInterval, leftMs), cancel);
	}
}
function hintToWaitLonger(error) {
	return error === void 0 || error.kind === "connection" ? "If the sandbox needs longer, raise wait-timeout." : error.hint;
}
/** Takes and judges samples. `cpuWindowStarted` says that this step has read the stats before. */
async function takeStats(inputs, client, context, { cpuWindowStarted }) {
	const { samples: count, sampleInterval } = inputs;
	const { cancel, now, sleep } = context;
	const dropped = count > 1 && !cpuWindowStarted ? 1 : 0;
	const taken = [];
	let response = {};
	let error;
	do {
		const outcome = await readStatsWithRetries(inputs, client, context);
		if (outcome.status === "failed") {
			error = outcome.error;
			break;
		}
		const { figures } = outcome.value;
		taken.push({
			at: now(),
			figures
		});
		response = outcome.value.response;
	} while (taken.length < dropped + count && await sleep(sampleInterval, cancel));
	const samples = taken.slice(dropped);
	const gate = judgeGate(inputs, samples, samples.length < count);
	const result = {
		samples,
		response: samples.length === 0 ? {} : response,
		gate
	};
	return error && !cancel.aborted ? {
		...result,
		error: failureInfoOf(error)
	} : result;
}
/** @throws AgentError if the stats cannot be read, or InputError if they lack a metric of `fail-if` */
async function readJudgeableStats(inputs, client, context) {
	const outcome = await readStatsWithRetries(inputs, client, context);
	if (outcome.status === "failed") throw outcome.error;
	judgeSample("fail-if", inputs.failIf, outcome.value);
	return outcome.value;
}
/** Judges a record between two times. With a gap, or in a cancelled step, the gate cannot pass. */
function judgeRecord(inputs, record, time, { cancelled }) {
	const { observations, response } = record;
	const samples = observations.filter((observation) => observation.kind === "sample");
	const failures = observations.filter((observation) => observation.kind === "failure");
	const seen = cancelled ? {
		gaps: [],
		failures: []
	} : {
		gaps: findGaps(record, time, inputs.sampleInterval),
		failures
	};
	return {
		samples,
		response,
		gate: judgeGate(inputs, samples, cancelled || seen.gaps.length > 0),
		monitored: {
			...time,
			...seen
		}
	};
}
function describeFalse(conditions, stats) {
	return judgeSample("wait-until", conditions, stats).filter(({ result }) => result === "false").map(describeJudgement);
}
/** Judges one sample. @throws InputError if it lacks a metric of a condition */
function judgeSample(input, conditions, { figures }) {
	const judgements = conditions.map((each) => judge(each, [{
		at: 0,
		figures
	}], false));
	const unknown = judgements.filter(({ result }) => result === "unknown").map(describeJudgement);
	if (unknown.length > 0) throw inputError(input, `${unknown.join("; ")}.`);
	return judgements;
}
function findGaps(record, { from, to }, intervalMs) {
	const { observations, endReason } = record;
	const gaps = [];
	let last = from;
	let failures = [];
	for (const observation of observations) {
		if (observation.kind === "failure") {
			failures.push(observation);
			continue;
		}
		const until = Math.min(observation.at, to);
		if (until - last > longestPause(failures, intervalMs, OUTAGE_MS)) gaps.push({
			from: last,
			to: until,
			endReason: void 0,
			failures
		});
		last = until;
		failures = [];
	}
	const hasNoSample = failures.length === observations.length;
	const isSeen = !(last === from && (hasNoSample || failures.length > 1)) && to - last <= longestPause(failures, intervalMs, END_MS);
	if (endReason === void 0 && isSeen) return gaps;
	return [...gaps, {
		from: last,
		to,
		endReason,
		failures
	}];
}
const IDLE_INTERVALS = 10;
const MIN_IDLE_MS = 3e4;
const FAILED_INTERVALS = 2;
const OUTAGE_MS = 1e4;
const END_MS = 3e3;
function longestPause(failures, intervalMs, extraMs) {
	if (failures.length > 0) return FAILED_INTERVALS * intervalMs + extraMs;
	return Math.max(IDLE_INTERVALS * intervalMs, MIN_IDLE_MS);
}

// src/command/process.ts
/** Starts a shell and follows it. @throws AgentError if the stream breaks before it exits */
function startProcess(client, { script, env: envs, workingDirectory, username }, handlers, limits) {
	const shell = {
		cmd: "/bin/bash",
		args: [
			"-l",
			"-c",
			script
		]
	};
	const cwd = workingDirectory === "" ? {} : { cwd: workingDirectory };
	const message = {
		process: {
			...shell,
			envs,
			...cwd
		},
		stdin: false
	};
	const credentials = Buffer.from(`${username}:`).toString("base64");
	return openStream(client, "/process.Process/Start", message, handlers, limits, username === "" ? void 0 : { Authorization: `Basic ${credentials}` });
}
/** Follows a running process. Output written while nothing was connected is lost. */
function attachProcess(client, pid, handlers, limits) {
	return openStream(client, "/process.Process/Connect", { process: { pid } }, handlers, limits);
}
const KEEPALIVE_SECONDS = 10;
function openStream(client, path, message, handlers, limits, headers = {}) {
	const frame = frameOf(message);
	const request = {
		...limits,
		method: "POST",
		path,
		headers: {
			...headers,
			"Content-Type": "application/connect+json",
			"Content-Length": String(frame.length),
			"Connect-Protocol-Version": "1",
			"Keepalive-Ping-Interval": String(KEEPALIVE_SECONDS)
		},
		body: [frame],
		hints: { "not-found": "Check base-url. If it is right, the service cannot run commands: it has no process service like that of E2B's agent." }
	};
	return client.receive(request, (response) => readEvents(response, client.redact, handlers));
}
async function readEvents(response, redact, { onStart, onActivity, onOutput }) {
	const { label } = response;
	for await (const { isLast, fields } of readFrames(response)) {
		if (isLast && fields["error"] !== void 0) throw streamError(fields["error"], label, redact);
		if (isLast) throw new AgentError("bad-response", `${label} did not say how the command ended.`);
		const { start, data, end } = fieldsOf(fields["event"]);
		const { pid } = fieldsOf(start);
		if (typeof pid === "number") onStart?.(pid);
		else onActivity?.();
		for (const text of Object.values(fieldsOf(data))) if (typeof text === "string") onOutput(Buffer.from(text, "base64"));
		if (end !== void 0) return decodeEnd(end, redact);
	}
	throw new AgentError("connection", `${label} failed: the connection was closed.`);
}
function decodeEnd(end, redact) {
	const { exitCode = 0, exited, status = "" } = fieldsOf(end);
	const isSuccess = exited === true && /^(exit status 0)?$/.test(String(status));
	return {
		exitCode: Number.isInteger(exitCode) && (exitCode !== 0 || isSuccess) ? Number(exitCode) : void 0,
		status: excerpt(typeof status === "string" ? status : "", redact)
	};
}
const HEADER_BYTES = 5;
const END_OF_STREAM = 2;
const MAX_FRAME_BYTES = 1048576;
function frameOf(message) {
	const json = Buffer.from(JSON.stringify(message));
	const header = Buffer.alloc(HEADER_BYTES);
	header.writeUInt32BE(json.length, 1);
	return Buffer.concat([header, json]);
}
/** Yields the frames, but drops a truncated last one. */
async function* readFrames({ label, body }) {
	let unread = Buffer.alloc(0);
	for await (const chunk of body) {
		unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
		while (unread.length >= HEADER_BYTES) {
			const end = HEADER_BYTES + unread.readUInt32BE(1);
			if (end > MAX_FRAME_BYTES) {
				const message = `${label} answered with something other than frames.`;
				throw new AgentError("bad-response", message, {
					status: 200,
					hadNoEffect: true
				});
			}
			if (unread.length < end) break;
			const fields = parseFields(unread.toString("utf8", HEADER_BYTES, end));
			yield {
				isLast: unread[0] === END_OF_STREAM,
				fields
			};
			unread = unread.subarray(end);
		}
	}
}
const CONNECT_CODES = [
	{
		code: "unauthenticated",
		kind: "unauthorized",
		hint: "Check username: it must be a user of the sandbox."
	},
	{
		code: "invalid_argument",
		kind: "rejected",
		hint: "Check that working-directory exists in the sandbox, and that the user may enter it."
	},
	{
		code: "not_found",
		kind: "rejected",
		hint: "It may have ended while the connection was lost, or the sandbox may have been restarted."
	},
	{
		code: "unavailable",
		kind: "busy"
	},
	{
		code: "resource_exhausted",
		kind: "busy"
	}
];
function streamError(error, label, redact) {
	const { code, message } = fieldsOf(error);
	const { kind = "server", hint } = CONNECT_CODES.find((each) => each.code === code) ?? {};
	const words = excerpt((typeof message === "string" ? message : "").replace(/^error starting process '.*': /s, ""), redact);
	const said = `${label} failed (${excerpt(String(code), redact)}). It said: ${JSON.stringify(words)}.`;
	return new AgentError(kind, said, {
		hint,
		status: 200,
		hadNoEffect: true
	});
}

// src/command/shell.ts
/** The variable with the mark of this run. It is unset before the script starts. */
const MARK_VARIABLE = "SANDBOX_SYNC_MARK";
const MAX_SCRIPT_BYTES = 131071;
/**
* Wraps a script in one that prints a trailer behind its output, which `trailerCutter` reads. `id`
* names a temporary folder. @throws InputError if the result would be too long
*/
function wrapScript(script, id) {
	const outer = shellQuote(outerScript(`/tmp/sandbox-sync-${id}`));
	const wrapped = `${LOGIN}\nset -- bash --posix -c ${outer} bash ${shellQuote(script)}\n${LEAVE}`;
	const bytes = Buffer.byteLength(wrapped);
	if (bytes <= MAX_SCRIPT_BYTES) return wrapped;
	throw inputError("run", `is too long by ${formatCount(bytes - MAX_SCRIPT_BYTES, "byte")}: it must be below 128 KiB, and each ' counts as four bytes. Upload a script, and run that.`);
}
function shellQuote(text) {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
const LOGIN = "exec 2>&1 </dev/null";
const LEAVE = `read -r _ _ _ _ SANDBOX_SYNC_GROUP _ 2>/dev/null </proc/$$/stat
[ "\${SANDBOX_SYNC_GROUP:-$$}" = $$ ] || ! command -v setsid >/dev/null || exec setsid "$@"
exec "$@"`;
const READ_OOM_KILLS = `read -r -d '' __group </proc/self/cgroup
__read_oom_kills() {
  __oom_kills=
  read -r -d '' __oom_kills <"/sys/fs/cgroup\${__group##*0::}/memory.events"
  __oom_kills=\${__oom_kills##*oom_kill }
  __oom_kills=\${__oom_kills%%[!0-9]*}
}`;
/** More than this much in $GITHUB_OUTPUT fails the step. */
const MAX_OUTPUT_BYTES = 1048576;
const PRINT_OUTPUT = `__bytes=0
if [ -f "$__output" ] && [ -r "$__output" ]; then
  while IFS= read -r -N 2000 __piece || [ "$__piece" ]; do
    [ $((__bytes += \${#__piece})) -le ${MAX_OUTPUT_BYTES} ] || break
    __piece=\${__piece//\\\\/\\\\\\\\}
    __print "out	\${__piece//$'\\n'/\\\\n}"
  done <"$__output"
elif [ "$__output" ]; then
  __bytes=gone
fi`;
function outerScript(folder) {
	return `__mark=$${MARK_VARIABLE}
unset ${MARK_VARIABLE}
export CI="\${CI-true}"
trap : TERM
exec 2>/dev/null
mkdir -m 700 ${folder}
__output=
[ "\${GITHUB_OUTPUT+x}" ] || { export GITHUB_OUTPUT=${folder}/output; >$GITHUB_OUTPUT && __output=$GITHUB_OUTPUT; }
${READ_OOM_KILLS}
__read_oom_kills
__oom_kills_before=$__oom_kills
bash -Eeo pipefail -c ${shellQuote(setTraps(folder))}"$1" 2>&1
__code=$?
LC_ALL=C
IFS= read -r -n 1000 __failed <${folder}/failed || IFS= read -r -n 1000 __failed <${folder}/exit || __failed=
__print() {
  __tries=100
  until printf %s "$__mark	$1
" || [ $((__tries -= 1)) = 0 ]; do sleep 0.1; done
}
${PRINT_OUTPUT}
rm -rf ${folder}
__read_oom_kills
__print "end	$__code	$__oom_kills_before	$__oom_kills	$__bytes	$__failed"
exit $__code`;
}
function setTraps(folder) {
	const line = "$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500 ? LINENO : 0))";
	const record = (place, file) => `{ builtin printf "%s " $? "\${PIPESTATUS[@]}"; builtin printf "\\t%s" ${place} "\${BASH_SOURCE-}" "$BASH_COMMAND"; builtin echo; } >${folder}/${file};; esac; } 2>/dev/null || builtin :`;
	const onError = `{ case $BASH_SUBSHELL$- in 0*e*) ${record(line, "failed")}`;
	const onExit = `{ case $?:$BASH_COMMAND in 0:* | *:exit* | *:trap*) ;; *) ${record("\"\"", "exit")}`;
	return `trap ${shellQuote(onError)} ERR; trap ${shellQuote(onExit)} EXIT; `;
}
/**
* Returns the script that sends TERM to all processes of a session, and KILL after 4 s to those that
* are left, except zombies. It finds them by session, since programs such as timeout start a new
* group, or by group if setsid was skipped.
*/
function endSessionScript(leader) {
	return `members() {
  for file in /proc/[0-9]*/stat; do
    read -r stat <"$file" || continue
    set -- \${stat%% *} \${stat##*) }
    case "$2 $4 $5" in
      Z*) ;;
      *" ${leader} "* | *" ${leader}") echo "$1" ;;
    esac
  done
}
kill -TERM $(members)
for second in 1 2 3 4; do
  [ -z "$(members)" ] || sleep 1
done
kill -KILL $(members)`;
}

// src/command/session.ts
const MAX_END_SESSION_MS = 6e3;
const STALL_MS = 5e3;
/** Ends a command and all its children. */
async function endSession(options, leader, context) {
	const { client, limits } = options;
	const policy = {
		...context,
		retries: 10,
		onRetry: () => {}
	};
	const soon = AbortSignal.any([limits.signal, AbortSignal.timeout(MAX_END_SESSION_MS)]);
	const bounded = {
		...options,
		limits: {
			signal: soon,
			timeout: STALL_MS
		}
	};
	const end = () => runAsRoot(bounded, endSessionScript(leader));
	await withRetries(end, {
		...policy,
		stop: soon
	});
	const message = {
		process: { pid: leader },
		signal: "SIGNAL_SIGKILL"
	};
	const kill = () => client.send(postJson("/process.Process/SendSignal", message, limits));
	await withRetries(kill, {
		...policy,
		stop: limits.signal
	});
}
/** Asks the kernel for the exit code of a process that the agent has not reaped yet. */
async function readExitCode(options, pid) {
	const output = await captureOutput(options, `cut -d ' ' -f 3,52 /proc/${pid}/stat; cut -d ' ' -f 28 /proc/self/stat`).catch(() => "");
	const [, status] = /^Z (\d+)\n[1-9]/m.exec(output) ?? [];
	if (status === void 0) return void 0;
	const signal = Number(status) & 127;
	return signal === 0 ? Number(status) >> 8 : 128 + signal;
}
/** Runs a script as root, who may end what sudo has started, or else as the user. Returns its output. */
async function runAsRoot(options, script) {
	try {
		return await captureOutput({
			...options,
			username: "root"
		}, script);
	} catch (error) {
		if (!(error instanceof AgentError) || error.isRetryable) throw error;
		return await captureOutput(options, script);
	}
}
async function captureOutput({ client, username, limits }, script) {
	const process = {
		script,
		env: {},
		workingDirectory: "/",
		username
	};
	let output = "";
	const onOutput = (bytes) => void (output = `${output}${String(bytes)}`.slice(-1048576));
	await startProcess(client, process, { onOutput }, limits);
	return output;
}

// src/command/trailer.ts
const MAX_LATE_BYTES = 1048576;
/**
* Cuts the trailer out of the output. `exited` resolves with the script. Only the end of the stream
* tells whether `late` output, after the trailer, is the script's or that of processes in the background.
*/
function watchScript(mark, output) {
	let trailer;
	const late = [];
	let room = MAX_LATE_BYTES;
	const { promise: exited, resolve } = Promise.withResolvers();
	const onTrailer = (found) => {
		trailer ??= found;
		resolve();
	};
	const onOutput = (bytes) => {
		if (trailer === void 0) return output.write(bytes);
		if (room > 0) late.push(bytes.subarray(0, room));
		room -= bytes.length;
	};
	const cutter = trailerCutter(mark, {
		onOutput,
		onTrailer
	});
	const breakOff = (rest = []) => {
		cutter.flush();
		for (const bytes of rest) output.write(bytes);
		output.end();
	};
	return {
		exited,
		trailer: () => trailer,
		late,
		onTrailer,
		write: cutter.write,
		breakOff
	};
}
const MAX_LINE_BYTES = 8192;
/** Passes a command's output on, without the lines of the shell around the script. */
function trailerCutter(mark, handlers) {
	const start = `${mark}\t`;
	let githubOutput = "";
	let unread = Buffer.alloc(0);
	const pass = (length) => {
		if (length > 0) handlers.onOutput(unread.subarray(0, length));
		unread = unread.subarray(length);
	};
	/** Returns false for a line that the shell does not print. */
	const takeLine = (line) => {
		const [kind, piece = ""] = line.toString("latin1").split(/\t(.*)/s);
		if (kind === "out") {
			const isTooLong = githubOutput.length > MAX_OUTPUT_BYTES;
			githubOutput += isTooLong ? "" : piece.replaceAll(/\\(.)/g, (_, after) => after === "n" ? "\n" : after);
			return true;
		}
		const trailer = parseTrailer(line.toString(), Buffer.from(githubOutput, "latin1"));
		if (trailer !== void 0) handlers.onTrailer(trailer);
		return trailer !== void 0;
	};
	return {
		write: (bytes) => {
			unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
			for (let at = unread.indexOf(start); at !== -1; at = unread.indexOf(start)) {
				pass(at);
				const length = unread.indexOf("\n") + 1;
				if (length === 0 && unread.length < MAX_LINE_BYTES) return;
				if (takeLine(unread.subarray(start.length, Math.max(length - 1, start.length)))) unread = unread.subarray(length);
				else pass(start.length);
			}
			pass(unread.length - lengthOfPartialMatch(unread, start));
		},
		/** Passes on what may have been the beginning of the line. */
		flush: () => pass(unread.length)
	};
}
/** Counts the bytes at the end that `start` begins with. */
function lengthOfPartialMatch(bytes, start) {
	let length = Math.min(bytes.length, start.length - 1);
	while (length > 0 && bytes.toString("latin1", bytes.length - length) !== start.slice(0, length)) length -= 1;
	return length;
}
function parseTrailer(line, githubOutput) {
	const [kind, code, killsBefore, kills, bytes, ...failed] = line.split("	");
	const size = parseNumber(bytes);
	const exitCode = parseNumber(code);
	if (kind !== "end" || exitCode === void 0) return void 0;
	return {
		exitCode,
		oomKills: difference(parseNumber(killsBefore), parseNumber(kills)),
		failed: parseFailed(failed),
		githubOutput: size === githubOutput.length ? githubOutput.toString() : void 0,
		size
	};
}
function parseFailed(fields) {
	const [codes = "", line, file = "", ...command] = fields;
	const [exitCode, ...parts] = codes.split(" ").filter(Boolean).map(Number);
	if (exitCode === void 0) return void 0;
	const isOwn = parts.findLast((code) => code !== 0) === exitCode;
	const isPipeline = parts.length > 1 && isOwn;
	const isTest = exitCode === 1 && /^(\[\[|\(\()/.test(command[0] ?? "");
	if (line === "" && !isOwn && !isTest) return void 0;
	return {
		exitCode,
		pipeline: isPipeline ? parts : [],
		line: parseNumber(line) || void 0,
		file: /^(environment|bash)$/.test(file) ? "" : file,
		command: command.join("	")
	};
}
function difference(before, after) {
	return before === void 0 || after === void 0 ? void 0 : after - before;
}
function parseNumber(text = "") {
	return /^\d{1,15}$/.test(text) ? Number(text) : void 0;
}

// src/command/follow.ts
const MIN_STREAM_TIMEOUT_MS = 3e4;
const MAX_RECONNECT_DELAY_MS = 5e3;
const RECONNECT_MS = 18e4;
const END_AFTER_TRAILER_MS = 1e3;
const GIVE_UP_MS = 14e3;
/** @throws InputError if the command is too long */
function commandToSend(inputs) {
	const { run, env, workingDirectory, username } = inputs;
	const marked = {
		...env,
		[MARK_VARIABLE]: randomUUID()
	};
	return {
		script: wrapScript(run, randomUUID()),
		env: marked,
		workingDirectory,
		username
	};
}
/** Runs the command once, reconnecting if the connection is lost, until it ends or is stopped. */
async function followCommand(toSend, inputs, client, context, output) {
	const { cancel, killImminent, now, sleep } = context;
	const { username, maxDuration } = inputs;
	const stopCommand = AbortSignal.any([cancel, AbortSignal.timeout(maxDuration)]);
	const signal = AbortSignal.any([killImminent, AbortSignal.timeout(maxDuration + GIVE_UP_MS)]);
	const limits = {
		signal,
		timeout: Math.max(inputs.timeout, MIN_STREAM_TIMEOUT_MS)
	};
	const disconnect = new AbortController();
	const untilDisconnect = {
		...limits,
		signal: AbortSignal.any([signal, disconnect.signal])
	};
	const script = watchScript(toSend.env["SANDBOX_SYNC_MARK"] ?? "", output);
	const connection = keepConnected({
		process: toSend,
		retries: inputs.retries,
		stop: stopCommand
	}, script, client, untilDisconnect, context);
	const ended = Promise.race([script.exited, connection.ended]).then(() => now());
	await Promise.race([ended, once(stopCommand, "abort")]);
	const isStopped = stopCommand.aborted;
	if (isStopped) {
		await Promise.race([connection.started, connection.ended]);
		const pid = connection.pid();
		if (pid !== void 0) await endSession({
			client,
			username,
			limits
		}, pid, context);
	}
	const endedAt = await ended;
	await Promise.race([connection.ended, sleep(END_AFTER_TRAILER_MS, disconnect.signal)]);
	disconnect.abort();
	const outcome = await connection.ended;
	const isFromScript = outcome.status === "done";
	script.breakOff(isFromScript ? script.late : []);
	const end = commandEndOf(outcome, script.trailer(), connection.pid());
	const wasSeen = end.kind !== "lost" && end.kind !== "not-started";
	const by = cancel.aborted ? "cancellation" : "max-duration";
	return {
		end: isStopped && wasSeen ? {
			kind: "stopped",
			by
		} : end,
		reconnects: outcome.attempts - 1,
		trailer: script.trailer() ?? {},
		background: isFromScript ? [] : script.late,
		endedAt
	};
}
function commandEndOf(outcome, trailer, pid) {
	if (outcome.status === "failed") {
		if (trailer !== void 0) return {
			kind: "exited",
			code: trailer.exitCode
		};
		return {
			kind: pid !== void 0 || !outcome.error.hadNoEffect ? "lost" : "not-started",
			error: failureInfoOf(outcome.error)
		};
	}
	const { exitCode, status } = outcome.value;
	if (exitCode === void 0) return {
		kind: "no-exit-code",
		status
	};
	if (exitCode === 0 && trailer === void 0 && outcome.attempts === 1) return { kind: "not-run" };
	if (exitCode === -1) return {
		kind: "killed",
		status
	};
	return {
		kind: "exited",
		code: exitCode || (trailer?.exitCode ?? 0)
	};
}
/** Starts a command, and connects to it again whenever the connection is lost. */
function keepConnected({ process, retries, stop }, script, client, limits, context) {
	let pid;
	const { promise: started, resolve } = Promise.withResolvers();
	const handlers = {
		onStart(startedPid) {
			if (pid !== void 0) checkScript(pid);
			pid = startedPid;
			resolve();
		},
		onOutput: script.write
	};
	const checkScript = async (leader) => {
		const exitCode = await readExitCode({
			client,
			username: process.username,
			limits
		}, leader);
		const isLost = await context.sleep(END_AFTER_TRAILER_MS, limits.signal);
		if (exitCode !== void 0 && isLost) script.onTrailer({ exitCode });
	};
	const onRetry = ({ error, delayMs }) => {
		context.log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`);
		script.breakOff();
	};
	const policy = {
		...context,
		onRetry
	};
	async function connect() {
		const start = async () => {
			if (!stop.aborted) return await startProcess(client, process, handlers, limits);
			throw new AgentError("cancelled", "The step was cancelled.", { hadNoEffect: true });
		};
		const isRepeatable = ({ hadNoEffect }) => hadNoEffect && pid === void 0;
		const first = await withRetries(start, {
			...policy,
			retries,
			stop,
			isRepeatable
		});
		const leader = pid;
		if (leader === void 0) return {
			...first,
			attempts: 1
		};
		const attach = (onActivity) => attachProcess(client, leader, {
			...handlers,
			onActivity
		}, limits);
		const isOver = () => script.trailer() !== void 0;
		return await reconnect(first, attach, isOver, {
			...policy,
			stop: limits.signal
		});
	}
	return {
		started,
		ended: connect(),
		pid: () => pid
	};
}
/** Attaches to a process until it ends, `isOver` is true, or nothing was heard of it for 3 minutes. */
async function reconnect(first, attach, isOver, policy) {
	const { now, random, sleep, stop, onRetry } = policy;
	let outcome = first;
	let attempts = 1;
	let losses = 0;
	let lostAt = 0;
	while (outcome.status === "failed" && outcome.error.isRetryable && !isOver()) {
		const { error } = outcome;
		if (losses === 0) lostAt = now();
		if (now() - lostAt >= RECONNECT_MS) break;
		losses += 1;
		const pause = backoff(losses, random, error.retryAfterMs);
		const delayMs = Math.min(pause, MAX_RECONNECT_DELAY_MS);
		onRetry({
			attempt: attempts,
			error,
			delayMs
		});
		if (!await sleep(delayMs, stop)) break;
		attempts += 1;
		outcome = await withRetries(() => attach(() => losses = 0), {
			...policy,
			retries: 0
		});
	}
	return {
		...outcome,
		attempts
	};
}

// src/command/output.ts
const MAX_LAST_LINE = 1e3;
const ERASE = "\x1B[K";
/** Logs the output, and keeps its end for the result, as a terminal would show it. */
function keepLastLines({ log, redact }) {
	let last = [];
	const splitter = lineSplitter((block) => {
		const text = block.replaceAll(ERASE, "");
		log.output(text.replaceAll("\r", "\n"));
		const [first = "", ...others] = lastLinesOf(text, 42).split("\n");
		const shown = [`${last.at(-1) ?? ""}${first}`, ...others].map((line) => line.replace(/^.*\r(?=.)/s, ""));
		last = [...last.slice(0, -1), ...shown].slice(-41);
	});
	const lastLines = () => {
		const text = redact(removeColors(last.join("\n").replaceAll("\r", ""))).trimEnd();
		return text === "" ? [] : text.split("\n").map((line) => cutEnd(line, MAX_LAST_LINE));
	};
	return {
		...splitter,
		lastLines
	};
}
/** Returns the last lines of a text. Splitting all of it would take memory for each line. */
function lastLinesOf(text, count) {
	let start = text.length;
	for (let left = count; left > 0 && start >= 0; left -= 1) start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
	return text.slice(start + 1);
}
const MAX_LINE_LENGTH = 65536;
/**
* Decodes UTF-8 and passes on blocks of whole lines, so that no secret is split between two blocks.
* Lines end in `\n`, or in a lone `\r` as progress bars do. Lines above 65,536 characters may be cut.
*/
function lineSplitter(onLines) {
	const decoder = new TextDecoder();
	let unfinished = "";
	let held = "";
	const add = (text) => {
		const all = (held + text).replaceAll("\r\n", "\n");
		held = all.endsWith("\r") ? "\r" : "";
		const lines = all.slice(0, all.length - held.length);
		const end = Math.max(lines.lastIndexOf("\n"), lines.lastIndexOf("\r")) + 1;
		if (end > 0) {
			onLines(unfinished + lines.slice(0, end));
			unfinished = "";
		}
		unfinished += lines.slice(end, end + MAX_LINE_LENGTH - unfinished.length);
	};
	return {
		write: (bytes) => add(decoder.decode(bytes, { stream: true })),
		end() {
			add(decoder.decode());
			if (unfinished + held !== "") onLines(`${unfinished}\n`);
			unfinished = "";
			held = "";
		}
	};
}

// src/command/outputs.ts
/** A file that is gone is only a problem if outputs were expected. */
function readOutputs({ githubOutput, size }, isExpected, redact) {
	if (githubOutput !== void 0) return parseOutputs(githubOutput, redact);
	if (size === void 0) return {
		pairs: [],
		problems: isExpected ? [GONE] : []
	};
	return {
		pairs: [],
		problems: [size > 1048576 ? TOO_LARGE : INCOMPLETE]
	};
}
const GONE = "Their file was deleted or cannot be read, or the connection was lost as the script ended. Keep the file, and run the job again.";
const TOO_LARGE = "They are larger than 1 MiB. Write large values to files, and use `download`.";
const INCOMPLETE = "They did not arrive as a whole. Run the job again.";
const PAIR = /^([\w.-]{1,100})(=|<<(?=.))(.*)$/s;
/** Parses like GitHub's runner (FileCommandManager.cs): what precedes an invalid line counts. */
function parseOutputs(text, redact) {
	const lines = text.split("\n");
	const pairs = /* @__PURE__ */ new Map();
	for (let at = 0; at < lines.length; at += 1) {
		const line = lines[at] ?? "";
		const [, name = "", operator, rest = ""] = PAIR.exec(line) ?? [];
		const end = operator === "<<" ? lines.indexOf(rest, at + 1) : at;
		const value = end === at ? rest : lines.slice(at + 1, end).join("\n");
		if (line !== "" && (name === "" || end === -1)) return {
			pairs: [...pairs.values()],
			problems: [explainLine(at + 1, redact(line), name)]
		};
		if (line !== "") pairs.set(name.toLowerCase(), [name, redact(value)]);
		at = end;
	}
	return {
		pairs: [...pairs.values()],
		problems: []
	};
}
function explainLine(number, line, name) {
	const place = `Line ${number} of $GITHUB_OUTPUT`;
	return name === "" ? `${place} is neither NAME=value nor NAME<<END: ${quote(line)}. A name has up to 100 letters, digits, and _ - .` : `${place} has no end: ${quote(line)}. Write the word behind << on a line of its own.`;
}

// src/command/sample-while-running.ts
const STATS_PATH = "/metrics";
const MAX_FIRST_MS = 1e3;
const LAST_SAMPLE_DELAY_MS = 200;
const PATIENCE_MS = 500;
/**
* Takes samples until `ended` aborts, waits a while for the last response, and takes one more if
* there is no sample yet.
*/
async function sampleWhileRunning(ended, inputs, client, { cancel, now, sleep }, onSample) {
	const { sampleInterval: intervalMs, failIf, warnIf } = inputs;
	const timeout = sampleTimeout(inputs);
	const isJudged = failIf.length + warnIf.length > 0;
	using late = deadlineAfter(ended, isJudged ? LAST_RESPONSE_MS : PATIENCE_MS, sleep);
	const deadline = AbortSignal.any([cancel, late.signal]);
	const seen = [];
	let lastResponse = {};
	const take = async (signal) => {
		const read = () => readStats(client, STATS_PATH, {
			signal,
			timeout
		});
		const { observation, response = lastResponse } = await trySample(read, now);
		lastResponse = response;
		seen.push(observation);
		if (observation.kind === "sample") onSample(observation);
	};
	await takeSamples(() => take(deadline), {
		intervalMs,
		firstMs: Math.min(intervalMs, MAX_FIRST_MS),
		sleep,
		stop: ended,
		sampleOnStop: false
	});
	if (seen.length < 2 && seen.every(({ kind }) => kind === "failure")) {
		const signal = isJudged ? cancel : deadline;
		if (await sleep(LAST_SAMPLE_DELAY_MS, signal)) await take(signal);
	}
	return {
		observations: seen,
		response: lastResponse,
		endReason: void 0
	};
}

// src/command/top-programs.ts
const FIRST_PERCENT = 70;
const STEP_PERCENT = 10;
/** Calls `look` after samples with a new high of memory, but never twice at the same time. */
function watchMemory(conditions, look) {
	const watched = conditions.filter(({ metric }) => metric.startsWith("mem_"));
	const levelOf = (sample) => {
		const trips = watched.some((each) => isTrueFor(each, sample));
		const above = (figureOf("mem_used_pct", sample.figures) ?? 0) - FIRST_PERCENT;
		return Math.max(Math.ceil(above / STEP_PERCENT), 0) + (trips ? 1 : 0);
	};
	let level = 0;
	let seen;
	const onSample = async (sample) => {
		const next = levelOf(sample);
		if (next <= level) return;
		level = Number.POSITIVE_INFINITY;
		seen = await look() ?? seen;
		level = next;
	};
	return {
		onSample: (sample) => void onSample(sample),
		topPrograms: () => seen
	};
}
const LIST_PROCESSES = "exec 2>/dev/null; ls -l /proc/[0-9]*/exe; grep -H ^RssAnon /proc/[0-9]*/status";
/** Returns undefined if the programs cannot be listed. */
async function lookAtPrograms(options, now) {
	const at = now();
	try {
		const programs = parsePrograms(await runAsRoot(options, LIST_PROCESSES), options.client.redact);
		return programs.length === 0 ? void 0 : {
			at,
			programs
		};
	} catch {
		return;
	}
}
const MAX_PROGRAMS = 5;
const MAX_NAME = 40;
/** Reads lines like `… /proc/7/exe -> /bin/node` and `/proc/7/status:RssAnon:    512 kB`. */
function parsePrograms(output, redact) {
	const links = output.matchAll(/\/proc\/(\d+)\/exe -> (?:.*\/)?(.*?)(?: \(deleted\))?$/gm);
	const names = new Map(Array.from(links, ([, pid, name = ""]) => [pid, name]));
	const sizes = output.matchAll(/^\/proc\/(\d+)\/status:RssAnon:\s*(\d+) kB$/gm);
	const processes = Array.from(sizes, ([, pid, kib]) => {
		return {
			name: excerpt(names.get(pid) ?? "", redact, MAX_NAME),
			size: Number(kib) * 1024
		};
	});
	return [...Map.groupBy(processes, ({ name }) => name)].map(([name, all]) => ({
		name,
		count: all.length,
		bytes: totalSize(all)
	})).filter(({ name }) => name !== "").sort((one, other) => other.bytes - one.bytes).slice(0, MAX_PROGRAMS);
}

// src/command/run.ts
/** @throws AgentError or InputError, before anything runs, if `fail-if` cannot be judged */
async function run(inputs, context) {
	const { cancel, now } = context;
	const { failIf, warnIf, username } = inputs;
	const conditions = [...failIf, ...warnIf];
	const toSend = commandToSend(inputs);
	const maxDuration = maxDurationOf(inputs, context);
	await using client = openAgent(inputs, context);
	const timeout = sampleTimeout(inputs);
	const statsRequest = {
		...inputs,
		timeout,
		statsPath: STATS_PATH
	};
	if (failIf.length > 0) await readJudgeableStats({
		...statsRequest,
		retries: 2
	}, client, context);
	const from = now();
	const ended = new AbortController();
	const untilEnd = {
		...context,
		cancel: AbortSignal.any([cancel, ended.signal])
	};
	const helper = {
		client,
		username,
		limits: {
			timeout,
			signal: untilEnd.cancel
		}
	};
	const memory = watchMemory(conditions, () => lookAtPrograms(helper, now));
	const openCpuWindow = async () => {
		if (failIf.length === 0) await readStatsWithRetries({
			...statsRequest,
			retries: 0
		}, client, untilEnd);
	};
	const [{ endedAt: to, ...followed }, record] = await Promise.all([
		runCommand(toSend, {
			...inputs,
			maxDuration
		}, client, context).finally(() => ended.abort()),
		sampleWhileRunning(ended.signal, inputs, client, context, memory.onSample),
		openCpuWindow()
	]);
	const isStarted = followed.end.kind !== "not-started";
	const durationMs = isStarted ? to - from : 0;
	const command = {
		...followed,
		durationMs,
		topPrograms: memory.topPrograms()
	};
	const hasSamples = record.observations.some(({ kind }) => kind === "sample");
	return {
		command,
		stats: isStarted && (hasSamples || conditions.length > 0) ? judgeRecord(inputs, record, {
			from,
			to
		}, { cancelled: cancel.aborted }) : withoutStats(inputs)
	};
}
/** Runs the command, and logs it and its output. */
async function runCommand(toSend, inputs, client, context) {
	const { redact, log } = context;
	const title = redact(titleOf(inputs.run));
	log.line(`Running ${inlineCode(title)} in sandbox ${inputs.sandboxId} at ${inputs.baseUrl}`);
	const output = keepLastLines(context);
	const { trailer, background, ...others } = await followCommand(toSend, inputs, client, context, output);
	const lastLines = output.lastLines();
	const isExpected = others.end.kind === "exited" && inputs.run.includes("GITHUB_OUTPUT");
	for (const bytes of background) output.write(bytes);
	output.end();
	return {
		...others,
		title,
		lastLines,
		outputs: readOutputs(trailer, isExpected, redact),
		oomKills: trailer.oomKills,
		failed: trailer.failed
	};
}
function titleOf(run) {
	const [first = run, ...others] = run.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
	return others.length === 0 ? first.trim() : `${first.trim()} …`;
}
const HOUR_MS = 36e5;
const MAX_MS = 24 * HOUR_MS;
/**
* Returns milliseconds: `max-duration`, or what is left of the sandbox's life, less 10 s, at least
* 1 m and at most 24 h, or 1 h if its end is unknown.
*/
function maxDurationOf({ sandboxId, maxDuration }, { now, sandboxes, log }) {
	const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
	if (endsAt === void 0) return maxDuration ?? HOUR_MS;
	const leftMs = endsAt - now();
	if (maxDuration === void 0) return Math.min(Math.max(6e4, leftMs - 1e4), MAX_MS);
	if (maxDuration > leftMs) log.line(`The sandbox may end at ${formatTime(endsAt)}, before max-duration (${formatDuration(maxDuration)}) runs out. To run longer, raise its lifetime.`);
	return maxDuration;
}

// src/report/cause.ts
const CAUSES = [
	/error(?: ?\[\w+\]| TS\d+)?: .*\w/i,
	/Exception: |panicked at /,
	/^npm (?:error|ERR!) (?!(?:code|errno|syscall|path|command|location|workspace|aliases:?) )[A-Z\d`"]/i,
	/^\s*(?:--- )?FAIL(?:ED|URE)?\b.*\w/,
	/^\s*(?:panic|fatal|[\w./-]+_test\.go:\d+): /,
	/^\s*(?:not ok \d|✖ (?!failing tests)|● .*\w)/,
	/^(?:E {2,}\S|make.*: \*\*\* |\.?[\w./-]+\.go:\d+:\d+: )/
];
const POSSIBLE_CAUSES = /\b(?:cannot|can't|could not|couldn't|not found|no such|denied)\b|^bash: /i;
const NO_CAUSE = /[✓✔√]|\bPASS(?:ED)?\b|(?<!not )\bok\b|^npm (?:error|ERR!) (?:A complete log|Run "npm help|Lifecycle script)|^Node\.js v\d/;
const MAX_CAUSES = 3;
/** Returns the first lines of an output that name a cause, or []. */
function findCause(lines) {
	const telling = lines.filter((line) => !NO_CAUSE.test(line));
	const sure = telling.filter((line, at) => {
		return /panicked at .*:$/.test(telling[at - 1] ?? "") || endsTraceback(telling, at) || CAUSES.some((cause) => cause.test(line));
	});
	const causes = sure.length > 0 ? sure : telling.filter((line) => POSSIBLE_CAUSES.test(line));
	return [...new Set(causes.map((line) => line.trim()))].slice(0, MAX_CAUSES);
}
/** Python indents all lines of a traceback but the last, which has the exception. */
function endsTraceback(lines, at) {
	const start = lines.slice(0, at).findLastIndex((line) => /^\S/.test(line));
	return /^\S/.test(lines[at] ?? "") && (lines[start]?.startsWith("Traceback (") ?? false);
}

// src/report/script-outputs.ts
const RESERVED = /^(cpu|mem|disk|oom)-/i;
/** Drops the outputs of a script whose names the action needs for its own. */
function renderScriptOutputs(outputs, ownNames) {
	const { taken = [], free = [] } = Object.groupBy(outputs.pairs, ([name]) => RESERVED.test(name) || ownNames.includes(name.toLowerCase()) ? "taken" : "free");
	const names = listSome(taken.map(([name]) => inlineCode(name)));
	const lines = [...outputs.problems];
	if (names !== "") lines.push(`The action has, or may get, outputs named ${names}. Choose other names.`);
	return {
		problems: lines.length === 0 ? [] : [{
			verdict: "not all outputs of the script are set",
			lines
		}],
		pairs: free
	};
}

// src/report/command-section.ts
/** `otherOutputs` are the names of the step's outputs besides those of the command. */
function renderCommand(result, cancelled, otherOutputs) {
	const { end, outputs: fromScript, ...others } = result;
	const exitCode = exitCodeOf(result);
	const isCancelled = cancelled && (end.kind === "stopped" || end.kind === "not-started");
	const isFine = exitCode === 0 || isCancelled;
	const verdict = describeEnd(result, cancelled);
	const outputs = {
		"exit-code": exitCode === void 0 ? "" : String(exitCode),
		"duration-ms": String(result.durationMs)
	};
	const ofScript = renderScriptOutputs(fromScript, [...Object.keys(outputs), ...otherOutputs]);
	const failure = {
		verdict,
		lines: explainEnd(result, cancelled),
		output: outputOf(result)
	};
	return {
		problems: [...isFine ? [] : [failure], ...ofScript.problems],
		done: isFine ? verdict : "",
		command: result.title,
		warnings: warnOfReconnects(result),
		hasWarned: isFine && (result.oomKills ?? 0) > 0,
		facts: describePrograms(result),
		outputs,
		scriptOutputs: ofScript.pairs,
		json: {
			...others,
			end: end.kind,
			exitCode,
			outputs: ofScript.pairs.map(([name]) => name),
			..."status" in end && { status: end.status }
		}
	};
}
function exitCodeOf({ end }) {
	if (end.kind === "killed") return -1;
	return end.kind === "exited" ? end.code : void 0;
}
function describeEnd(result, cancelled) {
	const { end, durationMs } = result;
	const duration = [formatDuration(durationMs), ...describeOomKills(result)].join(", ");
	switch (end.kind) {
		case "exited": return `exit code ${end.code} after ${duration}`;
		case "killed": return `${inlineCode(end.status)} after ${duration}`;
		case "not-run": return "the login shell ended before the command";
		case "no-exit-code": return `unknown exit code after ${duration}`;
		case "stopped": return end.by === "cancellation" ? `cancelled after ${duration}` : `stopped by max-duration after ${duration}`;
		case "lost": return `not seen to end within ${duration}`;
		case "not-started": return cancelled ? "cancelled before it was started" : "not started";
	}
}
function explainEnd(result, cancelled) {
	const { end } = result;
	if (end.kind === "not-run") return ["Look for `exec` or `exit` in the login profile."];
	if (end.kind === "lost" || end.kind === "not-started") return [...end.kind === "lost" && end.error.kind !== "sandbox-not-found" ? ["It may still be running."] : [], ...cancelled ? [] : explainLoss(end.error)];
	return [...describeFailed(result), ...adviceOn(result)];
}
function explainLoss(error) {
	return error.kind === "cancelled" ? ["max-duration ran out, but the sandbox did not stop it."] : explainFailure(error);
}
function describeOomKills({ oomKills = 0 }) {
	if (oomKills === 0) return [];
	return [`${oomKills} ${oomKills === 1 ? "process" : "processes"} killed for memory`];
}
const MAX_LINE = 300;
function describeFailed({ title, failed }) {
	if (failed === void 0 || failed.command === title) return [];
	const { line, file, pipeline, command, exitCode } = failed;
	const inFile = file === "" ? "" : ` of ${inlineCode(file)}`;
	const place = line === void 0 ? "" : `Line ${line}${inFile}: `;
	if (pipeline.length > 0) return [`${place}the parts of a pipeline exited with ${pipeline.join(", ")}.`];
	return [`${place}${inlineCode(cutEnd(command, MAX_LINE))} exited with ${exitCode}.`];
}
function outputOf({ lastLines }) {
	const lastWords = lastLines.filter((line) => /[\p{L}\d]/u.test(line)).slice(-3);
	const cut = (line) => cutEnd(line.trim(), MAX_LINE);
	return {
		lastLines,
		cause: findCause(lastLines).map(cut),
		lastWords: lastWords.map(cut)
	};
}
const BELOW_ROOT = "/(usr|etc|var|opt|root)\\b";
/** Advice by a line of the output. */
const OUTPUT_ADVICE = [
	[/\\r'?: (command not found|No such file)|env: .*\\r/, "A script has Windows line ends. Remove them with `sed -i 's/\\r$//' FILE`, or keep them out of the repository with `* text=auto eol=lf` in .gitattributes."],
	[/: required file not found/, "The program in the first line of a script (`#!`), or the loader of a program, is not in the sandbox; or the script has Windows line ends."],
	[/^bash: (line \d+: )?\S*\/\S*: No such file or directory/, "The file, or the folder to write it to, is not in the sandbox. Check that an earlier step uploads it, and `working-directory`."],
	[/sudo: (command )?not found/, "The sandbox has no `sudo`. Leave it out, and if the command does not run as root, set `username: root`."],
	[new RegExp(`${BELOW_ROOT}.*permission denied|(EACCES|permission denied).*${BELOW_ROOT}`, "i"), "Only root may write there: if the command does not run as root, set `username: root`."],
	[/no space left on device|ENOSPC/i, "The disk is full, or the folder is one in memory. Use a template with a larger disk."],
	[/heap out of memory/, "Node's own limit was reached, not that of the sandbox: set `NODE_OPTIONS=--max-old-space-size=…` in `env`."]
];
const NOT_EXECUTABLE = 126;
const SIGKILL_CODE = 137;
const CODE_ADVICE = {
	[NOT_EXECUTABLE]: "A file is not executable. Uploads carry no modes, so run `chmod +x` first. If it is, the program in its first line (`#!`) is missing.",
	127: "A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.",
	141: "A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first."
};
const RUN_LONGER = "To let it run longer, raise `max-duration`. If that is not set, raise the `lifetime` of the sandbox.";
const MORE_MEMORY = "Use a template with more memory, or let less run at the same time.";
/** Says what to do about a failed command, by its last lines, or else by its exit code. */
function adviceOn({ end, lastLines, oomKills }) {
	if (end.kind === "stopped") return end.by === "max-duration" ? [RUN_LONGER] : [];
	const isSigkill = end.kind === "killed" && end.status === "signal: killed";
	const code = end.kind === "exited" ? end.code : isSigkill ? SIGKILL_CODE : -1;
	const find = () => OUTPUT_ADVICE.find(([line]) => lastLines.some((each) => line.test(each)))?.[1];
	const advice = (code === NOT_EXECUTABLE ? void 0 : find()) ?? CODE_ADVICE[code];
	if (advice !== void 0) return [advice];
	if (oomKills !== void 0 && oomKills > 0) return [MORE_MEMORY];
	if (code !== SIGKILL_CODE || oomKills === 0) return [];
	return ["Whether it was memory could not be determined. Compare the peak of the memory with its size."];
}
function warnOfReconnects({ reconnects }) {
	if (reconnects === 0) return [];
	return [`The step connected again ${formatCount(reconnects, "time")}, so output of the command may be missing.`];
}
function describePrograms({ topPrograms }) {
	if (topPrograms === void 0) return [];
	const uses = topPrograms.programs.map(({ name, count, bytes }) => {
		const processes = count === 1 ? "" : ` (${formatNumber(count)} processes)`;
		return `${inlineCode(name)}${processes} ${formatBytes(bytes)}`;
	});
	return [`Most memory at ${formatTime(topPrograms.at)}: ${uses.join(", ")}`];
}

// src/monitor/record.ts
/** A monitor's files, which never contain secret inputs. */
const FILES = {
	inputs: "inputs.json",
	/** A line for each observation. */
	record: "record.jsonl",
	/** The last response, redacted. */
	response: "response.json",
	/** Asks the sampler to stop. */
	stop: "stop",
	/** When the sampler was asked to stop, or why it ended earlier. A killed one leaves no file. */
	end: "end",
	/** What the sampler writes to stderr. */
	errors: "errors.txt",
	judged: "judged"
};
function monitorFile(directory, name) {
	return path.join(directory, FILES[name]);
}
/** Writes an object as JSON, or else an empty file, which even a full disk has room for. */
function saveFile(directory, name, content) {
	const text = content === void 0 ? "" : JSON.stringify(content);
	writeFileSync(monitorFile(directory, name), text, { mode: 384 });
}
function hasFile(directory, name) {
	return existsSync(monitorFile(directory, name));
}
function loadInputs(directory) {
	const inputs = parseJson(readIfExists(directory, "inputs"));
	return inputs === void 0 ? void 0 : stringFieldsOf(inputs);
}
function saveSample(directory, { observation, response }) {
	const line = `${JSON.stringify(observation)}\n`;
	appendFileSync(monitorFile(directory, "record"), line, { mode: 384 });
	if (response !== void 0) saveFile(directory, "response", response);
}
function hasEnded(directory) {
	return readIfExists(directory, "end") !== "";
}
/** Reads the record, skipping the partial line that a killed sampler may leave. */
function readRecord(directory) {
	const died = `the process that took the samples was killed or hangs${samplerErrors(directory)}`;
	const { requestedAt, endReason = died } = parseFields(readIfExists(directory, "end"));
	const isRequested = typeof requestedAt === "number";
	return {
		observations: readIfExists(directory, "record").split("\n").flatMap(decodeObservation),
		response: parseFields(readIfExists(directory, "response")),
		endReason: isRequested ? void 0 : String(endReason),
		requestedAt: isRequested ? requestedAt : void 0
	};
}
/** Returns what the sampler has written to stderr as ` (it wrote: …)`, or nothing. */
function samplerErrors(directory) {
	const text = readIfExists(directory, "errors").trim().replace(/\s+/g, " ");
	return text === "" ? "" : ` (it wrote: ${text})`;
}
function decodeObservation(line) {
	const { kind, askedAt, at, message, figures } = parseFields(line);
	if (typeof askedAt !== "number" || typeof at !== "number") return [];
	if (kind === "failure") return [{
		kind,
		askedAt,
		at,
		message: String(message)
	}];
	return isFigures(figures) ? [{
		kind: "sample",
		askedAt,
		at,
		figures
	}] : [];
}
function isFigures(value) {
	if (typeof value !== "object" || value === null) return false;
	return Object.values(value).every((figure) => typeof figure === "number");
}
function readIfExists(directory, name) {
	return hasFile(directory, name) ? readFileSync(monitorFile(directory, name), "utf8") : "";
}

// src/monitor/start-monitor.ts
/** Takes a sample, so that a wrong token, host or ID fails this step, then starts the sampler. */
async function startMonitor(inputs, raw, context, { script, openDirectory }) {
	await using client = openAgent(inputs, context);
	const request = {
		...inputs,
		retries: 2
	};
	const askedAt = context.now();
	const { figures, response } = await readJudgeableStats(request, client, context);
	const directory = openDirectory();
	const judgingInputs = Object.keys(INPUTS["monitor-end"]).map((name) => [name, raw[name] ?? ""]);
	const saved = {
		...Object.fromEntries(judgingInputs),
		"base-url": inputs.baseUrl
	};
	saveFile(directory, "inputs", saved);
	const observation = {
		kind: "sample",
		askedAt,
		at: context.now(),
		figures
	};
	saveSample(directory, {
		observation,
		response
	});
	await startSampler(script, directory, raw, context.log);
	const { name, sandboxId, sampleInterval } = inputs;
	const activity = name === "" ? "Monitoring" : `${name}: monitoring`;
	const interval = formatDuration(sampleInterval);
	context.log.line(`${activity} sandbox ${sandboxId}, a sample every ${interval}`);
}
/** Resolves once the sampler is ready. @throws InputError if it exits before */
async function startSampler(script, directory, inputs, log) {
	const errorFile = openSync(monitorFile(directory, "errors"), "a", 384);
	const withoutInputs = Object.entries(process.env).filter(([name]) => !name.startsWith("INPUT_"));
	const child = spawn(process.execPath, [
		script,
		directory,
		String(process.ppid)
	], {
		env: Object.fromEntries(withoutInputs),
		cwd: path.dirname(directory),
		detached: true,
		windowsHide: true,
		stdio: [
			"ignore",
			"ignore",
			errorFile,
			"ipc"
		]
	});
	closeSync(errorFile);
	child.send(inputs, () => {});
	await Promise.race([once(child, "message"), once(child, "exit")]);
	const end = child.exitCode ?? child.signalCode;
	if (end !== null) {
		saveFile(directory, "judged");
		throw inputError("monitor", `its process ended at once with ${end}${samplerErrors(directory)}.`);
	}
	log.debug(`The samples are taken by process ${child.pid}`);
	child.disconnect();
	child.unref();
}

// src/monitor/sampler.ts
/** Runs in the sampler's process, which gets its inputs as a message. */
async function runSampler(directory, jobPid) {
	const [message] = await once(process, "message");
	const raw = stringFieldsOf(message);
	const inputs = parseInputs(INPUTS.monitor, raw);
	const stop = new AbortController();
	const end = waitForEnd(directory, jobPid, inputs.maxDuration).finally(() => stop.abort());
	using deadline = deadlineAfter(stop.signal, LAST_RESPONSE_MS, sleep);
	const redact = redactor(secretsIn(raw));
	await using client = openAgent(inputs, { redact });
	process.send?.("ready");
	const limits = {
		signal: deadline.signal,
		timeout: sampleTimeout(inputs)
	};
	const read = () => readStats(client, inputs.statsPath, limits);
	const take = async () => saveSample(directory, await trySample(read, now));
	const { sampleInterval: intervalMs } = inputs;
	const options = {
		intervalMs,
		sleep,
		stop: stop.signal,
		sampleOnStop: true
	};
	const sampling = takeSamples(take, options).then(() => end);
	const describe = (error) => `a sample could not be recorded: ${errorText(error)}`;
	saveFile(directory, "end", await sampling.catch((error) => ({ endReason: describe(error) })));
}
const CHECK_INTERVAL_MS = 200;
async function waitForEnd(directory, jobPid, maxMs) {
	const endsAt = performance.now() + maxMs;
	for (;;) {
		await setTimeout$1(CHECK_INTERVAL_MS, void 0, { ref: false });
		if (hasFile(directory, "stop")) return { requestedAt: now() };
		if (!existsSync(directory) || !isRunning(jobPid)) return { endReason: "its job is gone" };
		if (performance.now() > endsAt) return { endReason: "max-duration ran out" };
	}
}
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

// src/monitor/end-monitor.ts
/** Stops the sampler and judges its record. @throws InputError if the record is lost */
async function endMonitor(directory, context) {
	const saved = loadInputs(directory);
	if (saved === void 0) throw inputError("monitor", `its record is lost: something removed files from ${directory}.`);
	const jobEnd = context.now();
	saveFile(directory, "stop");
	await waitForSampler(directory, context);
	const { requestedAt: to = jobEnd, ...record } = readRecord(directory);
	const inputs = parseInputs(INPUTS["monitor-end"], saved);
	const time = {
		from: record.observations[0]?.at ?? to,
		to
	};
	const stats = judgeRecord(inputs, record, time, { cancelled: context.cancel.aborted });
	return {
		name: inputs.name,
		sandbox: inputs,
		stats
	};
}
const MAX_WAIT_MS = 8e3;
const POLL_MS = 50;
async function waitForSampler(directory, { sleep, cancel, now }) {
	const deadline = now() + MAX_WAIT_MS;
	while (!hasEnded(directory) && now() < deadline && !cancel.aborted) await sleep(POLL_MS, cancel);
}
/** Finds a running monitor. '' matches any. @throws InputError unless exactly one matches */
function chooseMonitor(idOrName, directories) {
	const running = directories.filter((directory) => !hasFile(directory, "judged")).map((directory) => {
		return {
			directory,
			name: rawValue(loadInputs(directory) ?? {}, "name"),
			id: path.basename(directory)
		};
	});
	if (running.length === 0) throw inputError("monitor", NONE_RUNS);
	const [only, ...others] = running.filter(({ name, id }) => [
		"",
		name,
		id
	].includes(idOrName));
	if (only !== void 0 && others.length === 0) return only.directory;
	const names = running.map(({ name, id }) => name === "" ? id : `${quote(name)} (${id})`);
	throw inputError("monitor", `must name exactly one running monitor of this job, not ${quote(idOrName)}. Running: ${names.join(", ")}. Use the output of the step that started the monitor.`, "${{ steps.<its id>.outputs.monitor }}");
}
const NONE_RUNS = "no monitor runs in this job. The step sandbox-sync/sandbox-sync/monitor must come before this one, and only one step can stop it.";

export { firstOf as $, deleteUnconfirmed as A, describeRetry as B, loadMonitorDirectory as C, sharedVariables as D, saveCleanup as E, isSecretHeader as F, fieldsOf as G, openAgent as H, rawValue as I, failureInfoOf as J, parseFields as K, findMistake as L, openSandbox as M, problemOfFailure as N, SYNC_ID as O, INPUTS as P, quote as Q, InputError as R, loadCleanup as S, removeJobSandbox as T, bodyError as U, withRetries as V, parseResponse as W, wrapSystemErrors as X, isFatal as Y, inlineCode as Z, runAction as _, hasFile as a, formatNumber as at, findMonitorDirectories as b, renderCommand as c, totalSize as ct, stats as d, listSome as et, takeStats as f, renderStats as g, renderMonitor as h, startMonitor as i, formatDuration as it, describeExpiry as j, deleteAtEnd as k, run as l, withoutStats as m, endMonitor as n, formatBytes as nt, loadInputs as o, formatRate as ot, waitForSandbox as p, AgentError as q, runSampler as r, formatCount as rt, saveFile as s, systemCode as st, chooseMonitor as t, errorText as tt, readJudgeableStats as u, publishKept as v, publishSandbox as w, jobMetadata as x, createMonitorDirectory as y, inputError as z };