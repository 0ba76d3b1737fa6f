import { $ as secretsInHeaders, A as reportError, Mt as withRetries, Nt as AgentError, Q as routingHeaders, S as annotate, T as toMessage, X as isHeaderValue, Y as USER_AGENT, _t as formatTime, a as readAnswer, at as STATS_PATH, b as proxyCredentials, c as parseFieldsOf, d as openStep, et as redactor, g as readInputs, h as lastCallSignal, i as parseAnswer, it as DEFAULT_PORT, jt as sleep, kt as judge, l as textsOf, m as environmentWarnings, mt as formatDuration, n as readStats, o as statusFailure, p as cancelSignal, r as badAnswer, s as fieldsOf, u as systemCode, w as logLine, x as usableProxy, xt as truncate, y as proxyAddress } from "./shared.js";
import { d as saveState, f as setFailed, m as setSecret, p as setOutput, s as getState } from "./vendor.js";
import { t as require_undici } from "./undici-sync-upload-stats-sandbox.js";
import { setImmediate } from "node:timers/promises";
import { hash, randomUUID } from "node:crypto";

// src/agent/network-failure.ts
var import_undici = require_undici();
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT|HEADERS)_TIMEOUT)$/;
const TLS = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;
const NOT_HTTP = /^(HPE_|HTTPParserError$)/;
const UNRELIABLE = "The connection to the sandbox is unreliable. If the port speaks TLS, base-url needs https; else run the job again, or raise retries.";
const MEANINGS = {
	ECONNREFUSED: "the connection was refused",
	ENOTFOUND: "the host name could not be found",
	ECONNRESET: "the connection was reset",
	EPIPE: "the connection was closed while sending",
	UND_ERR_SOCKET: "the connection was closed before the answer was complete",
	UND_ERR_CONNECT_TIMEOUT: "no connection could be made in time",
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was shorter than announced",
	UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too long"
};
const MAX_DETAIL = 300;
/** Turns an error of undici into an AgentError. Returns bugs and AgentErrors unchanged. */
function networkFailure(error, request) {
	if (error instanceof AgentError || !(error instanceof Error)) return error;
	const code = codeOf(error);
	if (code === void 0 || isMisuse(error, code)) return error;
	const { label, redact } = request;
	const { kind, what, hint } = failureAtProxy(error, code, request) ?? failureOnTheWay(code, request.url);
	const message = `${label} failed: ${what}${detail(code, error, redact)}.`;
	return new AgentError(kind, message, {
		cause: error,
		hint
	});
}
function failureAtProxy(error, code, { url, proxy }) {
	if (proxy === void 0) return void 0;
	const status = /^Proxy .*\((\d{3})\)/.exec(error.message)?.[1];
	const name = `the proxy in ${proxy.name}, ${proxyAddress(proxy)},`;
	if (status === "407") return {
		kind: "proxy-refused",
		what: `${name} asks for credentials`
	};
	if (status === "403") return {
		kind: "proxy-forbids",
		what: `${name} does not allow ${new URL(url).host}`
	};
	if (status !== void 0) return {
		kind: "unreachable",
		what: `${name} could not connect`
	};
	if (code === "ECONNREFUSED") return {
		kind: "unreachable",
		what: `${name} refused the connection`
	};
	return UNREACHABLE.test(code) || error.message.startsWith("Proxy ") ? {
		kind: "unreachable",
		what: `${name} could not be reached`
	} : void 0;
}
function failureOnTheWay(code, url) {
	const what = MEANINGS[code] ?? "the connection failed";
	if (UNREACHABLE.test(code)) return {
		kind: "unreachable",
		what
	};
	if (TLS.test(code)) return {
		kind: "tls",
		what: "no trusted TLS connection could be made"
	};
	if (code === "UND_ERR_HEADERS_OVERFLOW") return {
		kind: "bad-answer",
		what
	};
	if (NOT_HTTP.test(code) && url.startsWith("http:")) return {
		kind: "not-http",
		what: "the answer was not HTTP",
		hint: "Check base-url: the port does not speak HTTP. If it speaks TLS, base-url needs https."
	};
	return url.startsWith("http:") ? {
		kind: "connection",
		what,
		hint: UNRELIABLE
	} : {
		kind: "connection",
		what
	};
}
/** True for a bug of ours; undici's error for a 407 to plain http has the same code. */
function isMisuse(error, code) {
	return code === "UND_ERR_INVALID_ARG" && !error.message.startsWith("Proxy Authentication");
}
function codeOf(error) {
	return systemCode(error) ?? (error.name === "HTTPParserError" ? error.name : void 0) ?? (error.cause instanceof Error ? codeOf(error.cause) : void 0);
}
function detail(code, error, redact) {
	const message = redact(withoutOpenSslPrefix((error instanceof AggregateError ? error.errors : [error]).map((each) => each instanceof Error ? each.message : String(each)).join("; ")));
	const shown = truncate(message, MAX_DETAIL).trim();
	const parts = [message.includes(code) ? "" : code, shown].filter((part) => part !== "");
	return parts.length === 0 ? "" : ` (${parts.join(": ")})`;
}
/** The reason in `thread:error:number:library:function:reason:file:line:`. */
function withoutOpenSslPrefix(message) {
	return /^[\dA-F]+:error:[\dA-F]+:(?:[^:]*:){2}([^:]+):/.exec(message)?.[1] ?? message;
}

