import { C as redactor, E as AgentError, L as gateOf, T as waitError, a as takeSamples, b as proxyFor, o as waitUntil, s as decodeStats, u as changeStrings, w as reportedError, y as isUsable } from "./shared.js";

// src/agent/retry.ts
const BASE_MS = 500;
const CAP_MS = 3e4;
/**
* Makes a request until it succeeds, fails for good, or has had its attempts; `stop` ends it between attempts.
* Anything thrown that is not an AgentError is a bug and passes through.
*/
async function withRetries(request, policy) {
	for (let attempt = 1;; attempt += 1) try {
		return {
			attempts: attempt,
			value: await request()
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		if (!error.retryable || attempt > policy.retries || policy.stop.aborted) return {
			attempts: attempt,
			error
		};
		const delayMs = backoff(attempt, policy.random, error.retryAfterMs);
		policy.onRetry({
			attempt,
			error,
			delayMs
		});
		if (await policy.sleep(delayMs, policy.stop).then(() => false, () => true)) return {
			attempts: attempt,
			error
		};
	}
}
/**
* Milliseconds before attempt `attempt` + 1: exponential with full jitter, so that clients that failed together do not
* come back together; never sooner than the agent asked for.
*/
function backoff(attempt, random, retryAfterMs = 0) {
	const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
	return Math.max(Math.round(random() * ceiling), retryAfterMs);
}

// src/run/measuring.ts
/** Waits until the task's conditions hold. What kept it from going on comes back, if anything did. */
async function waitFor({ connection, measurement }, readStats, { sleep, cancel, clock, observer }) {
	const { wait, intervalMs } = measurement;
	if (wait.until.length === 0) return void 0;
	observer.waiting(connection, wait.timeoutMs);
	const read = () => reading(readStats, observer);
	const timing = {
		sleep,
		stop: cancel,
		now: clock
	};
	const end = await waitUntil(wait.until, read, {
		intervalMs,
		timeoutMs: wait.timeoutMs
	}, timing);
	return end.held ? void 0 : waitError(end);
}
/** Reads the stats and judges them. Where they cannot be had, no condition can be met, and the gate is shut. */
async function measure({ connection, measurement }, readStats, { sleep, random, cancel, now, observer }) {
	const policy = {
		retries: connection.retries,
		sleep,
		random,
		stop: cancel
	};
	const onRetry = (retry) => observer.event({
		kind: "retry",
		files: [],
		retry
	});
	const read = () => withRetries(() => reading(readStats, observer), {
		...policy,
		onRetry
	});
	const { samples, error } = await takeSamples(read, measurement, {
		sleep,
		stop: cancel,
		now
	});
	const stats = samples.at(-1)?.stats;
	return {
		samples,
		stats,
		gate: gateOf(measurement.gate, samples.map((sample) => sample.stats.figures)),
		errors: error === void 0 ? [] : [reportedError(error)],
		warnings: stats?.warnings ?? []
	};
}
async function reading(readStats, observer) {
	const stats = decodeStats(await readStats());
	observer.fact?.({
		kind: "reading",
		stats
	});
	return stats;
}

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
/** Says what an answer other than 200 to 299 means. `now` is the current time, for a Retry-After that is a date. */
function statusFailure(answer, redact, now) {
	const { tried, status } = answer;
	const said = whatItSaid(answer.text, redact);
	const reason = STATUS_CODES[status] === void 0 ? "" : ` ${STATUS_CODES[status]}`;
	const quoted = said === "" ? "." : `. The agent said: ${JSON.stringify(said)}.`;
	const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
	return new AgentError(kindOf$1(status, said), `${tried} answered ${status}${reason}${quoted}`, {
		status,
		...retryAfterMs === void 0 ? {} : { retryAfterMs }
	});
}
/** The words of an error's body, whether JSON, HTML or text: one line, at most 300 characters, empty if there are none. */
function whatItSaid(text, redact) {
	const line = redact(messageOf$1(text) ?? withoutTags(redact(text).slice(0, MAX_SEARCHED))).slice(0, MAX_SEARCHED).replace(/\s+/g, " ").trim();
	return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID).toWellFormed()}…` : line;
}
/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3), at most a minute. */
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER) : void 0;
}
function kindOf$1(status, said) {
	if ((status === 502 || status === 404) && SANDBOX_NOT_FOUND.test(said)) return "sandbox-not-found";
	if (status >= 300 && status < 400) return "redirected";
	return KINDS[status] ?? (status >= 400 ? "rejected" : "bad-answer");
}
function withoutTags(html) {
	return html.replace(/<(style|script)\b.*?(<\/\1>|$)/gis, " ").replace(/<[^<>]*>/g, " ");
}
function messageOf$1(text) {
	try {
		const body = JSON.parse(text);
		if (typeof body === "string") return body;
		if (typeof body !== "object" || body === null) return text;
		if ("message" in body && typeof body.message === "string") return body.message;
		if ("error" in body && typeof body.error === "string") return body.error;
		return JSON.stringify(body);
	} catch {
		return;
	}
}

// src/agent/watch.ts
/** Sends like `send`, and tells of each request when it ends. */
function watched(send, { ended, clock }) {
	return async (request) => {
		const start = clock();
		let sentBytes = 0;
		const onSent = (bytes) => {
			sentBytes += bytes;
			request.onSent?.(bytes);
		};
		const tell = (outcome) => {
			const path = request.path.replace(/(?<=[?&]signature=)[^&]*/, "***");
			ended({
				method: request.method,
				path,
				...outcome,
				durationMs: clock() - start,
				sentBytes
			});
		};
		try {
			const answer = await send({
				...request,
				onSent
			});
			tell({
				status: answer.status,
				error: void 0
			});
			return answer;
		} catch (error) {
			if (error instanceof AgentError) tell({
				status: error.status,
				error
			});
			throw error;
		}
	};
}

// src/agent/exchange.ts
/** Requests to the sandbox that the connection names, over the given HTTP client. */
function openExchange(connection, http, options) {
	const { userAgent, cancel, now, watch } = options;
	const prefix = new URL(connection.baseUrl).pathname.replace(/\/+$/, "");
	const redact = redactor(connection.secrets);
	const common = {
		...connection.headers,
		Accept: "application/json",
		"User-Agent": userAgent
	};
	const send = async ({ path, headers, ...request }) => {
		const whole = {
			...request,
			path: `${prefix}${path}`,
			headers: {
				...common,
				...headers
			},
			cancel
		};
		const answer = await http.send(whole);
		if (answer.status < 200 || answer.status > 299) throw statusFailure(answer, redact, now());
		return answer;
	};
	return {
		send: watch === void 0 ? send : watched(send, watch),
		redact
	};
}
/** The error of an answer that says success and cannot be taken for it. */
function badAnswer({ tried, status }, why, cause) {
	return new AgentError("bad-answer", `${tried} answered ${status}, but the answer cannot be trusted: ${why}.`, {
		status,
		cause
	});
}

// src/agent/network-failure.ts
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
const TLS = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;
const SAYS = {
	ECONNREFUSED: "the connection was refused",
	ENOTFOUND: "the host name could not be found",
	ECONNRESET: "the connection was reset",
	EPIPE: "the connection was closed while sending",
	UND_ERR_SOCKET: "the connection was closed before the answer was complete",
	UND_ERR_CONNECT_TIMEOUT: "no connection could be made in time",
	UND_ERR_HEADERS_TIMEOUT: "no byte was sent or received for the length of timeout",
	UND_ERR_BODY_TIMEOUT: "the answer stopped half-way for the length of timeout",
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was shorter than it said",
	UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long"
};
/** A request as messages name it: method and URL, no query, which may hold a signature. */
function nameOf({ method, path }, origin) {
	return `${method} ${origin}${path.replace(/\?.*/s, "")}`;
}
/** Says what an error of the HTTP client means. An AgentError that travelled through the client comes back as it is. */
function networkFailure(error, tried) {
	if (error instanceof AgentError) return error;
	if (error.cause instanceof AgentError) return error.cause;
	const code = codeOf(error);
	const kind = kindOf(code, error.message);
	const says = SAYS[code] ?? (kind === "tls" ? "no trusted TLS connection could be made" : "the connection failed");
	return new AgentError(kind, `${tried} failed: ${says}${detail(code, error)}.`, { cause: error });
}
function kindOf(code, message) {
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
function detail(code, error) {
	const message = inWords(error instanceof AggregateError ? error.errors.map(messageOf).join("; ") : error.message);
	const parts = [message.includes(code) ? "" : code, message.trim()].filter((part) => part !== "");
	return parts.length === 0 ? "" : ` (${parts.join(": ")})`;
}
function messageOf(error) {
	return error instanceof Error ? error.message : String(error);
}
/** Of OpenSSL's own errors, `thread:error:number:library:function:reason:file:line:`, the reason. */
function inWords(message) {
	return /^[\dA-F]+:error:[\dA-F]+:(?:[^:]*:){2}([^:]+):/.exec(message)?.[1] ?? message;
}

// src/agent/unusable-proxy.ts
/** A client whose every request fails, since the environment variable names no proxy: none may go another way. */
function unusableProxy(origin, variable) {
	const why = `the environment variable ${variable} holds no URL of an http or https proxy (http://host:port)`;
	return {
		async send(request) {
			throw new AgentError("unreachable", `${nameOf(request, origin)} was not sent: ${why}.`);
		},
		close: () => Promise.resolve()
	};
}

