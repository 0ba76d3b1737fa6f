import { setTimeout as setTimeout$1 } from "node:timers/promises";
import { BlockList, isIP } from "node:net";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";

// src/agent/sleep.ts
/** Waits so many milliseconds, unless `stop` aborts first: then it rejects. */
async function sleep(ms, stop) {
	await setTimeout$1(ms, void 0, { signal: stop });
}

// src/text/exact-json.ts
/**
* Parses a JSON text so that `JSON.stringify` writes every number with the digits it had.
* @throws SyntaxError, or RangeError where it is nested too deeply.
*/
function parseKeepingDigits(text) {
	return JSON.parse(text, (_key, value, { source }) => typeof value === "number" && source !== void 0 ? JSON.rawJSON(source) : value);
}
/**
* Writes a JSON text anew, every string and name in it changed, every number with the digits it had.
* @throws SyntaxError, or RangeError where it is nested too deeply.
*/
function changeStrings(text, change) {
	return JSON.stringify(parseKeepingDigits(text), (_key, value) => {
		if (typeof value === "string") return change(value);
		if (typeof value !== "object" || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), item]));
	});
}
/**
* Parses a JSON text; whole numbers come as bigint, exact whatever their size.
* @throws SyntaxError, or RangeError where it is nested too deeply.
*/
function parseExactly(text) {
	return JSON.parse(text, (_key, value, { source }) => typeof value === "number" && source !== void 0 && /^-?\d+$/.test(source) ? BigInt(source) : value);
}
/** JSON text of a value in which bigint stands for whole numbers. */
function stringifyExactly(value) {
	return JSON.stringify(value, (_key, item) => typeof item === "bigint" ? JSON.rawJSON(String(item)) : item);
}

// src/text/redact.ts
/**
* The runner masks secrets in the log alone. What an agent answers also reaches outputs, summary and report, so
* secrets are taken out where the answer comes in.
*/
function redactor(secrets) {
	const forms = secrets.filter((secret) => secret !== "").flatMap(encodings);
	const ordered = [...new Set(forms)].sort((a, b) => b.length - a.length);
	return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, "***"), text);
}
function encodings(secret) {
	const bytes = Buffer.from(secret);
	const escaped = JSON.stringify(secret).slice(1, -1);
	return [
		secret,
		encodeURIComponent(secret.toWellFormed()),
		escaped,
		JSON.stringify(escaped).slice(1, -1),
		bytes.toString("base64"),
		bytes.toString("base64").replace(/=+$/, ""),
		bytes.toString("base64url"),
		bytes.toString("hex")
	];
}

// src/agent/failure.ts
/** The agent, the way to it, or reading the file failed. The message says what happened, the hint what to do. */
var AgentError = class extends Error {
	kind;
	status;
	retryAfterMs;
	constructor(kind, message, details = {}) {
		super(message, { cause: details.cause });
		this.name = "AgentError";
		this.kind = kind;
		this.status = details.status;
		this.retryAfterMs = details.retryAfterMs;
	}
	/** What the user can do about it, as one sentence or two. */
	get hint() {
		return MEANING[this.kind].hint;
	}
	/** Whether the same request may succeed later. */
	get retryable() {
		return MEANING[this.kind].retry;
	}
	/** Whether no other request can succeed either, once this one has had its attempts. */
	get final() {
		return MEANING[this.kind].final;
	}
};
const MEANING = {
	unauthorized: {
		retry: false,
		final: true,
		hint: "Check that token is the access token of this very sandbox, that it has not expired, and that username, if set, exists in it."
	},
	forbidden: {
		retry: false,
		final: true,
		hint: "Check that the token may use this sandbox, and that the sandbox may be resumed."
	},
	"sandbox-not-found": {
		retry: false,
		final: true,
		hint: "Check sandbox-id, and that the sandbox was not killed and has not expired: its lifetime must outlast the job."
	},
	"disk-full": {
		retry: false,
		final: true,
		hint: "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk."
	},
	unreachable: {
		retry: true,
		final: true,
		hint: "Check base-url, that the host can be reached from this runner, and its proxy settings (HTTPS_PROXY, NO_PROXY)."
	},
	tls: {
		retry: false,
		final: true,
		hint: "Check base-url, and that its port speaks TLS. If the host's certificate comes from a private CA, set NODE_EXTRA_CA_CERTS to its file."
	},
	connection: {
		retry: true,
		final: false,
		hint: "The network or the sandbox host fails now and then. Run the job again, or raise retries."
	},
	stalled: {
		retry: true,
		final: false,
		hint: "Run the job again, or raise timeout if the sandbox needs longer to answer."
	},
	busy: {
		retry: true,
		final: false,
		hint: "The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2."
	},
	server: {
		retry: true,
		final: false,
		hint: "Check port, that the agent is up and not overloaded, and the service's status, and run the job again."
	},
	"file-changed": {
		retry: true,
		final: false,
		hint: "Upload after whatever writes the file has ended."
	},
	rejected: {
		retry: false,
		final: false,
		hint: "The agent does not take this request. Check that the target is no directory in the sandbox, header-prefix, and that the service is compatible."
	},
	"not-found": {
		retry: false,
		final: false,
		hint: "Check base-url, upload-path and stats-path: the service has no such operation there."
	},
	"too-large": {
		retry: false,
		final: false,
		hint: "A proxy on the way limits the size of a request. Upload the file in parts."
	},
	redirected: {
		retry: false,
		final: false,
		hint: "Redirects are not followed, so that the token stays where it was sent. Check base-url."
	},
	"bad-answer": {
		retry: false,
		final: false,
		hint: "Check that base-url and the paths lead to the in-sandbox agent."
	},
	"file-unreadable": {
		retry: false,
		final: false,
		hint: "Check that the file is still there and that the runner may read it."
	},
	cancelled: {
		retry: false,
		final: true,
		hint: "The job was cancelled."
	}
};

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