// src/agent/client.ts
/** Opens a client of a sandbox's agent. @throws InputError for an unusable proxy variable */
function openClient(connection, options) {
	const { baseUrl, token, signature = "", timeout } = connection;
	return openServiceClient({
		baseUrl,
		headers: agentHeaders(connection),
		secrets: [token, signature],
		timeout
	}, options);
}
/** Opens a client of any service. @throws InputError for an unusable proxy variable */
function openServiceClient({ baseUrl, headers, secrets, timeout: timeoutMs }, { cancel, now }) {
	const redact = redactorOf(headers, secrets);
	const proxy = usableProxy(baseUrl, process.env);
	const connections = openConnections(proxy, timeoutMs);
	const common = {
		...headers,
		Accept: "application/json",
		"User-Agent": USER_AGENT
	};
	return {
		redact,
		async send(request) {
			const url = `${baseUrl}${request.path}`;
			const label = `${request.method} ${url.replace(/\?.*/s, "")}`;
			const all = {
				...common,
				...request.headers
			};
			const dispatcher = connections.current();
			try {
				const answer = await exchange({
					...request,
					url,
					label,
					headers: all,
					dispatcher,
					cancel,
					timeoutMs
				});
				const { statuses = [200, 201] } = request;
				if (statuses.includes(answer.status)) return answer;
				throw statusFailure(answer, redact, now());
			} catch (error) {
				throw networkFailure(error, {
					label,
					url,
					proxy,
					redact
				});
			}
		},
		reconnect: () => connections.renew(),
		close: () => connections.close()
	};
}
/** Redacts secrets, secret headers and the credentials of the proxy variables. */
function redactorOf(headers, secrets) {
	const inHeaders = secretsInHeaders(Object.entries(headers));
	return redactor([
		...secrets,
		...inHeaders,
		...proxyCredentials(process.env)
	]);
}
function agentHeaders(connection) {
	const { headers, token, headerPrefix, sandboxId, port } = connection;
	const routing = routingHeaders(headerPrefix);
	return {
		...headers,
		"X-Access-Token": token,
		[routing.id]: sandboxId,
		[routing.port]: String(port)
	};
}
/** Keep-alive connections. `renew` opens new ones; requests in flight finish on the old. */
function openConnections(proxy, timeoutMs) {
	const closing = new AbortController();
	const open = () => openDispatcher(proxy, timeoutMs, closing.signal);
	let current = open();
	const opened = /* @__PURE__ */ new Set([current]);
	return {
		current: () => current,
		renew() {
			const old = current;
			const forget = () => opened.delete(old);
			old.close().then(forget, forget);
			current = open();
			opened.add(current);
		},
		async close() {
			const destroyed = [...opened].map((dispatcher) => dispatcher.destroy());
			closing.abort();
			await Promise.all(destroyed);
		}
	};
}
function openDispatcher(proxy, timeoutMs, signal) {
	const timeout = Math.max(timeoutMs * .9 - 500, 1);
	const allowH2 = false;
	const options = {
		timeout,
		allowH2,
		highWaterMark: 1
	};
	const connect = connectorUntil(signal, options);
	if (proxy === void 0) return new import_undici.Agent({
		connect,
		allowH2
	});
	if (proxy.value.startsWith("socks")) return new import_undici.Socks5ProxyAgent(proxy.value, {
		connect,
		connectTimeout: timeout,
		requestTls: options
	});
	return new import_undici.ProxyAgent({
		uri: proxy.value,
		allowH2,
		proxyTls: {
			...options,
			signal
		},
		requestTls: options,
		clientFactory: (origin) => new import_undici.Pool(origin, {
			connect,
			allowH2,
			headersTimeout: timeout
		})
	});
}
/** Makes connections, which end when the signal aborts. */
function connectorUntil(signal, options) {
	return (target, callback) => {
		const own = new AbortController();
		const end = () => own.abort();
		const forget = () => signal.removeEventListener("abort", end);
		signal.addEventListener("abort", end);
		(0, import_undici.buildConnector)({
			...options,
			signal: own.signal
		})(target, (...[error, socket]) => {
			if (error === null) callback(null, socket.once("close", forget));
			else {
				forget();
				callback(error, null);
			}
		});
	};
}
/**
* Each chunk that the network takes restarts the clock; once all is sent, the whole answer must
* arrive within the timeout. That bounds silence, dripped bytes and endless 1xx responses alike.
*/
async function exchange(options) {
	const { label, cancel, timeoutMs } = options;
	const { signal, ended, end } = openEnding();
	const clock = startClock(timeoutMs, () => end(stalled(label, body?.isSent() ?? true)));
	const body = options.body && watchBody(options.body, clock, options.onSent);
	const onCancel = () => end(new AgentError("cancelled", `${label} was cancelled.`));
	cancel.addEventListener("abort", onCancel);
	if (cancel.aborted) onCancel();
	try {
		const complete = await Promise.race([receive(options, body, signal), ended]);
		await setImmediate();
		return complete;
	} catch (error) {
		throw body?.thrown() ?? error;
	} finally {
		clock.stop();
		cancel.removeEventListener("abort", onCancel);
	}
}
/** Sends the request and waits for its whole answer, however long that takes. */
async function receive({ label, url, dispatcher, method, headers }, body, signal) {
	const response = await (0, import_undici.request)(url, {
		dispatcher,
		method,
		headers,
		body: body?.chunks() ?? null,
		signal,
		headersTimeout: 0,
		bodyTimeout: 0,
		highWaterMark: 1
	});
	if (body?.isSent() === false) await setImmediate();
	const isEarly = body?.isSent() === false;
	return readAnswer(response, {
		label,
		isEarly
	});
}
/** Passes chunks on. When the next one is asked for, the network has taken the one before. */
function watchBody(body, clock, onSent) {
	let isSent = false;
	let thrown;
	async function* chunks() {
		try {
			for await (const chunk of body) {
				yield chunk;
				clock.restart();
				onSent?.(chunk.length);
			}
			isSent = true;
		} catch (error) {
			thrown = error;
			throw error;
		}
	}
	return {
		chunks,
		isSent: () => isSent,
		thrown: () => thrown
	};
}
function startClock(timeoutMs, onTimeout) {
	let isOver = false;
	const timer = setTimeout(() => {
		isOver = true;
		onTimeout();
	}, timeoutMs);
	return {
		restart() {
			if (!isOver) timer.refresh();
		},
		stop() {
			isOver = true;
			clearTimeout(timer);
		}
	};
}
/** Ends a request early: a signal for undici, a promise for whoever waits. */
function openEnding() {
	const controller = new AbortController();
	const { promise: ended, reject } = Promise.withResolvers();
	const end = (error) => {
		controller.abort(error);
		reject(error);
	};
	return {
		signal: controller.signal,
		ended,
		end
	};
}
function stalled(label, isSent) {
	return new AgentError("stalled", `${label} failed: ${isSent ? "the response did not finish within timeout" : "nothing more could be sent for longer than timeout"}.`);
}

