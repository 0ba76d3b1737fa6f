import { r as __toESM } from "./rolldown-runtime.js";
import { $ as firstOf, B as describeRetry, F as isSecretHeader, G as fieldsOf, H as openAgent, J as failureInfoOf, K as parseFields, L as findMistake, N as problemOfFailure, Q as quote, R as InputError, U as bodyError, V as withRetries, W as parseResponse, X as wrapSystemErrors, Y as isFatal, Z as inlineCode, at as formatNumber, ct as totalSize, et as listSome, f as takeStats, it as formatDuration, m as withoutStats, nt as formatBytes, ot as formatRate, p as waitForSandbox, q as AgentError, rt as formatCount, st as systemCode, tt as errorText, u as readJudgeableStats, z as inputError } from "./shared.js";
import { n as require_form_data, r as create, t as pLimit } from "./vendor.js";
import { setImmediate } from "node:timers/promises";
import { once } from "node:events";
import { createHash, hash, randomUUID } from "node:crypto";
import path, { dirname, posix, resolve } from "node:path";
import { closeSync, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";

// src/files/paths.ts
function toAbsolutePattern(pattern, directory) {
	const isAtHome = /^~(?=[\\/]|$)/.test(pattern);
	const start = escapeGlob(isAtHome ? homedir() : directory);
	return path.resolve(start, isAtHome ? `.${pattern.slice(1)}` : pattern);
}
function escapeGlob(name) {
	return (path.sep === "/" ? name.replaceAll("\\", "\\\\") : name).replace(/[[?*]/g, "[$&]");
}
/** Returns true if a segment of the pattern below its root starts with a dot. */
function namesHidden(absolutePattern, root) {
	return segmentsOf(absolutePattern).slice(segmentsOf(root).length).some((name) => /^\\?\[?\./.test(name));
}
function hasHiddenName(relative) {
	return segmentsOf(relative).some((name) => name.startsWith(".") && name !== "..");
}
/** Returns false if the folders that a pattern names rule out that an exclude matches anything. */
function canReach(pattern, exclude) {
	const excluded = segmentsOf(exclude);
	for (const [index, name] of segmentsOf(pattern).entries()) {
		const part = excluded[index];
		if (part === void 0 || part === "**" || name === "**") return true;
		if (part !== name && !/[*?[\\]/.test(name) && !nameRegExp(part).test(name)) return false;
	}
	return true;
}
function nameRegExp(segment) {
	const literals = segment.split(/\[.*\]|[*?\\]/).map((text) => RegExp.escape(text));
	return new RegExp(`^${literals.join(".*")}$`, path.sep === "/" ? "s" : "is");
}
function segmentsOf(file) {
	return file.split(path.sep).filter((name) => name !== "");
}
/** Returns the path of `file` relative to `directory`, or undefined if it is outside. */
function pathWithin(directory, file) {
	const relative = path.relative(directory, file);
	return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? void 0 : relative;
}
function displayPath(file, workspace) {
	return toPosix(pathWithin(workspace, file) ?? file) || ".";
}
function toPosix(file) {
	return path.sep === "/" ? file : file.replaceAll(path.sep, "/");
}
/** Returns undefined if there is no file, or only a broken link. */
function statIfExists(file) {
	try {
		return statSync(file);
	} catch (error) {
		if ([
			"ENOENT",
			"ENOTDIR",
			"ELOOP"
		].includes(systemCode(error) ?? "")) return void 0;
		throw error;
	}
}
function isLink(file) {
	return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
function deepestExisting(file) {
	const parent = path.dirname(file);
	return existsSync(file) || parent === file ? file : deepestExisting(parent);
}
/** Returns the deepest link in a path, or the path itself if it contains none. */
function deepestLinkIn(file) {
	for (let part = file; part !== path.dirname(part); part = path.dirname(part)) if (isLink(part)) return part;
	return file;
}

// src/files/find.ts
const LINK_TO_FOLDER = "a link to a folder";
const MAX_FILES = 1e6;
/** Finds the files of each pattern, or nothing if cancelled. */
async function findFiles(inputs, workspace, cancel) {
	const { workingDirectory, stateFile, files } = inputs;
	const directory = path.resolve(workspace, workingDirectory);
	requireDirectory(directory, workingDirectory);
	const nothing = {
		matches: [],
		excludes: []
	};
	if (cancel.aborted) return nothing;
	const absolute = (line) => toAbsolutePattern(line, directory);
	const stateExclude = stateFile === "" ? [] : [escapeGlob(path.resolve(workspace, stateFile))];
	const allExcludes = [...files.excludes.map(absolute), ...stateExclude];
	const searches = files.patterns.map((pattern) => search(pattern, allExcludes, inputs, workspace));
	const aborted = once(cancel, "abort").then(() => []);
	const matches = await Promise.race([Promise.all(searches), aborted]);
	if (cancel.aborted) return nothing;
	const excludes = files.excludes.map((line) => describeExclude(line, absolute(line)));
	return {
		matches,
		excludes: await Promise.all(excludes)
	};
}
async function describeExclude(line, pattern) {
	const mistake = findMistake("unmatched-exclude", line);
	if (mistake === void 0) return {
		line,
		mistake
	};
	return {
		line,
		mistake: (await (await create(pattern)).globGenerator().next()).done ? mistake : void 0
	};
}
function requireDirectory(directory, workingDirectory) {
	if (statIfExists(directory)?.isDirectory()) return;
	const message = `${workingDirectory === "" ? "the workspace" : quote(workingDirectory)} is not a directory on the runner (${directory}).`;
	throw inputError("working-directory", message, "packages/app");
}
async function search(pattern, excludes, { workingDirectory, followSymlinks, includeHiddenFiles }, workspace) {
	const directory = path.resolve(workspace, workingDirectory);
	const absolutePattern = toAbsolutePattern(pattern.pattern, directory);
	const [root = ""] = (await create(absolutePattern)).getSearchPaths();
	const skipsHidden = !includeHiddenFiles && !namesHidden(absolutePattern, root);
	const existing = deepestExisting(root);
	if (existing !== root && statIfExists(existing)?.isFile()) return {
		pattern,
		root,
		skipsHidden,
		files: [],
		skipped: [],
		links: []
	};
	const lines = [absolutePattern, ...excludes.map((exclude) => `!${exclude}`)].join("\n");
	const paths = /* @__PURE__ */ new Set();
	if (isLink(root) && statIfExists(root)?.isDirectory()) paths.add(root);
	for (const followSymbolicLinks of followSymlinks ? [false, true] : [false]) {
		const globber = await create(lines, {
			followSymbolicLinks,
			matchDirectories: false,
			excludeHiddenFiles: skipsHidden && !path.basename(root).startsWith(".")
		});
		for await (const file of globber.globGenerator()) if (paths.add(file).size > MAX_FILES) throw tooManyFiles(pattern);
	}
	return {
		pattern,
		root,
		skipsHidden,
		...classify([...paths].sort(), {
			root,
			workspace,
			skipsHidden,
			followSymlinks
		})
	};
}
function tooManyFiles({ pattern }) {
	const message = `${quote(pattern)} matches more than ${formatNumber(MAX_FILES)} files. Do links form a loop? Exclude what you do not need.`;
	return inputError("files", message);
}
/** Sorts paths into files and others, and omits hidden ones and followed links to folders. */
function classify(entries, { root, workspace, skipsHidden, followSymlinks }) {
	const files = [];
	const skipped = [];
	const links = [];
	const realWorkspace = realpathSync.native(workspace);
	const realRoot = realRootOf(root, workspace);
	for (const entry of entries) {
		const source = displayPath(entry, workspace);
		const relative = path.relative(root, entry);
		if (skipsHidden && hasHiddenName(relative)) continue;
		const stats = statIfExists(entry);
		if (stats === void 0) skipped.push({
			path: source,
			reason: "a broken link"
		});
		else if (stats.isDirectory()) {
			if (followSymlinks === void 0) links.push({
				leadsTo: "folder",
				entry
			});
			else if (!followSymlinks) skipped.push({
				path: source,
				reason: LINK_TO_FOLDER
			});
		} else if (!stats.isFile()) skipped.push({
			path: source,
			reason: "not a regular file"
		});
		else {
			const realPath = realpathSync.native(entry);
			const isIn = (folder) => pathWithin(folder, realPath) !== void 0;
			if (!isIn(realWorkspace) && !isIn(realRoot)) links.push({
				leadsTo: "outside",
				entry
			});
			else if (skipsHidden && hasHiddenName(path.relative(realRoot, realPath))) links.push({
				leadsTo: "hidden",
				entry
			});
			else files.push({
				source,
				realPath,
				relative: toPosix(relative),
				size: stats.size
			});
		}
	}
	return {
		files,
		skipped,
		links
	};
}
/**
* Resolves links up to the workspace or, for a root outside it, up to the root's parent. The root
* itself stays unresolved: if it were a link to `/`, every file would count as inside.
*/
function realRootOf(root, workspace) {
	const start = pathWithin(workspace, root) === void 0 ? path.dirname(root) : workspace;
	const realStart = existsSync(start) ? realpathSync.native(start) : start;
	return path.join(realStart, path.relative(start, root));
}

// src/files/explain-files.ts
/** Advice comes first and lists of names last, since summaries cut the middle of long texts. */
function explainNoMatch(match, directory) {
	const { pattern } = match.pattern;
	const mistake = findMistake("unmatched-pattern", pattern);
	const advice = mistake === void 0 ? "" : ` It ${mistake}`;
	const [first] = match.skipped;
	const why = first === void 0 ? describeRoot(match, directory) : `Skipped ${formatNumber(match.skipped.length)}, such as ${quote(first.path)} (${first.reason}).`;
	return `${quote(pattern)} matches no files to upload.${advice} ${why}`;
}
function describeRoot({ root, skipsHidden }, directory) {
	const existing = deepestExisting(root);
	const name = existing === directory ? "the working directory" : quote(displayPath(existing, directory));
	const [missing] = path.relative(existing, root).split(path.sep);
	const content = describeContent(existing);
	if (missing) return `There is no ${quote(missing)} in ${name}. ${content}`;
	return `Nothing in ${name} matches, or a ! line excludes it${skipsHidden ? "; names that start with a dot need include-hidden-files: true" : ""}. ${content}`;
}
function describeContent(file) {
	if (!statSync(file).isDirectory()) return "It is a file.";
	const names = readdirSync(file).sort().map(quote);
	if (names.length > 0) return `Found there: ${listSome(names)}.`;
	return "It is empty: did actions/checkout or the build run in this job?";
}
/** Returns a warning for each reason that a user may not expect, naming one entry. */
function warnOfSkipped(skipped) {
	const unexpected = skipped.filter(({ reason }) => reason !== LINK_TO_FOLDER);
	return [...Map.groupBy(unexpected, ({ reason }) => reason)].map(([reason, entries]) => {
		const names = entries.map((entry) => quote(entry.path));
		return `Skipped (${reason}): ${listSome(names, 1)}.`;
	});
}
/** Lists hidden names in the folders that a pattern matches as a whole, except for `.git`. */
function findHiddenNames(matches, workspace) {
	const hidden = matches.filter(({ skipsHidden, pattern }) => skipsHidden && WHOLE_FOLDER.test(pattern.pattern)).filter(({ root }) => statIfExists(root)?.isDirectory()).flatMap(({ root }) => readdirSync(root).map((name) => path.join(root, name))).filter((file) => /^\.(?!git$)/.test(path.basename(file)));
	return Array.from(new Set(hidden), (file) => displayPath(file, workspace));
}
const WHOLE_FOLDER = /^[^*?[]*$|^([^*?[]*[\\/])?\*\*?$/;
const ARCHIVE = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml";
function describeLinks(links, workspace) {
	const nameOf = (file) => quote(displayPath(file, workspace));
	return [...Map.groupBy(links, ({ leadsTo }) => leadsTo)].map(([leadsTo, group]) => {
		const unique = new Set(group.map(({ entry }) => deepestLinkIn(entry)));
		const linkDescriptions = Array.from(unique, (link) => `${nameOf(link)} to ${nameOf(realpathSync.native(link))}`);
		const message = `${adviseOn(leadsTo, linkDescriptions)}. Links: ${listSome(linkDescriptions)}.`;
		return {
			input: leadsTo === "folder" ? "follow-symlinks" : "files",
			message
		};
	});
}
function adviseOn(leadsTo, linkDescriptions) {
	if (leadsTo === "folder") return `is not set, and the patterns match links to folders. Decide: true sends what they lead to, false skips them. Or exclude them with ! lines, or send an archive: ${ARCHIVE}`;
	if (leadsTo === "outside") return "links lead outside the workspace. Exclude them with ! lines, or copy what they lead to into the workspace";
	return `links lead to something hidden. Exclude them with ! lines${linkDescriptions.some((link) => link.includes("/.pnpm/")) ? ", let pnpm install with node-linker=hoisted" : ""}, or send an archive: ${ARCHIVE}`;
}
/** Finds excludes that no pattern can reach, such as `!secret.txt` or `!*.map` beside `dist/**`. */
function findUselessExcludes(excludes, matches, directory) {
	const patterns = matches.map((match) => toAbsolutePattern(match.pattern.pattern, directory));
	const isReached = (line) => patterns.some((pattern) => canReach(pattern, toAbsolutePattern(line, directory)));
	return excludes.flatMap(({ line, mistake }) => {
		const start = `${quote(`!${line}`)} excludes nothing`;
		if (mistake !== void 0) return [{
			input: "files",
			message: `${start}. It ${mistake}`
		}];
		if (isReached(line)) return [];
		const everywhere = `**/${line.replace(/^([~.*]*[\\/])+/, "")}`;
		return [{
			input: "files",
			message: `${start}, since no pattern begins there. Begin it like a pattern${isReached(everywhere) ? `, or write ${quote(`!${everywhere}`)} to exclude it wherever it is` : ""}.`
		}];
	});
}
function findMistakenTargets(matches, target) {
	return matches.filter(({ pattern, files: [file] }) => {
		if (file?.relative !== "" || pattern.target !== void 0 || target.endsWith("/")) return false;
		return path.posix.basename(target) === path.posix.basename(file.source);
	}).map(({ pattern: { pattern } }) => ({
		input: "target",
		message: `${quote(target)} is a folder, and the file would land in it under its own name. For one file, leave target empty and write the line ${quote(`${pattern} => ${target}`)} in files; for a folder of that name, end it with a slash.`
	}));
}

// src/files/targets.ts
const MAX_CONFLICTS = 10;
/**
* Gives each file a target below the input `target` and the target of its line. Returns one file
* per target, in the order found. @throws InputError for links, excludes and targets that are wrong
*/
function planFiles(found, inputs, workspace) {
	const { matches } = found;
	const { ifNoFilesFound, target } = inputs;
	const directory = path.resolve(workspace, inputs.workingDirectory);
	const planned = matches.flatMap(({ files, pattern }) => files.map((file) => ({
		...file,
		target: targetOf(file, pattern, target)
	})));
	const unmatched = matches.filter(({ files, links }) => files.length + links.length === 0 && ifNoFilesFound !== "ignore").map((match) => explainNoMatch(match, directory));
	const problems = findProblems(found, planned, ifNoFilesFound === "error" ? unmatched : [], {
		directory,
		target,
		workspace
	});
	if (problems.length > 0) throw new InputError(problems);
	const skipped = uniqueBy(matches.flatMap((match) => match.skipped), (entry) => entry.path);
	const warnings = [...ifNoFilesFound === "warn" ? unmatched : [], ...warnOfSkipped(skipped)];
	return {
		files: uniqueBy(planned, (file) => file.target),
		skipped,
		warnings
	};
}
function findProblems({ matches, excludes }, planned, unmatched, { directory, target, workspace }) {
	const more = (count) => `And ${count} more of this kind.`;
	const conflicts = firstOf(findConflicts(planned), MAX_CONFLICTS, more);
	const links = matches.flatMap((match) => match.links);
	return [
		...describeLinks(links, workspace),
		...findUselessExcludes(excludes, matches, directory),
		...[...unmatched, ...conflicts].map((message) => ({
			input: "files",
			message
		})),
		...findMistakenTargets(matches, target)
	];
}
/** Returns one shard's files. A file's shard depends only on its target, so all runners agree. */
function filesOfShard(files, { index, count }) {
	return files.filter(({ target }) => hash("sha256", target, "buffer").readUInt32BE(0) % count === index - 1);
}
function targetOf({ source, relative }, { target: lineTarget = "" }, target) {
	const isBelowTarget = !/^(\/|~(\/|$))/.test(lineTarget);
	const base = path.posix.join(isBelowTarget ? target : "", lineTarget).replace(/^~(\/|$)/, "");
	return relative === "" && !/(^|\/)\.?$|^~$/.test(lineTarget) ? base : path.posix.join(base, relative || path.posix.basename(source));
}
const ADVICE = "Give one line another target, or exclude one.";
/** Describes files that have the target of another file, or a target below it, sorted by target. */
function findConflicts(planned) {
	const quoted = JSON.stringify;
	const sorted = planned.map((file) => ({
		file,
		key: `${file.target}/`
	}));
	sorted.sort((one, other) => one.key < other.key ? -1 : Number(one.key > other.key));
	let top;
	return sorted.flatMap(({ file, key }) => {
		if (top === void 0 || !key.startsWith(`${top.target}/`)) {
			top = file;
			return [];
		}
		const { source, target } = file;
		if (top.target !== target) return `${quoted(top.source)} would go to ${quoted(top.target)} and ${quoted(source)} would go to ${quoted(target)}: a file cannot also be a directory. ${ADVICE}`;
		if (top.source === source) return [];
		return `${quoted(top.source)} and ${quoted(source)} would both go to ${quoted(target)}. ${ADVICE}`;
	});
}
function uniqueBy(items, keyOf) {
	return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

// src/upload/upload-body.ts
var import_form_data = /* @__PURE__ */ __toESM(require_form_data(), 1);
const BOUNDARY = `----sandboxsync${crypto.randomUUID().replaceAll("-", "")}`;
const LINE_BREAK = Buffer.from("\r\n");
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
/** Frames the files of a batch (RFC 7578). */
function bodyOf(batch, isHashed) {
	const heads = batch.map(headOf);
	const digests = [];
	function* chunks() {
		for (const [index, file] of batch.entries()) {
			const digest = isHashed ? createHash("sha256") : void 0;
			let head = heads[index];
			for (const chunk of readChunks(file)) {
				digest?.update(chunk);
				yield head === void 0 ? chunk : Buffer.concat([head, chunk]);
				head = void 0;
			}
			if (head !== void 0) yield head;
			if (digest !== void 0) digests.push(digest.digest("hex"));
		}
		yield TAIL;
	}
	const length = [...heads.map((head) => head.length), ...batch.map(({ size }) => size)].reduce((sum, size) => sum + size, TAIL.length);
	return {
		chunks: chunks(),
		length,
		digests
	};
}
function headOf({ target }, index) {
	const form = new import_form_data.default();
	form.setBoundary(BOUNDARY);
	form.append("file", "", {
		filepath: target,
		contentType: "application/octet-stream"
	});
	const head = form.getBuffer().subarray(0, -TAIL.length);
	return index === 0 ? head : Buffer.concat([LINE_BREAK, head]);
}
const CHUNK_BYTES = 262144;
/**
* Returns the SHA-256 in hex, or undefined if `cancel` aborts.
* @throws AgentError if the file cannot be read or its size has changed
*/
async function hashFile(file, cancel) {
	const digest = createHash("sha256");
	for (const chunk of readChunks(file)) {
		digest.update(chunk);
		await setImmediate();
		if (cancel.aborted) return void 0;
	}
	return digest.digest("hex");
}
/**
* Opens the file on the first `next()`, and closes it at the end.
* @throws AgentError if the file cannot be read or its size has changed
*/
function* readChunks(file) {
	const descriptor = wrapReadErrors(file, () => openSync(file.realPath, "r"));
	try {
		const { size } = fstatSync(descriptor);
		if (size !== file.size) throw fileError(file, `has ${size} bytes instead of the ${file.size} that were found`);
		const buffer = Buffer.allocUnsafe(Math.min(size, CHUNK_BYTES));
		for (let sent = 0; sent < size; sent += buffer.length) {
			const chunk = buffer.subarray(0, size - sent);
			fill(chunk, file, descriptor);
			yield chunk;
		}
	} finally {
		closeSync(descriptor);
	}
}
function fill(chunk, file, descriptor) {
	for (let filled = 0; filled < chunk.length;) {
		const missing = chunk.length - filled;
		const read = wrapReadErrors(file, () => readSync(descriptor, chunk, filled, missing, null));
		if (read === 0) throw fileError(file, "shrank during the upload");
		filled += read;
	}
}
function wrapReadErrors({ realPath }, call) {
	return wrapSystemErrors("file-changed", `${realPath} cannot be read`, call);
}
function fileError({ realPath }, problem) {
	return new AgentError("file-changed", `${realPath} ${problem}.`);
}

// src/agent/request-each.ts
const MAX_CONSECUTIVE_FAILURES = 3;
/** Sends a request for each item in parallel, with retries, until further ones would be pointless. */
async function requestEach(items, { send, filesOf, nameOf }, { concurrency, retries: maxRetries }, context) {
	const { cancel, now, log } = context;
	const giveUp = new AbortController();
	const stop = AbortSignal.any([cancel, giveUp.signal]);
	const throttled = throttle(concurrency, stop, log);
	let retries = 0;
	let consecutiveFailures = 0;
	async function requestOne(item) {
		const startedAt = now();
		const onRetry = (retry) => log.line(describeRetry(nameOf(item), retry));
		const options = {
			...context,
			retries: maxRetries,
			stop,
			onRetry
		};
		const outcome = await withRetries(() => throttled(() => send(item)), options);
		retries += outcome.attempts - 1;
		const timing = {
			attempts: outcome.attempts,
			durationMs: now() - startedAt
		};
		if (outcome.status === "done") {
			consecutiveFailures = 0;
			return outcome.value.map((row) => ({
				...row,
				...timing
			}));
		}
		const { error } = outcome;
		if (error.isRetryable) consecutiveFailures += 1;
		if (isFatal(error.kind) || consecutiveFailures >= MAX_CONSECUTIVE_FAILURES) giveUp.abort(`the transfer had ended: ${error.message}`);
		const end = error.kind === "cancelled" && error.hadNoEffect ? {
			status: "not-attempted",
			reason: String(stop.reason)
		} : {
			status: "failed",
			...timing,
			error: failureInfoOf(error)
		};
		return filesOf(item).map((file) => ({
			...file,
			...end
		}));
	}
	const startedAt = now();
	const rows = [];
	const queue = items.entries();
	const lane = async () => {
		for (const [index, item] of queue) rows[index] = await requestOne(item);
	};
	await Promise.all(Array.from({ length: concurrency }, lane)).finally(() => giveUp.abort("the transfer is over"));
	return {
		files: rows.flat(),
		retries,
		durationMs: now() - startedAt
	};
}
/** Limits the requests in flight, and halves the limit whenever the sandbox is overloaded. */
function throttle(concurrency, stop, log) {
	const requests = pLimit(concurrency);
	return (request) => requests(async () => {
		if (stop.aborted) throw new AgentError("cancelled", "The transfer has ended.", { hadNoEffect: true });
		const limit = requests.concurrency;
		try {
			return await request();
		} catch (error) {
			if (isOverload(error) && limit > 1 && requests.concurrency === limit) {
				requests.concurrency = Math.floor(limit / 2);
				log.debug(`Concurrency: ${limit} → ${requests.concurrency}, ${error.message}`);
			}
			throw error;
		}
	});
}
function isOverload(error) {
	return error instanceof AgentError && (error.status === 429 || error.status === 503);
}

// src/upload/upload-files.ts
function fileRow({ source, target, size }) {
	return {
		source,
		target,
		size
	};
}
function isStored(row) {
	return row.status === "uploaded" || row.status === "unchanged";
}
/** Uploads what changed. Returns the rows of all files of the plan, unchanged ones last. */
async function uploadFiles({ toSend, unchanged }, inputs, client, context, { onSent, onStored }) {
	const batches = batchesOf(toSend, filesPerRequestOf(inputs));
	const send = async (batch) => {
		const stored = await storeFiles(batch, inputs, client, context.cancel, onSent);
		onStored(batch.length);
		return stored;
	};
	const filesOf = (batch) => batch.map(fileRow);
	const { files, ...totals } = await requestEach(batches, {
		send,
		filesOf,
		nameOf: formatSources
	}, inputs, context);
	return {
		files: failOverwritten([...files, ...unchanged]),
		...totals
	};
}
/** Resolves `auto` to batches only for E2B, whose agent accepts them. */
function filesPerRequestOf(inputs) {
	if (inputs.signature !== "") return 1;
	if (inputs.filesPerRequest !== "auto") return inputs.filesPerRequest;
	return /^E2b$/i.test(inputs.headerPrefix) ? 250 : 1;
}
const SMALL_BYTES = 262144;
const BATCH_BYTES = 1048576;
const FRAME_BYTES = 256;
/**
* Groups small files with plain names into batches of at most `filesPerRequest` files and 1 MiB.
* Every other file gets its own request.
*/
function batchesOf(files, filesPerRequest) {
	const batches = [];
	let open;
	let room = 0;
	for (const file of files) {
		if (!canBatch(file)) {
			batches.push([file]);
			continue;
		}
		const bytes = FRAME_BYTES + file.target.length + file.size;
		if (open === void 0 || open.length === filesPerRequest || bytes > room) {
			open = [];
			batches.push(open);
			room = BATCH_BYTES;
		}
		open.push(file);
		room -= bytes;
	}
	return batches;
}
function canBatch({ target, size }) {
	if (size > SMALL_BYTES || !/^[!-~](?:[ -~]*[!-~])?$/.test(target)) return false;
	return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(target);
}
function formatSources(files) {
	const sources = files.map(({ source }) => source);
	return listSome(sources, 1);
}
function failOverwritten(rows) {
	const byPath = Map.groupBy(rows.filter(isStored), ({ path }) => path);
	return rows.map((row) => {
		if (!isStored(row)) return row;
		const sharing = byPath.get(row.path) ?? [];
		if (sharing.length < 2) return row;
		const error = {
			kind: "rejected",
			status: void 0,
			message: `${formatSources(sharing)} were stored at the same place, ${row.path}: only one of them is there.`,
			hint: "Give one of them another target, or exclude it."
		};
		const { attempts, durationMs } = row.status === "uploaded" ? row : {
			attempts: 0,
			durationMs: 0
		};
		return {
			...fileRow(row),
			status: "failed",
			attempts,
			durationMs,
			error
		};
	});
}
/** A state file needs the hashes, too. */
function needsHashes({ checksums, stateFile }) {
	return checksums || stateFile !== "";
}
/** Stores a batch with one request. */
async function storeFiles(batch, inputs, client, signal, onSent) {
	const { chunks, length, digests } = bodyOf(batch, needsHashes(inputs));
	const response = await client.send({
		method: "POST",
		path: requestPath(inputs, batch),
		headers: {
			"Content-Type": CONTENT_TYPE,
			"Content-Length": String(length)
		},
		body: chunks,
		hints: UPLOAD_HINTS,
		onSent,
		signal,
		timeout: inputs.timeout
	});
	const entries = entriesIn(response, batch.length);
	return batch.map((file, index) => {
		const path = client.redact(storedPath(entries[index], file.target, response));
		return {
			...fileRow(file),
			status: "uploaded",
			path,
			sha256: digests[index]
		};
	});
}
const UPLOAD_HINTS = {
	"not-found": "Check base-url and upload-path, which is added to it: the service has no such operation there.",
	rejected: "The agent does not take this request. Check the target and what is in its place (to put a file into a folder, end the target with /), base-url, header-prefix, sandbox-id and port.",
	busy: "The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2."
};
function requestPath(inputs, batch) {
	const { username, signature, signatureExpiration, uploadPath } = inputs;
	const parameters = {
		path: batch.length === 1 ? batch[0]?.target : void 0,
		username,
		signature,
		signature_expiration: signatureExpiration
	};
	const query = Object.entries(parameters).flatMap(([name, value]) => value ? [`${name}=${encodeURIComponent(value)}`] : []);
	return query.length === 0 ? uploadPath : `${uploadPath}?${query.join("&")}`;
}
function entriesIn(response, count) {
	const body = parseResponse(response);
	const entries = Array.isArray(body) ? body : [body];
	if (entries.length === count) return entries;
	throw bodyError(response, `it lists ${entries.length} files instead of ${count}`);
}
const MAX_PATH = 4096;
function storedPath(entry, target, response) {
	const { path, name, type } = fieldsOf(entry);
	if (type !== "file") throw bodyError(response, "its entry is not of type \"file\"");
	if (name !== posix.basename(target)) throw bodyError(response, "its entry names another file");
	if (typeof path === "string" && path.length <= MAX_PATH && isPathOf(target, path)) return path;
	throw bodyError(response, "its entry has no path, or that of another target");
}
function isPathOf(target, path) {
	return path === target || !posix.isAbsolute(target) && path.endsWith(`/${target}`);
}

// src/upload/state-file.ts
const STATE_VERSION = 2;
const STATE_START = `{"schema":${STATE_VERSION},"scope":`;
/** Returns undefined if `state-file` is not set, and no rows without a usable state. */
function readState(inputs, workspace) {
	if (inputs.stateFile === "") return void 0;
	const file = resolve(workspace, inputs.stateFile);
	const scope = scopeOf(inputs);
	const rows = readRows(file, scope);
	if (rows !== void 0) return {
		file,
		scope,
		rows,
		warnings: []
	};
	return {
		file,
		scope,
		rows: [],
		warnings: [`The state file ${quote(file)} is damaged, of another version, or of another sandbox, service, user, shard or headers. It is ignored, and every file is sent.`]
	};
}
async function compareWithState(planned, state, cancel) {
	const rows = cancel.aborted || state === void 0 ? [] : state.rows;
	const byTarget = new Map(rows.map((row) => [row.target, row]));
	const toSend = [];
	const unchanged = [];
	for (const file of planned) {
		const row = byTarget.get(file.target);
		const hashIfReadable = () => hashFile(file, cancel).catch(() => void 0);
		if (row?.size === file.size && await hashIfReadable() === row.sha256) unchanged.push({
			...fileRow(file),
			status: "unchanged",
			path: row.path,
			sha256: row.sha256
		});
		else toSend.push(file);
	}
	const targets = new Set(planned.map(({ target }) => target));
	return {
		toSend,
		unchanged,
		orphaned: rows.filter(({ path, target }) => !targets.has(target) && !targets.has(path)).map(({ path }) => path)
	};
}
/** Call this before a transfer: if that is interrupted, the next run sends every file. */
function clearState({ file }) {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, "", { mode: 384 });
}
/** Returns a warning if the file cannot be written, since everything has arrived by then. */
function writeState({ file: stateFile, scope }, stored) {
	const files = stored.map(({ path, target, size, sha256 }) => ({
		path,
		target,
		size,
		sha256
	}));
	const text = JSON.stringify({
		schema: STATE_VERSION,
		scope,
		files
	});
	try {
		writeFileSync(stateFile, `${text}\n`, { mode: 384 });
		return [];
	} catch (error) {
		return [`The state file could not be written, so the next run sends every file: ${errorText(error)}.`];
	}
}
function scopeOf(inputs) {
	const { sandboxId, baseUrl, username, shard, port, uploadPath, headerPrefix, headers } = inputs;
	const all = [
		sandboxId,
		baseUrl,
		username,
		shard,
		port,
		uploadPath,
		headerPrefix,
		Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${isSecretHeader(name) ? "" : value}`).sort()
	];
	return hash("sha256", JSON.stringify(all));
}
function readRows(file, expectedScope) {
	const stats = statIfExists(file);
	if (stats === void 0) return [];
	if (!stats.isFile()) throw stateError(file, "is not a regular file");
	const text = readFileSync(file, "utf8");
	if (text === "") return [];
	if (!/^\{"schema":\d+,"scope":/.test(text) && !STATE_START.startsWith(text)) throw stateError(file, "contains something other than the state of uploads");
	const { schema, scope, files } = parseFields(text);
	if (schema !== STATE_VERSION || scope !== expectedScope || !Array.isArray(files)) return void 0;
	return files.every(isRow) ? files : void 0;
}
function isRow(row) {
	const { path, target, size, sha256 } = fieldsOf(row);
	return [
		path,
		target,
		sha256
	].every((text) => typeof text === "string") && typeof size === "number";
}
function stateError(file, why) {
	const message = `${quote(file)} ${why}. Name a file that only this step writes.`;
	return inputError("state-file", message, ".sandbox-sync/state.json");
}

// src/upload/upload.ts
async function upload(inputs, context) {
	const plan = await planUpload(inputs, context);
	if (inputs.dryRun) return showPlan(plan, inputs, context);
	await using client = openAgent(inputs, context);
	return await sendPlan(plan, inputs, client, context);
}
/** Finds files, plans their targets and compares them with the state. */
async function planUpload(inputs, context) {
	const { workspace, cancel, log } = context;
	const state = readState(inputs, workspace);
	const found = await findFiles(inputs, workspace, cancel);
	for (const { pattern, root, files, skipped } of found.matches) {
		const counts = `${formatCount(files.length, "file")}, ${formatNumber(skipped.length)} skipped`;
		log.debug(`Pattern ${pattern.pattern}: ${counts}, from ${root}`);
	}
	const hidden = findHiddenNames(found.matches, workspace);
	if (hidden.length > 0) log.line(`Left out, since include-hidden-files is not set: ${listSome(hidden, 3)}`);
	const { files, skipped, warnings } = planFiles(found, inputs, workspace);
	const { shard } = inputs;
	const shardFiles = shard === void 0 ? files : filesOfShard(files, shard);
	return {
		...await compareWithState(shardFiles, state, cancel),
		skipped,
		shard: shard && {
			...shard,
			allFiles: files.length
		},
		warnings: [...warnings, ...state?.warnings ?? []],
		state
	};
}
/** @throws AgentError if a file cannot be hashed */
async function showPlan({ toSend, unchanged, shard, skipped, orphaned, warnings }, inputs, { cancel }) {
	const planned = [];
	for (const file of toSend) {
		const sha256 = needsHashes(inputs) ? await hashFile(file, cancel) : void 0;
		planned.push({
			...fileRow(file),
			status: "planned",
			sha256
		});
	}
	const files = [...planned, ...unchanged];
	return {
		shard,
		skipped,
		orphaned,
		warnings,
		dryRun: true,
		files,
		digest: digestOf(files),
		retries: 0,
		durationMs: 0
	};
}
/** Sends the files and updates the state file. */
async function sendPlan({ toSend, unchanged, state: oldState, ...plan }, inputs, client, context) {
	const { sandboxId, baseUrl } = inputs;
	const state = context.cancel.aborted ? void 0 : oldState;
	if (state !== void 0) clearState(state);
	const size = `${formatCount(toSend.length, "file")} (${formatBytes(totalSize(toSend))})`;
	if (toSend.length > 0) context.log.line(`Uploading ${size} to sandbox ${sandboxId} at ${baseUrl}`);
	using progress = logProgress(toSend, context);
	const { files, ...totals } = await uploadFiles({
		toSend,
		unchanged
	}, inputs, client, context, progress);
	const stored = files.filter(isStored);
	const isComplete = stored.length === files.length;
	const notWritten = state !== void 0 && isComplete ? writeState(state, stored) : [];
	const warnings = [...plan.warnings, ...notWritten];
	const storedPaths = new Set(stored.map(({ path }) => path));
	const orphaned = plan.orphaned.filter((orphan) => !storedPaths.has(orphan));
	return {
		...plan,
		orphaned,
		warnings,
		dryRun: false,
		files,
		digest: digestOf(files),
		...totals
	};
}
const PROGRESS_INTERVAL_MS = 15e3;
function logProgress(files, { now, log }) {
	const startedAt = now();
	const total = totalSize(files);
	let stored = 0;
	let sent = 0;
	const line = () => {
		const bytes = Math.min(sent, total);
		return `${`${formatNumber(stored)} of ${formatCount(files.length, "file")}`}, ${`${formatBytes(bytes)} of ${formatBytes(total)}`}, ${formatRate(bytes, now() - startedAt)}`;
	};
	const timer = setInterval(() => log.line(line()), PROGRESS_INTERVAL_MS).unref();
	return {
		onSent: (bytes) => void (sent += bytes),
		onStored: (count) => void (stored += count),
		[Symbol.dispose]: () => clearInterval(timer)
	};
}
/** Lists checksums of stored files like `sha256sum`, with the paths that the agent returned. */
function checksumsOf(rows) {
	return rows.filter(isStored).flatMap(({ sha256, path }) => checksumLine(sha256, path)).join("");
}
/**
* Hashes the sorted checksum lines of all targets. Returns '' if there are no files, or if one
* failed or was not hashed: only a complete build has a digest.
*/
function digestOf(rows) {
	const lines = rows.flatMap(({ sha256, target }) => checksumLine(sha256, target));
	if (lines.length === 0 || lines.length < rows.length) return "";
	const sorted = lines.map((line) => Buffer.from(line)).sort((one, other) => one.compare(other));
	return `sha256:${hash("sha256", Buffer.concat(sorted))}`;
}
const ESCAPES = {
	"\\": "\\\\",
	"\n": "\\n",
	"\r": "\\r"
};
function checksumLine(sha256, name) {
	if (sha256 === void 0) return [];
	const escaped = name.replaceAll(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
	return [`${escaped === name ? "" : "\\"}${sha256}  ${escaped}\n`];
}

// src/report/transfer-section.ts
function renderUpload(result, cancelled) {
	const { warnings, ...others } = result;
	const { files, skipped, digest, shard, orphaned } = others;
	const totals = totalsOf(files, skipped.length);
	const suffix = shard === void 0 ? "" : ` (shard ${shard.index} of ${shard.count})`;
	const transfer = renderTransfer(`${describeUpload(result, totals, cancelled)}${suffix}`, files, cancelled);
	const orphans = listSome(orphaned.map(inlineCode));
	return {
		...transfer,
		warnings,
		fileLines: [
			...transfer.fileLines,
			...skipped.map(({ path, reason }) => `skipped: ${path} (${reason})`),
			...digest === "" ? [] : [`digest: ${digest}`]
		],
		facts: orphans === "" ? [] : [`Still in the sandbox, but no longer in the build: ${orphans}.`],
		outputs: {
			"uploaded-count": String(totals.uploaded),
			"unchanged-count": String(totals.unchanged),
			"failed-count": String(totals.failed),
			"planned-count": String(totals.planned),
			"skipped-count": String(totals.skipped),
			"uploaded-bytes": String(totals.uploadedBytes),
			digest
		},
		attachments: { checksums: checksumsOf(files) },
		json: {
			...others,
			totals
		}
	};
}
function totalsOf(files, skipped) {
	const { count, bytes } = counterOf(files);
	return {
		files: files.length,
		uploaded: count("uploaded"),
		uploadedBytes: bytes("uploaded"),
		unchanged: count("unchanged"),
		unchangedBytes: bytes("unchanged"),
		planned: count("planned"),
		plannedBytes: bytes("planned"),
		failed: count("failed"),
		notAttempted: count("not-attempted"),
		skipped
	};
}
function describeUpload({ dryRun, durationMs }, totals, cancelled) {
	const { files, unchanged, uploaded, planned, failed, notAttempted, skipped } = totals;
	const wanted = files - unchanged;
	if (cancelled && uploaded + failed === 0) return "cancelled before anything was sent";
	if (files === 0) return "there were no files to upload";
	const unsent = listCounts({
		unchanged,
		skipped
	});
	if (dryRun) {
		const size = formatBytes(totals.plannedBytes);
		return `dry run: ${formatCount(planned, "file")} (${size}) would be uploaded${unsent}`;
	}
	if (uploaded + failed === 0) return `nothing was sent${unsent}`;
	return describeDone("uploaded", {
		done: uploaded,
		bytes: totals.uploadedBytes,
		wanted,
		durationMs
	}, `${listCounts({
		failed,
		"not attempted": notAttempted
	})}${unsent}`, cancelled);
}
function renderDownload(result, cancelled) {
	const { warnings, ...others } = result;
	const { files } = others;
	const { count, bytes } = counterOf(files);
	const totals = {
		files: files.length,
		downloaded: count("downloaded"),
		missing: count("missing"),
		failed: count("failed"),
		notAttempted: count("not-attempted"),
		downloadedBytes: bytes("downloaded")
	};
	const { downloaded, missing, failed, notAttempted, downloadedBytes } = totals;
	const counts = {
		done: downloaded,
		bytes: downloadedBytes,
		wanted: files.length
	};
	const missed = listCounts({
		failed,
		missing,
		"not attempted": notAttempted
	});
	return {
		...renderTransfer(describeDone("downloaded", {
			...counts,
			...others
		}, missed, cancelled), files, cancelled),
		warnings,
		outputs: {
			"downloaded-count": String(downloaded),
			"failed-count": String(failed)
		},
		json: {
			...others,
			totals
		}
	};
}
function nameOf({ source, path = "" }) {
	return source ?? path;
}
/** Returns where a file went, or should have gone. */
function placeOf({ source, target, path, size }) {
	if (source !== void 0) return path ?? target;
	return size === void 0 ? target : `${target} (${formatBytes(size)})`;
}
/** Returns functions that count the rows with a status, and their bytes. */
function counterOf(rows) {
	const withStatus = (status) => rows.filter((row) => row.status === status);
	return {
		count: (status) => withStatus(status).length,
		bytes: (status) => totalSize(withStatus(status))
	};
}
/** `words` say what was done. They are a problem unless all files were transferred. */
function renderTransfer(words, rows, cancelled) {
	const causes = explainFailedFiles(rows);
	const isComplete = rows.every(({ status }) => status !== "failed" && status !== "not-attempted");
	const isFine = cancelled ? causes.length === 0 : isComplete;
	return {
		problems: isFine ? [] : [{
			verdict: words,
			lines: []
		}, ...causes],
		done: isFine ? words : "",
		fileLines: Object.entries(STATUS_WORDS).flatMap(([status, word]) => rows.filter((row) => row.status === status).map((row) => `${word}: ${nameOf(row)} → ${placeOf(row)}`))
	};
}
const STATUS_WORDS = {
	failed: "failed",
	"not-attempted": "not attempted",
	missing: "missing",
	downloaded: "downloaded",
	uploaded: "uploaded",
	planned: "would be uploaded",
	unchanged: "unchanged"
};
/** Explains why files failed, with the words about the first of those that failed alike. */
function explainFailedFiles(rows) {
	const failures = rows.flatMap((row) => row.error === void 0 || row.error.kind === "cancelled" ? [] : {
		name: nameOf(row),
		...problemOfFailure(row.error)
	});
	return [...Map.groupBy(failures, ({ verdict, lines }) => `${verdict} ${lines.at(-1)}`).values()].sort((one, other) => other.length - one.length).flatMap((group) => {
		const names = group.map(({ name }) => inlineCode(name));
		const count = formatCount(group.length, "file");
		return group.slice(0, 1).map(({ verdict, lines }) => {
			return {
				verdict: `${count}: ${verdict}`,
				lines: [...lines, `Files: ${listSome(names, MAX_NAMES)}.`]
			};
		});
	});
}
const MAX_NAMES = 3;
/** Returns `uploaded 2 files (9 MiB, 3 MiB/s) in 3 s`, or `uploaded 2 of 3 files`, and `others`. */
function describeDone(verb, counts, others, cancelled) {
	const { done, wanted, bytes, durationMs } = counts;
	const files = formatCount(wanted, "file");
	if (cancelled) return `cancelled: ${formatNumber(done)} of ${files} were ${verb}`;
	if (done < wanted) return `${verb} ${formatNumber(done)} of ${files}${others}`;
	const rate = durationMs < 1e3 ? "" : `, ${formatRate(bytes, durationMs)}`;
	return `${verb} ${files} (${formatBytes(bytes)}${rate}) in ${formatDuration(durationMs)}${others}`;
}
/** Lists counts other than 0: `, 1 failed, 2 unchanged`. */
function listCounts(counts) {
	return Object.entries(counts).filter(([, count]) => count > 0).map(([what, count]) => `, ${formatNumber(count)} ${what}`).join("");
}

// src/sync/sync.ts
/**
* Uploads files, then judges the stats.
* @throws InputError or AgentError before anything is uploaded
*/
async function sync(inputs, context) {
	const plan = await planUpload(inputs, context);
	if (inputs.dryRun) return {
		upload: await showPlan(plan, inputs, context),
		stats: withoutStats({
			failIf: [],
			warnIf: []
		})
	};
	await using client = openAgent(inputs, context);
	await waitForSandbox(inputs, client, context);
	const isGated = inputs.failIf.length > 0;
	if (isGated) await readJudgeableStats(inputs, client, context);
	const upload = await sendPlan(plan, inputs, client, context);
	const isCutOff = upload.files.flatMap((file) => file.status === "failed" ? file.error.kind : []).some((kind) => isFatal(kind) && kind !== "disk-full");
	const isReached = upload.files.some(({ status }) => status === "uploaded");
	if (isCutOff && !isReached) return {
		upload,
		stats: withoutStats(inputs)
	};
	return {
		upload,
		stats: await takeStats(inputs, client, context, { cpuWindowStarted: isGated })
	};
}

// src/download/download.ts
async function download(inputs, context) {
	const { sandboxId, baseUrl } = inputs;
	const planned = placeTargets(inputs, context.workspace);
	const count = formatCount(planned.length, "file");
	context.log.line(`Downloading ${count} from sandbox ${sandboxId} at ${baseUrl}`);
	await using client = openAgent(inputs, context);
	const transfer = await requestEach(planned, {
		send: async (file) => [await downloadFile(file, inputs, client, context.cancel)],
		filesOf: ({ path: source, target }) => [{
			path: source,
			target
		}],
		nameOf: (file) => file.path
	}, inputs, context);
	return {
		...transfer,
		...applyIfNoFilesFound(transfer.files, inputs)
	};
}
function placeTargets({ files, workingDirectory }, workspace) {
	const realWorkspace = realpathSync.native(workspace);
	const directory = pathWithin(workspace, path.resolve(workspace, workingDirectory));
	if (directory === void 0) throw inputError("working-directory", "is outside the workspace.", "app");
	return files.map((line) => {
		const target = path.join(directory, line.target);
		const realTarget = path.join(realWorkspace, target);
		return {
			path: line.path,
			target: toPosix(target),
			realTarget
		};
	});
}
function applyIfNoFilesFound(rows, { ifNoFilesFound }) {
	const warnings = [];
	return {
		files: rows.map((row) => {
			if (row.status !== "failed" || row.error.kind !== "no-such-file") return row;
			const { path: source, target, error } = row;
			const mistake = findMistake("missing-file", source);
			if (ifNoFilesFound === "error") return mistake === void 0 ? row : {
				...row,
				error: {
					...error,
					hint: `${inlineCode(source)} ${mistake}`
				}
			};
			const advice = mistake === void 0 ? "" : ` It ${mistake}`;
			if (ifNoFilesFound === "warn") warnings.push(`${inlineCode(source)} does not exist in the sandbox.${advice}`);
			return {
				path: source,
				target,
				status: "missing"
			};
		}),
		warnings
	};
}
/** Leaves the target unchanged, and throws an AgentError, unless the whole file arrives. */
async function downloadFile(file, { username, maxSize, timeout }, client, signal) {
	const { target, realTarget } = file;
	const hint = "Choose another target, or remove in the workspace what is in the way.";
	if (wrapWriteErrors(file, () => isLink(deepestLinkIn(realTarget)))) throw new AgentError("not-written", `The target ${target} is a link, or below one.`, { hint });
	const name = `.sandbox-sync-${randomUUID()}.part`;
	const partialFile = path.join(path.dirname(realTarget), name);
	const user = username === "" ? "" : `&username=${encodeURIComponent(username)}`;
	const requestPath = `/files?path=${encodeURIComponent(file.path)}${user}`;
	try {
		const request = {
			method: "GET",
			path: requestPath,
			headers: { "Cache-Control": "no-cache" },
			hints: DOWNLOAD_HINTS
		};
		const size = await client.receive({
			...request,
			signal,
			timeout
		}, (response) => receiveInto(partialFile, file, response, maxSize));
		wrapWriteErrors(file, () => renameSync(partialFile, realTarget));
		return {
			path: file.path,
			target,
			status: "downloaded",
			size
		};
	} catch (error) {
		rmSync(partialFile, { force: true });
		throw error;
	}
}
const DOWNLOAD_HINTS = { rejected: "Check the path: only regular files can be downloaded, so pack a folder into an archive in the sandbox, or copy a file out of /proc there. Check base-url, header-prefix, sandbox-id and port, too." };
async function receiveInto(partialFile, file, response, maxSize) {
	const expected = expectedLength(response, maxSize);
	let size = 0;
	const descriptor = wrapWriteErrors(file, () => {
		mkdirSync(path.dirname(partialFile), { recursive: true });
		return openSync(partialFile, "wx");
	});
	try {
		for await (const chunk of response.body) {
			wrapWriteErrors(file, () => writeFileSync(descriptor, chunk));
			size += chunk.length;
		}
	} finally {
		closeSync(descriptor);
	}
	if (size === expected) return size;
	throw new AgentError("connection", `${response.label} sent ${size} of ${expected} bytes.`);
}
function expectedLength({ label, headers }, maxSize) {
	const { "content-length": length, "content-encoding": encoding } = headers;
	const hint = "Check whether a proxy on the way compresses or converts responses.";
	if (encoding !== void 0) throw new AgentError("bad-response", `${label} sent an encoded response.`, { hint });
	if (typeof length !== "string" || !/^\d{1,15}$/.test(length)) throw new AgentError("bad-response", `${label} sent no Content-Length.`, { hint });
	const bytes = Number(length);
	if (bytes <= maxSize) return bytes;
	throw new AgentError("too-large", `${label} would send ${formatBytes(bytes)}.`, { hint: `Raise max-size, which is ${formatBytes(maxSize)}, or compress the file in the sandbox.` });
}
function wrapWriteErrors({ target }, call) {
	return wrapSystemErrors("not-written", `${target} cannot be written`, call);
}

export { upload as a, renderUpload as i, sync as n, renderDownload as r, download as t };