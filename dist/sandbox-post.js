import { S as annotate, ut as inputError } from "./shared.js";
import { a as keptSandbox, c as plainStep, r as leftBehind, t as deleteSandbox } from "./shared-sandbox.js";

// src/main/sandbox-post.ts
const sandbox = keptSandbox();
if (sandbox !== void 0) {
	const { id, endsAt, inputs: given, hasKey } = sandbox;
	await plainStep("sandbox-end", async (inputs, context) => {
		if (!hasKey) throw inputError("api-key", "is not the one that the sandbox was created with. In nested composite actions, give the outer action an input api-key too.");
		await deleteSandbox(sandbox, inputs, context);
	}, {
		given,
		onFailure: (lines) => annotate.warning([leftBehind(id, endsAt), ...lines])
	});
}

export {  };