import { S as newMonitorDirectory, U as formatDuration, n as step, y as logLine } from "./shared.js";
import { once } from "node:events";
import path from "node:path";
import { spawn } from "node:child_process";

// src/monitor/start.ts
const PASSED_ON = [
	/^(path|home|userprofile|systemroot|temp|tmp|tmpdir)$/i,
	/^((https?|no)_proxy|node_extra_ca_certs|node_use_system_ca|ssl_cert_(file|dir))$/i,
	/^runner_tracking_id$/i
];
const FILES = /^(node_extra_ca_certs|ssl_cert_file)$/i;
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
	const trust = process.env["NODE_OPTIONS"]?.match(/(?<!\S)--use-(openssl|system|bundled)-ca(?!\S)/g) ?? [];
	const child = spawn(process.execPath, [
		...SMALL,
		...trust,
		script,
		directory
	], {
		env: Object.fromEntries(passedOn.map(([name, value = ""]) => [name, FILES.test(name) ? path.resolve(value) : value])),
		cwd: path.dirname(directory),
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

// src/main/monitor.ts
const sampler = path.join(import.meta.dirname, "monitor-sampler.js");
await step("monitor", async ({ sandboxId, baseUrl, sampleInterval }, { debug }, raw) => {
	const directory = await newMonitorDirectory({
		...raw,
		"base-url": baseUrl
	});
	await startSampler(sampler, directory, {
		inputs: raw,
		jobPid: process.ppid
	});
	debug?.("monitor", `Monitor: records into ${directory}, until process ${process.ppid} ends`);
	logLine(`Monitoring sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
});

export {  };