import { A as reportError, B as describeShard, C as logFiles, Ct as NO_GATE, D as failureGroups, E as adviceFor, Et as figuresOf, F as figureOver, G as succeeded, H as moreInReport, I as formatFigure, J as taskOf, L as judgementLine, N as withName, Nt as AgentError, O as furtherLines, P as breachLine, R as EMPTY_REPORT, S as annotate, St as visibleCut, T as toMessage, Tt as decidingOf, U as nameDigest, V as isUpload, _t as formatTime, bt as quote, ct as inputError, d as openStep, dt as formatBytes, f as cacheWarnings, ft as formatBytesEvenly, gt as formatRate, ht as formatNumber, j as verdictSentences, jt as sleep, k as headline, lt as abbreviate, m as environmentWarnings, mt as formatDuration, nt as METRICS, p as cancelSignal, pt as formatCount, rt as metricKind, st as allOf, tt as AGGREGATES, u as systemCode, ut as andMore, v as workspace, vt as takeWithin, w as logLine, wt as aggregateOf, yt as totalSize, z as countFiles } from "./shared.js";
import { _ as summary$1, f as setFailed, n as Minimatch, p as setOutput, t as create } from "./vendor.js";
import { setImmediate } from "node:timers/promises";
import { createHash, hash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, mkdtempSync, openSync, readSync, readdirSync, realpathSync, statSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import path from "node:path";
import { homedir } from "node:os";

// src/github/event-log.ts
const MAX_RETRY_LINES = 20;
const NO_MORE_RETRY_LINES = "Further failed attempts are not shown here; the report file has the number for each file.";
/** Logs the first retries. */
function retryLog() {
	let count = 0;
	return (event) => {
		count += 1;
		if (count <= MAX_RETRY_LINES) logLine(retryLine(event));
		else if (count === 21) logLine(NO_MORE_RETRY_LINES);
	};
}
function retryLine({ files, retry }) {
	const { attempt, delayMs, error } = retry;
	return `Attempt ${attempt} for ${nameFiles(files)} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}
function nameFiles([first, ...others]) {
	return andMore(first?.source ?? "the stats", others.length);
}
/** Warns about refused batches once a file arrives alone: until then, batching may not be the cause. */
function batchWarning() {
	let pending;
	return (event) => {
		if (event.kind === "batch-refused") pending = `The agent did not store all ${formatNumber(event.files.length)} files of one request. From now on, each is sent alone.`;
		if (!(event.kind === "settled" && event.result.status === "uploaded") || pending === void 0) return;
		annotate.warning([pending]);
		pending = void 0;
	};
}
/** What the debug log says about an event. */
function debugLines(event) {
	if (event.kind === "retry") return [`Attempt ${event.retry.attempt} for ${nameFiles(event.files)}: ${describeCauses(event.retry.error)}`];
	if (event.kind === "failed") return [`Failed: ${nameFiles(event.files)}: ${describeCauses(event.error)}`];
	if (event.kind === "concurrency") return [`Concurrency: ${event.from} → ${event.to}, ${event.reason}`];
	return [];
}
const MAX_CAUSES = 5;
/** An error's message, and below it what caused it, the nearest cause first. */
function describeCauses(error) {
	const lines = [`${error.kind}. ${error.message}`];
	for (let at = error.cause; at instanceof Error && lines.length <= MAX_CAUSES; at = at.cause) {
		const code = "code" in at ? ` ${String(at.code)}` : "";
		const others = at instanceof AggregateError ? ` ${at.errors.map(String).join("; ")}` : "";
		lines.push(`- because of ${at.name}${code}: ${at.message}${others}`);
	}
	return lines.join("\n");
}

// src/github/progress.ts
const INTERVAL_MS = 5e3;
const SLOWER = 1.5;
/** Logs the progress of a transfer, less and less often, until `stop` is called. */
function showProgress(files) {
	const tally = newTally(files);
	let dueMs = 0;
	const timer = setInterval(() => {
		const progress = progressOf(tally);
		if (progress.elapsedMs < dueMs) return;
		dueMs = progress.elapsedMs * SLOWER;
		logLine(progressLine(progress));
	}, INTERVAL_MS);
	timer.unref();
	return {
		add: (event) => addTo(tally, event),
		stop: () => clearInterval(timer)
	};
}
const STALLED_MS = 3e3;
/** One line: files, bytes, and the time left or, if nothing moves, what is waited for. */
function progressLine(progress) {
	const { uploaded, failed, totalFiles, totalBytes, elapsedMs, stalledMs } = progress;
	const sent = Math.min(progress.bytes, totalBytes);
	const hasBytes = totalBytes > 0;
	const share = hasBytes ? sent / totalBytes : uploaded / Math.max(totalFiles, 1);
	const lost = failed > 0 ? `, ${formatNumber(failed)} failed` : "";
	const counts = `${formatNumber(uploaded)} of ${formatCount(totalFiles, "file")}${lost}`;
	const bytes = `${formatBytes(sent)} of ${formatBytes(totalBytes)} (${Math.floor(share * 100)} %)`;
	if (stalledMs >= STALLED_MS) return `${counts}, ${bytes}, ${describeStall(progress)}`;
	const over = hasBytes ? Math.min((sent + progress.failedBytes) / totalBytes, 1) : share;
	const left = share > 0 ? `, ${formatDuration(elapsedMs * (1 - over) / over)} left` : "";
	return `${counts}, ${bytes}, ${formatRate(sent, elapsedMs)}${left}`;
}
function describeStall({ stalledMs, inFlight: [first, ...others] }) {
	return `waiting for ${first !== void 0 ? `an answer for ${andMore(first, others.length)}` : "the next attempt"} for ${formatDuration(stalledMs)}`;
}
function newTally(planned) {
	const now = performance.now();
	return {
		planned,
		started: now,
		lastChange: now,
		results: /* @__PURE__ */ new Map(),
		inFlight: /* @__PURE__ */ new Map()
	};
}
/** Adds an event. What a failed attempt sent no longer counts. */
function addTo(tally, event) {
	const { results, inFlight } = tally;
	switch (event.kind) {
		case "concurrency":
		case "batch-refused":
		case "end": return;
		case "start":
			tally.planned = event.files;
			results.clear();
			break;
		case "sent":
			inFlight.set(event.file, (inFlight.get(event.file) ?? 0) + event.bytes);
			break;
		case "settled":
			inFlight.delete(event.result.file);
			results.set(event.result.file, event.result);
			break;
		case "retry":
		case "failed": for (const file of event.files) inFlight.delete(file);
	}
	tally.lastChange = performance.now();
}
function progressOf({ planned, started, lastChange, results, inFlight }) {
	const all = [...results.values()];
	const uploaded = all.filter(({ status }) => status === "uploaded");
	const failed = all.filter(({ status }) => status === "failed");
	const sent = [...inFlight.values()].reduce((sum, bytes) => sum + bytes, 0);
	return {
		uploaded: uploaded.length,
		failed: failed.length,
		bytes: totalSize(uploaded.map(({ file }) => file)) + sent,
		failedBytes: totalSize(failed.map(({ file }) => file)),
		totalFiles: planned.length,
		totalBytes: totalSize(planned),
		elapsedMs: performance.now() - started,
		stalledMs: performance.now() - lastChange,
		inFlight: [...inFlight.keys()].map(({ source }) => source)
	};
}

// src/github/wait-log.ts
const WAIT_INTERVAL_MS = 15e3;
/** Logs what a wait waits for: unreported metrics at once, all every 15 s, and how long it took. */
function waitLog(log = logLine) {
	let dueMs = WAIT_INTERVAL_MS;
	let wasSampled = false;
	return ({ held, waitedMs, unmet, error }) => {
		const duration = formatDuration(waitedMs);
		if (held) return log(`The sandbox was ready after ${duration}`);
		const isDue = waitedMs >= dueMs;
		if (isDue) dueMs = waitedMs + WAIT_INTERVAL_MS;
		const unreported = wasSampled ? [] : unmet.filter(({ holds }) => holds === void 0);
		wasSampled ||= error === void 0;
		const lines = (isDue ? unmet : unreported).map(judgementLine);
		if (isDue && error !== void 0) lines.push(error.message);
		if (lines.length > 0) log(`Waited ${duration}: ${lines.join("; ")}`);
	};
}

// src/github/observer.ts
/** Logs the plan, waits, retries and progress as they happen. */
function watchRun(debug) {
	let progress;
	const showRetry = retryLog();
	const warnOfBatches = batchWarning();
	return {
		planned(upload, inputs) {
			const changed = upload.files.filter((file) => !upload.unchanged.has(file));
			debug(planLines(upload, changed));
			if (changed.length > 0) logLine(announcement(upload, changed, inputs));
		},
		waiting: ({ sandboxId, waitTimeout }) => logLine(`Waiting up to ${formatDuration(waitTimeout)} for sandbox ${sandboxId} to be ready`),
		waited: waitLog(),
		event(event) {
			if (event.kind === "start") progress ??= showProgress(event.files);
			progress?.add(event);
			if (event.kind === "end") progress?.stop();
			for (const line of debugLines(event)) debug(line);
			if (event.kind === "retry") showRetry(event);
			warnOfBatches(event);
		}
	};
}
function announcement({ shard, unchanged }, changed, { dryRun, sandboxId, baseUrl }) {
	return `${dryRun ? "Planning the upload of" : "Uploading"} ${`${formatCount(changed.length, "file")} (${formatBytes(totalSize(changed))})`} to sandbox ${sandboxId} at ${baseUrl}${shard === void 0 ? "" : `, ${describeShard(shard)}`}${unchanged.size === 0 ? "" : `, ${formatNumber(unchanged.size)} unchanged`}`;
}
function planLines({ files, skipped, hidden, orphaned, shard, unchanged, state }, changed) {
	const others = shard === void 0 ? "" : `, ${formatNumber(shard.planned - shard.files)} of other shards`;
	const bytes = formatCount(totalSize(changed), "byte");
	const lines = [[
		`Plan: ${formatCount(files.length, "file")}`,
		`${formatCount(changed.length, "file")}, ${bytes} to send`,
		`${formatNumber(skipped.length)} skipped, ${formatNumber(hidden.length)} hidden${others}`
	].join("; ")];
	if (state !== void 0) {
		const rows = `${formatNumber(state.rows.size)} rows, ${formatCount(unchanged.size, "file")} unchanged`;
		lines.push(`State file ${state.file}: ${rows}, ${formatNumber(orphaned.length)} orphaned`);
	}
	return lines.join("\n");
}

// src/report/checksums.ts
/** The files in the sandbox, by the paths that the agent returned, as `sha256sum` lists them. */
function checksumsOf({ files }) {
	return files.flatMap((result) => "path" in result && result.sha256 !== void 0 ? [lineOf(result.sha256, result.path)] : []);
}
/**
* Stands for a whole build: the hash of the sorted lines of all its files under their targets.
* Empty if a file failed or was not attempted, so that a part of a build never has the digest of
* one, and if the files were not hashed.
*/
function digestOf(files) {
	const lines = files.flatMap((result) => "sha256" in result && result.sha256 !== void 0 ? [lineOf(result.sha256, result.file.target)] : []);
	if (lines.length === 0 || lines.length < files.length) return "";
	const sorted = lines.map((line) => Buffer.from(line)).sort((one, other) => one.compare(other));
	return `sha256:${hash("sha256", Buffer.concat(sorted))}`;
}
const ESCAPES = {
	"\\": "\\\\",
	"\n": "\\n",
	"\r": "\\r"
};
/** A line of `sha256sum`: a backslash at its start says that the name has escapes. */
function lineOf(sha256, name) {
	const escaped = name.replaceAll(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
	return `${escaped === name ? "" : "\\"}${sha256}  ${escaped}\n`;
}

// src/agent/read-file.ts
/** Which file it is, whatever its path. */
function identityOf({ dev, ino }) {
	return process.platform === "win32" ? String(ino) : `${dev}:${ino}`;
}
/** O_NOFOLLOW refuses a link that was put there later; O_NONBLOCK does not wait for a pipe. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const EXACTLY = { bigint: true };
/**
* Reads a file into a buffer from `offset` on, synchronously, which is fastest for small files.
* Returns its size; undefined if it does not fit with a byte to spare, or cannot be read.
*/
function readSmallFile(file, buffer, offset) {
	let descriptor;
	try {
		descriptor = openSync(file.realPath, READ_FLAGS);
		const opened = fstatSync(descriptor, EXACTLY);
		checkOpened(file, opened);
		const end = offset + Number(opened.size) + 1;
		if (end > buffer.length) return void 0;
		let position = offset;
		for (let read = -1; read !== 0 && position < end; position += read) read = readSync(descriptor, buffer, position, end - position, null);
		checkUnchanged(file, opened, fstatSync(descriptor, EXACTLY));
		return position === end ? void 0 : position - offset;
	} catch (error) {
		if (error instanceof AgentError || systemCode(error) !== void 0) return void 0;
		throw error;
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}
/** Up to this size, a file is read and sent whole, in a fraction of the time of a stream. */
const SMALL_BYTES = 262144;
const CHUNK_BYTES = 262144;
/** @throws AgentError if the file cannot be read, or is another one than was found */
async function openFile(file, isHashed) {
	let handle;
	try {
		handle = await open(file.realPath, READ_FLAGS);
		const stats = await handle.stat(EXACTLY);
		checkOpened(file, stats);
		await checkNotEmpty(file, handle, stats);
		const source = {
			file,
			handle,
			stats,
			digest: isHashed ? createHash("sha256") : void 0
		};
		return {
			size: Number(stats.size),
			chunks: () => chunksOf(source),
			sha256: () => source.digest?.digest("hex") ?? "",
			close: () => source.handle.close()
		};
	} catch (error) {
		await handle?.close();
		throw readFailure(file, error);
	}
}
/** SHA-256 in hexadecimal digits; undefined if the file cannot be read, or `cancel` aborts. */
async function hashFile(file, cancel) {
	await setImmediate();
	if (cancel.aborted) return void 0;
	if (file.size <= 262144) {
		const buffer = Buffer.allocUnsafeSlow(file.size + 1);
		const size = readSmallFile(file, buffer, 0);
		return size === void 0 ? void 0 : hash("sha256", buffer.subarray(0, size));
	}
	let opened;
	try {
		opened = await openFile(file, true);
		for await (const _ of opened.chunks()) if (cancel.aborted) return void 0;
		return opened.sha256();
	} catch (error) {
		if (error instanceof AgentError) return void 0;
		throw error;
	} finally {
		await opened?.close();
	}
}
/**
* Fills one buffer while the other is being sent: when undici asks for a chunk, it has released the
* one before. A new buffer for each chunk takes twice the memory.
*/
async function* chunksOf({ file, handle, stats, digest }) {
	const size = Number(stats.size);
	const allocate = () => Buffer.allocUnsafeSlow(Math.min(size, CHUNK_BYTES));
	let buffer = allocate();
	let other = allocate();
	const readAt = (position) => {
		[buffer, other] = [other, buffer];
		const reading = fill(handle, buffer.subarray(0, size - position), position);
		reading.catch(() => {});
		return reading;
	};
	try {
		let next = readAt(0);
		for (let sent = 0; sent < size;) {
			const chunk = await next;
			if (chunk.length === 0) {
				const message = `${file.realPath} shrank by ${size - sent} bytes during the upload.`;
				throw new AgentError("file-changed", message);
			}
			sent += chunk.length;
			digest?.update(chunk);
			if (sent < size) next = readAt(sent);
			else checkUnchanged(file, stats, await handle.stat(EXACTLY));
			yield chunk;
		}
	} catch (error) {
		throw readFailure(file, error);
	}
}
/** Fills a buffer as far as the file reaches; a system may read less than was asked for. */
async function fill(handle, buffer, position) {
	let filled = 0;
	while (filled < buffer.length) {
		const at = position + filled;
		const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, at);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return buffer.subarray(0, filled);
}
/** O_NOFOLLOW does not notice that a parent folder has become a link. */
function checkOpened({ realPath, identity }, opened) {
	if (!opened.isFile()) throw new AgentError("file-unreadable", `${realPath} is no longer a regular file.`);
	if (identityOf(opened) !== identity) throw new AgentError("file-replaced", `${realPath} was replaced after it was found.`);
}
/** What a memory map writes later cannot be seen. */
function checkUnchanged({ realPath }, opened, now) {
	if (!(now.size === opened.size && now.mtimeNs === opened.mtimeNs && now.ctimeNs === opened.ctimeNs)) throw new AgentError("file-changed", `${realPath} changed while it was read.`);
}
/** Files in /proc report size 0 but have content. */
async function checkNotEmpty({ realPath }, handle, { size }) {
	if (size > 0 || (await handle.read(Buffer.alloc(1), 0, 1, 0)).bytesRead === 0) return;
	throw new AgentError("file-unreadable", `${realPath} claims to be empty but has content.`);
}
function readFailure({ realPath }, error) {
	const code = systemCode(error);
	if (code === void 0) return error;
	if (code === "EMFILE" || code === "ENFILE") {
		const message = `${realPath} cannot be opened now: too many files are open (${code}).`;
		return new AgentError("too-many-open", message);
	}
	return new AgentError("file-unreadable", `${realPath} cannot be read (${code}).`, { cause: error });
}

// src/files/links.ts
/** The folder at the end of a link in a place; undefined if the link closes a loop. */
function follow(link, from) {
	const own = realIn(from, link);
	const real = realpathSync.native(own);
	const way = [...from.way, {
		walked: from.real,
		parent: path.dirname(own)
	}];
	return way.some(({ walked, parent }) => isWithin(walked, real) && isWithin(real, parent)) ? void 0 : {
		...from,
		path: link,
		real,
		way
	};
}
/** Walked folders that lie below this place. Entering one again would close a loop. */
function closedFolders({ real, way }) {
	return way.map(({ walked }) => walked).filter((walked) => isWithin(real, walked));
}
/** The path, by way of a place, of something that lies in the real folder. */
function pathIn(place, real) {
	if (place.path === place.real) return real;
	return path.join(place.path, pathWithin(place.real, real) ?? "");
}
/** The real path of something in a place that is not behind a further link. */
function realIn(place, file) {
	if (place.path === place.real) return file;
	return path.join(place.real, pathWithin(place.path, file) ?? "");
}
/**
* Links may lead to the workspace, or to the pattern's own folder if that is elsewhere: a build
* that ran untrusted code could contain a link to a credential of the runner.
*/
function boundsOf(workspace, root) {
	const home = realpathSync.native(workspace);
	const inside = pathWithin(workspace, root);
	const place = inside === void 0 ? path.join(realpathSync.native(path.dirname(root)), path.basename(root)) : path.join(home, inside);
	const bounds = inside === void 0 ? [home, place] : [home];
	const within = (real) => bounds.some((bound) => isWithin(bound, real));
	const isWalked = (part) => isWithin(workspace, part) || isWithin(root, part);
	const leadsOut = (part) => isWalked(part) && lstatSync(part).isSymbolicLink() && !within(realpathSync.native(part));
	return {
		check(file, folder, real) {
			if (!within(folder)) throw leadsOutError(partsOf(file).find(leadsOut) ?? file, folder);
			if (!within(real)) throw leadsOutError(file, real);
		},
		isHidden(file, real) {
			const shown = pathWithin(place, real) ?? pathWithin(home, real) ?? "";
			if (!/(^|[\\/])\./.test(shown)) return false;
			const ordinary = path.join(place, pathWithin(root, file) ?? "");
			return real.toLowerCase() !== ordinary.toLowerCase();
		}
	};
}
/** The path of `file` from `directory`, both absolute; undefined if it is outside. */
function pathWithin(directory, file) {
	const rest = file.startsWith(directory) ? file.slice(directory.length) : "";
	if (rest.startsWith(path.sep) && !rest.includes("..")) return rest.slice(1);
	const relative = path.relative(directory, file);
	return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? void 0 : relative;
}
function isWithin(directory, file) {
	return pathWithin(directory, file) !== void 0;
}
/** A path of the runner with slashes, also on Windows. */
function toPosix(file) {
	return path.sep === "/" ? file : file.replaceAll(path.sep, "/");
}
/** A path and all folders above it, the topmost first. */
function partsOf(file) {
	const parts = [file];
	for (let part = file; part !== path.dirname(part);) {
		part = path.dirname(part);
		parts.unshift(part);
	}
	return parts;
}
function leadsOutError(link, end) {
	return inputError("files", `${link} is a link to ${end}, outside the workspace. Exclude it with a ! line, or copy what it leads to into the workspace.`);
}

// src/files/pattern.ts
const WINDOWS = process.platform === "win32";
const OPTIONS = {
	nobrace: true,
	nocase: WINDOWS,
	nocomment: true,
	noext: true,
	nonegate: true
};
/** The excludes of some lines, relative to `directory`. */
function excludesOf(lines, directory) {
	const all = lines.map((line) => {
		const pattern = anchor(line, directory);
		return {
			line,
			matches: matches(pattern, true),
			spells: matches(pattern, false),
			isUnused: true
		};
	});
	const isExcluded = (file) => {
		let isMatched = false;
		for (const each of all) {
			if (isMatched && !each.isUnused || !each.matches(file)) continue;
			each.isUnused = false;
			isMatched = true;
		}
		return isMatched;
	};
	const prunes = (folder) => {
		if (!isExcluded(folder)) return false;
		for (const each of all) each.isUnused &&= !each.matches(folder, true);
		return true;
	};
	const markUsed = (hidden) => {
		for (const each of all) each.isUnused &&= !each.spells(hidden, true);
	};
	return {
		isExcluded,
		prunes,
		markUsed,
		unused: () => all.filter(({ isUnused }) => isUnused).map(({ line }) => line)
	};
}
/** A matcher for an absolute pattern; nothing is hidden if hidden files are included. */
function matcherOf(pattern, isExcluded, includeHiddenFiles = false) {
	const wanted = matches(pattern, true);
	const visible = matches(pattern, false);
	const isDotted = (file) => !includeHiddenFiles && /[\\/]\./.test(file);
	return {
		wants: (file) => wanted(file) && !isExcluded(file),
		mayHold: (folder) => wanted(folder, true) && !isExcluded(folder),
		hides: (file) => isDotted(file) && !visible(file),
		hidesBelow: (folder) => isDotted(folder) && !visible(folder, true)
	};
}
/** Makes a pattern absolute: relative ones start in `directory`, `~` is the home directory. */
function anchor(pattern, directory) {
	const trimmed = pattern.replace(WINDOWS ? /(?<=[^:])[\\/]+$/ : /(?<=.)\/+$/, "");
	if (/^~(?=$|[\\/])/.test(trimmed)) return escaped(homedir()) + trimmed.slice(1);
	if (WINDOWS && /^[\\/](?![\\/])/.test(trimmed)) return path.parse(directory).root + trimmed.slice(1);
	if (path.isAbsolute(trimmed)) return trimmed;
	const [climb = ""] = /^(\.{1,2}([\\/]|$))*/.exec(trimmed) ?? [];
	const base = path.resolve(directory, climb === "" ? "." : climb);
	const rest = trimmed.slice(climb.length);
	if (rest === "") return escaped(base);
	return `${escaped(base)}${base.endsWith(path.sep) ? "" : path.sep}${rest}`;
}
/** A pattern that matches exactly this path. */
function escaped(literal) {
	return (WINDOWS ? literal : literal.replaceAll("\\", "\\\\")).replace(/[[?*]/g, "[$&]");
}
/** The names in a path or a pattern. */
function segmentsOf(pattern) {
	return pattern.split(WINDOWS ? /[\\/]/ : "/").filter((segment) => segment !== "");
}
function matches(pattern, dot) {
	const own = (WINDOWS ? pattern.replaceAll("\\", "/") : pattern).replace(/(\/\*\*)+$/, "");
	const matchers = [`${own}/**`, own].map((each) => new Minimatch(each, {
		...OPTIONS,
		dot
	}));
	return (file, partial) => matchers.some((each) => each.match(file, partial));
}

// src/files/glob.ts
/** The absolute path that a pattern spells out before its first wildcard. */
async function rootOf(pattern) {
	return (await create(pattern)).getSearchPaths()[0] ?? "";
}
/**
* Yields everything in a real folder that the pattern may match, and links, but nothing behind one.
* @throws InputError for names that are not valid UTF-8, and the system's errors.
*/
async function* globFolder(folder, options) {
	const { direct, lines } = splitFolder(folder, options) ?? {
		direct: [],
		lines: linesFor(folder, options.segments)
	};
	yield* direct;
	if (lines.length === 0) return;
	const globber = await create(lines.join("\n"), {
		followSymbolicLinks: false,
		implicitDescendants: false,
		matchDirectories: true,
		excludeHiddenFiles: options.isVisibleOnly
	});
	const unclear = /* @__PURE__ */ new Set();
	for await (const entry of globber.globGenerator()) {
		if (entry === folder || !isWithin(folder, entry)) continue;
		if (entry.includes("�")) {
			if (unclear.has(entry)) throw badName(entry);
			unclear.add(entry);
		}
		yield entry;
	}
}
/** The error for a name that Node cannot read: it contains U+FFFD in place of what is not UTF-8. */
function badName(file) {
	return inputError("files", `${JSON.stringify(file)} has a name that is not valid UTF-8. Rename it.`);
}
const MAX_FOLDERS = 32;
/**
* The entries without excluded subfolders, since the library enters what it is told to exclude.
* Undefined if there are none, or if it does not pay off.
*/
function splitFolder(folder, { segments, isVisibleOnly, isExcluded }) {
	if (segments.length > 0 && segments[0] !== "**") return void 0;
	const all = readdirSync(folder, { withFileTypes: true });
	const entries = isVisibleOnly ? all.filter(({ name }) => !name.startsWith(".")) : all;
	const isUnclear = entries.some(({ name }) => name.includes("�"));
	const pathOf = ({ name }) => path.join(folder, name);
	const folders = entries.filter((entry) => entry.isDirectory()).map(pathOf);
	const kept = folders.filter((each) => !isExcluded(each));
	const paysOff = kept.length < folders.length && kept.length <= MAX_FOLDERS;
	if (isUnclear || !paysOff) return void 0;
	return {
		direct: entries.filter((entry) => !entry.isDirectory()).map(pathOf),
		lines: kept.map((each) => path.join(literal(each), "**"))
	};
}
/** The library yields a link only if a whole line matches it, so each part before ** is a line. */
function linesFor(folder, segments) {
	const lines = [];
	let line = literal(folder);
	for (const segment of segments) {
		if (segment === "**") break;
		line = path.join(line, simplified(segment));
		lines.push(line);
	}
	return [...lines, path.join(line, "**")];
}
function simplified(segment) {
	return segment.split("*").length > 3 || /\s$/.test(segment) ? "*" : segment;
}
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
function literal(folder) {
	return escaped(folder).replace(UNPRINTABLE, (character) => "?".repeat(character.length));
}

// src/files/walk.ts
const SYMBOLIC_LINK = "a symbolic link";
const BROKEN_LINK = "a broken link";
/** A pipe, a socket or a device. */
const NOT_REGULAR = "not a regular file";
const HIDDEN_END = "a link to something hidden";
const LIMITS = {
	files: 1e6,
	links: 1e4
};
function newWalk(pattern, options) {
	return {
		...pattern,
		...options,
		places: [],
		place: void 0,
		files: [],
		skipped: [],
		hidden: []
	};
}
/** Finds everything from the root on, until the signal aborts. */
async function walkAll(walk) {
	const { root, workspace, places } = walk;
	if (lstatIfThere(root) === void 0) return;
	const above = path.dirname(root);
	visit(walk, root, {
		path: above,
		real: realpathSync.native(above),
		way: [],
		bounds: boundsOf(workspace, above)
	});
	for (const place of places) {
		walk.place = place;
		await walkPlace(walk, place);
	}
}
async function walkPlace(walk, place) {
	const isVisibleOnly = skipsDotNames(walk, place);
	if (isVisibleOnly) noteHiddenIn(walk, place.path, place.real);
	const closed = closedFolders(place);
	const entries = globFolder(place.real, {
		segments: segmentsLeft(walk, place),
		isVisibleOnly,
		isExcluded: (folder) => walk.excludes.prunes(pathIn(place, folder))
	});
	for await (const entry of entries) {
		if (walk.cancel.aborted) return;
		if (closed.some((folder) => isWithin(folder, entry))) continue;
		visit(walk, pathIn(place, entry), place);
	}
}
/** The part of the pattern below a place. */
function segmentsLeft({ root, segments }, place) {
	const depth = segmentsOf(pathWithin(root, place.path) ?? "").length;
	return segments.slice(0, depth).includes("**") ? ["**"] : segments.slice(depth);
}
/**
* True if hidden folders are not entered, since files come and go in .git. The library would also
* skip hidden names that the pattern spells out, and a start folder that is hidden itself.
*/
function skipsDotNames({ includeHiddenFiles, segments }, { real }) {
	if (includeHiddenFiles || path.basename(real).startsWith(".")) return false;
	return !segments.some((segment) => /^\\?\[?\./.test(segment));
}
function visit(walk, file, place) {
	const { match, skipped, followSymlinks } = walk;
	const own = realIn(place, file);
	const entry = {
		path: file,
		own,
		place
	};
	const stats = lstatIfThere(own);
	if (stats === void 0) {
		if (file.includes("�")) throw badName(file);
		return;
	}
	if (stats.isSymbolicLink() && followSymlinks) visitLink(walk, entry);
	else if (stats.isDirectory()) visitFolder(walk, entry);
	else if (match.hides(file)) noteHidden(walk, file);
	else if (!match.wants(file)) return;
	else if (stats.isSymbolicLink()) skipped.push({
		path: file,
		reason: SYMBOLIC_LINK
	});
	else addFile(walk, entry, stats, file === walk.root ? realpathSync.native(own) : own);
}
function visitFolder(walk, entry) {
	const { match, excludes, root } = walk;
	if (excludes.prunes(entry.path)) return;
	if (entry.path === root) enter(walk, entry);
	else if (skipsDotNames(walk, entry.place)) noteHiddenIn(walk, entry.path, entry.own);
	else if (match.hides(entry.path)) noteHidden(walk, entry.path);
}
function visitLink(walk, entry) {
	const { match, excludes, skipped } = walk;
	const { path: link, own } = entry;
	if (excludes.prunes(link)) return;
	const isWanted = match.wants(link);
	if (!isWanted && !match.mayHold(link)) return;
	const isHidden = match.hides(link);
	const end = isHidden && match.hidesBelow(link) ? void 0 : statOfEnd(own);
	if (end?.isDirectory()) enter(walk, entry);
	else if (isHidden) noteHidden(walk, link);
	else if (!isWanted) return;
	else if (end === void 0) skipped.push({
		path: link,
		reason: BROKEN_LINK
	});
	else addFile(walk, entry, end, realpathSync.native(own));
}
/** What is at the end of a link; undefined if it is broken. */
function statOfEnd(link) {
	try {
		return statSync(link, { bigint: true });
	} catch (error) {
		if (systemCode(error) === "ENOENT") return void 0;
		throw error;
	}
}
/** Adds the root, or the folder at the end of a link, to the places to walk. */
function enter(walk, { path: folder, own, place }) {
	const { root, workspace, places, written, limits = LIMITS } = walk;
	const entered = folder === root ? {
		path: root,
		real: realpathSync.native(own),
		way: [],
		bounds: boundsOf(workspace, root)
	} : follow(folder, place);
	if (entered === void 0) return;
	places.push(entered);
	if (places.length <= limits.links) return;
	throw tooMany(written, `leads through more than ${formatNumber(limits.links)} links to folders`, folder);
}
/** Adds a file; `stats` are those of the end of a link. */
function addFile(walk, entry, stats, realPath) {
	const { root, includeHiddenFiles, skipped, files, written, limits = LIMITS } = walk;
	const { path: file, own, place } = entry;
	if (!stats.isFile()) {
		skipped.push({
			path: file,
			reason: NOT_REGULAR
		});
		return;
	}
	place.bounds.check(file, path.dirname(own), realPath);
	if (!includeHiddenFiles && place.bounds.isHidden(file, realPath)) {
		skipped.push({
			path: file,
			reason: HIDDEN_END
		});
		return;
	}
	files.push({
		path: file,
		realPath,
		identity: identityOf(stats),
		relative: toPosix(pathWithin(root, file) ?? ""),
		size: Number(stats.size),
		isExecutable: (stats.mode & 73n) !== 0n
	});
	if (files.length <= limits.files) return;
	throw tooMany(written, `matches more than ${formatNumber(limits.files)} files`, file);
}
function tooMany(written, what, example) {
	return inputError("files", `${quote(written)} ${what} (for example ${quote(example)}). Do links form a loop? Exclude what you do not need.`);
}
function noteHiddenIn(walk, folder, real) {
	for (const name of readdirSync(real)) if (name.startsWith(".")) noteHidden(walk, path.join(folder, name));
}
/** Notes something hidden that the pattern matches, unless its folder has been noted. */
function noteHidden({ match, excludes, hidden, root }, file) {
	const isNoted = (each) => match.hides(each) && match.wants(each);
	if (!isNoted(file)) return;
	const folder = path.dirname(file);
	if (folder !== root && isNoted(folder)) return;
	excludes.markUsed(file);
	hidden.push(file);
}
/** Undefined also if the path leads through a file, such as README.md/x. */
function lstatIfThere(file) {
	try {
		return lstatSync(file, {
			bigint: true,
			throwIfNoEntry: false
		});
	} catch (error) {
		if (systemCode(error) === "ENOTDIR") return void 0;
		throw error;
	}
}

// src/files/find.ts
/** The reason given if no single line would include a hidden entry. */
const ALL_HIDDEN = "include-hidden-files: true includes it";
/**
* Finds the files of every pattern, in the order of the patterns. `warnings` name the lines that
* excluded nothing.
* @throws InputError for folders, names and links that cannot be used.
*/
async function findFiles(rules, options) {
	const directory = path.resolve(options.workspace, options.workingDirectory);
	requireDirectory(directory, options.workingDirectory);
	const excludes = excludesOf(rules.excludes, directory);
	const finding = rules.patterns.map((pattern) => find({
		pattern,
		directory,
		excludes
	}, options));
	const matches = await unlessCancelled(allOf(finding), options.cancel);
	const files = new Set(matches.flatMap((match) => match.files.map((file) => file.path)));
	return {
		matches,
		warnings: (files.size === 0 ? [] : excludes.unused()).map((line) => unusedLine(line, directory, [...files]))
	};
}
async function find(line, options) {
	const { directory, excludes } = line;
	const written = line.pattern.pattern;
	const pattern = anchor(written, directory);
	const root = await rootOf(pattern);
	const segments = segmentsOf(pattern).slice(segmentsOf(root).length);
	const match = matcherOf(pattern, excludes.isExcluded, options.includeHiddenFiles);
	for (let attempt = 1;; attempt += 1) {
		const walk = newWalk({
			written,
			root,
			segments,
			match,
			excludes
		}, options);
		try {
			await walkAll(walk);
			return matchesOf(line, walk);
		} catch (error) {
			if (attempt === 1 && hasVanished(error)) continue;
			throw walkError(walk, error);
		}
	}
}
function matchesOf(line, { root, files, skipped, hidden }) {
	return {
		pattern: line.pattern,
		root,
		files: files.toSorted(byPath),
		skipped: skipped.toSorted(byPath),
		hidden: hidden.toSorted().map((file) => ({
			path: file,
			reason: suggestLine(file, root, line)
		}))
	};
}
function byPath(one, other) {
	return one.path < other.path ? -1 : 1;
}
/** What includes a hidden entry, at the target where the pattern would put it. */
function suggestLine(file, root, { directory, pattern }) {
	const [dotted = "", ...others] = (pathWithin(root, file) ?? "").split(path.sep).filter((name) => name.startsWith("."));
	if (others.length > 0 || dotted === ".git") return ALL_HIDDEN;
	const start = toPosix(escaped(pathWithin(directory, root) ?? root));
	const target = pattern.target === void 0 ? "" : ` => ${pattern.target}`;
	return `the line ${quote(`${path.posix.join(start, "**", escaped(dotted))}${target}`)} includes it`;
}
/** A warning about a line that excluded nothing, with what it may have been meant to exclude. */
function unusedLine(line, directory, files) {
	const says = `${quote(`!${line}`)} excluded nothing`;
	const isAnchored = /^(\.{0,2}[\\/]|~)/.test(line);
	const isSlow = /(\*[^\\/]*){3}/.test(line);
	const deep = `**/${line}`;
	const { isExcluded } = excludesOf([deep], directory);
	const count = isAnchored || isSlow ? 0 : files.filter(isExcluded).length;
	if (count === 0) return `${says} that the other lines match.`;
	return `${says}; ${quote(`!${deep}`)} would leave out ${formatCount(count, "file")}.`;
}
function requireDirectory(directory, given) {
	const problem = directoryProblem(directory);
	if (problem === void 0) return;
	const message = given === "" ? `the workspace ${problem} (${directory}).` : `${quote(given)} ${problem} (${directory}).`;
	throw inputError("working-directory", message, "packages/app");
}
function directoryProblem(directory) {
	if (/[\r\n]|^\s|\s$/.test(directory)) return "has a line break, or a space at the start or end of its path";
	try {
		return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? void 0 : "is not a directory on the runner";
	} catch (error) {
		const code = systemCode(error);
		if (code === void 0) throw error;
		return `is a directory that cannot be used: ${code}`;
	}
}
const ADVICE = {
	ENOENT: "A folder vanished during the search.",
	EACCES: "Let the runner read the folder, or upload another.",
	ELOOP: "The link leads to itself: remove it, or set follow-symlinks: false.",
	ENOTDIR: "The link leads nowhere: remove it, or set follow-symlinks: false."
};
/** The error of a walk as the user can use it; a bug as it is. */
function walkError({ place, written }, error) {
	const code = systemCode(error);
	if (!(error instanceof Error) || code === void 0) return error;
	const real = "path" in error ? String(error.path) : "";
	const file = place === void 0 || real === "" ? real : pathIn(place, real);
	if (code === "ENOENT" && file.includes("�")) return badName(file);
	const message = real === "" ? error.message : error.message.replace(real, () => file);
	const advice = ADVICE[code] === void 0 ? "" : ` ${ADVICE[code]}`;
	return inputError("files", `${quote(written)} cannot be searched: ${message}.${advice}`);
}
/** True if something was gone between two calls; names that are not UTF-8 look the same. */
function hasVanished(error) {
	const file = error instanceof Error && "path" in error ? String(error.path) : "";
	return systemCode(error) === "ENOENT" && !file.includes("�");
}
/** No matches once the job is cancelled, which a glob that finds nothing does not notice. */
async function unlessCancelled(finding, cancel) {
	const { promise: aborted, resolve } = Promise.withResolvers();
	const abort = () => resolve();
	if (cancel.aborted) abort();
	cancel.addEventListener("abort", abort, { once: true });
	try {
		const matches = await Promise.race([finding, aborted]);
		await setImmediate();
		await setImmediate();
		return cancel.aborted ? [] : matches ?? [];
	} finally {
		cancel.removeEventListener("abort", abort);
	}
}

// src/report/notices.ts
/** A sentence on the hidden files that were skipped, if there are any. */
function hiddenNotice({ hidden }) {
	const example = hidden.find(({ reason }) => reason !== "include-hidden-files: true includes it") ?? hidden[0];
	if (example === void 0) return [];
	return [`${`${formatCount(hidden.length, "hidden file")} ${hidden.length === 1 ? "was" : "were"} skipped`}, such as ${quote(example.path)}: ${example.reason}.`];
}
/** What to know about the files in the sandbox, although nothing failed. */
function notices(report) {
	return [
		...modesNotice(report),
		...orphansNotice(report),
		...batchNotice(report)
	];
}
const ARCHIVE = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml";
function modesNotice({ files }) {
	const programs = files.filter(({ status, file }) => file.isExecutable && status !== "unchanged");
	const [program] = programs;
	if (program === void 0) return [];
	return [`${countAre(programs)} executable, such as ${quote(program.file.source)}. Uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive: ${ARCHIVE}`];
}
const MAX_NAMES$2 = 10;
function orphansNotice({ orphaned }) {
	if (orphaned.length === 0) return [];
	const paths = abbreviate(orphaned, MAX_NAMES$2, {
		show: quote,
		more: moreInReport
	}).join(", ");
	return [`${countAre(orphaned)} no longer in the build but still in the sandbox: ${paths}.`];
}
function countAre(files) {
	return `${formatCount(files.length, "file")} ${files.length === 1 ? "is" : "are"}`;
}
const MANY = 100;
const LONG_MS = 50;
const SLOW_BYTES_PER_MS = 4 * 2 ** 20 / 1e3;
/** Suggests batches if many small files mostly waited for answers while the bandwidth was idle. */
function batchNotice({ files, couldBatch, durationMs }) {
	const small = files.filter((result) => result.status === "uploaded").filter(({ size }) => size <= SMALL_BYTES);
	const times = small.map((result) => result.durationMs).sort((a, b) => a - b);
	const isIdle = (times[times.length >> 1] ?? 0) >= LONG_MS && totalSize(small) / durationMs < SLOW_BYTES_PER_MS;
	if (!couldBatch || small.length < MANY || !isIdle) return [];
	return [`${`${formatCount(small.length, "small file")} went out one per request`}, and most of the time was spent waiting. If the service accepts several files per request, files-per-request: ${MANY} is several times as fast.`];
}

// src/report/outputs.ts
const MAX_CHARACTERS = 45e4;
/** One output may not take the room of all others. */
const MAX_OUTPUT_BYTES = 262144;
/** The outputs by name, beside those that name files; a notice for each that is too long. */
function outputsOf(report, aggregates) {
	const { task, digest } = report;
	const drafts = {
		...isUpload(report) ? {
			...uploadCounts(report),
			digest
		} : {},
		...task === "upload" ? {} : {
			...statsOutputs(report),
			...gateOutputs(report, aggregates)
		},
		...isUpload(report) ? { uploaded: uploadedList(report) } : {}
	};
	let left = MAX_CHARACTERS;
	const outputs = {};
	const notices = [];
	for (const [name, value] of Object.entries(drafts)) {
		const fits = value !== void 0 && value.length <= left && isShortEnough(value);
		outputs[name] = fits ? value : emptyOf(name);
		left -= outputs[name].length;
		if (!fits) notices.push(tooLong(name, value === void 0 || !isShortEnough(value)));
	}
	return {
		outputs,
		notices
	};
}
function isShortEnough(value) {
	return Buffer.byteLength(value) <= MAX_OUTPUT_BYTES;
}
/** What takes the place of a value that is too long: `fromJSON` fails on an empty text. */
function emptyOf(output) {
	return output === "uploaded" ? "[]" : "";
}
function tooLong(output, isByItself) {
	const why = isByItself ? "it would exceed 256 KiB" : "the outputs would exceed 900 KB together, as GitHub counts them";
	return `The output ${output} is ${emptyOf(output) || "empty"}: ${why}. The file named by the output report has everything.`;
}
function uploadCounts(report) {
	const { uploaded, unchanged, failed, skipped, uploadedBytes } = countFiles(report);
	return {
		"uploaded-count": String(uploaded),
		"unchanged-count": String(unchanged),
		"failed-count": String(failed),
		"skipped-count": String(skipped),
		"hidden-count": String(report.hidden.length),
		"uploaded-bytes": String(uploadedBytes)
	};
}
/** The uploaded files as JSON; undefined as soon as it is too long. */
function uploadedList({ files }) {
	const uploaded = files.filter((result) => result.status === "uploaded");
	const entries = uploaded.values().map(({ file: { source }, path, size }) => JSON.stringify({
		source,
		path,
		size
	}));
	const sizeWithComma = (entry) => Buffer.byteLength(entry) + 1;
	const taken = takeWithin(entries, 262143, sizeWithComma);
	return taken.length < uploaded.length ? void 0 : `[${taken.join(",")}]`;
}
/** Each is empty if it was not reported. */
function statsOutputs({ stats }) {
	const figures = Object.keys(METRICS).map((metric) => [metric.replaceAll("_", "-"), stats?.digits.get(metric) ?? ""]);
	return {
		...Object.fromEntries(figures),
		stats: stats?.json ?? ""
	};
}
function gateOutputs({ gate }, aggregates) {
	return {
		gate: gate.state,
		breaches: JSON.stringify(gate.breaches.map(breachEntry)),
		aggregates: JSON.stringify(aggregates)
	};
}
/** Each metric's aggregates. For 50,000 samples, this takes a while. */
function aggregatesOf(samples) {
	const all = samples.map(({ figures }) => figures);
	const aggregates = [...new Set(all.flatMap((figures) => [...figures.keys()]))].map((metric) => {
		const figures = figuresOf(metric, all);
		const entries = AGGREGATES.map((kind) => [kind, figures && aggregateOf(kind, figures)]);
		return [metric, Object.fromEntries(entries)];
	});
	return Object.fromEntries(aggregates);
}
const FILES_PER_PIECE = 500;
const SCHEMA = "https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json";
/** The report file, in pieces: 20,000 files in one string would take much memory. */
function* reportJson(report, aggregates) {
	const { task, files, stats, samples, gate, couldBatch: _, ...rest } = report;
	const document = {
		$schema: SCHEMA,
		task,
		succeeded: succeeded(report),
		headline: headline(report),
		totals: countFiles(report),
		...rest,
		gate: {
			state: gate.state,
			breaches: gate.breaches.map(breachEntry)
		},
		figures: stats === void 0 ? null : Object.fromEntries(stats.figures),
		aggregates,
		samples: samples.map(({ at, figures }) => ({
			at,
			figures: Object.fromEntries(figures)
		}))
	};
	yield `${JSON.stringify(document).slice(0, -1)},\n"stats": ${stats?.json || "null"},\n"files": [`;
	for (let start = 0; start < files.length; start += FILES_PER_PIECE) {
		const lines = files.slice(start, start + FILES_PER_PIECE).map((result) => `\n${JSON.stringify(fileEntry(result, report))}`);
		yield `${start === 0 ? "" : ","}${lines.join(",")}`;
	}
	yield "\n]\n}\n";
}
/** The figure is null if the metric was not reported. */
function breachEntry(breach) {
	const { level, condition } = breach;
	const { text, metric, limit } = condition;
	return {
		level,
		condition: text,
		metric,
		figure: breach.holds === void 0 ? null : breach.figure,
		limit
	};
}
function fileEntry({ file, ...result }, report) {
	const { source, target, size } = file;
	if (result.status !== "failed") return {
		source,
		target,
		size,
		...result
	};
	const { kind, status, message } = result.error;
	const error = {
		kind,
		status,
		message,
		hint: adviceFor(result.error, report)
	};
	return {
		source,
		target,
		size,
		...result,
		error
	};
}

// src/report/html.ts
const MAX_TEXT = 400;
const ENTITIES = new Map(Object.entries({
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	"\"": "&quot;",
	"'": "&#39;"
}));
/** HTML from a template; values are escaped. A block without empty lines has no Markdown. */
function html(parts, ...values) {
	return { html: parts.flatMap((part, index) => [part, toHtml(values[index])]).join("") };
}
/** Joins pieces of HTML. */
function concat(pieces, separator = "") {
	return { html: pieces.map((piece) => piece.html).join(separator) };
}
/** Literal text: GitHub leaves mentions and emoji names alone only in `code`. */
function code(text) {
	return html`<code>${text}</code>`;
}
const PLAIN = String.raw`(?:[A-Za-z]+(?:['-][A-Za-z]+)*|\d[\d,.:]*|%)`;
const END = String.raw`[.,:;?!)]*(?:\s|$)`;
const ODD = String.raw`(?:"(?:\\.|[^"\\])*"?|(?<![^\s(])(?!${PLAIN}${END})[^\s"(]\S*?(?=${END}))`;
const EXAMPLE = String.raw`(?<=\bExample: )[^\n]+$`;
const ODD_RUN = new RegExp(`(${EXAMPLE}|${ODD}(?: ${ODD})*(?:(?<=[<>=]) [\\d.]*\\d)?)`);
/** A message: plain words as they are, everything else as code, quoted text as a whole. */
function prose(text) {
	return concat(visibleCut(text, MAX_TEXT).split(ODD_RUN).map((piece, index) => ({ html: index % 2 === 0 ? escapeHtml(piece) : `<code>${escapeHtml(piece)}</code>` })));
}
/** A table of a heading row and rows, without empty columns. */
function table(headings, rows) {
	const columns = [...headings.keys()].filter((column) => rows.some((row) => row[column] !== void 0 && row[column] !== ""));
	const isProse = (column) => rows.some((row) => typeof row[column] === "object");
	const cell = (column, value = "") => isProse(column) ? html`<td>${value}</td>` : html`<td align="right">${unbroken(value)}</td>`;
	const head = columns.map((column) => html`<th align="${isProse(column) ? "left" : "right"}">${headings[column] ?? ""}</th>`);
	const body = rows.map((row) => html`<tr>${concat(columns.map((column) => cell(column, row[column])))}</tr>\n`);
	return html`<table>\n<tr>${concat(head)}</tr>\n${concat(body)}</table>`;
}
/** A figure that does not break over lines, however narrow the screen. */
function unbroken(figure) {
	return { html: toHtml(figure).replaceAll(" ", "&nbsp;") };
}
function toHtml(value) {
	if (value === void 0) return "";
	return typeof value === "object" ? value.html : escapeHtml(visibleCut(String(value), MAX_TEXT));
}
function escapeHtml(text) {
	return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}

// src/report/chart.ts
/** Fewer samples say no more than their figures. */
const MIN_SAMPLES = 10;
const MAX_POINTS = 60;
const MAX_PERCENT = 1e3;
const MAX_LIMITS = 4;
const PLOTS = [
	{
		name: "🟦 CPU",
		color: "#388bfd",
		metric: "cpu_used_pct",
		resource: "cpu"
	},
	{
		name: "🟪 memory",
		color: "#a371f7",
		metric: "mem_used_pct",
		resource: "mem"
	},
	{
		name: "🟩 disk",
		color: "#2da44e",
		metric: "disk_used_pct",
		resource: "disk"
	}
];
const GAP_COLOR = "#8c959f";
/** A Mermaid chart of CPU, memory and disk over time, with the gate's limits, below its legend. */
function drawChart(samples, gate) {
	const first = samples[0];
	const last = samples.at(-1);
	if (samples.length < 10 || first === void 0 || last === void 0) return [];
	const size = Math.min(MAX_POINTS, samples.length);
	const courses = PLOTS.map((plot) => ({
		...plot,
		points: spreadOverTime(plot.metric, samples, size),
		limits: limitsOf(plot, [...gate.failIf, ...gate.warnIf], last.figures)
	})).filter(({ points }) => points.some((point) => point !== void 0));
	if (courses.length === 0) return [];
	const lines = courses.map(({ color, points }) => ({
		kind: "line",
		color,
		points
	}));
	const limits = courses.flatMap(({ color, limits }) => limits.map((limit) => ({
		kind: "line",
		color,
		points: Array(size).fill(limit)
	})));
	const shown = [...lines, ...limits].flatMap(({ points }) => bridgeGaps(points));
	const low = Math.min(0, Math.floor(Math.min(...shown)));
	const high = Math.max(100, Math.ceil(Math.max(...shown)));
	const gaps = gapSeries(lines, size, low, high);
	const names = [...courses.map(({ name, metric, limits }) => {
		const each = limits.map((limit) => formatFigure(metric, limit)).join(", ");
		return each === "" ? name : `${name} (straight line: limit ${each})`;
	}), ...gaps.length > 0 ? ["grey: no samples"] : []].join(" · ");
	return [html`<p>In percent: ${names}</p>`, { html: toMermaid([
		...lines,
		...gaps,
		...limits
	], {
		yAxis: `y-axis ${low} --> ${high}`,
		xAxis: timeAxis(first.at, Math.max(last.at - first.at, 0)),
		description: `From ${formatTime(first.at)} to ${formatTime(last.at)}, in percent`
	}) }];
}
/** The time axis: its unit is the largest of which the chart shows at least two. */
function timeAxis(start, lengthMs) {
	const unit = [{
		name: "hours",
		ms: 36e5
	}, {
		name: "minutes",
		ms: 6e4
	}].find(({ ms }) => lengthMs >= 2 * ms) ?? {
		name: "seconds",
		ms: 1e3
	};
	const length = Math.max(lengthMs / unit.ms, .1).toFixed(2);
	return `x-axis "${`${unit.name} since ${formatTime(start)}, ${formatDuration(lengthMs)} in all`}" 0 --> ${length}`;
}
function toMermaid(series, { xAxis, yAxis, description }) {
	const style = {
		xyChart: {
			width: 800,
			height: 320
		},
		themeVariables: { xyChart: {
			backgroundColor: "transparent",
			plotColorPalette: series.map(({ color }) => color).join(", ")
		} }
	};
	const plots = series.map(({ kind, points }) => {
		return `  ${kind} [${bridgeGaps(points).map((number) => number.toFixed(2)).join(", ")}]`;
	});
	return [
		"```mermaid",
		...[
			`%%{init: ${JSON.stringify(style)}}%%`,
			"xychart-beta",
			"  accTitle: CPU, memory and disk over time",
			`  accDescr: ${description}`,
			`  ${xAxis}`,
			`  ${yAxis}`,
			...plots
		],
		"```"
	].join("\n");
}
/** A metric's highest values at even distances in time; undefined where there are none. */
function spreadOverTime(metric, samples, size) {
	const start = samples[0]?.at ?? 0;
	const length = Math.max((samples.at(-1)?.at ?? 0) - start, 1);
	const points = Array.from({ length: size });
	for (const { at, figures } of samples) {
		const figure = figures.get(metric);
		if (figure === void 0) continue;
		const value = clamp(figure, -1e3, MAX_PERCENT);
		const place = clamp(Math.round((at - start) / length * (size - 1)), 0, size - 1);
		points[place] = Math.max(points[place] ?? value, value);
	}
	return points;
}
/** Bars over gaps, since Mermaid cannot interrupt a line; elsewhere they end below the axis. */
function gapSeries(lines, size, low, high) {
	const gaps = Array.from({ length: size }, (_, index) => lines.some(({ points }) => isInGap(points, index)));
	if (!gaps.includes(true)) return [];
	const points = gaps.map((isGap) => isGap ? high : 2 * low - high);
	return [{
		kind: "bar",
		color: GAP_COLOR,
		points
	}];
}
/** Whether two points in a row are missing; a late sample leaves out a single one. */
function isInGap(points, index) {
	const isMissing = (at) => at in points && points[at] === void 0;
	return isMissing(index) && (isMissing(index - 1) || isMissing(index + 1));
}
/** The points, a missing one replaced by the one before it. */
function bridgeGaps(points) {
	let before = points.find((point) => point !== void 0) ?? 0;
	return points.map((point) => {
		before = point ?? before;
		return before;
	});
}
function clamp(value, low, high) {
	return Math.min(Math.max(value, low), high);
}
/** The limits on a resource in percent; those in bytes are shares of the last sample's total. */
function limitsOf({ metric, resource }, conditions, last) {
	const total = last.get(`${resource}_total`) ?? NaN;
	const limits = conditions.flatMap((condition) => {
		const { limit } = condition;
		if (condition.metric === metric) return [limit];
		if (condition.metric === `${resource}_used`) return [100 * limit / total];
		if (condition.metric === `${resource}_used_mib`) return [100 * limit * 2 ** 20 / total];
		return condition.metric === `${resource}_free` ? [100 - 100 * limit / total] : [];
	});
	return [...new Set(limits)].filter((limit) => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}

// src/report/stats-section.ts
/** The sandbox's figures and their limits, a chart, and the size that would be enough. */
function statsSection(report) {
	return [
		...statsTable(report),
		...drawChart(report.samples, report.gate),
		...sizeHint(report)
	];
}
const MAX_CONDITIONS = 30;
const RESOURCES = new Map(Object.entries({
	cpu: "CPU",
	mem: "Memory",
	disk: "Disk"
}));
/** A row for each resource, and for each other metric that was judged. */
function statsTable({ samples, gate }) {
	const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
	const bySubject = Map.groupBy(conditions, subjectOf);
	const rows = [.../* @__PURE__ */ new Set([...RESOURCES.keys(), ...bySubject.keys()])].flatMap((subject) => statsRow(subject, bySubject.get(subject) ?? [], samples, gate));
	if (samples.length === 0 || rows.length === 0) return [];
	return [table([
		"",
		samples.length > 1 ? "Peak" : "Now",
		"Limit",
		"Mean"
	], rows)];
}
function subjectOf({ metric }) {
	return /^(cpu|mem|disk)_/.exec(metric)?.[1] ?? metric;
}
function statsRow(subject, conditions, samples, gate) {
	const peak = describeUse(subject, samples.length > 1 ? "max" : "last", samples);
	const mean = samples.length > 1 ? describeUse(subject, "mean", samples) : "";
	const total = describeTotal(subject, samples);
	if (peak === "" && total === "" && conditions.length === 0) return [];
	const name = html`${RESOURCES.get(subject) ?? code(subject)}`;
	const heading = total === "" ? name : html`${name} (${unbroken(total)})`;
	const limits = conditions.map((condition) => limitCell(condition, gate, conditions.length > 1));
	return [[
		heading,
		`${worstMark(conditions, gate)}${peak || "not reported"}`,
		limits.length === 0 ? "" : concat(limits, "<br>"),
		mean
	]];
}
/** One aggregate of what is used, with its share: `1.0 GiB (25.0 %)`. */
function describeUse(subject, aggregate, samples) {
	const [used, share, own] = [
		`${subject}_used`,
		`${subject}_used_pct`,
		subject
	].map((metric) => formatAggregate(metric, aggregate, samples));
	if (used && share) return `${used} (${share})`;
	return used || share || own || "";
}
function describeTotal(subject, samples) {
	if (subject !== "cpu") {
		const total = formatAggregate(`${subject}_total`, "last", samples);
		return total === "0 B" ? "" : total;
	}
	const cores = formatAggregate("cpu_count", "last", samples);
	return cores && formatCount(Number(cores), "core");
}
/** Empty if no sample reports the metric. */
function formatAggregate(metric, aggregate, samples) {
	const figure = figureOver(metric, aggregate, samples);
	if (figure === void 0) return "";
	const kind = metricKind(metric);
	if (kind === "percentage") return `${figure.toFixed(1)} %`;
	return kind === "bytes" ? formatBytesEvenly(figure) : formatFigure(metric, figure);
}
const MARKS = {
	fail: "❌ ",
	warn: "⚠️ ",
	pass: "✅ "
};
function levelOf(condition, { breaches }) {
	return breaches.find((breach) => breach.condition === condition)?.level ?? "pass";
}
function worstMark(conditions, gate) {
	const marks = conditions.map((condition) => levelOf(condition, gate));
	const worst = [
		"fail",
		"warn",
		"pass"
	].find((mark) => marks.includes(mark));
	return worst === void 0 ? "" : MARKS[worst];
}
const BOUNDS = {
	">": "",
	">=": "",
	"<": "min. ",
	"<=": "min. ",
	"==": "not ",
	"!=": "only "
};
/** A condition's limit: `90 %`, `min. 512 MiB free`. Of several, those that tripped are marked. */
function limitCell(condition, gate, isOneOfSeveral) {
	const { metric, aggregate = "", operator } = condition;
	const usual = decidingOf({
		...condition,
		aggregate: void 0
	});
	const isUsual = aggregate === "" || aggregate === usual;
	const mark = levelOf(condition, gate);
	const limit = formatFigure(metric, condition.limit);
	const text = [
		isOneOfSeveral && mark !== "pass" ? MARKS[mark] : "",
		isUsual ? "" : `${aggregate} `,
		`${BOUNDS[operator]}${limit}`,
		metric.endsWith("_free") ? " free" : "",
		gate.warnIf.includes(condition) ? " (warn)" : ""
	];
	return unbroken(text.join(""));
}
/** The rule is in docs/summary.md. If the sandbox was not seen all the time, nobody can say. */
function sizeHint({ task, samples, errors, cancelled }) {
	const peak = figureOver("mem_used", "max", samples);
	const total = samples.at(-1)?.figures.get("mem_total") ?? 0;
	const isSeen = samples.length >= 10 && errors.length === 0 && !cancelled;
	if (task !== "monitor" || !isSeen || peak === void 0) return [];
	const size = sizeFor(peak);
	if (size >= total) return [];
	const most = `Peak ${formatBytes(peak)} of ${formatBytes(total)}`;
	return [html`<p>${most}: a sandbox with ${formatBytes(size)} would have been enough.</p>`];
}
/** The smallest of 512 MiB, 768 MiB, 1 GiB, 1.5 GiB and so on that holds 125 % of a peak. */
function sizeFor(peak) {
	const needed = Math.max(peak * 1.25, 2 ** 29);
	const power = 2 ** Math.ceil(Math.log2(needed));
	return needed <= power * .75 ? power * .75 : power;
}

// src/report/summary.ts
const MAX_ROWS = 10;
const MAX_LINES = 30;
const MAX_PLANNED = 50;
const MAX_NAMES$1 = 5;
const DOCS = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs";
/** The job summary, in blocks of HTML. */
function summary(report) {
	const [title = "", ...others] = verdictSentences(report);
	return [
		html`<h3>${markOf(report)} Sandbox Sync${nameSandbox(report)}: ${prose(title)}</h3>`,
		...others.map((line) => html`<p>${prose(line)}</p>`),
		...failureSection(report),
		...list(furtherLines(report), MAX_LINES, prose),
		...statsSection(report),
		...planSection(report),
		...uploadTable(report),
		...list([
			...hiddenNotice(report),
			...notices(report),
			...report.warnings
		], MAX_LINES, prose),
		...skippedSection(report),
		...fileSection(report),
		footer(report)
	].map((block) => `${block.html}\n\n`).join("");
}
function markOf(report) {
	if (report.cancelled) return "⛔";
	if (!succeeded(report)) return "❌";
	const isEmpty = report.files.length === 0 && !report.shard?.planned;
	return isUpload(report) && isEmpty || report.gate.state === "warned" ? "⚠️" : "✅";
}
/** In the heading, since the summaries of a matrix differ in nothing else. */
function nameSandbox({ name, sandboxId }) {
	if (name !== "") return html` (${code(name)}, ${code(sandboxId)})`;
	return sandboxId === "" ? html`` : html` (${code(sandboxId)})`;
}
function list(items, limit, show) {
	if (items.length === 0) return [];
	const shown = abbreviate(items, limit, {
		show,
		more: (rest) => html`${moreInReport(rest)}`
	});
	return [html`<ul>${concat(shown.map((item) => html`\n<li>${item}</li>`))}\n</ul>`];
}
function footer({ sandboxId, baseUrl }) {
	const where = sandboxId === "" ? "" : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
	const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
	return html`<p>${where}<a href="${DOCS}/summary.md">How to read this</a> · ${messages}</p>`;
}
function failureSection(report) {
	const groups = failureGroups(report);
	if (groups.length === 0) return [];
	const items = list(groups, MAX_ROWS, ({ error, sources }) => {
		const advice = prose(adviceFor(error, report));
		return html`${prose(error.message)}<br>${advice}<br>${describeFiles(sources)}`;
	});
	return [html`<h4>What failed</h4>`, ...items];
}
/** A few files by name; of many, their folders with counts first. */
function describeFiles(sources) {
	const names = abbreviate(sources, MAX_NAMES$1, {
		show: code,
		more: (rest) => html`${moreInReport(rest)}`
	});
	if (sources.length <= MAX_NAMES$1) return concat(names, ", ");
	const byFolder = [...Map.groupBy(sources, (source) => path.posix.dirname(source))];
	const folders = abbreviate(byFolder.sort(([, one], [, other]) => other.length - one.length), MAX_ROWS, {
		show: ([folder, own]) => html`${code(folder)}: ${formatCount(own.length, "file")}`,
		more: (rest) => html`and ${formatCount(rest, "more folder")}`
	});
	return html`${concat(folders, ", ")}<br>${concat(names, ", ")}`;
}
/** How the upload went, one line per figure: side by side they would be too wide for a phone. */
function uploadTable(report) {
	if (report.files.length === 0 || report.dryRun) return [];
	const { uploaded, unchanged, failed, skipped, notAttempted, uploadedBytes } = countFiles(report);
	const { durationMs, durations, digest } = report;
	const attempts = report.files.map((file) => "attempts" in file ? file.attempts - 1 : 0);
	const count = (number) => number === 0 ? "" : formatNumber(number);
	const time = (ms = 0) => ms === 0 ? "" : formatDuration(ms);
	const cells = [
		["Uploaded", count(uploaded)],
		["Size", uploaded === 0 ? "" : formatBytes(uploadedBytes)],
		["Rate", uploaded === 0 ? "" : formatRate(uploadedBytes, durationMs)],
		["Unchanged", count(unchanged)],
		["Failed", count(failed)],
		["Not attempted", count(notAttempted)],
		["Skipped", count(skipped)],
		["Retries", count(attempts.reduce((sum, number) => sum + number, 0))],
		["Searching", time(durations.search)],
		["Waiting", time(durations.wait)],
		["Uploading", time(durationMs)],
		["Sampling", time(durations.stats)]
	].filter(([, value]) => value !== "").map(([name = "", value = ""]) => [html`${name}`, value]);
	const digestLine = digest === "" ? [] : [html`<p>${nameDigest(report)}: ${code(digest)}</p>`];
	return [table(["Upload", ""], cells), ...digestLine];
}
/** The plan of a dry run, which is what it was run for. */
function planSection({ files, dryRun }) {
	const planned = files.filter(({ status }) => status === "skipped");
	if (!dryRun || planned.length === 0) return [];
	const rows = abbreviate(planned, MAX_PLANNED, {
		show: ({ file }) => [
			code(file.source),
			formatBytesEvenly(file.size),
			code(file.target)
		],
		more: (rest) => [html`${moreInReport(rest)}`]
	});
	return [table([
		"File",
		"Size",
		"In the sandbox"
	], rows)];
}
function skippedSection({ skipped }) {
	if (skipped.length === 0) return [];
	const lines = skipped.map(({ path: place, reason }) => `${quote(place)}: ${reason}`);
	return [html`<h4>What was skipped</h4>`, ...list(lines, MAX_LINES, prose)];
}
/** The uploaded files: by folder, the largest, the slowest, each only if it adds something. */
function fileSection({ files }) {
	const uploaded = files.filter((result) => result.status === "uploaded");
	if (uploaded.length === 0) return [];
	const largest = uploaded.toSorted((one, other) => other.size - one.size);
	const slowest = [...Map.groupBy(uploaded, ({ durationMs }) => durationMs)].sort(([one], [other]) => other - one).flatMap(([, same]) => same.slice(0, 1));
	const tables = [
		...folderTable(uploaded),
		fileTable(uploaded.length > MAX_ROWS ? "Largest" : "File", largest),
		...uploaded.length > MAX_ROWS && slowest.length > 1 ? [fileTable("Slowest", slowest)] : []
	];
	return [html`<details><summary>${formatCount(uploaded.length, "file")}</summary>
${concat(tables)}
</details>`];
}
function folderTable(uploaded) {
	const folders = [...Map.groupBy(uploaded, ({ file }) => path.posix.dirname(file.source))].map(([name, own]) => ({
		name,
		count: own.length,
		bytes: totalSize(own)
	})).sort((one, other) => other.bytes - one.bytes);
	if (folders.length < 2) return [];
	const rows = abbreviate(folders, MAX_ROWS, {
		show: ({ name, count, bytes }) => [
			code(name),
			formatNumber(count),
			formatBytesEvenly(bytes)
		],
		more: (rest) => [html`${moreInReport(rest)}`]
	});
	return [table([
		"Folder",
		"Files",
		"Size"
	], rows)];
}
function fileTable(heading, files) {
	const rows = files.slice(0, MAX_ROWS).map((result) => [
		code(result.file.source),
		formatBytesEvenly(result.size),
		formatDuration(result.durationMs),
		code(result.path)
	]);
	return table([
		heading,
		"Size",
		"Time",
		"In the sandbox"
	], rows);
}

// src/github/publish.ts
const MAX_GROUPS = 7;
const MAX_NAMES = 10;
/** Writes outputs, then the summary, then the verdict: always all three, whatever failed before. */
async function publish(report, withSummary) {
	logFiles(report);
	if (report.digest !== "") logLine(`${nameDigest(report)}: ${report.digest}`);
	const outputProblem = await writeOutputs(report);
	if (withSummary) await writeSummary(report);
	annotateWarnings(report);
	for (const line of notices(report)) annotate.notice([line]);
	annotateFailures(report);
	const verdict = [headline(report), ...furtherLines(report)];
	if (!succeeded(report)) setFailed(toMessage([...verdict, ...outputProblem]));
	else if (outputProblem.length > 0) setFailed(toMessage([...outputProblem, ...verdict]));
	else logLine([...verdict, ...hiddenNotice(report)].join(" "));
}
/** Why the outputs could not be written, if so. */
async function writeOutputs(report) {
	try {
		const aggregates = aggregatesOf(report.samples);
		const { outputs, notices: tooLong } = outputsOf(report, aggregates);
		for (const line of tooLong) annotate.notice([line]);
		const files = await writeFiles(report, aggregates);
		if (!process.env["GITHUB_OUTPUT"]) throw new Error("GITHUB_OUTPUT is not set");
		for (const [name, value] of Object.entries({
			...files,
			...outputs
		})) setOutput(name, value);
		return [];
	} catch (error) {
		return [`The step's outputs could not be written: ${reasonOf(error)}.`];
	}
}
/** Writes the files that outputs name. Returns their paths; after a warning, empty ones. */
async function writeFiles(report, aggregates) {
	const none = isUpload(report) ? {
		report: "",
		checksums: ""
	} : { report: "" };
	try {
		const temp = process.env["RUNNER_TEMP"];
		if (!temp) throw new Error("RUNNER_TEMP is not set");
		const folder = mkdtempSync(path.join(temp, "sandbox-sync-"));
		const write = async (name, content) => {
			const file = path.join(folder, name);
			await writeFile(file, content, {
				flag: "wx",
				mode: 384
			});
			return file;
		};
		const lines = isUpload(report) ? checksumsOf(report) : [];
		const checksums = lines.length === 0 ? "" : await write("checksums.txt", lines);
		const files = { report: await write("report.json", reportJson(report, aggregates)) };
		return isUpload(report) ? {
			...files,
			checksums
		} : files;
	} catch (error) {
		annotate.warning([`The report file could not be written: ${reasonOf(error)}.`]);
		return none;
	}
}
async function writeSummary(report) {
	try {
		await summary$1.addRaw(summary(report)).write();
	} catch (error) {
		annotate.warning([`The job summary could not be written: ${reasonOf(error)}.`]);
	}
}
function annotateWarnings(report) {
	const { warnings, gate, samples } = report;
	const lines = abbreviate(warnings, MAX_GROUPS, {
		show: (warning) => warning,
		more: (rest) => `And ${rest} more.`
	});
	for (const line of lines) annotate.warning([withName(report, line)]);
	const tripped = gate.breaches.filter(({ level }) => level === "warn" && samples.length > 0);
	if (tripped.length === 0) return;
	annotate.warning([withName(report, `${formatCount(tripped.length, "condition")} of warn-if tripped:`), ...tripped.map((breach) => breachLine(breach, samples))]);
}
/** One annotation per kind of failure, and one more that counts those beyond what is shown. */
function annotateFailures(report) {
	const groups = failureGroups(report).filter(({ error }) => error.kind !== "cancelled");
	for (const { error, sources } of groups.slice(0, MAX_GROUPS)) {
		const names = abbreviate(sources, MAX_NAMES, {
			show: (source) => `- ${source}`,
			more: (rest) => `- and ${formatNumber(rest)} more`
		});
		annotate.error([
			error.message,
			adviceFor(error, report),
			...names
		]);
	}
	const others = groups.slice(MAX_GROUPS).flatMap(({ sources }) => sources);
	if (others.length === 0) return;
	annotate.error([`${formatCount(others.length, "more file")} failed for other reasons; the report file lists each.`]);
}
/** What an error says, without a full stop. */
function reasonOf(error) {
	return (error instanceof Error ? error.message : String(error)).replace(/\.+$/, "");
}

// src/github/step.ts
/** Runs a step of the workflow, and publishes a report however it ends. */
async function step(entry, run, given) {
	const { raw, redact, debug, parse } = openStep(entry, given);
	const cancel = cancelSignal();
	const context = {
		workspace: workspace(),
		cancel,
		clock: () => performance.now(),
		now: Date.now,
		sleep,
		random: Math.random,
		cacheWarnings: cacheWarnings(),
		observer: watchRun(debug),
		debug
	};
	const report = await Promise.try(() => run(parse(), context, raw)).catch((error) => failedReport(entry, raw, redact, error));
	const hasSummary = !/^\s*false\s*$/i.test(raw["summary"] ?? "");
	if (report !== void 0) {
		const warnings = [...environmentWarnings(), ...report.warnings];
		await publish({
			...report,
			warnings
		}, hasSummary);
	}
	if (cancel.aborted && taskOf(entry) !== "monitor") process.stdout.write("", () => process.exit());
}
/** What kept a run from its work: invalid inputs, or a bug. */
function failedReport(entry, raw, redact, error) {
	const { message, details } = reportError(error);
	const errors = [{
		message: redact(message),
		details: details.map(redact)
	}];
	const name = redact(raw["name"]?.trim() ?? "");
	const gate = entry === "monitor-stop" || Boolean(raw["fail-if"]?.trim()) ? {
		...NO_GATE,
		state: "failed"
	} : NO_GATE;
	return {
		...EMPTY_REPORT,
		task: taskOf(entry),
		name,
		gate,
		errors
	};
}

// src/stats/unseen.ts
const MIN_STALE_MS = 1e4;
/** The times in which the sandbox's clock stood still. A clock at 0 counts as not reported. */
function findStaleTimes(samples) {
	const times = [];
	let first;
	for (const [index, sample] of samples.entries()) {
		const ts = sample.figures.get("ts") ?? 0;
		if (first?.figures.get("ts") !== ts) first = sample;
		const isLast = samples[index + 1]?.figures.get("ts") !== ts;
		const ms = sample.at - first.at;
		if (!isLast || ts === 0 || ms < MIN_STALE_MS) continue;
		const why = `since its clock (ts) stood still for ${formatDuration(ms)}: the stats were stale or cached`;
		times.push({
			from: first.at,
			to: sample.at,
			why
		});
	}
	return times;
}
/** Says when the sandbox was not seen, and why. */
function describeUnseen({ from, to, why }) {
	const because = why === "" ? "" : `, ${why}`;
	return `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}${because}.`;
}

export { BROKEN_LINK as a, pathWithin as c, SMALL_BYTES as d, hashFile as f, digestOf as h, findFiles as i, toPosix as l, readSmallFile as m, findStaleTimes as n, NOT_REGULAR as o, openFile as p, step as r, isWithin as s, describeUnseen as t, READ_FLAGS as u };