// src/agent/light-http.ts
const MAX_ANSWER_BYTES = 65536;
const UTF8 = new TextDecoder();
/**
* A pool of one connection on Node's own client, for requests without a body; each must be over after `timeoutMs`. It
* takes a third of the memory of the one in http.ts, which is what a process that lives through the whole job has to spare.
*/
function openLightHttp(origin, timeoutMs) {
	const client = process.getBuiltinModule(origin.startsWith("https:") ? "node:https" : "node:http");
	const proxy = proxyFor(origin, process.env);
	if (proxy !== void 0 && !isUsable(proxy)) return unusableProxy(origin, proxy.name);
	const agent = new client.Agent({
		keepAlive: true,
		maxSockets: 1,
		...proxyOptions(proxy?.value, process.env)
	});
	const start = (options, onAnswer) => client.request(origin, {
		...options,
		agent
	}, onAnswer);
	return {
		send: (request) => exchange(start, request, {
			origin,
			deadline: AbortSignal.timeout(timeoutMs)
		}),
		close: async () => agent.destroy()
	};
}
/** Node would read the environment in another way than http.ts does. */
function proxyOptions(value, env) {
	if (value === void 0) return {};
	return { proxyEnv: {
		http_proxy: value,
		https_proxy: value,
		no_proxy: env["no_proxy"] ?? env["NO_PROXY"]
	} };
}
function exchange(start, request, { origin, deadline }) {
	const { method, path, headers, cancel } = request;
	const tried = nameOf(request, origin);
	const failure = (error) => {
		if (cancel.aborted) return new AgentError("cancelled", `${tried} was cancelled.`);
		if (deadline.aborted) return new AgentError("stalled", `${tried} failed: it took longer than timeout.`);
		return networkFailure(error, tried);
	};
	return new Promise((resolve, reject) => {
		const signal = AbortSignal.any([cancel, deadline]);
		const sent = start({
			method,
			path,
			headers,
			signal
		}, (answer) => {
			collect(answer, tried).then(resolve, (error) => reject(failure(error)));
		});
		sent.on("error", (error) => reject(failure(error)));
		sent.on("upgrade", (_answer, socket) => {
			socket.destroy();
			reject(new AgentError("bad-answer", `${tried} answered with another protocol, which was not asked for.`));
		});
		sent.end();
	});
}
async function collect(answer, tried) {
	const { statusCode: status = 0, headers } = answer;
	const chunks = [];
	let size = 0;
	for await (const chunk of answer) {
		const bytes = Buffer.from(chunk);
		size += bytes.length;
		if (size > MAX_ANSWER_BYTES) throw new AgentError("bad-answer", `${tried} answered ${status} with more than 64 KiB.`);
		chunks.push(bytes);
	}
	return {
		tried,
		status,
		text: UTF8.decode(Buffer.concat(chunks)),
		retryAfter: headers["retry-after"],
		sentWhole: true
	};
}

