import { E as saveCleanup, I as rawValue, M as openSandbox, P as INPUTS, _ as runAction, w as publishSandbox, x as jobMetadata } from "./shared.js";

// src/main/sandbox.ts
await runAction({
	task: "sandbox",
	inputs: INPUTS.sandbox,
	async run(inputs, context, raw) {
		const metadata = {
			...inputs.metadata,
			...jobMetadata()
		};
		const baseUrl = rawValue(raw, "base-url");
		const opened = await openSandbox({
			...inputs,
			metadata,
			baseUrl
		}, context, (cleanup) => saveCleanup(cleanup, raw));
		publishSandbox(opened);
	}
});

export {  };