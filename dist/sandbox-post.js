import { S as annotate } from "./shared.js";
import { a as keptSandbox, c as plainStep, r as leftBehind, t as deleteSandbox } from "./shared-sync-upload-stats-sandbox.js";

// src/main/sandbox-post.ts
const NOT_THE_KEY = "api-key: is not the one that the sandbox was created with. In nested composite actions, give the outer action an input api-key too.";
const sandbox = keptSandbox();
if (sandbox !== void 0) {
	const { id, endsAt, inputs: given, hasKey } = sandbox;
	const warn = (lines) => annotate.warning([leftBehind(id, endsAt), ...lines]);
	if (!hasKey) warn([NOT_THE_KEY]);
	else await plainStep("sandbox-end", (inputs, context) => deleteSandbox(sandbox, inputs, context), {
		given,
		onFailure: warn
	});
}

export {  };