// src/agent/stats-client.ts
/** A client for the stats alone, one reading at a time. It takes a fraction of the time to start that uploads take. */
function openStatsReader(connection, options) {
	const http = openLightHttp(new URL(connection.baseUrl).origin, connection.timeoutMs);
	const exchange = openExchange(connection, http, options);
	return {
		stats: () => readStats(connection, exchange),
		close: () => http.close()
	};
}
/** Reads the stats as the text of a JSON object, secrets taken out. One attempt. */
async function readStats({ statsPath }, { send, redact }) {
	return cleanObject(await send({
		method: "GET",
		path: statsPath,
		headers: {}
	}), redact);
}
function cleanObject(answer, redact) {
	const json = cleanJson(answer, redact);
	if (json.startsWith("{")) return json;
	throw badAnswer(answer, "It is not a JSON object");
}
/** The answer to the letter, unless there is a secret in it. */
function cleanJson(answer, redact) {
	try {
		const clean = changeStrings(answer.text, redact);
		return clean === changeStrings(answer.text, (text) => text) && answer.text === redact(answer.text) ? answer.text.trim() : clean;
	} catch (error) {
		throw badAnswer(answer, "It is not JSON", error);
	}
}

// src/run/exchange-options.ts
/** What a client needs of a run's surroundings. */
function exchangeOptions({ userAgent, cancel, now, clock, observer }) {
	const { fact } = observer;
	return {
		userAgent,
		cancel,
		now,
		watch: fact && {
			opened: (connection) => fact({
				kind: "connection",
				connection
			}),
			ended: (request) => fact({
				kind: "request",
				request
			}),
			clock
		}
	};
}

export { nameOf as a, openExchange as c, withRetries as d, unusableProxy as i, measure as l, openStatsReader as n, networkFailure as o, readStats as r, badAnswer as s, exchangeOptions as t, waitFor as u };