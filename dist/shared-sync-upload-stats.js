import { $ as isGated, A as redactor, B as routingHeaders, C as changeStrings, D as networkFacts, E as isUsable, H as formatCount, L as EMPTY_REPORT, M as waitError, N as formatFigure, O as proxyCredentials, P as judgementLine, Q as gateOf, U as formatDuration, V as secretsInHeaders, et as judge, it as AgentError, j as reportedError, k as proxyFor, nt as exactly, rt as withRetries, t as decodeStats, tt as metricsOf, w as fieldsOf, z as USER_AGENT } from "./shared.js";
import { t as require_undici } from "./undici-sync-upload-stats.js";
import { Socket } from "node:net";
import { subscribe, unsubscribe } from "node:diagnostics_channel";

// src/agent/answer.ts
const { STATUS_CODES } = process.getBuiltinModule("node:http");
const MAX_SAID = 300;
const MAX_SEARCHED = 16384;
const MAX_RETRY_AFTER = 6e4;
const KINDS = {
	401: "unauthorized",
	403: "forbidden",
	404: "not-found",
	408: "busy",
	409: "busy",
	413: "too-large",
	425: "busy",
	429: "busy",
	500: "server",
	502: "server",
	503: "server",
	504: "server",
	507: "disk-full"
};
const SANDBOX_NOT_FOUND = /\bsandbox(?: id)?(?: \\?["'`][^"'`]+["'`]| [\w.-]*[\d_-][\w.-]*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i;
const NOT_ROUTED = /(?:missing|required|no)\b.*\b(?:header|sandbox.?id|sandbox.?port)/i;
const HINTS = [[/is a directory/i, "The target is a directory in the sandbox: end the target with / to put the file in it."], [/permission denied/i, "Set username to a user who may write there, or give the files another target."]];
/** Says what an answer other than 200 to 299 means. `now` is the current time, for a Retry-After that is a date. */
function statusFailure(answer, redact, now) {
	const { tried, status } = answer;
	const said = whatItSaid(answer.text, redact);
	const reason = STATUS_CODES[status] === void 0 ? "" : ` ${STATUS_CODES[status]}`;
	const quoted = said === "" ? "." : `. It said: ${JSON.stringify(said)}.`;
	const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
	const [, hint] = HINTS.find(([words]) => words.test(said)) ?? [];
	const details = {
		status,
		retryAfterMs,
		hint
	};
	return new AgentError(meaningOf(status, said), `${tried} answered ${status}${reason}${quoted}`, details);
}
/** The error of an answer that says success and cannot be taken for it. */
function badAnswer({ tried, status }, why, cause) {
	const message = `${tried} answered ${status}, but the answer cannot be trusted: ${why}.`;
	return new AgentError("bad-answer", message, {
		status,
		cause
	});
}
/** What `parse` makes of an answer that should be JSON. @throws AgentError where it is none. */
function fromJson(answer, parse) {
	try {
		return parse(answer.text);
	} catch (error) {
		throw badAnswer(answer, "It is not JSON", error);
	}
}
/** The words of an error's body, whether JSON, HTML or text: one line, at most 300 characters, empty if there are none. */
function whatItSaid(text, redact) {
	const message = messageOf$1(text);
	const line = redact(redact(message !== void 0 && !HTML.test(message) ? message : textOf(redact(message ?? text).slice(0, MAX_SEARCHED))).slice(0, MAX_SEARCHED).replace(/\s+/g, " ").trim());
	return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID).toWellFormed()}…` : line;
}
/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3), at most a minute. */
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER) : void 0;
}
function meaningOf(status, said) {
	if ((status === 502 || status === 404) && SANDBOX_NOT_FOUND.test(said)) return "sandbox-not-found";
	if (status === 400 && NOT_ROUTED.test(said)) return "not-routed";
	if (status >= 300 && status < 400) return "redirected";
	return KINDS[status] ?? (status >= 400 ? "rejected" : "bad-answer");
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
/** What a page shows. */
function textOf(html) {
	return html.replace(/<!--.*?(-->|$)|<(style|script)\b.*?(<\/\2>|$)/gis, " ").replace(/<[^<>]*>/g, " ").replace(/&(#?\w+);/g, (entity, name) => ENTITIES.get(name) ?? entity);
}
function messageOf$1(text) {
	try {
		const body = JSON.parse(text);
		if (typeof body !== "object" || body === null) return typeof body === "string" ? body : text;
		const { message, error } = fieldsOf(body);
		return [message, error].find((said) => typeof said === "string") ?? JSON.stringify(body);
	} catch {
		return;
	}
}

// src/agent/connections.ts
const MAX_BYTES = 1048576;
const LOOK_MS = 50;
/** Ends a connection with over a megabyte in answer to one request: undici reads chunk extensions as long as they come. */
function guardConnections() {
	const readBefore = /* @__PURE__ */ new Map();
	const unwatch = onSocket("undici:client:sendHeaders", (socket) => {
		if (!readBefore.has(socket)) socket.once("close", () => readBefore.delete(socket));
		readBefore.set(socket, socket.bytesRead);
	});
	const look = setInterval(() => {
		for (const [socket, before] of readBefore) if (socket.bytesRead - before > MAX_BYTES) socket.destroy(flood());
	}, LOOK_MS);
	look.unref();
	return () => {
		clearInterval(look);
		unwatch();
	};
}
/** Tells of each connection that undici opens, to the sandbox's host or to a proxy, in words. Returns what ends that. */
function watchConnections(opened) {
	return onSocket("undici:client:connected", (socket) => opened(`opened, ${socket.remoteFamily ?? "unknown"}, ${tlsOf(socket) ?? "no TLS"}`));
}
function onSocket(channel, tell) {
	const listener = (message) => {
		if (typeof message !== "object" || message === null || !("socket" in message)) return;
		if (message.socket instanceof Socket) tell(message.socket);
	};
	subscribe(channel, listener);
	return () => void unsubscribe(channel, listener);
}
/** Such as `TLSv1.3`. Asked of the object, since loading what defines its class takes its time. */
function tlsOf(socket) {
	if (!("getProtocol" in socket) || typeof socket.getProtocol !== "function") return void 0;
	return String(socket.getProtocol());
}
function flood() {
	return new AgentError("bad-answer", "The answer to one request is longer than 1 MiB, headers and framing counted.");
}

// src/agent/network-failure.ts
var import_undici = require_undici();
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
const TLS = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;
const SAYS = {
	ECONNREFUSED: "the connection was refused",
	ENOTFOUND: "the host name could not be found",
	ECONNRESET: "the connection was reset",
	EPIPE: "the connection was closed while sending",
	UND_ERR_SOCKET: "the connection was closed before the answer was complete",
	UND_ERR_CONNECT_TIMEOUT: "no connection could be made in time",
	UND_ERR_HEADERS_TIMEOUT: "no byte was sent or received for longer than timeout",
	UND_ERR_BODY_TIMEOUT: "the answer stopped half-way for longer than timeout",
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was shorter than announced",
	UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long",
	tls: "no trusted TLS connection could be made",
	"proxy-refused": "the proxy refused the connection"
};
const MAX_DETAIL = 300;
/** Says what an error of the HTTP client means. An AgentError that travelled through the client comes back as it is. */
function networkFailure(error, tried, redact) {
	if (error instanceof AgentError) return error;
	if (error.cause instanceof AgentError) return error.cause;
	const code = codeOf(error);
	const kind = kindOf(code, error.message);
	const says = SAYS[code] ?? SAYS[kind] ?? "the connection failed";
	return new AgentError(kind, `${tried} failed: ${says}${detail(code, error, redact)}.`, { cause: error });
}
function kindOf(code, message) {
	if (/^Proxy .*\(407\)/.test(message)) return "proxy-refused";
	if (UNREACHABLE.test(code) || message.startsWith("Proxy ")) return "unreachable";
	if (TLS.test(code)) return "tls";
	if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)) return "stalled";
	if (code === "UND_ERR_HEADERS_OVERFLOW") return "bad-answer";
	return "connection";
}
function codeOf(error) {
	if ("code" in error && typeof error.code === "string") return error.code;
	return error.cause instanceof Error ? codeOf(error.cause) : "";
}
function detail(code, error, redact) {
	const message = redact(inWords(error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : error.message));
	const cut = message.length > MAX_DETAIL ? `${message.slice(0, MAX_DETAIL)}…` : message;
	const parts = [message.includes(code) ? "" : code, cut.trim()].filter((part) => part !== "");
	return parts.length === 0 ? "" : ` (${parts.join(": ")})`;
}
function messageOf(error) {
	return error instanceof Error ? error.message : String(error);
}
/** Of OpenSSL's own errors, `thread:error:number:library:function:reason:file:line:`, the reason. */
function inWords(message) {
	return /^[\dA-F]+:error:[\dA-F]+:(?:[^:]*:){2}([^:]+):/.exec(message)?.[1] ?? message;
}

// src/agent/exchange.ts
/** More of an answer is never read: the contract's answers are some hundred bytes. */
const MAX_ANSWER_BYTES = 131072;
const MAX_INTERIM = 20;
const UTF8 = new TextDecoder();
/** A request as messages name it: method and URL, no query, which may hold a signature. */
function nameOf({ method, path }, origin) {
	return `${method} ${origin}${path.replace(/\?.*/s, "")}`;
}
/** Sends a request and takes its answer in, bounded in size, time and announcements. @throws AgentError without a whole one. */
function exchange(way, request) {
	const { dispatcher, origin, cancel, flying } = way;
	const { method, path, headers, body, onSent } = request;
	const tried = nameOf(request, origin);
	const cancelled = () => new AgentError("cancelled", `${tried} was cancelled.`);
	if (cancel.aborted) return Promise.reject(cancelled());
	return new Promise((resolve, reject) => {
		const answer = answerOf(tried, way.timeoutMs);
		let sentWhole = false;
		const abort = () => {
			reject(cancelled());
			answer.abort(cancelled());
		};
		flying.add(abort);
		const handler = {
			...answer.handler,
			onBodySent: (chunk) => onSent?.(chunk.length),
			onRequestSent: () => {
				sentWhole = true;
			},
			onResponseEnd() {
				flying.delete(abort);
				resolve({
					tried,
					sentWhole,
					...answer.end()
				});
			},
			onResponseError(_, error) {
				flying.delete(abort);
				answer.end();
				reject(networkFailure(error, tried, way.redact));
			}
		};
		dispatcher.dispatch({
			origin,
			method,
			path,
			headers,
			body: body ?? null
		}, handler);
	});
}
/** The part of a dispatch handler that takes an answer in. */
function answerOf(tried, timeoutMs) {
	const chunks = [];
	let controller;
	let aborted;
	let timer;
	let [size, interim, status] = [
		0,
		0,
		0
	];
	let retryAfter;
	const abort = (error) => {
		aborted = error;
		controller?.abort(error);
	};
	const refuse = (why) => abort(new AgentError("bad-answer", `${tried} answered ${status} ${why}.`, { status }));
	const handler = {
		onRequestStart(started) {
			controller = started;
			if (aborted !== void 0) controller.abort(aborted);
		},
		onResponseStarted() {
			timer = setTimeout(() => abort(tooSlow(tried)), timeoutMs);
		},
		onResponseStart(_, code, headers) {
			status = code;
			retryAfter = [headers["retry-after"]].flat()[0];
			if (code >= 200) return;
			clearTimeout(timer);
			interim += 1;
			if (interim > MAX_INTERIM) refuse(`more than ${MAX_INTERIM} times before an answer came`);
		},
		onResponseData(_, chunk) {
			size += chunk.length;
			if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
			else refuse("with a response larger than 128 KiB");
		}
	};
	const end = () => {
		clearTimeout(timer);
		return {
			status,
			text: UTF8.decode(Buffer.concat(chunks)),
			retryAfter
		};
	};
	return {
		handler,
		abort,
		end
	};
}
function tooSlow(tried) {
	return new AgentError("stalled", `${tried} failed: the answer began, but did not end within timeout.`);
}

// src/agent/http.ts
/** Opens a pool, through the proxy that the environment names. If that is no proxy, every request fails: none goes past it. */
function openHttp(origin, { connections, timeoutMs, cancel, redact }) {
	const proxy = proxyFor(origin, process.env);
	if (proxy !== void 0 && !isUsable(proxy)) {
		const why = `the environment variable ${proxy.name} is not the URL of an http or https proxy (http://host:port)`;
		const refuse = (request) => Promise.reject(new AgentError("unreachable", `${nameOf(request, origin)} was not sent: ${why}.`));
		return {
			send: refuse,
			connectAhead: () => {},
			close: async () => {}
		};
	}
	const closing = new AbortController();
	const options = {
		timeout: timeoutMs,
		allowH2: false,
		signal: closing.signal
	};
	const limits = {
		headersTimeout: timeoutMs,
		bodyTimeout: timeoutMs,
		connections,
		pipelining: 1
	};
	const { dispatcher, connectAhead } = proxy === void 0 ? direct(origin, options, limits) : proxied(proxy.value, options, limits);
	const unguard = guardConnections();
	const flying = /* @__PURE__ */ new Set();
	const abortAll = () => {
		for (const abort of flying) abort();
	};
	cancel.addEventListener("abort", abortAll);
	return {
		send: (request) => exchange({
			dispatcher,
			origin,
			timeoutMs,
			cancel,
			redact,
			flying
		}, request),
		connectAhead,
		async close() {
			unguard();
			cancel.removeEventListener("abort", abortAll);
			const destroyed = dispatcher.destroy();
			closing.abort();
			await destroyed;
		}
	};
}
/** Connections through a proxy, NO_PROXY aside; none is made ahead. */
function proxied(proxy, connect, limits) {
	const open = (to, options) => new import_undici.Pool(to, {
		connect,
		...options,
		...limits
	});
	return {
		dispatcher: new import_undici.EnvHttpProxyAgent({
			httpProxy: proxy,
			httpsProxy: proxy,
			factory: open,
			clientFactory: open,
			connect,
			proxyTls: connect,
			requestTls: connect
		}),
		connectAhead: () => {}
	};
}
const IDLE_MS = 4e3;
/** Connections to the origin itself, also made ahead of requests: handshakes take round trips. */
function direct(origin, options, limits) {
	const connector = (0, import_undici.buildConnector)(options);
	const { protocol, host, hostname, port } = new URL(origin);
	const place = {
		protocol,
		host,
		hostname: hostname.replace(/^\[|\]$/g, ""),
		port
	};
	const ahead = /* @__PURE__ */ new Set();
	const make = () => {
		const one = {};
		ahead.add(one);
		const drop = () => void ahead.delete(one);
		connector(place, (...end) => {
			const [error, socket] = end;
			if (one.wanted !== void 0) one.wanted(...end);
			else if (error !== null) drop();
			else one.socket = socket.once("close", drop).setTimeout(IDLE_MS, () => socket.destroy());
		});
	};
	const connect = (to, callback) => {
		const [one] = ahead;
		if (one === void 0) return connector(to, callback);
		ahead.delete(one);
		const { socket } = one;
		if (socket === void 0) one.wanted = callback;
		else queueMicrotask(() => callback(null, socket.setTimeout(0)));
	};
	return {
		dispatcher: new import_undici.Pool(origin, {
			connect,
			...limits
		}),
		connectAhead(count) {
			for (let left = count; left > 0; left -= 1) make();
		}
	};
}

// src/agent/client.ts
/** Opens a client for one sandbox. */
function openClient(connection, { connections, cancel, now, debug }) {
	const { baseUrl, statsPath, timeout: timeoutMs, token, headers, signature = "" } = connection;
	const { origin, pathname } = new URL(baseUrl);
	const prefix = pathname.replace(/\/+$/, "");
	const redact = redactor([
		token,
		signature,
		...secretsInHeaders(Object.entries(headers)),
		...proxyCredentials(process.env)
	]);
	const common = headersOf(connection);
	debug?.("network", networkFacts(origin, process.env));
	const http = openHttp(origin, {
		connections,
		timeoutMs,
		cancel,
		redact
	});
	const unwatch = debug && watchConnections((line) => debug("connection", `Connection: ${line}`));
	const plain = async (request) => {
		const headers = [...common, ...request.headers];
		const answer = await http.send({
			...request,
			path: `${prefix}${request.path}`,
			headers
		});
		if (answer.status < 200 || answer.status > 299) throw statusFailure(answer, redact, now());
		return answer;
	};
	const send = debug === void 0 ? plain : told(plain, debug);
	return {
		send,
		stats: async () => cleanObject(await send({
			method: "GET",
			path: statsPath,
			headers: []
		}), redact),
		redact,
		connectAhead: http.connectAhead,
		async close() {
			unwatch?.();
			await http.close();
		}
	};
}
/** What every request carries: token, routing, and the user's own headers; names and values in turn. */
function headersOf(connection) {
	const { headers, token, headerPrefix, sandboxId, port } = connection;
	const routing = routingHeaders(headerPrefix);
	return Object.entries({
		...headers,
		"X-Access-Token": token,
		[routing.id]: sandboxId,
		[routing.port]: String(port),
		Accept: "application/json",
		"User-Agent": USER_AGENT
	}).flat();
}
/** Sends like `send`, and tells of each request when it has ended; a signature in its path is taken out. */
function told(send, debug) {
	return async (request) => {
		const start = performance.now();
		let sent = 0;
		const onSent = (bytes) => {
			sent += bytes;
			request.onSent?.(bytes);
		};
		const line = (status = "no answer") => {
			const path = request.path.replace(/(?<=[?&]signature=)[^&]*/, "***");
			const bytes = request.method === "GET" ? "" : `, ${formatCount(sent, "byte")} sent`;
			return `${request.method} ${path} → ${status} in ${formatDuration(performance.now() - start)}${bytes}`;
		};
		try {
			const answer = await send({
				...request,
				onSent
			});
			debug("request", line(String(answer.status)));
			return answer;
		} catch (error) {
			if (error instanceof AgentError) debug("failed request", `${line(error.status?.toString())}: ${error.kind}. ${error.message}${causesOf(error)}`);
			throw error;
		}
	};
}
const MAX_CAUSES = 5;
/** What lies behind a failure, the nearest first, a line each. */
function causesOf(error) {
	const lines = [];
	for (let at = error.cause; at instanceof Error && lines.length < MAX_CAUSES; at = at.cause) {
		const code = "code" in at ? ` ${String(at.code)}` : "";
		const others = at instanceof AggregateError ? ` ${at.errors.map(String).join("; ")}` : "";
		lines.push(`\n- because of ${at.name}${code}: ${at.message}${others}`);
	}
	return lines.join("");
}
/** The JSON object of an answer, to the letter unless there is a secret in it. @throws AgentError */
function cleanObject(answer, redact) {
	const { text } = answer;
	const clean = fromJson(answer, (json) => changeStrings(json, redact));
	if (!clean.startsWith("{")) throw badAnswer(answer, "It is not a JSON object");
	return clean === fromJson(answer, (json) => changeStrings(json, (part) => part)) && text === redact(text) && !text.includes("\\") ? text.trim() : clean;
}

// src/stats/sample.ts
/**
* Reads the stats so many times, and before several once more, unless they were read before: an agent's CPU figure covers
* the time since it was last asked.
*/
async function takeSamples(read, { count, intervalMs, wasRead }, { sleep, stop, now }) {
	const samples = [];
	const warnings = /* @__PURE__ */ new Set();
	let [stats, error] = [void 0, void 0];
	let isDropped = count > 1 && !wasRead;
	do {
		const outcome = await read();
		if ("error" in outcome) {
			error = outcome.error;
			break;
		}
		if (!isDropped) {
			stats = outcome.value;
			samples.push({
				at: now(),
				figures: stats.figures
			});
			for (const warning of stats.warnings) warnings.add(warning);
		}
		isDropped = false;
	} while (samples.length < count && await sleep(intervalMs, stop));
	return {
		samples,
		stats,
		warnings: [...warnings],
		error
	};
}
/** Asks for the stats until every condition holds in one sample, time runs out, or waiting cannot mend what is wrong. */
async function waitUntil(conditions, read, { intervalMs, timeoutMs, onLook }, { sleep, stop, now }) {
	const start = now();
	let missing = [];
	for (;;) {
		const look = await lookAt(conditions, read);
		const error = look instanceof AgentError ? look : void 0;
		if (!(look instanceof AgentError)) missing = look;
		const wait = {
			held: error === void 0 && missing.length === 0,
			waitedMs: now() - start,
			missing,
			error
		};
		onLook(wait);
		const leftMs = timeoutMs - wait.waitedMs;
		if (!(!wait.held && leftMs > 0 && !stop.aborted && error?.retryable !== false) || !await sleep(Math.min(intervalMs, leftMs), stop)) return wait;
	}
}
/** The conditions that do not hold now, or why that cannot be told. */
async function lookAt(conditions, read) {
	try {
		const { figures } = await read();
		return conditions.map((condition) => judge(condition, [figures])).filter(({ holds }) => holds !== true);
	} catch (error) {
		if (error instanceof AgentError) return error;
		throw error;
	}
}

// src/run/measure.ts
/** Waits for the sandbox, measures and judges it. What fails on the way is in the report. */
async function stats(inputs, surroundings) {
	const { sandboxId, baseUrl } = inputs;
	const { cancel } = surroundings;
	const base = {
		...EMPTY_REPORT,
		task: "stats",
		sandboxId,
		baseUrl,
		gate: gateOf(inputs, [])
	};
	const client = openClient(inputs, {
		connections: 1,
		...surroundings
	});
	try {
		const obstacle = await waitFor(inputs, client, surroundings);
		if (obstacle !== void 0) return {
			...base,
			errors: [obstacle],
			cancelled: cancel.aborted
		};
		return {
			...base,
			...await measure(inputs, client, surroundings),
			cancelled: cancel.aborted
		};
	} finally {
		await client.close();
	}
}
/** Waits until the conditions of `wait-until` hold. What kept it from going on comes back, if anything did. */
async function waitFor(inputs, client, surroundings) {
	const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
	const { sleep, cancel, clock, observer } = surroundings;
	if (conditions === void 0) return void 0;
	observer.waiting(inputs);
	const read = () => reading(inputs, client, surroundings);
	const end = await waitUntil(conditions, read, {
		intervalMs,
		timeoutMs,
		onLook: (wait) => observer.waited(wait)
	}, {
		sleep,
		stop: cancel,
		now: clock
	});
	return end.held ? void 0 : waitError(end);
}
/**
* Reads the stats once, where there are conditions: what can never be judged comes back before anything is sent, and the
* CPU figure that is read after an upload covers the upload.
*/
async function foresee(inputs, client, surroundings) {
	if (!isGated(inputs)) return void 0;
	const look = await lookAt(inputs.failIf, () => reading(inputs, client, surroundings));
	const missing = look instanceof AgentError ? [] : look.filter(({ holds }) => holds === void 0);
	if (missing.length === 0) return void 0;
	const breaches = missing.map((judgement) => ({
		...judgement,
		level: "fail"
	}));
	const error = {
		message: "The gate cannot be judged, so nothing was uploaded.",
		details: missing.map(judgementLine)
	};
	return {
		gate: {
			...gateOf(inputs, []),
			breaches
		},
		errors: [error]
	};
}
/** Reads the stats, which may have been read before, and judges them. Where they cannot be had, the gate failed. */
async function measure(inputs, client, surroundings, wasRead = false) {
	const { samples: count, sampleInterval: intervalMs, retries } = inputs;
	const { sleep, cancel, now, observer } = surroundings;
	const read = () => withRetries(() => reading(inputs, client, surroundings), {
		...surroundings,
		retries,
		stop: cancel,
		onRetry: (retry) => observer.event({
			kind: "retry",
			files: [],
			retry
		})
	});
	const { error, ...taken } = await takeSamples(read, {
		count,
		intervalMs,
		wasRead
	}, {
		sleep,
		stop: cancel,
		now
	});
	const figures = taken.samples.map((sample) => sample.figures);
	const gate = gateOf(inputs, figures, figures.length < count);
	return {
		...taken,
		gate,
		errors: error === void 0 ? [] : [reportedError(error)]
	};
}
const MAX_FIGURES = 30;
async function reading(inputs, client, { debug }) {
	const read = decodeStats(await client.stats(), metricsOf(inputs.failIf, inputs.warnIf, inputs.waitUntil ?? []));
	if (debug !== void 0) debug("reading", `Reading: ${[...read.figures].slice(0, MAX_FIGURES).map(([name, figure]) => `${name} ${formatFigure(name, exactly(figure))}`).join(", ")}`);
	return read;
}

export { openClient as a, waitFor as i, measure as n, badAnswer as o, stats as r, fromJson as s, foresee as t };