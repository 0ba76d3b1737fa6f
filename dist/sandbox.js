import { C as jobMetadata, E as publishSandbox, O as saveDeletion, t as createOrConnect, v as runStep } from "./shared.js";

// src/main/sandbox.ts
await runStep("sandbox", async (inputs, context, raw) => {
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