import { a as withClient, i as unsent, n as reportPlanned, o as selectFiles, r as sendFiles, t as reportOn } from "./shared-sync-upload.js";
import { L as gateOf, N as parseSync, l as step, r as userAgent } from "./shared.js";
import { l as measure, u as waitFor } from "./shared-sync-upload-stats.js";

// src/run/sync.ts
/**
* Finds the files, plans, waits for the sandbox, transfers, measures the sandbox, and judges it. What fails between the
* action and the sandbox is in the report.
* @throws InputError where the files cannot be found or planned, or the state cannot be kept; nothing has been sent then.
*/
async function sync(task, surroundings) {
	const selected = await selectFiles(task, surroundings);
	const { selection } = selected;
	const planned = reportOn("sync", selection, task);
	if (task.upload.dryRun) return reportPlanned(planned, selection, surroundings);
	const base = {
		...planned,
		gate: gateOf(task.measurement.gate, [])
	};
	return withClient(task.connection, task.upload, surroundings, async (client) => {
		const { cancel } = surroundings;
		const obstacle = await waitFor(task, client.stats, surroundings);
		if (obstacle !== void 0) {
			const files = unsent(selection, "not-attempted", "the sandbox was not ready");
			return {
				...base,
				files,
				errors: [obstacle],
				cancelled: cancel.aborted
			};
		}
		const sent = await sendFiles(selected, task, client, surroundings);
		const report = {
			...base,
			...sent,
			warnings: [...base.warnings, ...sent.warnings]
		};
		if (cancel.aborted || isPointless(sent.files)) return {
			...report,
			cancelled: cancel.aborted
		};
		const measured = await measure(task, client.stats, surroundings);
		const warnings = [...report.warnings, ...measured.warnings];
		return {
			...report,
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
await step({
	task: "sync",
	userAgent,
	parse: parseSync,
	run: sync
});

export {  };