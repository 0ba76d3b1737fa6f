import { P as INPUTS, _ as runAction } from "./shared.js";
import { a as upload, i as renderUpload } from "./transfer.js";

// src/main/upload.ts
await runAction({
	task: "upload",
	inputs: INPUTS.upload,
	run: async (inputs, context) => ({ upload: await upload(inputs, context) }),
	sections: (results, cancelled) => ({ upload: renderUpload(results.upload, cancelled) })
});

export {  };