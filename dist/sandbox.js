import { A as openSandbox, C as publishSandbox, T as saveLeftovers, b as jobMetadata, h as runStep } from "./shared.js";

// src/main/sandbox.ts
await runStep("sandbox", async (inputs, context, raw) => {
	const metadata = {
		...inputs.metadata,
		...jobMetadata()
	};
	const baseUrl = (raw["base-url"] ?? "").trim();
	const opened = await openSandbox({
		...inputs,
		metadata,
		baseUrl
	}, context, (leftovers) => saveLeftovers(leftovers, raw));
	publishSandbox(opened);
});

export {  };