// src/inputs/loopback.ts
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");
/**
* Whether a URL's host name is this very machine, so that nobody is on the way to it. Of names only `localhost` is: what
* ends in `.localhost` is left to the resolver of the system, which may ask the network.
*/
function isLoopback(hostname) {
	const address = hostname.replace(/^\[|\]$/g, "");
	const family = isIP(address);
	if (family === 0) return hostname === "localhost";
	return LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

// src/agent/proxy.ts
/**
* The proxy that the environment names for an origin, NO_PROXY aside. `http` to this very machine has none: it is allowed
* because nobody is on the way, and a proxy would be.
*/
function proxyFor(origin, env) {
	const { protocol, hostname } = new URL(origin);
	if (protocol === "http:" && isLoopback(hostname)) return void 0;
	const plain = firstOf(["http_proxy", "HTTP_PROXY"], env);
	return protocol === "https:" ? firstOf(["https_proxy", "HTTPS_PROXY"], env) ?? plain : plain;
}
/** Whether a proxy can be used: an http or https URL whose credentials can be decoded. */
function isUsable({ value }) {
	const url = URL.parse(value);
	if (url === null || !/^https?:$/.test(url.protocol)) return false;
	try {
		decodeURIComponent(`${url.username}${url.password}`);
		return true;
	} catch {
		return false;
	}
}
/** The first variable that is set decides; set to nothing, it names no proxy. */
function firstOf(names, env) {
	const name = names.find((each) => env[each] !== void 0);
	const value = name === void 0 ? void 0 : env[name];
	return name === void 0 || !value ? void 0 : {
		name,
		value
	};
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

// src/text/visible.ts
/**
* A value as a message shows it: quoted, cut to a length that can be read, control characters escaped. Backslashes stay as
* they are, since most are in paths of Windows.
*/
function quote(value) {
	return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value).replaceAll("\\\\", "\\");
}

// src/inputs/base-url.ts
const EXAMPLE$1 = "https://sandbox.example.com";
const HOST_LABEL = /^[A-Za-z0-9_-]{1,63}$/;
/**
* The shared sandbox host with its path prefix, placeholders filled in, no slash at the end.
* `http` is for loopback addresses, where nobody can read the token on the way, or by explicit consent.
*/
const baseUrl = (value, refuse, all) => {
	if (value === "") return refuse("is required: the sandbox host.", EXAMPLE$1);
	if (value.includes("@")) return refuse("must not hold credentials, nor an @ at all: the token has an input of its own.", EXAMPLE$1);
	const url = parseUrl(value, refuse, all);
	const given = quote(value);
	if (/[?#]/.test(value)) return refuse(`${given} must not have a query or a fragment.`, EXAMPLE$1);
	if (url.protocol === "http:") refuseInsecure(url, given, refuse, all);
	else if (url.protocol !== "https:") return refuse(`${given} is neither an https nor an http URL.`, EXAMPLE$1);
	return url.href.replace(/\/+$/, "");
};
/** An operation's path below the base URL, beginning with a slash. */
function operationPath(fallback) {
	return (value, refuse) => {
		const path = value === "" ? fallback : value;
		const url = URL.parse(path, "http://host");
		if (/^\/[^?#]*$/.test(path) && url?.host === "host" && url.pathname === path) return path;
		return refuse(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
	};
}
function parseUrl(value, refuse, all) {
	const id = all["sandbox-id"]?.trim() ?? "";
	const [authority] = /^[a-z]+:\/\/[^/?#]*/i.exec(value) ?? [""];
	if (authority.includes("{sandbox-id}") && id !== "" && !HOST_LABEL.test(id)) return refuse(`${quote(value)} puts sandbox-id ${quote(id)} into the host name, where it does not fit.`, EXAMPLE$1);
	if (value.includes("{sandbox-id}") && (id === "." || id === "..")) return refuse(`${quote(value)} cannot take sandbox-id ${quote(id)} in its place.`, EXAMPLE$1);
	const filled = value.replaceAll("{sandbox-id}", encodeURIComponent(id === "" ? "id" : id.toWellFormed())).replaceAll("{port}", all["port"]?.trim() || "49983");
	const unknown = /\{[^}]*\}/.exec(filled);
	if (unknown !== null) return refuse(`${quote(value)} has the placeholder ${unknown[0]}; known are {sandbox-id} and {port}.`, EXAMPLE$1);
	return (/^[a-z][a-z\d+.-]*:\/\/[^\\]*$/i.test(filled) ? URL.parse(filled) : null) ?? refuse(`${quote(value)} is not a URL.`, EXAMPLE$1);
}
function refuseInsecure(url, given, refuse, all) {
	if (/^true$/i.test(all["allow-insecure-http"]?.trim() ?? "") || isLoopback(url.hostname)) return;
	refuse(`${given} would send the token in clear. Use https, or set allow-insecure-http: true.`, EXAMPLE$1);
}

// src/inputs/parse.ts
/** The user's input is wrong. Carries every problem found, and its message lists them all, a line each. */
var InputError = class extends Error {
	problems;
	constructor(problems) {
		super(problems.map(describeProblem).join("\n"));
		this.name = "InputError";
		this.problems = problems;
	}
};
/** A problem in one line: the input, what is wrong and what is valid, an example. */
function describeProblem({ input, message, example }) {
	return `${input}: ${message}${example === void 0 ? "" : ` Example: ${example}`}`;
}
/**
* Parses every input of a schema.
* @throws InputError that holds the problems of all of them.
*/
function parseInputs(schema, raw) {
	const problems = [];
	const entries = Object.entries(schema).map(([name, parse]) => {
		try {
			return [name, parse((raw[name] ?? "").trim(), refusal(name), raw)];
		} catch (error) {
			if (!(error instanceof InputError)) throw error;
			problems.push(...error.problems);
			return [name, void 0];
		}
	});
	if (problems.length > 0) throw new InputError(problems);
	return Object.fromEntries(entries);
}
/**
* Parses a value line by line; each line may yield any number of things.
* @throws InputError that holds the problems of all lines.
*/
function parseLines(value, parseLine) {
	const problems = [];
	const parsed = value.split(/\r?\n/).map((line, index) => {
		try {
			return parseLine(line.trim(), index + 1);
		} catch (error) {
			if (!(error instanceof InputError)) throw error;
			problems.push(...error.problems);
			return [];
		}
	});
	if (problems.length > 0) throw new InputError(problems);
	return parsed.flat();
}
function refusal(input) {
	return (message, example) => {
		throw new InputError([{
			input,
			message,
			example: `${input}: ${example}`
		}]);
	};
}

// src/inputs/headers.ts
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const RESERVED = [
	"x-access-token",
	"accept",
	"user-agent",
	"host",
	"content-type",
	"content-length",
	"content-encoding",
	"transfer-encoding",
	"connection",
	"keep-alive",
	"proxy-connection",
	"proxy-authorization",
	"upgrade",
	"expect",
	"te",
	"trailer"
];
/** Whether text can be sent as a header's value, unchanged. */
function isHeaderValue(value) {
	return VALUE.test(value);
}
/** The names of the two headers that route a request to a sandbox and to a port in it. */
function routingHeaders(prefix) {
	return {
		id: `${prefix}-Sandbox-Id`,
		port: `${prefix}-Sandbox-Port`
	};
}
/** The vendor's prefix of the routing headers. */
const headerPrefix = (value, refuse) => {
	const prefix = value === "" ? "Svc" : value;
	return NAME.test(prefix) ? prefix : refuse(`${quote(value)} cannot be part of a header's name.`, "E2b");
};
/** Required text that goes into a header. A refusal does not repeat the value where it is `secret`. */
function headerValue(what, example, secret = false) {
	return (value, refuse) => {
		if (value === "") return refuse(`is required: ${what}.`, example);
		if (isHeaderValue(value)) return value;
		return refuse(`${secret ? "the value given" : quote(value)} cannot be sent in a header: it has a line break or another character outside Latin-1.`, example);
	};
}
/** Extra headers, one `Name: value` a line, empty lines left out. A refusal does not repeat a value: it may be secret. */
const extraHeaders = (value, refuse, all) => {
	const routing = Object.values(routingHeaders(all["header-prefix"]?.trim() || "Svc"));
	const taken = /* @__PURE__ */ new Set([...RESERVED, ...routing.map((name) => name.toLowerCase())]);
	const seen = /* @__PURE__ */ new Set();
	const headers = parseLines(value, (line, number) => {
		if (line === "") return [];
		const fail = (why) => refuse(`line ${number} ${why}.`, "\"X-Metadata-build: 42\"");
		const { name, content } = splitHeader(line) ?? fail("is not of the form Name: value");
		const key = name.toLowerCase();
		if (taken.has(key)) return fail(`sets ${quote(name)}, which the action sets itself`);
		if (seen.has(key)) return fail(`sets ${quote(name)} a second time`);
		seen.add(key);
		return [[name, content]];
	});
	return Object.fromEntries(headers);
};
function splitHeader(line) {
	const colon = line.indexOf(":");
	const name = line.slice(0, Math.max(colon, 0)).trim();
	const content = line.slice(colon + 1).trim();
	return NAME.test(name) && isHeaderValue(content) ? {
		name,
		content
	} : void 0;
}

// src/inputs/values.ts
/** A switch, in the spellings of YAML 1.2. Empty is `fallback`. */
function flag(fallback) {
	return (value, refuse) => {
		if (value === "") return fallback;
		if (/^(true|True|TRUE)$/.test(value)) return true;
		if (/^(false|False|FALSE)$/.test(value)) return false;
		return refuse(`${quote(value)} is neither true nor false.`, String(fallback));
	};
}
/** One of the words given. Empty is the first of them. */
function choice(first, ...others) {
	const words = [first, ...others];
	return (value, refuse) => {
		return (value === "" ? first : words.find((candidate) => candidate === value)) ?? refuse(`${quote(value)} is not one of ${words.join(", ")}.`, first);
	};
}
/** A whole number within `min` and `max`, both included. Empty is `fallback`. */
function wholeNumber(min, max, fallback) {
	return (value, refuse) => {
		const number = value === "" ? fallback : /^\d{1,15}$/.test(value) ? Number(value) : NaN;
		if (number >= min && number <= max) return number;
		return refuse(`${quote(value)} is not a whole number from ${min} to ${max}.`, String(fallback));
	};
}
const MILLISECONDS = {
	ms: 1,
	s: 1e3,
	m: 6e4,
	h: 36e5
};
const LONGEST = 24 * MILLISECONDS.h;
/** A length of time such as `500ms`, `30s`, `5m` or `2h`, in milliseconds, at least `min` and at most a day. */
function duration(min, fallback) {
	return (value, refuse) => {
		const ms = milliseconds(value === "" ? fallback : value);
		if (ms !== void 0 && ms >= min && ms <= LONGEST) return ms;
		return refuse(`${quote(value)} is not a length of time from ${min}ms to 24h: a number and ms, s, m or h.`, fallback);
	};
}
function milliseconds(text) {
	const [, number, unit] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
	if (unit !== "ms" && unit !== "s" && unit !== "m" && unit !== "h") return void 0;
	return Math.round(Number(number) * MILLISECONDS[unit]);
}
/** Text as it is, with a value for empty. */
function text$1(fallback = "") {
	return (value) => value === "" ? fallback : value;
}

// src/inputs/connection.ts
const uploadPath = operationPath("/files");
const retries = wholeNumber(0, 10, 4);
/** The inputs that every task shares. */
const reachSchema = {
	"sandbox-id": headerValue("the sandbox to reach", "i1a2b3c4d5"),
	token: headerValue("the sandbox access token", "${{ steps.sandbox.outputs.token }}", true),
	"base-url": baseUrl,
	"allow-insecure-http": flag(false),
	port: wholeNumber(1, 65535, 49983),
	"header-prefix": headerPrefix,
	"stats-path": operationPath("/metrics"),
	headers: extraHeaders,
	timeout: duration(1, "60s")
};
/** The inputs of the tasks that upload, or must have an answer to each request. */
const connectionSchema = {
	...reachSchema,
	"upload-path": uploadPath,
	retries
};
/** Puts the parsed inputs of `connectionSchema` together; with those of `reachSchema` alone, nothing is tried again. */
function toConnection(inputs, furtherSecrets = []) {
	const routing = routingHeaders(inputs["header-prefix"]);
	return {
		sandboxId: inputs["sandbox-id"],
		port: inputs.port,
		baseUrl: inputs["base-url"],
		uploadPath: inputs["upload-path"] ?? "",
		statsPath: inputs["stats-path"],
		headers: {
			...inputs.headers,
			"X-Access-Token": inputs.token,
			[routing.id]: inputs["sandbox-id"],
			[routing.port]: String(inputs.port)
		},
		secrets: [inputs.token, ...furtherSecrets].filter((secret) => secret !== ""),
		retries: inputs.retries ?? 0,
		timeoutMs: inputs.timeout
	};
}

// src/gate/exact-number.ts
/** Parses a decimal such as `-12`, `0.5` or `1e+21`; undefined for anything else. */
function parseDecimal(text) {
	const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/.exec(text) ?? [];
	if (whole === void 0) return void 0;
	const digits = BigInt(`${sign}${whole}${fraction}`);
	const power = Number(exponent) - fraction.length;
	return power >= 0 ? {
		numerator: digits * 10n ** BigInt(power),
		denominator: 1n
	} : {
		numerator: digits,
		denominator: 10n ** BigInt(-power)
	};
}
function multiply(a, b) {
	return {
		numerator: a.numerator * b.numerator,
		denominator: a.denominator * b.denominator
	};
}

// src/gate/metrics.ts
/** The metrics of the contract: whole numbers (int64), but for the percentage. */
const CONTRACT = {
	ts: "plain",
	cpu_count: "plain",
	cpu_used_pct: "percentage",
	mem_total: "bytes",
	mem_used: "bytes",
	mem_total_mib: "mebibytes",
	mem_used_mib: "mebibytes",
	disk_total: "bytes",
	disk_used: "bytes"
};
/** The metrics that can be known beforehand, those of the contract and those derived from them. */
const METRICS = {
	...CONTRACT,
	mem_used_pct: "percentage",
	mem_free: "bytes",
	disk_used_pct: "percentage",
	disk_free: "bytes"
};
/** What a metric counts; undefined for one that only the agent knows. */
function metricKind(metric) {
	return Object.hasOwn(METRICS, metric) ? METRICS[metric] : void 0;
}
/**
* The known metric that a name is a slip of, if it is one: two letters apart at most, or with other hyphens or case. The
* first letter is the same: `gpu_used_pct` is a metric that some agent may report, and no slip of `cpu_used_pct`.
*/
function nearestMetric(name) {
	const plain = name.toLowerCase().replaceAll("-", "_");
	return nearest(plain, Object.keys(METRICS).filter((metric) => metric[0] === plain[0]), .5);
}
/** The nearest word that is at most two edits away from what was written, and fewer than this part of its letters. */
function nearest(written, words, part = 1) {
	return words.map((word) => ({
		word,
		distance: editDistance(written, word)
	})).sort((a, b) => a.distance - b.distance).find(({ distance, word }) => distance <= 2 && distance < word.length * part)?.word;
}
/** Levenshtein's distance: how many letters to insert, delete or replace. */
function editDistance(a, b) {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (const [i, letter] of a.split("").entries()) {
		const next = [i + 1];
		for (const [j, other] of b.split("").entries()) {
			const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row.at(-1) ?? 0;
}

// src/gate/conditions.ts
const OPERATORS = [
	">",
	">=",
	"<",
	"<=",
	"==",
	"!="
];
const AGGREGATES = [
	"last",
	"min",
	"max",
	"mean"
];
/** Parses one condition, `metric[.aggregate] operator number[unit]`. */
function parseCondition(line, fail) {
	const next = wordsOf(line);
	const metric = readMetric(next(/[A-Za-z_][\w-]*/y), fail);
	const aggregate = readAggregate(next(/\.\w*/y), fail);
	const operator = readOperator(next(/[<>=!~&|]+|[A-Za-z]+/y), fail);
	const number = next(/-?[\d.]+(?:e[+-]?\d+)?/y);
	const value = parseDecimal(number.text) ?? fail(`a number was expected${found(number)}, such as 90 or 1.5`, number.column);
	const unit = next(/\S(?:.*\S)?/y);
	const limit = toMetricUnit(metric, value, unit, fail);
	return {
		text: `${metric}${aggregate === void 0 ? "" : `.${aggregate}`} ${operator} ${number.text}${unit.text}`,
		metric,
		aggregate,
		operator,
		limit
	};
}
/** Reads a line word by word; white space between words is passed over. */
function wordsOf(line) {
	let at = 0;
	return (pattern) => {
		while (/\s/.test(line.charAt(at))) at += 1;
		pattern.lastIndex = at;
		const text = pattern.exec(line)?.[0] ?? "";
		const word = {
			text,
			column: at + 1,
			rest: line.slice(at).trim()
		};
		at += text.length;
		return word;
	};
}
function readMetric(word, fail) {
	const { text, column } = word;
	if (text === "") return fail(`a metric was expected${found(word)}, such as mem_used_pct`, column);
	const meant = metricKind(text) === void 0 ? nearestMetric(text) : void 0;
	return meant === void 0 ? text : fail(`there is no metric ${text}; did you mean ${meant}?`, column);
}
function readAggregate({ text, column }, fail) {
	if (text === "") return void 0;
	const name = text.slice(1);
	return AGGREGATES.find((each) => each === name) ?? fail(unknown("aggregate", name, AGGREGATES), column);
}
const SLIPS = /* @__PURE__ */ new Map([
	["=>", ">="],
	["=<", "<="],
	["!==", "!="],
	["<>", "!="]
]);
function readOperator({ text, column, rest }, fail) {
	const written = text === "" ? rest.slice(0, 2) : text;
	return OPERATORS.find((each) => each === text) ?? fail(unknown("operator", written, OPERATORS, SLIPS.get(written)), column);
}
const MEBIBYTE = 2n ** 20n;
const BYTE_UNITS = {
	B: 1n,
	kB: 10n ** 3n,
	MB: 10n ** 6n,
	GB: 10n ** 9n,
	TB: 10n ** 12n,
	KiB: 2n ** 10n,
	MiB: MEBIBYTE,
	GiB: 2n ** 30n,
	TiB: 2n ** 40n
};
const BYTES = Object.keys(BYTE_UNITS);
const UNITS = ["%", ...BYTES];
/** The units that a metric takes beside none, and what to say of another. */
const FITTING = {
	percentage: {
		units: ["%"],
		advice: "which is in percent: write % or no unit"
	},
	bytes: {
		units: BYTES,
		advice: `which is in bytes: write no unit or one of ${BYTES.join(", ")}`
	},
	mebibytes: {
		units: BYTES,
		advice: `which is in MiB: write no unit or one of ${BYTES.join(", ")}`
	},
	plain: {
		units: [],
		advice: "which is a plain number: write no unit"
	}
};
/** The number in the metric's own unit. A metric that only the agent knows takes any unit, bytes being its own. */
function toMetricUnit(metric, value, unit, fail) {
	const { text, column } = unit;
	if (text === "") return value;
	if (!UNITS.includes(text)) return fail(unknown("unit", text, UNITS), column);
	const kind = metricKind(metric);
	if (kind !== void 0 && !FITTING[kind].units.includes(text)) return fail(`${text} does not fit ${metric}, ${FITTING[kind].advice}`, column);
	const numerator = BYTE_UNITS[text] ?? 1n;
	return multiply(value, {
		numerator,
		denominator: kind === "mebibytes" ? MEBIBYTE : 1n
	});
}
function unknown(what, written, valid, meant) {
	const lower = written.toLowerCase();
	const near = meant ?? (lower === "" ? void 0 : valid.find((each) => each.toLowerCase().startsWith(lower))) ?? nearest(written, valid);
	const advice = near === void 0 ? `valid are ${valid.join(" ")}` : `did you mean ${near}?`;
	return written === "" ? `an ${what} is missing; ${advice}` : `there is no ${what} ${written}; ${advice}`;
}
function found({ rest }) {
	return rest === "" ? "" : `, not ${rest}`;
}

// src/inputs/measurement.ts
/** Conditions, one a line; empty lines and `#` comments are passed over. */
const conditionLines = (value, refuse) => parseLines(value, (line, number) => {
	if (line === "" || line.startsWith("#")) return [];
	return [parseCondition(line, (message, column) => refuse(`line ${number}, ${quote(line)}, at character ${column}: ${message}`, "mem_used_pct > 90"))];
});
/** The inputs of the gate, the same in every task that has one. */
const gateSchema = {
	"fail-if": conditionLines,
	"warn-if": conditionLines
};
/** The inputs of the tasks that read the stats themselves. */
const measurementSchema = {
	...gateSchema,
	"wait-until": conditionLines,
	"wait-timeout": duration(1, "5m"),
	samples: wholeNumber(1, 1e3, 1),
	"sample-interval": duration(200, "1s")
};
/** Puts the parsed inputs of `gateSchema` together. */
function toGate(inputs) {
	return {
		failIf: inputs["fail-if"],
		warnIf: inputs["warn-if"]
	};
}

// src/inputs/files.ts
const EXAMPLE = "dist/**";
/** The lines of `files`: `pattern`, `pattern => target`, `!pattern`, a `#` comment, or empty. */
const fileRules = (value, refuse) => {
	const lines = parseLines(value, (line, number) => {
		if (line === "" || line.startsWith("#")) return [];
		const fail = (why, example) => refuse(`line ${number}, ${quote(line)}, ${why}`, example);
		return [line.startsWith("!") ? { exclude: parseExclude(line, fail) } : parsePattern(line, fail)];
	});
	const patterns = lines.filter((line) => "pattern" in line);
	const excludes = lines.flatMap((line) => "exclude" in line ? [line.exclude] : []);
	if (patterns.length > 0) return {
		patterns,
		excludes
	};
	return refuse("is required: at least one line must say what to upload.", EXAMPLE);
};
/** The directory in the sandbox for the lines that name none. */
const targetDirectory = (value, refuse) => checkTarget(value, refuse, "app/");
function parsePattern(line, fail) {
	const arrow = /^(?<pattern>.*?)(?:^|\s)=>(?:\s+(?<target>.*))?$/s.exec(line);
	if (arrow === null) return { pattern: checkPattern(line, fail) };
	const target = arrow.groups?.["target"]?.trim() ?? "";
	if (target === "") return fail("names no target after =>.", `${EXAMPLE} => app/`);
	if (/\s=>(\s|$)/.test(target)) return fail("has more than one =>.", `${EXAMPLE} => app/`);
	return {
		pattern: checkPattern(arrow.groups?.["pattern"]?.trim() ?? "", fail),
		target: checkTarget(target, fail, `${EXAMPLE} => app/`)
	};
}
function parseExclude(line, fail) {
	if (/\s=>(\s|$)/.test(line)) return fail("excludes files, so it can have no target.", `"!${EXAMPLE}"`);
	return checkPattern(line.slice(1).trim(), fail);
}
function checkPattern(pattern, fail) {
	if (pattern === "" || pattern.startsWith("!")) return fail("has no pattern.", EXAMPLE);
	const inner = pattern.replace(/^(\.{1,2}[\\/])+/, "");
	if (/(^|[\\/])\.{1,2}([\\/]|$)/.test(inner) && !/^\.{1,2}$/.test(inner)) return fail("has a . or .. in its middle. Write the path without it.", EXAMPLE);
	return pattern;
}
function checkTarget(target, fail, example) {
	if (target.includes("\0")) return fail(`has a NUL character in the target ${quote(target)}.`, example);
	if (target.split("/").includes("..")) return fail(`has a .. in the target ${quote(target)}. Write the path without it.`, example);
	if (/^[A-Za-z]:[\\/]/.test(target)) return fail(`has the target ${quote(target)}. Targets are POSIX paths, such as /srv/app.`, example);
	if (/^~(\/|$)/.test(target)) return fail(`has a ~ in the target ${quote(target)}. A relative target is below the user's home already.`, example);
	return target;
}

// src/inputs/shard.ts
const MAX_SHARDS = 256;
/** A share such as `2/4`, the second of four. Empty is undefined: everything. */
const shard = (value, refuse) => {
	if (value === "") return void 0;
	const [, index, count] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
	if (index !== void 0 && count !== void 0 && 1 <= index && index <= count && count <= MAX_SHARDS) return {
		index,
		count
	};
	return refuse(`${quote(value)} is not a share, counted from 1, of at most ${MAX_SHARDS}.`, "2/4");
};

// src/inputs/upload.ts
const expiration = (value, refuse) => /^\d{0,19}$/.test(value) ? value : refuse(`${quote(value)} is not a whole number.`, "1767225600");
const MAX_CONCURRENCY = 100;
const concurrency = (value, refuse) => {
	if (value === "" || value === "auto") return "auto";
	const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
	if (number >= 1 && number <= MAX_CONCURRENCY) return number;
	return refuse(`${quote(value)} is neither auto nor a whole number from 1 to ${MAX_CONCURRENCY}.`, "auto");
};
const sharing = wholeNumber(1, 1e3, 1);
const filesPerRequest = (value, refuse, all) => {
	const count = sharing(value, refuse, all);
	if (count === 1 || !all["signature"]?.trim()) return count;
	return refuse(`${quote(value)} cannot go with a signature, which fits a single target path.`, "1");
};
/** The inputs of the tasks that upload. */
const uploadSchema = {
	files: fileRules,
	target: targetDirectory,
	"working-directory": text$1(),
	username: text$1(),
	signature: text$1(),
	"signature-expiration": expiration,
	"if-no-files-found": choice("error", "warn", "ignore"),
	"include-hidden-files": flag(false),
	"follow-symlinks": flag(true),
	"state-file": text$1(),
	shard,
	concurrency,
	"files-per-request": filesPerRequest,
	"dry-run": flag(false)
};

// src/inputs/tasks.ts
const summary = flag(true);
const uploadTask = {
	...connectionSchema,
	...uploadSchema,
	summary
};
const statsTask = {
	...connectionSchema,
	...measurementSchema,
	summary
};
const syncTask = {
	...uploadTask,
	...statsTask
};
const monitorTask = {
	...reachSchema,
	...gateSchema,
	interval: duration(200, "5s"),
	"max-duration": duration(1e3, "6h"),
	summary
};
/** The names of each task's inputs. */
const INPUT_NAMES = {
	sync: Object.keys(syncTask),
	upload: Object.keys(uploadTask),
	stats: Object.keys(statsTask),
	monitor: Object.keys(monitorTask)
};
function parseMonitor(raw) {
	const inputs = parseInputs(monitorTask, raw);
	return {
		connection: toConnection(inputs),
		gate: toGate(inputs),
		intervalMs: inputs.interval,
		maxDurationMs: inputs["max-duration"]
	};
}

// src/agent/system-error.ts
/** The code of an error of the system, such as `ENOENT`; undefined for any other: bugs have none. */
function systemCode(error) {
	return error instanceof Error && "code" in error ? String(error.code) : void 0;
}

// src/stats/decode.ts
const MAX_INT64 = 2n ** 63n - 1n;
/**
* Reads the figures out of the agent's JSON and derives what follows from them.
* @throws AgentError `bad-answer` where it is not a JSON object.
*/
function decodeStats(json) {
	const body = parse(json);
	if (typeof body !== "object" || body === null || Array.isArray(body)) throw new AgentError("bad-answer", "The stats are not a JSON object.");
	const figures = /* @__PURE__ */ new Map();
	const warnings = [];
	for (const [name, value] of Object.entries(body)) {
		const figure = figureIn(name, value);
		if (figure !== void 0) figures.set(name, figure);
		else if (Object.hasOwn(CONTRACT, name) && value !== null) warnings.push(`The sandbox's ${name} cannot be used: it is not a number of its kind.`);
	}
	return {
		figures: new Map([...figures, ...derive(figures)]),
		json,
		warnings
	};
}
function parse(json) {
	try {
		return parseExactly(json);
	} catch (cause) {
		throw new AgentError("bad-answer", "The stats cannot be parsed.", { cause });
	}
}
/** The number that a field holds, if it is one of its kind. */
function figureIn(name, value) {
	if (typeof value !== "bigint" && !(typeof value === "number" && Number.isFinite(value))) return void 0;
	if (!Object.hasOwn(CONTRACT, name)) return value;
	return metricKind(name) === "percentage" ? toPercentage(Number(value)) : toWhole(value);
}
function toPercentage(number) {
	return Number.isFinite(number) && number >= 0 ? number : void 0;
}
/** A non-negative int64; `4.0` and `4e9` are whole numbers too. */
function toWhole(number) {
	const whole = Number.isSafeInteger(number) ? BigInt(number) : number;
	return typeof whole === "bigint" && whole >= 0n && whole <= MAX_INT64 ? whole : void 0;
}
/** Free and used shares, where both parts are reported and the total is not 0. */
function derive(figures) {
	return ["mem", "disk"].flatMap((name) => {
		const used = figures.get(`${name}_used`);
		const total = figures.get(`${name}_total`);
		if (typeof used !== "bigint" || typeof total !== "bigint" || total === 0n) return [];
		return [[`${name}_used_pct`, percentage(used, total)], [`${name}_free`, total - used]];
	});
}
/** Percent with two decimals, rounded half up, computed without a float until the end. */
function percentage(used, total) {
	return Number((used * 20000n + total) / (total * 2n)) / 100;
}

// src/monitor/record.ts
const MAX_FIGURES = 100;
const MAX_NAME = 100;
const MAX_DIGITS = 40;
/** A recorder that appends to the record in a monitor's directory, a line of JSON for each call. */
function openRecorder(directory) {
	const write = (line) => appendFileSync(recordFile(directory), `${JSON.stringify(line)}\n`, { mode: 384 });
	return {
		sample: (at, stats) => write({
			at,
			stats: bounded(stats)
		}),
		gap: ({ at, what }) => write({
			at,
			gap: what
		}),
		end: ({ at, what }) => {
			write({
				at,
				end: what
			});
			touch(endedFile(directory));
		}
	};
}
/** Whether the monitor was asked to end. */
function isEndRequested(directory) {
	return existsSync(requestFile(directory));
}
function recordFile(directory) {
	return path.join(directory, "record.jsonl");
}
function requestFile(directory) {
	return path.join(directory, "end");
}
function endedFile(directory) {
	return path.join(directory, "ended");
}
function touch(file) {
	writeFileSync(file, "", { mode: 384 });
}
function bounded({ figures }) {
	const kept = [...figures].filter(([name, figure]) => name.length <= MAX_NAME && String(figure).length <= MAX_DIGITS);
	return stringifyExactly(Object.fromEntries(kept.slice(0, MAX_FIGURES)));
}

// src/monitor/end.ts
const LOOK_MS = 200;
/** How long the last reading may take once the monitor is to end, in milliseconds. */
const LAST_READING_MS = 5e3;
/** Watches for what ends a monitor: the post step asks for it, its time is up, or its job is gone. */
function watchForEnd(directory, jobPid, maxDurationMs) {
	const stop = new AbortController();
	const cancel = new AbortController();
	const started = performance.now();
	const look = setInterval(() => {
		const why = reasonToEnd(directory, jobPid, performance.now() - started > maxDurationMs);
		if (why === void 0 || stop.signal.aborted) return;
		stop.abort(why);
		setTimeout(() => cancel.abort(), why === JOB_GONE ? 0 : LAST_READING_MS).unref();
	}, LOOK_MS);
	return {
		stop: stop.signal,
		cancel: cancel.signal,
		close: () => clearInterval(look)
	};
}
/** The reason of a monitor that the post step ended. */
const ASKED = "the job asked for it";
const JOB_GONE = "its job is gone";
function reasonToEnd(directory, jobPid, isTimeUp) {
	if (isEndRequested(directory)) return ASKED;
	if (!existsSync(directory) || !isRunning(jobPid)) return JOB_GONE;
	return isTimeUp ? "its longest duration was over" : void 0;
}
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return systemCode(error) === "EPERM";
	}
}

// src/monitor/handover.ts
/** Reads the handover from this process's standard input. */
async function receiveHandover() {
	const received = JSON.parse(await text(process.stdin));
	if (typeof received !== "object" || received === null) throw new TypeError("no handover came");
	const { inputs, jobPid } = {
		inputs: {},
		jobPid: void 0,
		...received
	};
	if (typeof jobPid !== "number") throw new TypeError("the handover names no process");
	return {
		inputs: Object.fromEntries(Object.entries({ ...inputs }).map(([name, value]) => [name, String(value)])),
		jobPid
	};
}

// src/stats/sample.ts
/** Whether a sleep came to its end. */
function slept(sleep) {
	return sleep.then(() => true, () => false);
}

// src/monitor/watch.ts
const MAX_READINGS = 5e4;
/**
* Takes a sample at once, one after each interval, and a last one when `timing.stop` aborts; 50,000 at most. A reading
* that fails is a gap in the record. Errors that are not the agent's are bugs and pass through.
*/
async function watch(read, recorder, intervalMs, { sleep, stop, now }) {
	let isLast = false;
	for (let readings = 1; !isLast; readings += 1) {
		isLast = stop.aborted || readings >= MAX_READINGS;
		try {
			const stats = await read();
			recorder.sample(now(), stats);
		} catch (error) {
			if (!(error instanceof AgentError)) throw error;
			recorder.gap({
				at: now(),
				what: sayingOf(error)
			});
		}
		if (!isLast) await slept(sleep(intervalMs, stop));
	}
}
/** With what to do about it, where the next reading would not mend it. */
function sayingOf({ kind, message, hint, retryable }) {
	return retryable || kind === "cancelled" ? message : `${message} ${hint}`;
}

// package.json
var version = "1.0.0";

// src/main/user-agent.ts
/** How the action names itself to the agent. */
const userAgent = `sandbox-sync/${version}`;

// src/main/monitor-sampler.ts
const [, , directory = ""] = process.argv;
const { inputs, jobPid } = await receiveHandover();
const { connection, intervalMs, maxDurationMs } = parseMonitor(inputs);
const { stop, cancel, close } = watchForEnd(directory, jobPid, maxDurationMs);
const reader = openStatsReader(connection, {
	userAgent,
	cancel,
	now: Date.now
});
const read = async () => decodeStats(await reader.stats());
const recorder = openRecorder(directory);
await watch(read, recorder, intervalMs, {
	sleep,
	stop,
	now: Date.now
});
recorder.end({
	at: Date.now(),
	what: stop.aborted ? String(stop.reason) : "its record was full"
});
close();
await reader.close();

export {  };