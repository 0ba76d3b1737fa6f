import { t as require_undici } from "./undici-sync-upload-stats-sandbox.js";
import { $ as USER_AGENT, Ct as truncate, Pt as AgentError, a as readAnswer, b as proxyCredentials, it as redactor, nt as routingHeaders, o as statusFailure, rt as secretsInHeaders, u as systemCode, x as usableProxy, y as proxyAddress } from "./shared.js";
import { setImmediate } from "node:timers/promises";

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
/** What ends a request early: a signal for undici, and a promise for whoever waits. */
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

export { openServiceClient as n, redactorOf as r, openClient as t };