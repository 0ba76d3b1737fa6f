import { a as unsent, i as sendFiles, n as reportOn, o as withClient, r as reportPlanned, t as findFiles } from "./shared-sync-upload.js";
import { S as gateOf, i as step, v as parseSync } from "./shared.js";
import { d as waitFor, t as userAgent, u as measure } from "./shared-sync-upload-stats-monitor-post.js";

// src/run/sync.ts
/**
* Finds the files, plans, waits for the sandbox, transfers, measures the sandbox, and judges it. What fails between the
* action and the sandbox is in the report.
* @throws InputError where the files cannot be found or planned; nothing has been sent then.
*/
async function sync(task, surroundings) {
	const plan = await findFiles(task, surroundings);
	const planned = reportOn("sync", plan, task);
	if (task.upload.dryRun) return reportPlanned(planned, plan.files, surroundings);
	const base = {
		...planned,
		gate: gateOf(task.measurement.gate, [])
	};
	return withClient(task.connection, task.upload, surroundings, async (client) => {
		const { cancel } = surroundings;
		const obstacle = await waitFor(task, client.stats, surroundings);
		if (obstacle !== void 0) {
			const files = unsent(plan.files, "not-attempted", "the sandbox was not ready");
			return {
				...base,
				files,
				errors: [obstacle],
				cancelled: cancel.aborted
			};
		}
		const sent = await sendFiles(plan.files, task, client, surroundings);
		if (cancel.aborted || isPointless(sent.files)) return {
			...base,
			...sent,
			cancelled: cancel.aborted
		};
		const measured = await measure(task, client.stats, surroundings);
		const warnings = [...base.warnings, ...measured.warnings];
		return {
			...base,
			...sent,
			...measured,
			warnings,
			cancelled: cancel.aborted
		};
	});
}
/** Whether the stats cannot be had either; those of a full disk can, and they explain it. */
function isPointless(results) {
	return results.some((result) => result.status === "failed" && result.error.final && result.error.kind !== "disk-full");
}

// src/main/sync.ts
await step("sync", (raw, surroundings) => sync(parseSync(raw), {
	...surroundings,
	userAgent
}));

export {  };