import { A as openSandbox, B as rawValue, C as publishSandbox, T as saveLeftovers, b as jobMetadata, h as runStep } from "./shared.js";

// src/main/sandbox.ts
await runStep("sandbox", async (inputs, context, raw) => {
	const metadata = {
		...inputs.metadata,
		...jobMetadata()
	};
	const baseUrl = rawValue(raw, "base-url");
	const opened = await openSandbox({
		...inputs,
		metadata,
		baseUrl
	}, context, (leftovers) => saveLeftovers(leftovers, raw));
	publishSandbox(opened);
});

export {  };