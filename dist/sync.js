import { a as reportOn, c as unsent, d as waitFor, i as findFiles, l as withClient, m as step, o as reportPlanned, r as userAgent, s as sendFiles, u as measure, x as gateOf, y as parseSync } from "./shared.js";

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
		const obstacle = await waitFor(task, client, surroundings);
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
		const measured = await measure(task, client, surroundings);
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