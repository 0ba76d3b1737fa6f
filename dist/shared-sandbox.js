import { A as reportError, Mt as sleep, Nt as withRetries, Pt as AgentError, S as annotate, T as toMessage, V as waitUntil, c as parseFieldsOf, d as openStep, et as isHeaderValue, g as readInputs, gt as formatDuration, h as lastCallSignal, i as parseAnswer, l as textsOf, m as environmentWarnings, n as readStats, p as cancelSignal, r as badAnswer, rt as secretsInHeaders, s as fieldsOf, w as logLine, yt as formatTime } from "./shared.js";
import { d as saveState, f as setFailed, m as setSecret, p as setOutput, s as getState } from "./vendor.js";
import { n as openServiceClient, t as openClient } from "./shared-sync-upload-stats-sandbox.js";
import { hash, randomUUID } from "node:crypto";

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
/** Whether a request that failed may have worked all the same. */
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
	const read = () => readStats(client, "/metrics", /* @__PURE__ */ new Set());
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

export { keptSandbox as a, plainStep as c, keepSandbox as i, getSandbox as n, publishSandbox as o, leftBehind as r, traceOfStep as s, deleteSandbox as t };