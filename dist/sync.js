import { P as INPUTS, _ as runAction, g as renderStats } from "./shared.js";
import { i as renderUpload, n as sync } from "./transfer.js";

// src/main/sync.ts
await runAction({
	task: "sync",
	inputs: INPUTS.sync,
	run: sync,
	sections: ({ upload, stats }, cancelled) => ({
		upload: renderUpload(upload, cancelled),
		stats: renderStats(stats, cancelled)
	})
});

export {  };