import { d as waitFor, g as EMPTY_REPORT, l as withClient, m as step, r as userAgent, u as measure, v as parseStats, x as gateOf } from "./shared.js";

// src/run/stats.ts
const ALONE = {
	concurrency: 1,
	query: {}
};
/** Waits for the sandbox, measures and judges it. What fails on the way is in the report. */
async function stats(task, surroundings) {
	const { sandboxId, baseUrl } = task.connection;
	const base = {
		...EMPTY_REPORT,
		task: "stats",
		sandboxId,
		baseUrl,
		gate: gateOf(task.measurement.gate, [])
	};
	return withClient(task.connection, ALONE, surroundings, async (client) => {
		const obstacle = await waitFor(task, client, surroundings);
		const { cancel } = surroundings;
		if (obstacle !== void 0) return {
			...base,
			errors: [obstacle],
			cancelled: cancel.aborted
		};
		return {
			...base,
			...await measure(task, client, surroundings),
			cancelled: cancel.aborted
		};
	});
}

// src/main/stats.ts
await step("stats", (raw, surroundings) => stats(parseStats(raw), {
	...surroundings,
	userAgent
}));

export {  };