import { A as INPUT_NAMES, S as readInputs, _ as environmentLines, c as publishFailure, d as logLine, g as costLine, h as inputLines, j as parseMonitor, k as formatDuration, r as userAgent, t as keepMonitorDirectory, v as networkLines, x as openDebugLog } from "./shared.js";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { mkdtemp } from "node:fs/promises";
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
	"--no-maglev"
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
/** The main step of a monitor: starts the sampling process and returns. */
async function startMonitor(sampler, userAgent) {
	const inputs = readInputs(INPUT_NAMES.monitor);
	const debug = openDebugLog(inputs);
	debug?.(...environmentLines(userAgent));
	try {
		const task = parseMonitor(inputs);
		const { connection, intervalMs } = task;
		debug?.(...networkLines(connection.baseUrl), ...inputLines(task));
		const directory = await mkdtemp(path.join(process.env["RUNNER_TEMP"] || tmpdir(), "sandbox-sync-monitor-"));
		keepMonitorDirectory(directory);
		await startSampler(sampler, directory, {
			inputs,
			jobPid: process.ppid
		});
		debug?.(`Monitor: records into ${directory}, until process ${process.ppid} ends`);
		logLine(`Monitoring sandbox ${connection.sandboxId}, a sample every ${formatDuration(intervalMs)}`);
	} catch (error) {
		await publishFailure({
			task: "monitor",
			raw: inputs,
			debug
		}, error);
	}
	debug?.(costLine());
}

// src/main/monitor.ts
await startMonitor(path.join(import.meta.dirname, "monitor-sampler.js"), userAgent);

export {  };