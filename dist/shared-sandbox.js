import { F as fieldsOf, T as AgentError, a as badAnswer, o as parseAnswer, p as isHeaderValue, r as openServiceClient, w as withRetries } from "./shared.js";
import { D as formatTime, T as formatDuration } from "./shared-sync-monitor-sandbox.js";

// src/sandbox/api.ts
function openApi(inputs, options) {
	const { apiUrl: baseUrl, apiKey, headers, retries, timeout } = inputs;
	const service = {
		baseUrl,
		headers: {
			...headers,
			"X-API-Key": apiKey
		},
		timeout
	};
	const client = openServiceClient(service, options);
	async function send({ body, isRepeatable, ...request }, decode) {
		const sending = {
			...request,
			...body && jsonBody(body)
		};
		const policy = {
			...options,
			retries,
			...isRepeatable && { isRepeatable }
		};
		const outcome = await withRetries(async () => decode(await client.send(sending)), policy);
		if ("error" in outcome) throw withApiHint(outcome.error);
		return outcome.value;
	}
	const toSandbox = (answer) => decodeSandbox(answer, apiKey);
	const pathOf = (id) => `/sandboxes/${encodeURIComponent(id)}`;
	return {
		/** Creates a sandbox, retrying only after failures that certainly had no effect. */
		create({ template, lifetime, metadata, env }) {
			return send({
				method: "POST",
				path: "/sandboxes",
				body: {
					templateID: template,
					timeout: lifetime,
					secure: true,
					autoPause: false,
					metadata,
					envVars: env
				},
				isRepeatable: hadNoEffect
			}, toSandbox);
		},
		/** Connects to a sandbox and extends its life to at least `lifetime` seconds from now. */
		async connect(id, lifetime) {
			return {
				...await send({
					method: "POST",
					path: `${pathOf(id)}/connect`,
					body: { timeout: lifetime }
				}, toSandbox),
				id
			};
		},
		/** Returns false if the sandbox was already gone. */
		remove(id) {
			return send({
				method: "DELETE",
				path: pathOf(id),
				statuses: [
					200,
					204,
					404
				]
			}, ({ status }) => status !== 404);
		},
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
		body: [bytes]
	};
}
function decodeSandbox(answer, apiKey) {
	const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(parseAnswer(answer));
	if ([
		id,
		token,
		domain
	].some((value) => typeof value === "string" && value.includes(apiKey))) throw badAnswer(answer, "it contains the API key");
	if (typeof id !== "string" || !/^(?=.*\w)[\x21-\x7e]{1,200}$/.test(id)) throw badAnswer(answer, "it names no sandbox");
	const hasToken = typeof token === "string" && token !== "" && isHeaderValue(token);
	const hasDomain = typeof domain === "string" && /^[\w.-]+(:\d+)?$/.test(domain);
	return {
		id,
		token: hasToken ? token : void 0,
		domain: hasDomain ? domain : void 0
	};
}
function hadNoEffect({ kind, status, code }) {
	return kind === "unreachable" || status === 429 || status === 503 || code === CREATE_FAILED;
}
const CREATE_FAILED = "sandbox_create_failed";
/** Returns true if a failed creation may still have made a sandbox. */
function mayHaveCreated({ kind, status, code }) {
	if (code === CREATE_FAILED) return false;
	if (status === void 0) return [
		"connection",
		"cancelled",
		"bad-answer"
	].includes(kind);
	return status === 201 || status === 408 || status >= 500 && status !== 503;
}
const HINTS = {
	unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
	forbidden: "Check what the API key may do, and the limits of your account.",
	rejected: "Check template, lifetime and the limits of your account.",
	busy: "Delete sandboxes that you no longer need, check the limits of your account, or run the job later.",
	server: "Check the service's status, and run the job again.",
	"not-found": "Check template, api-url, and sandbox-id: a sandbox that was deleted or has expired is gone.",
	"sandbox-not-found": "Check sandbox-id: a sandbox that was deleted or has expired is gone.",
	unreachable: "Check api-url, and the proxy settings of this runner (HTTPS_PROXY, NO_PROXY).",
	connection: "The connection to the service is unreliable. Run the job again.",
	"bad-answer": "Check api-url: it is the URL of the service's API, such as https://api.e2b.app, not of its website."
};
function withApiHint(error) {
	const { kind, message, status, code, retryAfterMs, cause } = error;
	const hint = HINTS[kind] ?? error.hint;
	return new AgentError(kind, message, {
		status,
		code,
		retryAfterMs,
		hint,
		cause
	});
}

