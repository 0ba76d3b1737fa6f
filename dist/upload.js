import { a as withClient, n as reportPlanned, o as selectFiles, r as sendFiles, t as reportOn } from "./shared-sync-upload.js";
import { P as parseUpload, l as step, r as userAgent } from "./shared.js";

// src/run/upload.ts
/**
* Finds the files, plans, and transfers.
* @throws InputError where the files cannot be found or planned, or the state cannot be kept; nothing has been sent then.
*/
async function upload(task, surroundings) {
	const selected = await selectFiles(task, surroundings);
	const base = reportOn("upload", selected.selection, task);
	if (task.upload.dryRun) return reportPlanned(base, selected.selection, surroundings);
	return withClient(task.connection, task.upload, surroundings, async (client) => {
		const sent = await sendFiles(selected, task, client, surroundings);
		const warnings = [...base.warnings, ...sent.warnings];
		return {
			...base,
			...sent,
			warnings,
			cancelled: surroundings.cancel.aborted
		};
	});
}

// src/main/upload.ts
await step({
	task: "upload",
	userAgent,
	parse: parseUpload,
	run: upload
});

export {  };