// src/stats/sample.ts
/**
* Takes samples. The CPU figure covers the time since the last one, so without a `previous` sample,
* several start with one that does not count.
*/
async function takeSamples(read, { count, intervalMs, previous }, { sleep, stop, now }) {
	const samples = [];
	const warnings = /* @__PURE__ */ new Set();
	let before = previous;
	let stats;
	let error;
	do {
		const outcome = await read();
		if ("error" in outcome) {
			error = outcome.error;
			break;
		}
		const sample = {
			at: now(),
			figures: outcome.value.figures
		};
		if (count > 1 && before === void 0) {
			before = sample;
			continue;
		}
		samples.push(sample);
		stats = outcome.value;
		for (const warning of stats.warnings) warnings.add(warning);
	} while (samples.length < count && await sleep(intervalMs, stop));
	return {
		samples,
		stats,
		warnings: [...warnings],
		previous: before,
		error
	};
}
/** Takes samples until all conditions hold in one, time is up, or waiting cannot mend an error. */
async function waitUntil(conditions, read, { intervalMs, timeoutMs, onSample, mayMend = ({ isRetryable }) => isRetryable }, { sleep, stop, clock }) {
	const start = clock();
	let unmet = [];
	for (;;) {
		const sampled = await tryToSample(read);
		const error = sampled instanceof AgentError ? sampled : void 0;
		if (!(sampled instanceof AgentError)) unmet = findUnmet(conditions, sampled.figures);
		const held = error === void 0 && unmet.length === 0;
		const wait = {
			held,
			waitedMs: clock() - start,
			unmet,
			error
		};
		onSample(wait);
		const leftMs = timeoutMs - wait.waitedMs;
		if (held || leftMs <= 0 || stop.aborted || error && !mayMend(error) || !await sleep(Math.min(intervalMs, leftMs), stop)) return wait;
	}
}
/** The stats, or why there are none. Bugs pass through. */
async function tryToSample(read) {
	try {
		return await read();
	} catch (error) {
		if (error instanceof AgentError) return error;
		throw error;
	}
}
/** The conditions that do not hold, or cannot be judged. */
function findUnmet(conditions, figures) {
	return conditions.map((condition) => judge(condition, [figures])).filter(({ holds }) => holds !== true);
}

