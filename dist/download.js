import { r as renderDownload, t as download } from "./transfer.js";
import { P as INPUTS, _ as runAction } from "./shared.js";

// src/main/download.ts
await runAction({
	task: "download",
	inputs: INPUTS.download,
	run: async (inputs, context) => ({ download: await download(inputs, context) }),
	sections: (results, cancelled) => ({ download: renderDownload(results.download, cancelled) })
});

export {  };