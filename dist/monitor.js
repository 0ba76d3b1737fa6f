import { ct as inputError, mt as formatDuration, u as systemCode, w as logLine } from "./shared.js";
import { n as openCrashFile, r as readCrash, s as newMonitorDirectory } from "./shared-monitor-monitor-stop-monitor-post.js";
import { r as step } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { once } from "node:events";
import { closeSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { spawn } from "node:child_process";

// src/monitor/start.ts
/** Starts the sampling process, which outlives this one. @throws InputError */
async function startSampler(script, directory, handover) {
	const crashFile = openCrashFile(directory);
	const child = spawn(process.execPath, [
		...LOW_MEMORY,
		...trustOptions(),
		script,
		directory
	], {
		env: passedOnEnvironment(),
		cwd: path.dirname(directory),
		detached: true,
		windowsHide: true,
		stdio: [
			"pipe",
			"ignore",
			crashFile
		]
	});
	try {
		await once(child, "spawn");
		await writeTo(child.stdin, JSON.stringify(handover));
	} catch (error) {
		const code = systemCode(error);
		if (code === void 0) throw error;
		const reason = await findCrash(child, directory);
		throw inputError("monitor", `cannot start: its process ended at once: ${reason ?? code}.`);
	} finally {
		closeSync(crashFile);
	}
	child.unref();
}
const LOW_MEMORY = [
	"--max-semi-space-size=1",
	"--no-opt",
	"--no-sparkplug",
	"--no-maglev",
	"--liftoff-only"
];
/** Those of Node's own options that say which certificates to trust. */
function trustOptions() {
	return (process.env["NODE_OPTIONS"] ?? "").match(/(?<!\S)--use-(openssl|system|bundled)-ca(?!\S)/g) ?? [];
}
const PASSED_ON = [
	/^(path|home|userprofile|systemroot|temp|tmp|tmpdir)$/i,
	/^((https?|no)_proxy|node_extra_ca_certs|node_use_system_ca|ssl_cert_(file|dir))$/i,
	/^runner_tracking_id$/i
];
const FILE_VARIABLES = /^(node_extra_ca_certs|ssl_cert_(file|dir))$/i;
function passedOnEnvironment() {
	const entries = Object.entries(process.env).filter(([name]) => PASSED_ON.some((names) => names.test(name)));
	return Object.fromEntries(entries.map(([name, value = ""]) => [name, FILE_VARIABLES.test(name) ? absolute(name, value) : value]));
}
/** Only SSL_CERT_DIR may list several. An empty part would become the working directory. */
function absolute(name, value) {
	return (/dir$/i.test(name) ? value.split(path.delimiter) : [value]).map((part) => part === "" ? "" : path.resolve(part)).join(path.delimiter);
}
async function writeTo(stdin, content) {
	if (stdin === null) throw new TypeError("the sampling process has no standard input");
	stdin.end(content);
	await once(stdin, "close");
}
async function findCrash(child, directory) {
	if (child.pid === void 0) return void 0;
	if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
	return readCrash(directory);
}

// src/main/monitor.ts
const sampler = path.join(import.meta.dirname, "monitor-sampler.js");
await step("monitor", async ({ sandboxId, baseUrl, sampleInterval, name }, { debug }, raw) => {
	const directory = await newMonitorDirectory({
		...raw,
		"base-url": baseUrl
	});
	await startSampler(sampler, directory, {
		inputs: raw,
		jobPid: process.ppid
	});
	debug(`Monitor: records into ${directory}, until process ${process.ppid} ends`);
	const who = name === "" ? "Monitoring" : `${name}: monitoring`;
	logLine(`${who} sandbox ${sandboxId}, a sample every ${formatDuration(sampleInterval)}`);
});

export {  };