import { C as jobMetadata, E as publishSandbox, O as saveDeletion, k as requireVariables, t as createOrConnect, y as runStep } from "./shared.js";

// src/main/sandbox.ts
await runStep("sandbox", async (inputs, context, raw) => {
	requireVariables("GITHUB_STATE", "GITHUB_OUTPUT", "RUNNER_TEMP");
	const metadata = {
		...inputs.metadata,
		...jobMetadata()
	};
	const opened = await createOrConnect({
		...inputs,
		metadata
	}, context, (sandbox) => saveDeletion(sandbox, raw));
	publishSandbox(opened);
});

export {  };