import { i as sendFiles, n as reportOn, o as withClient, r as reportPlanned, t as findFiles } from "./shared-sync-upload.js";
import { i as step, y as parseUpload } from "./shared.js";
import { t as userAgent } from "./shared-sync-upload-stats-monitor-post.js";

// src/run/upload.ts
/**
* Finds the files, plans, and transfers.
* @throws InputError where the files cannot be found or planned; nothing has been sent then.
*/
async function upload(task, surroundings) {
	const plan = await findFiles(task, surroundings);
	const base = reportOn("upload", plan, task);
	if (task.upload.dryRun) return reportPlanned(base, plan.files, surroundings);
	return withClient(task.connection, task.upload, surroundings, async (client) => {
		const sent = await sendFiles(plan.files, task, client, surroundings);
		return {
			...base,
			...sent,
			cancelled: surroundings.cancel.aborted
		};
	});
}

// src/main/upload.ts
await step("upload", (raw, surroundings) => upload(parseUpload(raw), {
	...surroundings,
	userAgent
}));

export {  };