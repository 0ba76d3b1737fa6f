import { P as INPUTS, _ as runAction, d as stats, g as renderStats } from "./shared.js";

// src/main/stats.ts
await runAction({
	task: "stats",
	inputs: INPUTS.stats,
	run: async (inputs, context) => ({ stats: await stats(inputs, context) }),
	sections: (results, cancelled) => ({ stats: renderStats(results.stats, cancelled) })
});

export {  };