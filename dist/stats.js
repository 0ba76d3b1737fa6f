import { D as EMPTY_REPORT, L as gateOf, M as parseStats, l as step, r as userAgent } from "./shared.js";
import { l as measure, n as openStatsReader, t as exchangeOptions, u as waitFor } from "./shared-sync-upload-stats.js";

// src/run/stats.ts
/** Waits for the sandbox, measures and judges it. What fails on the way is in the report. */
async function stats(task, surroundings) {
	const { sandboxId, baseUrl } = task.connection;
	const gate = gateOf(task.measurement.gate, []);
	const base = {
		...EMPTY_REPORT,
		task: "stats",
		sandboxId,
		baseUrl,
		gate
	};
	const reader = openStatsReader(task.connection, exchangeOptions(surroundings));
	try {
		const { cancel } = surroundings;
		const obstacle = await waitFor(task, reader.stats, surroundings);
		if (obstacle !== void 0) return {
			...base,
			errors: [obstacle],
			cancelled: cancel.aborted
		};
		return {
			...base,
			...await measure(task, reader.stats, surroundings),
			cancelled: cancel.aborted
		};
	} finally {
		await reader.close();
	}
}

// src/main/stats.ts
await step({
	task: "stats",
	userAgent,
	parse: parseStats,
	run: stats
});

export {  };