// src/sandbox/sandbox.ts
/** Creates a sandbox or connects to an existing one. @throws AgentError */
async function provideSandbox(inputs, context, job) {
	const get = inputs.sandboxId === "" ? create : connect;
	for (const [name, value] of Object.entries(inputs.env)) if (/^(["']).*\1$/.test(value)) context.warn(`env: the value of ${name} is sent with its quotation marks.`);
	const answered = await withApi(inputs, context, context.cancel, (api) => get(api, inputs, context, job));
	const domain = domainOf(answered, inputs.apiUrl);
	const sandbox = {
		...answered,
		domain
	};
	const baseUrl = baseUrlOf(domain, inputs.apiUrl);
	job.publish(sandbox, baseUrl);
	if (baseUrl === "") context.warn(UNKNOWN_URL);
	if (sandbox.token === void 0) throw noToken(sandbox);
}
const UNKNOWN_URL = "The service names no domain, so later steps need the inputs sandbox-id, token and base-url.";
/** Deletes a sandbox, or warns if that fails. */
async function deleteSandbox({ id, endsAt }, inputs, context) {
	await withApi(inputs, context, context.lastCall, async (api) => {
		try {
			const wasThere = await api.remove(id);
			context.log(wasThere ? `Deleted sandbox ${id}` : `Sandbox ${id} was already gone`);
		} catch (error) {
			if (!(error instanceof AgentError)) throw error;
			context.warn(`${leftBehind({
				id,
				endsAt
			})} ${error.message} ${error.hint}`);
		}
	});
}
function leftBehind({ id, endsAt }) {
	return `Sandbox ${id} could not be deleted. It ends by itself at ${formatTime(endsAt)}, unless its lifetime was extended.`;
}
/** Returns the service's domain, or derives it from the host name of the API. */
function domainOf({ domain }, apiUrl) {
	return domain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
}
function baseUrlOf(domain, apiUrl) {
	if (apiUrl.startsWith("http:")) return apiUrl;
	return domain === void 0 ? "" : `https://{port}-{sandbox-id}.${domain}`;
}
async function withApi(inputs, context, stop, act) {
	const { lastCall, log } = context;
	const api = openApi(inputs, {
		...context,
		cancel: lastCall,
		stop,
		onRetry: ({ attempt, error, delayMs }) => log(`Attempt ${attempt} failed, next in ${formatDuration(delayMs)}: ${error.message}`)
	});
	try {
		return await act(api);
	} finally {
		await api.close();
	}
}
async function create(api, inputs, { cancel, now, log, warn }, { trace, willDelete }) {
	const { template, lifetime, env } = inputs;
	if (cancel.aborted) throw new AgentError("cancelled", "The job was cancelled.");
	const metadata = {
		...inputs.metadata,
		...trace
	};
	const sandbox = await api.create({
		template,
		lifetime: Math.ceil(lifetime / 1e3),
		metadata,
		env
	}).catch((error) => {
		if (error instanceof AgentError && mayHaveCreated(error)) warn(maybeCreated(trace, now() + lifetime));
		throw error;
	});
	const { id } = sandbox;
	try {
		if (inputs.delete ?? true) willDelete({
			id,
			endsAt: now() + lifetime
		});
	} catch (error) {
		await api.remove(id).catch(() => warn(leftBehind({
			id,
			endsAt: now() + lifetime
		})));
		throw error;
	}
	log(`Created sandbox ${id} from ${template}, for ${formatDuration(lifetime)}`);
	return sandbox;
}
async function connect(api, { sandboxId: id, lifetime, delete: isDeleted = false }, { now, log }, { willDelete }) {
	if (isDeleted) willDelete({
		id,
		endsAt: now() + lifetime
	});
	const sandbox = await api.connect(id, Math.ceil(lifetime / 1e3));
	log(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
	return sandbox;
}
function maybeCreated(trace, endsAt) {
	return `A sandbox may be under way that nobody deletes. Look for one with the metadata ${Object.entries(trace).map(([key, value]) => `${key}=${value}`).join(", ")}. It ends by itself at ${formatTime(endsAt)}.`;
}
function noToken({ id }) {
	return new AgentError("bad-answer", `The service returned no token for sandbox ${id}.`, { hint: "Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another." });
}

export { leftBehind as n, provideSandbox as r, deleteSandbox as t };