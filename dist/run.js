import { D as sharedVariables, P as INPUTS, _ as runAction, c as renderCommand, g as renderStats, l as run } from "./shared.js";

// src/main/run.ts
await runAction({
	task: "run",
	inputs: INPUTS.run,
	run: (inputs, context) => run({
		...inputs,
		env: {
			...sharedVariables(),
			...inputs.env
		}
	}, context),
	sections(results, cancelled) {
		const stats = renderStats(results.stats, cancelled);
		const others = [...Object.keys(stats.outputs), "report"];
		return {
			command: renderCommand(results.command, cancelled, others),
			stats
		};
	}
});

export {  };