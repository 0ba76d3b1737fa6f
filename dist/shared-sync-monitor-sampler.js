import { a as badAnswer, n as openClient, w as withRetries } from "./shared.js";
import { b as judge, g as EMPTY_REPORT, h as judgementLine, m as waitError, p as reportError, v as gateOf, y as isGated } from "./shared-sync-monitor-sandbox.js";

// src/stats/sample.ts
/**
* Takes samples, oldest first, until one fails. CPU figures cover the time since the previous
* request; without one, the first of several samples is dropped.
*/
async function takeSamples(read, { count, intervalMs, hasPrevious, sleep, stop, now }) {
	const dropped = count > 1 && !hasPrevious ? 1 : 0;
	const samples = [];
	do {
		const outcome = await read();
		if ("error" in outcome) return {
			samples: samples.slice(dropped),
			error: outcome.error
		};
		samples.push({
			at: now(),
			...outcome.value
		});
	} while (samples.length < count + dropped && await sleep(intervalMs, stop));
	return { samples: samples.slice(dropped) };
}
/** Samples until all conditions hold, time is up or an error is permanent. */
async function waitUntil(conditions, read, { intervalMs, timeoutMs, sleep, stop, clock, onSample }) {
	const start = clock();
	let unmet = [];
	for (;;) {
		const outcome = await read();
		const error = "error" in outcome ? outcome.error : void 0;
		if ("value" in outcome) unmet = findUnmet(conditions, outcome.value);
		const isReady = error === void 0 && unmet.length === 0;
		const result = {
			isReady,
			waitedMs: clock() - start,
			unmet,
			error
		};
		onSample(result);
		const leftMs = timeoutMs - result.waitedMs;
		if (isReady || leftMs <= 0 || error?.isRetryable === false || !await sleep(Math.min(intervalMs, leftMs), stop)) return result;
	}
}
function findUnmet(conditions, stats) {
	return conditions.map((each) => judge(each, [stats])).filter(({ holds }) => holds !== true);
}

// src/stats/stats.ts
/** @throws AgentError if the request fails or the answer is unusable */
async function readStats(client, statsPath) {
	const answer = await requestStats(client, statsPath);
	const stats = decodeStats(answer.text);
	if (stats === void 0) throw badAnswer(answer, "it is not a JSON object");
	return stats;
}
/** @throws AgentError if the request fails */
function requestStats(client, path) {
	return client.send({
		method: "GET",
		path,
		headers: { "Cache-Control": "no-cache" }
	});
}
/** Returns undefined unless `json` is a JSON object. */
function decodeStats(json) {
	const fields = parseObject(json);
	if (fields === void 0) return void 0;
	const sent = Object.entries(fields).flatMap(([name, value]) => typeof value === "number" && Number.isFinite(value) ? [[name, value]] : []);
	return {
		figures: withDerived(new Map(sent)),
		json: json.trim()
	};
}
function parseObject(json) {
	try {
		const value = JSON.parse(json);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? value : void 0;
	} catch {
		return;
	}
}
const PARTS = {
	mem_total: [
		"mem_total",
		"mem_used",
		"mem_used_pct",
		"mem_free"
	],
	mem_total_mib: ["mem_total_mib", "mem_used_mib"],
	disk_total: [
		"disk_total",
		"disk_used",
		"disk_used_pct",
		"disk_free"
	]
};
function withDerived(sent) {
	const figures = new Map(sent);
	for (const [total, parts] of Object.entries(PARTS)) if (sent.get(total) === 0) for (const part of parts) figures.delete(part);
	for (const name of ["mem_total", "mem_used"]) {
		const bytes = figures.get(name);
		const mebibytes = figures.get(`${name}_mib`);
		if (bytes === void 0 && mebibytes !== void 0) figures.set(name, mebibytes * 2 ** 20);
		if (mebibytes === void 0 && bytes !== void 0) figures.set(`${name}_mib`, Math.floor(bytes / 2 ** 20));
	}
	for (const name of ["mem", "disk"]) {
		const total = figures.get(`${name}_total`);
		const used = figures.get(`${name}_used`);
		if (total === void 0 || used === void 0) continue;
		figures.set(`${name}_used_pct`, Math.round(used / total * 1e4) / 100);
		figures.set(`${name}_free`, total - used);
	}
	return new Map([...figures].filter(([, figure]) => Number.isFinite(figure)));
}

