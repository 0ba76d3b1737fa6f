import { b as formatDuration, l as keepMonitorDirectory, n as step, o as logLine } from "./shared.js";
import { tmpdir } from "node:os";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import path from "node:path";
import { spawn } from "node:child_process";

// src/monitor/start.ts
const PASSED_ON = [
	/^(path|home|userprofile|systemroot|temp|tmp|tmpdir)$/i,
	/^((https?|no)_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i,
	/^runner_tracking_id$/i
];
const SMALL = [
	"--max-semi-space-size=1",
	"--no-opt",
	"--no-sparkplug",
	"--no-maglev",
	"--liftoff-only"
];
/** Starts the sampling process, which records in a directory and lives on after this one, and hands over to it. */
async function startSampler(script, directory, handover) {
	const passedOn = Object.entries(process.env).filter(([name]) => PASSED_ON.some((names) => names.test(name)));
	const child = spawn(process.execPath, [
		...SMALL,
		script,
		directory
	], {
		env: Object.fromEntries(passedOn),
		detached: true,
		windowsHide: true,
		stdio: [
			"pipe",
			"ignore",
			"ignore"
		]
	});
	await once(child, "spawn");
	child.stdin.end(JSON.stringify(handover));
	await once(child.stdin, "close");
	child.unref();
}

// src/github/monitor.ts
/** Starts the sampling process; there is nothing to report before the job's end. */
async function startMonitor({ sandboxId, interval }, { raw, sampler, debug }) {
	const directory = await mkdtemp(path.join(process.env["RUNNER_TEMP"] || tmpdir(), "sandbox-sync-monitor-"));
	keepMonitorDirectory(directory);
	await startSampler(sampler, directory, {
		inputs: raw,
		jobPid: process.ppid
	});
	debug?.("monitor", `Monitor: records into ${directory}, until process ${process.ppid} ends`);
	logLine(`Monitoring sandbox ${sandboxId}, a sample every ${formatDuration(interval)}`);
}

// src/main/monitor.ts
const sampler = path.join(import.meta.dirname, "monitor-sampler.js");
await step("monitor", (inputs, surroundings, raw) => startMonitor(inputs, {
	...surroundings,
	raw,
	sampler
}));

export {  };