// src/github/plain-step.ts
/** Runs a step without a report: it logs what it does, and fails with what went wrong. */
async function plainStep(entry, run, { given, onFailure = (lines) => setFailed(toMessage(lines)) } = {}) {
	const { raw, redact, parse } = openStep(entry, given);
	const context = {
		cancel: cancelSignal(),
		lastCall: lastCallSignal(),
		now: Date.now,
		sleep,
		random: Math.random,
		log: logLine,
		warn: (line) => annotate.warning([line])
	};
	for (const warning of environmentWarnings()) context.warn(warning);
	try {
		await run(parse(), context, raw);
	} catch (error) {
		const { message, details } = reportError(error);
		onFailure([message, ...details].map(redact));
	}
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
/** Tells the post step of a sandbox, but not the API key: only a digest to recognize it by. */
function keepSandbox(id, endsAt, raw) {
	const inputs = Object.fromEntries(KEPT_INPUTS.map((name) => [name, raw[name] ?? ""]));
	saveState(STATE, {
		...inputs,
		id,
		endsAt,
		key: keyDigest(raw)
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
		hasKey: keyDigest(inputs) === key
	};
}
function keyDigest(raw) {
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
/** Whether a request that failed may have worked all the same. */
function mayHaveWorked({ kind, status }) {
	if (status === void 0) return LOST.includes(kind);
	return status === 201 || status === 408 || status >= 500 && status !== 503;
}

// src/sandbox/api.ts
/** Opens the API. @throws InputError for an unusable proxy variable */
function openApi({ apiUrl, apiKey, headers, retries, timeout }, { secrets = [], stop }, { lastCall, now, sleep, random, log }) {
	const service = {
		baseUrl: apiUrl,
		headers: {
			...headers,
			"X-API-Key": apiKey
		},
		secrets: [apiKey, ...secrets],
		timeout
	};
	const client = openServiceClient(service, {
		cancel: lastCall,
		now
	});
	const onRetry = ({ attempt, error, delayMs }) => log(`Attempt ${attempt} failed, next in ${formatDuration(delayMs)}: ${error.message}`);
	const policy = {
		retries,
		sleep,
		random,
		stop,
		onRetry
	};
	async function send({ body, isRepeatable = () => true, ...request }, decode) {
		const sending = {
			...request,
			...body && jsonBody(body)
		};
		try {
			const outcome = await withRetries(() => client.send(sending), {
				...policy,
				isRepeatable
			});
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
	const headers = {
		"Content-Type": "application/json",
		"Content-Length": String(bytes.length)
	};
	async function* iterate() {
		yield bytes;
	}
	return {
		headers,
		body: { [Symbol.asyncIterator]: iterate }
	};
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
	const host = domain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
	if (host === void 0 || !/^[\w-]{1,57}$/.test(id)) return void 0;
	return URL.parse(`https://${DEFAULT_PORT}-${id}.${host}`)?.origin;
}
const PATIENCE = {
	timeoutMs: 6e4,
	intervalMs: 1e3,
	mayMend,
	onSample: () => {}
};
const ATTEMPT_MS = 1e4;
/** Waits up to a minute for a sandbox's agent to answer. @throws AgentError if it does not */
async function waitForAgent({ id, token, url }, { cancel, now, sleep }) {
	const client = openClient({
		sandboxId: id,
		token,
		baseUrl: url,
		port: DEFAULT_PORT,
		headerPrefix: "E2b",
		headers: {},
		timeout: ATTEMPT_MS
	}, {
		cancel,
		now
	});
	const read = () => readStats(client, STATS_PATH, /* @__PURE__ */ new Set());
	try {
		const { error } = await waitUntil([], read, PATIENCE, {
			sleep,
			stop: cancel,
			clock: () => performance.now()
		});
		if (error !== void 0 && !hasAnswered(error)) throw notReady(error);
	} finally {
		await client.close();
	}
}
/** A sandbox that was just created may not be known everywhere yet. */
function mayMend({ kind, isRetryable }) {
	return isRetryable || kind === "sandbox-not-found";
}
/** Whether an error is the answer of an agent that is up; the step that needs more says so. */
function hasAnswered(error) {
	return error.status !== void 0 && !mayMend(error);
}
function notReady({ kind, message, status, cause }) {
	return new AgentError(kind, `The agent does not answer: ${message}`, {
		status,
		hint: "Run the job again. If the sandbox's agent is reached at another address, set wait: false.",
		cause
	});
}

// src/sandbox/sandbox.ts
/** Creates a sandbox, or connects to one, for a job. @throws AgentError */
async function getSandbox(inputs, context, job) {
	const { apiUrl, wait } = inputs;
	const { cancel, log } = context;
	const secrets = secretsInHeaders(Object.entries(inputs.env));
	const api = openApi(inputs, {
		secrets,
		stop: cancel
	}, context);
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
	const api = openApi(inputs, { stop: context.lastCall }, context);
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
	if (inputs.delete ?? true) try {
		willDelete(sandbox.id, now() + lifetime);
	} catch (error) {
		await api.remove(sandbox.id);
		throw error;
	}
	log(`Created sandbox ${sandbox.id} from ${template}, for ${formatDuration(lifetime)}`);
	return sandbox;
}
async function connect(api, inputs, { now, log }, { willDelete }) {
	const { sandboxId, lifetime } = inputs;
	if (inputs.delete ?? false) willDelete(sandboxId, now() + lifetime);
	const sandbox = await api.connect(sandboxId, Math.ceil(lifetime / 1e3));
	log(`Connected to sandbox ${sandboxId}, for at least ${formatDuration(lifetime)}`);
	return sandbox;
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

export { keptSandbox as a, plainStep as c, tryToSample as d, waitUntil as f, keepSandbox as i, findUnmet as l, redactorOf as m, getSandbox as n, publishSandbox as o, openClient as p, leftBehind as r, traceOfStep as s, deleteSandbox as t, takeSamples as u };