// src/run/measure.ts
/** Waits for the sandbox, samples and judges it; failed requests end up in the report. */
async function stats(inputs, context) {
	const { sandboxId, baseUrl } = inputs;
	const gate = gateOf(inputs, []);
	const report = {
		...EMPTY_REPORT,
		task: "stats",
		sandboxId,
		baseUrl,
		gate
	};
	return withClient(inputs, context, async (client) => {
		const measured = await waitFor(inputs, client, context) ?? await measure(inputs, client, context);
		return {
			...report,
			...measured,
			cancelled: context.cancel.aborted
		};
	});
}
async function withClient(inputs, context, run) {
	const client = openClient(inputs, context);
	try {
		return await run(client);
	} finally {
		await client.close();
	}
}
/** Waits until the `wait-until` conditions hold; returns errors if they never do. */
async function waitFor(inputs, client, context) {
	const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
	const { onEvent, cancel } = context;
	if (conditions === void 0) return void 0;
	onEvent({
		kind: "wait",
		timeoutMs
	});
	const read = () => sample({
		...inputs,
		retries: 0
	}, client, context);
	const result = await waitUntil(conditions, read, {
		...context,
		intervalMs,
		timeoutMs,
		stop: cancel,
		onSample: (wait) => onEvent({
			kind: "waited",
			wait
		})
	});
	return result.isReady ? void 0 : { errors: [waitError(result)] };
}
/**
* Samples once before the upload if there is a gate; returns errors if `fail-if` cannot be judged.
*/
async function checkGateIsJudgeable(inputs, client, context) {
	if (!isGated(inputs)) return void 0;
	const outcome = await sample(inputs, client, context);
	if ("error" in outcome) {
		const { message, details } = statsError(outcome.error);
		return { errors: [{
			message: NOT_JUDGEABLE,
			details: [message, ...details]
		}] };
	}
	const details = findUnmet(inputs.failIf, outcome.value).filter(({ holds }) => holds === void 0).map(judgementLine);
	return details.length === 0 ? void 0 : { errors: [{
		message: NOT_JUDGEABLE,
		details
	}] };
}
const NOT_JUDGEABLE = "The gate cannot be judged, so nothing was uploaded.";
const WITHOUT_STATS = "If the service has no stats, use sandbox-sync/sandbox-sync/upload.";
function statsError(error) {
	const { message, details } = reportError(error);
	return {
		message,
		details: error.kind === "not-found" ? [...details, WITHOUT_STATS] : details
	};
}
/**
* Samples and judges; without stats, the gate fails. Set `hasPrevious` if an earlier request
* started the interval of the first CPU figure.
*/
async function measure(inputs, client, context, hasPrevious = false) {
	const { samples: count, sampleInterval: intervalMs } = inputs;
	const { samples, error } = await takeSamples(() => sample(inputs, client, context), {
		...context,
		count,
		intervalMs,
		hasPrevious,
		stop: context.cancel
	});
	if (error !== void 0) context.onEvent({
		kind: "failed",
		files: [],
		error
	});
	return {
		samples,
		gate: gateOf(inputs, samples, samples.length < count),
		errors: error === void 0 ? [] : [statsError(error)]
	};
}
/** Reads the stats, repeating failed requests. */
async function sample({ statsPath, retries }, client, context) {
	const { cancel, onEvent } = context;
	const outcome = await withRetries(() => readStats(client, statsPath), {
		...context,
		retries,
		stop: cancel,
		onRetry: (retry) => onEvent({
			kind: "retry",
			files: [],
			retry
		})
	});
	if ("value" in outcome) onEvent({
		kind: "debug",
		text: `Stats: ${outcome.value.json}`
	});
	return outcome;
}

export { waitFor as a, requestStats as c, stats as i, measure as n, withClient as o, sample as r, decodeStats as s, checkGateIsJudgeable as t };