import { r as __toESM } from "./rolldown-runtime.js";
import { $ as errorText, A as EMPTY_UPLOAD, B as limitList, F as isGated, G as withRetries, H as totalSize, I as formatBytes, J as MAX_ANSWER_BYTES, K as agentService, L as formatCount, M as digestOf, N as NOT_MEASURED, P as gateOf, Q as isFatal, U as isSecretHeader, V as listSome, W as filesPerRequestOf, X as parseAnswer, Y as badAnswer, Z as AgentError, _ as waitFor, at as inputError, et as fieldsOf, h as measure, it as allOrProblems, j as describeShard, m as checkGateIsJudgeable, nt as systemCode, ot as findMistake, p as lend, q as withClient, rt as InputError, st as quote, tt as parseFields, z as formatNumber } from "./shared.js";
import { n as require_form_data, r as create, t as pLimit } from "./vendor.js";
import { setImmediate } from "node:timers/promises";
import { once } from "node:events";
import { createHash, hash } from "node:crypto";
import path, { dirname, posix, resolve, sep } from "node:path";
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";

// src/files/paths.ts
/** Makes a pattern absolute, expanding `~` to the home directory. */
function toAbsolutePattern(pattern, directory) {
	const isAtHome = /^~(?=[\\/]|$)/.test(pattern);
	const start = escapeGlob(isAtHome ? homedir() : directory);
	return path.resolve(start, isAtHome ? `.${pattern.slice(1)}` : pattern);
}
/** Turns a path into a pattern that matches only that path. */
function escapeGlob(name) {
	return (path.sep === "/" ? name.replaceAll("\\", "\\\\") : name).replace(/[[?*]/g, "[$&]");
}
/** Returns true if a part of the pattern below its root starts with a dot. */
function namesHidden(absolutePattern, root) {
	return segmentsOf(absolutePattern).slice(segmentsOf(root).length).some((name) => /^\\?\[?\./.test(name));
}
function hasHiddenName(relative) {
	return segmentsOf(relative).some((name) => name.startsWith(".") && name !== "..");
}
function segmentsOf(file) {
	return file.split(path.sep).filter((name) => name !== "");
}
/** Returns the path of `file` relative to `directory`, or undefined if it is outside. */
function pathWithin(directory, file) {
	const relative = path.relative(directory, file);
	return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? void 0 : relative;
}
/** Returns the path for display: relative to the workspace if inside, with slashes. */
function displayPath(file, workspace) {
	return toPosix(pathWithin(workspace, file) ?? file) || ".";
}
function toPosix(file) {
	return path.sep === "/" ? file : file.replaceAll(path.sep, "/");
}
function boundsOf(workspace, root) {
	const start = pathWithin(workspace, root) === void 0 ? path.dirname(root) : workspace;
	const realStart = existsSync(start) ? realpathSync.native(start) : start;
	return {
		workspace: realpathSync.native(workspace),
		root: path.join(realStart, path.relative(start, root))
	};
}
function isInBounds({ workspace, root }, realPath) {
	return [workspace, root].some((directory) => pathWithin(directory, realPath) !== void 0);
}
/** Follows links; returns undefined for a broken one. */
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
/** Returns the path itself if it exists, otherwise its deepest existing parent. */
function deepestExisting(file) {
	const parent = path.dirname(file);
	return existsSync(file) || parent === file ? file : deepestExisting(parent);
}
/** Returns the deepest link in a path, or the path itself. */
function deepestLinkIn(file) {
	for (let part = file; part !== path.dirname(part); part = path.dirname(part)) if (isLink(part)) return part;
	return file;
}

// src/files/reject-links.ts
const LINK_TO_FOLDER = "a link to a folder, with follow-symlinks not set";
const LINK_OUTSIDE = "a link out of the workspace";
const LINK_TO_HIDDEN = "a link to something hidden";
const MAX_LINKS = 10;
const ARCHIVE = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml";
/** @throws InputError that names the links that users must decide about */
function rejectLinks$1(skipped, workspace) {
	const nameOf = (file) => quote(displayPath(file, workspace));
	const describe = (link) => `${nameOf(link)} to ${nameOf(realpathSync.native(link))}`;
	const linksFor = (reason, toText) => {
		const entries = skipped.filter((entry) => entry.reason === reason);
		const links = new Set(entries.map((entry) => deepestLinkIn(entry.path)));
		return listSome(Array.from(links, toText), MAX_LINKS);
	};
	const toFolders = linksFor(LINK_TO_FOLDER, nameOf);
	const outside = linksFor(LINK_OUTSIDE, describe);
	const toHidden = linksFor(LINK_TO_HIDDEN, describe);
	const problems = [];
	const add = (input, message) => void problems.push({
		input,
		message
	});
	if (toFolders !== "") add("follow-symlinks", `is not set, and the patterns match links to folders: ${toFolders}. Decide: true sends what they lead to, false skips them, a ! line in files excludes them. Send trees of links, such as pnpm's node_modules, as an archive: ${ARCHIVE}`);
	if (outside !== "") add("files", `links lead outside the workspace: ${outside}. Exclude them with ! lines, or copy what they lead to into the workspace.`);
	const pnpm = toHidden.includes("/.pnpm/") ? ", or let pnpm install with node-linker=hoisted" : "";
	if (toHidden !== "") add("files", `links lead to something hidden: ${toHidden}. Exclude them with ! lines${pnpm}, or send an archive: ${ARCHIVE}`);
	if (problems.length > 0) throw new InputError(problems);
}

// src/files/find.ts
const BROKEN_LINK = "a broken link";
const NOT_REGULAR = "not a regular file";
const MAX_FILES = 1e6;
/**
* Finds the files of each pattern; returns none if cancelled.
* @throws InputError if a search fails, links lead out of the workspace or to something hidden, or a
* link to a folder matches while `followSymlinks` is undefined
*/
async function findFiles(rules, options) {
	const { workspace, workingDirectory, cancel } = options;
	const directory = path.resolve(workspace, workingDirectory);
	requireDirectory(directory, workingDirectory);
	if (cancel.aborted) return [];
	const excludes = rules.excludes.map((line) => `!${toAbsolutePattern(line, directory)}`);
	const searches = rules.patterns.map((pattern) => search(pattern, toAbsolutePattern(pattern.pattern, directory), excludes, options));
	const aborted = once(cancel, "abort").then(() => void 0);
	const matches = await Promise.race([allOrProblems(searches), aborted]);
	if (matches === void 0 || cancel.aborted) return [];
	rejectLinks$1(matches.flatMap(({ skipped }) => skipped), workspace);
	return matches;
}
function requireDirectory(directory, workingDirectory) {
	if (statIfExists(directory)?.isDirectory()) return;
	const message = `${workingDirectory === "" ? "the workspace" : quote(workingDirectory)} is not a directory on the runner (${directory}).`;
	throw inputError("working-directory", message, "packages/app");
}
async function search(pattern, absolutePattern, excludes, options) {
	try {
		const root = await fixedPartOf(absolutePattern);
		const matches = {
			pattern,
			root,
			hidesDotNames: !options.includeHiddenFiles && !namesHidden(absolutePattern, root),
			files: [],
			skipped: []
		};
		const bounds = boundsOf(options.workspace, root);
		const paths = await collectPaths([absolutePattern, ...excludes], matches, options);
		for (const file of [...paths].sort()) classify(matches, file, bounds, options.followSymlinks);
		return matches;
	} catch (error) {
		if (systemCode(error) === void 0) throw error;
		const message = errorText(error);
		const advice = message.includes("�") ? " A name is not valid UTF-8: rename it." : "";
		throw inputError("files", `${quote(pattern.pattern)} cannot be searched: ${message}.${advice}`);
	}
}
/** Lists hidden entries but `.git`, directly below the folders in which searches began. */
function listHidden(matches, workspace) {
	return [...new Set(matches.filter((match) => match.hidesDotNames).map((match) => match.root))].filter((root) => statIfExists(root)?.isDirectory()).flatMap((folder) => readdirSync(folder).filter((name) => name.startsWith(".") && name !== ".git").map((name) => displayPath(path.join(folder, name), workspace)));
}
/** Returns the path up to a pattern's first wildcard. */
async function fixedPartOf(absolutePattern) {
	const [root = ""] = (await create(absolutePattern)).getSearchPaths();
	return root;
}
async function collectPaths(lines, { pattern, root, hidesDotNames }, { followSymlinks, maxFiles = MAX_FILES }) {
	const paths = new Set(isLink(root) && statIfExists(root)?.isDirectory() ? [root] : []);
	for (const followSymbolicLinks of followSymlinks === true ? [false, true] : [false]) {
		const globber = await create(lines.join("\n"), {
			followSymbolicLinks,
			matchDirectories: false,
			excludeHiddenFiles: hidesDotNames && !path.basename(root).startsWith(".")
		});
		for await (const file of globber.globGenerator()) {
			paths.add(file);
			if (paths.size <= maxFiles) continue;
			const message = `${quote(pattern.pattern)} matches more than ${formatNumber(maxFiles)} files. Do links form a loop? Exclude what you do not need.`;
			throw inputError("files", message);
		}
	}
	return paths;
}
/** Adds an entry to `files` or `skipped`; ignores hidden entries and followed links. */
function classify({ root, hidesDotNames, files, skipped }, file, bounds, followSymlinks) {
	const relative = path.relative(root, file);
	if (hidesDotNames && hasHiddenName(relative)) return;
	const skip = (reason) => void skipped.push({
		path: file,
		reason
	});
	const stats = statIfExists(file);
	if (stats === void 0) return skip(BROKEN_LINK);
	if (stats.isDirectory()) {
		if (followSymlinks === void 0) skip(LINK_TO_FOLDER);
		if (followSymlinks === false) skip("a link to a folder");
		return;
	}
	if (!stats.isFile()) return skip(NOT_REGULAR);
	const realPath = realpathSync.native(file);
	if (!isInBounds(bounds, realPath)) return skip(LINK_OUTSIDE);
	if (hidesDotNames && hasHiddenName(path.relative(bounds.root, realPath))) return skip(LINK_TO_HIDDEN);
	const { size, mode } = stats;
	const isExecutable = (mode & 73) !== 0;
	files.push({
		path: file,
		realPath,
		relative: toPosix(relative),
		size,
		isExecutable
	});
}

// src/files/explain-no-match.ts
function explainNoMatch(match, directory, workspace) {
	const [first] = match.skipped;
	const why = first === void 0 ? describeRoot(match, directory) : `${match.skipped.length} skipped, such as ${displayPath(first.path, workspace)}: ${first.reason}`;
	const name = quote(match.pattern.pattern);
	const mistake = findPatternMistake(match.pattern.pattern);
	return `${name} matches no files to upload (${why}).${mistake === void 0 ? "" : ` ${name} ${mistake}`}`;
}
function findPatternMistake(pattern) {
	return findBackslash(pattern) ?? findMistake("unmatched", pattern);
}
function findBackslash(pattern) {
	if (path.sep !== "/" || !pattern.includes("\\")) return void 0;
	return "has a backslash, which does not separate folders on this runner. Write a slash.";
}
const MAX_NAMES = 10;
function describeRoot({ pattern, root, hidesDotNames }, directory) {
	const existing = deepestExisting(root);
	const isDirectory = existing === directory;
	const name = isDirectory ? "the working directory" : quote(displayPath(existing, directory));
	if (!statSync(existing).isDirectory()) return /[*?[]/.test(pattern.pattern) ? `${name} is a file, and the pattern expects a folder` : `${name} is a file, and a ! line excludes it from all patterns`;
	const names = readdirSync(existing).sort().map(quote);
	if (names.length === 0) return `${name} is empty${isDirectory ? ": did actions/checkout or the build run in this job?" : ""}`;
	const content = `${name} exists and contains ${listSome(names, MAX_NAMES)}`;
	const [missing] = path.relative(existing, root).split(path.sep);
	if (missing) return `${content}; there is no ${quote(missing)} in it`;
	return `${content}; nothing in it matches, or a ! line excludes it${hidesDotNames ? "; names that start with a dot need include-hidden-files: true" : ""}`;
}
/**
* Rejects excludes that begin where no pattern begins, such as `!secret.txt` beside `dist/**`: they
* exclude nothing. All of a pattern's first folder in the directory counts as where it begins.
* @throws InputError with all of them
*/
async function rejectUselessExcludes(rules, directory) {
	if (rules.excludes.length === 0) return;
	const rootOf = (line) => fixedPartOf(toAbsolutePattern(line, directory));
	const folders = (await Promise.all(rules.patterns.map(({ pattern }) => rootOf(pattern)))).map((root) => firstFolderOf(root, directory));
	const problems = [];
	for (const line of rules.excludes) {
		const mistake = findBackslash(line);
		if (mistake !== void 0) {
			problems.push({
				input: "files",
				message: `${quote(`!${line}`)} ${mistake}`
			});
			continue;
		}
		const start = await rootOf(line);
		if (folders.some((folder) => overlap(folder, start))) continue;
		const name = line.replace(/^([~.*]*[\\/])+/, "");
		const anywhere = folders.some((folder) => overlap(folder, directory)) ? `, or write ${quote(`!**/${name}`)} to exclude it wherever it is` : "";
		const message = `${quote(`!${line}`)} excludes nothing, since no pattern begins there. Begin it like a pattern${anywhere}.`;
		problems.push({
			input: "files",
			message
		});
	}
	if (problems.length > 0) throw new InputError(problems);
}
function firstFolderOf(root, directory) {
	const [first = ""] = pathWithin(directory, root)?.split(path.sep) ?? [];
	return first === "" ? root : path.join(directory, first);
}
function overlap(one, other) {
	return pathWithin(one, other) !== void 0 || pathWithin(other, one) !== void 0;
}

// src/files/plan.ts
const MAX_CONFLICTS = 10;
/**
* Gives each file its target: the path that the wildcards matched, below the line's target.
* @throws InputError if a pattern matches nothing, targets conflict or `target` looks like a file
*/
function planFiles(matches, options) {
	const { workspace, workingDirectory, ifNoFilesFound, target } = options;
	const planned = matches.flatMap(({ files, pattern }) => files.map((file) => planFile(file, pattern, options)));
	const byTarget = /* @__PURE__ */ new Map();
	for (const file of planned) if (!byTarget.has(file.target)) byTarget.set(file.target, file);
	const directory = path.resolve(workspace, workingDirectory);
	const unmatched = matches.filter(({ files }) => files.length === 0 && ifNoFilesFound !== "ignore").map((match) => explainNoMatch(match, directory, workspace));
	const more = (count) => `And ${count} more of this kind.`;
	const conflicts = limitList(findConflicts(planned), MAX_CONFLICTS, more);
	const problems = [...[...ifNoFilesFound === "error" ? unmatched : [], ...conflicts].map((message) => ({
		input: "files",
		message
	})), ...findMistakenTargets(matches, target)];
	if (problems.length > 0) throw new InputError(problems);
	const skipped = listSkipped(matches, workspace);
	const warnings = [...ifNoFilesFound === "warn" ? unmatched : [], ...skipWarnings(skipped)];
	return {
		files: [...byTarget.values()],
		skipped,
		warnings
	};
}
/** Returns one shard's files. A file's shard depends only on its target, so all runners agree. */
function filesOfShard(files, { index, count }) {
	return files.filter(({ target }) => hash("sha256", target, "buffer").readUInt32BE(0) % count === index - 1);
}
function planFile(file, pattern, options) {
	const { realPath, size, isExecutable } = file;
	return {
		source: displayPath(file.path, options.workspace),
		target: targetOf(file, pattern.target ?? "", options.target),
		realPath,
		size,
		isExecutable
	};
}
function targetOf(file, lineTarget, target) {
	const base = path.posix.isAbsolute(lineTarget) ? path.posix.normalize(lineTarget) : path.posix.join(target, lineTarget);
	return file.relative === "" && !/(^|\/)\.?$/.test(lineTarget) ? base : path.posix.join(base, file.relative || path.basename(file.path));
}
function findMistakenTargets(matches, target) {
	return matches.filter(({ pattern, files: [file] }) => {
		if (file?.relative !== "" || pattern.target !== void 0) return false;
		return !target.endsWith("/") && path.posix.basename(target) === path.basename(file.path);
	}).map(({ pattern: { pattern } }) => ({
		input: "target",
		message: `${quote(target)} is a folder, and the file would land in it under its own name. For one file, leave target empty and write the line ${quote(`${pattern} => ${target}`)} in files; for a folder of that name, end it with a slash.`
	}));
}
const ADVICE = "Give one line another target, or exclude one.";
/** Describes files whose target is another file's target, or is below it, in the order of targets. */
function findConflicts(planned) {
	const quoted = JSON.stringify;
	const sorted = planned.map((file) => ({
		file,
		key: file.target.replaceAll("/", "\0")
	}));
	sorted.sort((one, other) => one.key < other.key ? -1 : Number(one.key > other.key));
	let top;
	return sorted.flatMap(({ file }) => {
		const { source, target } = file;
		if (top?.target === target) {
			if (isSameFile(top, file)) return [];
			return `${quoted(top.source)} and ${quoted(source)} would both go to ${quoted(target)}. ${ADVICE}`;
		}
		if (top !== void 0 && target.startsWith(`${top.target}/`)) return `${quoted(top.source)} would go to ${quoted(top.target)} and ${quoted(source)} would go to ${quoted(target)}: a file cannot also be a directory. ${ADVICE}`;
		top = file;
		return [];
	});
}
function isSameFile(a, b) {
	return a.realPath === b.realPath && a.source.toLowerCase() === b.source.toLowerCase();
}
function listSkipped(matches, workspace) {
	const named = matches.flatMap(({ skipped }) => skipped).map((entry) => ({
		...entry,
		path: displayPath(entry.path, workspace)
	}));
	return [...new Map(named.map((entry) => [entry.path, entry])).values()];
}
function skipWarnings(skipped) {
	return [BROKEN_LINK, NOT_REGULAR].flatMap((reason) => {
		const names = skipped.filter((entry) => entry.reason === reason).map((entry) => quote(entry.path));
		return names.length === 0 ? [] : [`Skipped (${reason}): ${listSome(names, 1)}.`];
	});
}

// src/transfer/read-file.ts
const CHUNK_BYTES = 262144;
/**
* Opens a file, whose `chunks` throw an AgentError if it shrinks.
* @throws AgentError if the file cannot be opened or its size has changed
*/
function openFile(file) {
	const descriptor = openPlanned(file);
	return {
		chunks: () => chunksOf(file, descriptor),
		close: () => closeSync(descriptor)
	};
}
/** Fills `buffer`, which must have the file's size. @throws AgentError if the file has changed */
function readSmallFile(file, buffer) {
	const descriptor = openPlanned(file);
	try {
		readInto(buffer, file, descriptor);
	} finally {
		closeSync(descriptor);
	}
}
/**
* Returns the SHA-256 in hex, or undefined if `cancel` aborts.
* @throws AgentError if the file cannot be read or its size has changed
*/
async function hashFile(file, cancel) {
	const { chunks, close } = openFile(file);
	return hashChunks(chunks(), cancel).finally(close);
}
async function hashChunks(chunks, cancel) {
	const digest = createHash("sha256");
	for (const chunk of chunks) {
		chunk.use((bytes) => digest.update(bytes));
		await setImmediate();
		if (cancel.aborted) return void 0;
	}
	return digest.digest("hex");
}
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
function openPlanned(file) {
	const descriptor = callSystem(file, () => openSync(file.realPath, FLAGS));
	const stat = fstatSync(descriptor);
	if (stat.isFile() && stat.size === file.size) return descriptor;
	closeSync(descriptor);
	if (!stat.isFile()) throw fileError(file, "is no longer a regular file");
	throw fileError(file, `has ${stat.size} bytes instead of the ${file.size} that were found`);
}
function* chunksOf(file, descriptor) {
	const buffer = Buffer.allocUnsafeSlow(Math.min(file.size, CHUNK_BYTES));
	for (let read = 0; read < file.size; read += buffer.length) {
		const bytes = buffer.subarray(0, file.size - read);
		readInto(bytes, file, descriptor);
		yield lend(bytes);
	}
}
function readInto(buffer, file, descriptor) {
	for (let filled = 0; filled < buffer.length;) {
		const missing = buffer.length - filled;
		const read = callSystem(file, () => readSync(descriptor, buffer, filled, missing, null));
		if (read === 0) throw fileError(file, `shrank by ${missing} bytes or more during the upload`);
		filled += read;
	}
}
function callSystem(file, call) {
	try {
		return call();
	} catch (error) {
		const code = systemCode(error);
		throw code === void 0 ? error : fileError(file, `cannot be read (${code})`);
	}
}
function fileError({ realPath }, problem) {
	return new AgentError("file-changed", `${realPath} ${problem}.`);
}

// src/transfer/state-file.ts
const SCHEMA = 2;
/** @throws InputError if the file cannot be read or is not a state file */
function readState(inputs, workspace) {
	if (inputs.stateFile === "") return {
		state: void 0,
		warnings: []
	};
	const file = resolve(workspace, inputs.stateFile);
	const scope = scopeOf(inputs);
	const rows = decodeRows(readText(file, resolve(workspace)), scope);
	return {
		state: {
			file,
			scope,
			rows: rows ?? []
		},
		warnings: rows === void 0 ? [ignoredWarning(file)] : []
	};
}
function ignoredWarning(file) {
	return `The state file ${quote(file)} is damaged, of another version, or of another sandbox, service, user, shard or headers. It is ignored, and every file is sent.`;
}
/**
* Returns the results of unchanged files, each at its file's place in the plan, and the paths in the
* sandbox of files that have left the build.
*/
async function findChanges(files, { rows }, cancel) {
	const byTarget = new Map(rows.map((row) => [row.target, row]));
	const unchanged = [];
	for (const file of files) unchanged.push(await resultIfUnchanged(file, byTarget, cancel));
	const targets = new Set(files.map(({ target }) => target));
	const orphaned = rows.filter(({ path, target }) => !targets.has(target) && !targets.has(path));
	return {
		unchanged,
		orphaned: cancel.aborted ? [] : orphaned.map(({ path }) => path)
	};
}
async function resultIfUnchanged(file, byTarget, cancel) {
	const { path, size, sha256 } = byTarget.get(file.target) ?? {};
	if (path === void 0 || sha256 === void 0 || size !== file.size) return void 0;
	try {
		return await hashFile(file, cancel) === sha256 ? {
			status: "unchanged",
			file,
			path,
			size,
			sha256
		} : void 0;
	} catch (error) {
		if (error instanceof AgentError) return void 0;
		throw error;
	}
}
/**
* Removes the state file before a transfer, so that if this run is interrupted, the next sends
* every file.
* @throws InputError if the file cannot be removed
*/
function removeState({ file }) {
	try {
		mkdirSync(dirname(file), { recursive: true });
		rmSync(file, { force: true });
	} catch (error) {
		throw stateError(file, `cannot be replaced (${systemCode(error)})`);
	}
}
/** Writes the state unless a file failed or was not attempted. Returns warnings. */
function writeState(state, results) {
	const rows = /* @__PURE__ */ new Map();
	for (const row of state.rows) rows.set(row.path, {
		...row,
		sha256: void 0
	});
	for (const result of results) {
		if (result.status !== "uploaded" && result.status !== "unchanged") return [];
		const { path, file, size, sha256 } = result;
		rows.set(path, {
			path,
			target: file.target,
			size,
			sha256
		});
	}
	try {
		const text = encodeRows([...rows.values()], state.scope);
		writeFileSync(state.file, text, {
			flag: "wx",
			mode: 384
		});
		return [];
	} catch (error) {
		return [`The state file could not be written, so the next run sends every file: ${errorText(error)}.`];
	}
}
function scopeOf(inputs) {
	const { sandboxId, baseUrl, username, shard, port, uploadPath, headerPrefix, headers } = inputs;
	const shown = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${isSecretHeader(name) ? "" : value}`).sort();
	const all = [
		sandboxId,
		baseUrl,
		username,
		shard === void 0 ? "" : `${shard.index}/${shard.count}`,
		port,
		uploadPath,
		headerPrefix,
		shown
	];
	return hash("sha256", JSON.stringify(all));
}
function rejectLinks(file, workspace) {
	let current = file;
	do {
		if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw stateError(file, current === file ? "is a symbolic link" : "is behind a symbolic link");
		current = dirname(current);
	} while (current.startsWith(`${workspace}${sep}`));
}
/** Returns '' if there is no file. @throws InputError if it is not a state file */
function readText(file, workspace) {
	try {
		rejectLinks(file, workspace);
		if (!statSync(file).isFile()) throw stateError(file, "is not a regular file");
		const text = readFileSync(file, "utf8");
		if (text === "" || /^\{"schema":\d+,"scope":/.test(text)) return text;
	} catch (error) {
		const code = systemCode(error);
		if (code === void 0) throw error;
		if (code === "ENOENT") return "";
		throw stateError(file, `cannot be read (${code})`);
	}
	throw stateError(file, "contains something other than the state of uploads");
}
function encodeRows(rows, scope) {
	const lines = rows.toSorted((one, other) => one.path < other.path ? -1 : 1).map((row) => JSON.stringify(row));
	return `{"schema":${SCHEMA},"scope":"${scope}","files":[\n${lines.join(",\n")}\n]}\n`;
}
/** Returns undefined if the text is damaged or was written for another scope. */
function decodeRows(text, expectedScope) {
	if (text === "") return [];
	const { schema, scope, files } = parseFields(text);
	if (schema !== SCHEMA || scope !== expectedScope || !Array.isArray(files)) return void 0;
	return files.every(isRow) ? files : void 0;
}
function isRow(row) {
	const { path, target, size, sha256 } = fieldsOf(row);
	return typeof path === "string" && typeof target === "string" && typeof size === "number" && (sha256 === void 0 || typeof sha256 === "string");
}
function stateError(file, why) {
	const message = `${quote(file)} ${why}. Name a file that only this step writes.`;
	return inputError("state-file", message, ".sandbox-sync/state.json");
}

// src/transfer/multipart.ts
var import_form_data = /* @__PURE__ */ __toESM(require_form_data(), 1);
/** Creates a multipart/form-data form (RFC 7578) whose parts are all named `file`. */
function newForm() {
	const boundary = `----sandboxsync${crypto.randomUUID().replaceAll("-", "")}`;
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		tail,
		head: (filename) => {
			const form = new import_form_data.default();
			form.setBoundary(boundary);
			form.append("file", "", {
				filepath: filename,
				contentType: "application/octet-stream"
			});
			return form.getBuffer().subarray(0, -tail.length);
		}
	};
}
const LINE_BREAK = Buffer.from("\r\n");
/** Reads small files into one body, skipping any that are unreadable or have changed in size. */
function batchBody(files, { head, tail }) {
	const framed = files.map((file) => ({
		file,
		head: head(file.target)
	}));
	const sizes = framed.map(({ file, head }) => LINE_BREAK.length + head.length + file.size);
	const buffer = Buffer.allocUnsafeSlow(sizes.reduce((sum, size) => sum + size, tail.length));
	let end = 0;
	const parts = framed.map(({ file, head }) => {
		const start = end === 0 ? 0 : end + LINE_BREAK.copy(buffer, end);
		const contentStart = start + head.copy(buffer, start);
		const content = buffer.subarray(contentStart, contentStart + file.size);
		try {
			readSmallFile(file, content);
		} catch (error) {
			if (!(error instanceof AgentError)) throw error;
			return {
				file,
				error
			};
		}
		end = contentStart + file.size;
		return {
			file,
			digest: () => hash("sha256", content)
		};
	});
	return {
		chunks: [...slicesOf(buffer.subarray(0, end)), tail].map(lend),
		length: end + tail.length,
		parts,
		close: () => {}
	};
}
/** @throws AgentError if the file cannot be opened or its size has changed */
function fileBody(file, form, isHashed) {
	const { chunks: readChunks, close } = openFile(file);
	const digest = isHashed ? createHash("sha256") : void 0;
	const head = form.head(file.target);
	function* chunks() {
		yield lend(head);
		for (const chunk of readChunks()) {
			chunk.use((bytes) => digest?.update(bytes));
			yield chunk;
		}
		yield lend(form.tail);
	}
	const length = head.length + file.size + form.tail.length;
	const parts = [{
		file,
		digest: () => digest?.digest("hex") ?? ""
	}];
	return {
		chunks: chunks(),
		length,
		parts,
		close
	};
}
const SLICE_BYTES = 65536;
function slicesOf(buffer) {
	const count = Math.ceil(buffer.length / SLICE_BYTES);
	return Array.from({ length: count }, (_, index) => buffer.subarray(index * SLICE_BYTES, (index + 1) * SLICE_BYTES));
}

// src/transfer/store-files.ts
const ENTRY_BYTES = 8192;
function createStoreFiles(client, inputs, isHashed) {
	const form = newForm();
	const { redact } = client;
	return async ({ files, isStreamed }, onSent) => {
		const [file, ...others] = files;
		const body = isStreamed ? fileBody(file, form, isHashed) : batchBody(files, form);
		const unreadable = body.parts.filter((part) => "error" in part);
		if (unreadable.length === files.length) return unreadable;
		try {
			return storeResults(await client.send({
				method: "POST",
				path: requestPath(inputs, others.length === 0 ? file.target : void 0),
				headers: {
					"Content-Type": form.contentType,
					"Content-Length": String(body.length)
				},
				body: body.chunks,
				hints: HINTS,
				maxAnswerBytes: MAX_ANSWER_BYTES + ENTRY_BYTES * files.length,
				onSent
			}), body, {
				isHashed,
				redact
			});
		} finally {
			body.close();
		}
	};
}
const HINTS = {
	"not-found": "Check base-url and upload-path, which is added to it: the service has no such operation there.",
	rejected: "The agent does not take this request. Check header-prefix, sandbox-id, port and the target.",
	busy: "The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2."
};
function requestPath(inputs, target) {
	const { username, signature, signatureExpiration, uploadPath } = inputs;
	const query = Object.entries({
		path: target,
		username,
		signature,
		signature_expiration: signatureExpiration
	}).flatMap(([name, value]) => value ? [`${name}=${encodeURIComponent(value)}`] : []);
	return query.length === 0 ? uploadPath : `${uploadPath}?${query.join("&")}`;
}
function storeResults(answer, { parts }, { isHashed, redact }) {
	const paths = storedPaths(answer, parts.filter((part) => "digest" in part).map(({ file }) => file.target)).values();
	return parts.map((part) => {
		if ("error" in part) return part;
		const { file, digest } = part;
		const stored = {
			file,
			path: redact(paths.next().value ?? ""),
			size: file.size
		};
		return isHashed ? {
			...stored,
			sha256: digest()
		} : stored;
	});
}
/**
* Returns the stored paths in the order of `targets`, not redacted: a secret that ends within a
* target would hide the target.
* @throws AgentError if the answer lists other files
*/
function storedPaths(answer, targets) {
	const body = parseAnswer(answer);
	const entries = Array.isArray(body) ? body : [body];
	if (entries.length !== targets.length) throw badAnswer(answer, `it lists ${entries.length} files instead of ${targets.length}`);
	return targets.map((target, index) => storedPath(entries[index], target, answer));
}
const MAX_PATH = 4096;
function storedPath(entry, target, answer) {
	const { path, name, type } = fieldsOf(entry);
	if (type !== "file") throw badAnswer(answer, "its entry is not of type \"file\"");
	if (name !== posix.basename(target)) throw badAnswer(answer, "its entry names another file");
	if (typeof path === "string" && path.length <= MAX_PATH && isPathOf(target, path)) return path;
	throw badAnswer(answer, "its entry has no path, or that of another target");
}
function isPathOf(target, path) {
	return path === target || !posix.isAbsolute(target) && path.endsWith(`/${target}`);
}

// src/transfer/batches.ts
/**
* Files up to this size are read into memory and sent from one buffer, which is faster than
* streaming.
*/
const SMALL_BYTES = 262144;
const BATCH_BYTES = 1048576;
/**
* Groups small files into batches of at most `filesPerRequest` and 1 MiB; other files go alone.
* An entry is a position in the plan and the file there.
*/
function batchesOf(entries, filesPerRequest) {
	const batches = [];
	let open;
	for (const [position, file] of entries) {
		const bytes = sizeInBatch(file);
		if (bytes !== void 0 && open && bytes <= open.room && open.files.length < filesPerRequest) {
			open.files.push(file);
			open.positions.push(position);
			open.room -= bytes;
			continue;
		}
		const files = [file];
		const positions = [position];
		batches.push({
			files,
			positions,
			isStreamed: file.size > SMALL_BYTES
		});
		if (bytes !== void 0) open = {
			files,
			positions,
			room: BATCH_BYTES - bytes
		};
	}
	return batches;
}
const FRAME_BYTES = 256;
/** Returns the most bytes a file can take in a batch, or undefined if it must be sent alone. */
function sizeInBatch({ target, size }) {
	return size <= 262144 && isPlainFilename(target) ? FRAME_BYTES + target.length + size : void 0;
}
function isPlainFilename(filename) {
	if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
	return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}

// src/transfer/transfer.ts
/** Uploads all changed files. Returns one result per file, in plan order. */
async function transfer(files, options) {
	const { storeFiles, concurrency, filesPerRequest, unchanged, cancel, clock, onEvent } = options;
	const giveUp = new AbortController();
	const stop = AbortSignal.any([cancel, giveUp.signal]);
	const throttled = throttle(concurrency, stop, onEvent);
	const giveUpIfHopeless = failureCounter(giveUp);
	const results = [...unchanged];
	async function sendBatch(batch) {
		const startedAt = clock();
		let requests = 0;
		const attempt = () => {
			requests += 1;
			return storeFiles(batch, (bytes) => onEvent({
				kind: "sent",
				bytes
			}));
		};
		const outcome = await withRetries(() => throttled(attempt), {
			...options,
			stop,
			onRetry: (retry) => onEvent({
				kind: "retry",
				files: batch.files,
				retry
			})
		});
		if (requests === 0) return;
		giveUpIfHopeless(batch, outcome);
		const sent = resultsOf(batch, outcome, Math.round(clock() - startedAt));
		for (const [index, position] of batch.positions.entries()) results[position] = sent[index];
		onEvent({
			kind: "attempted",
			count: sent.length,
			retries: requests - 1
		});
	}
	const slots = pLimit(concurrency);
	const changed = files.entries().filter(([position]) => unchanged[position] === void 0);
	await slots.map(batchesOf(changed, filesPerRequest), sendBatch).finally(() => giveUp.abort("the transfer is over"));
	const reason = reasonOf(stop);
	return failOverwritten(files.map((file, index) => results[index] ?? {
		status: "not-attempted",
		file,
		reason
	}));
}
/** Limits the requests in flight, and halves the limit whenever the sandbox is overloaded. */
function throttle(concurrency, stop, onEvent) {
	const requests = pLimit(concurrency);
	const slowDown = (limit, error) => {
		const lower = Math.floor(limit / 2);
		if (lower === 0 || requests.concurrency !== limit) return;
		requests.concurrency = lower;
		onEvent({
			kind: "debug",
			text: `Concurrency: ${limit} → ${lower}, ${error.message}`
		});
	};
	return (request) => requests(async () => {
		if (stop.aborted) throw new AgentError("cancelled", "The transfer has ended.", { isUnsent: true });
		const limit = requests.concurrency;
		try {
			return await request();
		} catch (error) {
			if (error instanceof AgentError && isOverload(error)) slowDown(limit, error);
			throw error;
		}
	});
}
function isOverload({ status }) {
	return status === 429 || status === 503;
}
const MAX_CONSECUTIVE_FAILURES = 3;
/** Returns a callback for each outcome, which aborts `giveUp` once more requests are pointless. */
function failureCounter(giveUp) {
	let consecutiveFailures = 0;
	return (batch, outcome) => {
		if (!("error" in outcome)) {
			consecutiveFailures = 0;
			return;
		}
		const { error } = outcome;
		if (isFatal(error) || mayHaveOverwrittenOthers(batch, error)) giveUp.abort(`the transfer had ended: ${error.message}`);
		if (error.isRetryable) consecutiveFailures += 1;
		if (consecutiveFailures < MAX_CONSECUTIVE_FAILURES) return;
		const count = `${MAX_CONSECUTIVE_FAILURES} requests in a row`;
		giveUp.abort(`${count} had failed, the last one so: ${error.message}`);
	};
}
function mayHaveOverwrittenOthers({ files }, { kind }) {
	return files.length > 1 && (kind === "rejected" || kind === "bad-answer");
}
function reasonOf(stop) {
	return typeof stop.reason === "string" ? stop.reason : "the job was cancelled";
}
function resultsOf(batch, outcome, durationMs) {
	const { files } = batch;
	const { attempts } = outcome;
	if ("error" in outcome) {
		const error = failureOf(outcome.error, batch);
		return files.map((file) => ({
			status: "failed",
			file,
			attempts,
			durationMs,
			error
		}));
	}
	return outcome.value.map((result) => {
		if (!("error" in result)) return {
			status: "uploaded",
			attempts,
			durationMs,
			...result
		};
		const error = failureOf(result.error);
		return {
			status: "failed",
			file: result.file,
			attempts,
			durationMs,
			error
		};
	});
}
function failureOf(error, batch) {
	const { kind, status, message, hint } = error;
	return {
		kind,
		status,
		message,
		hint: `${hint}${batch !== void 0 && mayHaveOverwrittenOthers(batch, error) ? " files-per-request: 1 sends each file alone." : ""}`
	};
}
function failOverwritten(results) {
	const byPath = Map.groupBy(results, (result) => "path" in result ? result.path : "");
	return results.map((result) => {
		if (!("path" in result)) return result;
		const { file, path } = result;
		const [first = result, ...others] = byPath.get(path) ?? [];
		if (others.length === 0) return result;
		const names = [first, ...others].map((each) => each.file.source);
		const error = {
			kind: "rejected",
			status: void 0,
			message: `${listSome(names, 1)} were stored at the same place, ${path}: only one of them is there.`,
			hint: "Give one of them another target, or exclude it."
		};
		const { attempts, durationMs } = result.status === "uploaded" ? result : {
			attempts: 0,
			durationMs: 0
		};
		return {
			status: "failed",
			file,
			attempts,
			durationMs,
			error
		};
	});
}

// src/tasks/upload.ts
/** Plans and uploads files. @throws InputError before anything is sent */
async function upload(inputs, context) {
	const { sandboxId, baseUrl, dryRun } = inputs;
	const report = {
		task: "upload",
		name: "",
		sandboxId,
		baseUrl
	};
	const prepared = await prepareUpload(inputs, context);
	if (dryRun) return {
		...report,
		...await planOnly(prepared, inputs, context)
	};
	if (context.cancel.aborted) return {
		...report,
		...sendNothing(prepared, context)
	};
	const sent = await withClient(agentService(inputs), context, (client) => sendFiles(prepared, inputs, client, context));
	return {
		...report,
		...sent
	};
}
/** Finds files, plans their targets and compares them with the state file. @throws InputError */
async function prepareUpload(inputs, context) {
	const { workspace, cancel } = context;
	const [{ state, warnings }, plan] = await allOrProblems([Promise.try(() => readState(inputs, workspace)), findAndPlan(inputs, context)]);
	const { shard, dryRun } = inputs;
	const files = shard === void 0 ? plan.files : filesOfShard(plan.files, shard);
	const changes = state === void 0 ? {
		unchanged: [],
		orphaned: []
	} : await findChanges(files, state, cancel);
	const section = {
		...EMPTY_UPLOAD,
		dryRun,
		skipped: plan.skipped,
		orphaned: changes.orphaned,
		shard: shard && {
			...shard,
			files: files.length,
			planned: plan.files.length
		}
	};
	const { unchanged } = changes;
	return {
		files,
		unchanged,
		state,
		section,
		warnings: [...plan.warnings, ...warnings]
	};
}
const MAX_HIDDEN = 5;
async function findAndPlan(inputs, context) {
	const { workspace, cancel, onEvent } = context;
	const { stateFile } = inputs;
	const stateExclude = stateFile === "" ? [] : [escapeGlob(path.resolve(workspace, stateFile))];
	const rules = {
		...inputs.files,
		excludes: [...inputs.files.excludes, ...stateExclude]
	};
	await rejectUselessExcludes(inputs.files, path.resolve(workspace, inputs.workingDirectory));
	const matches = await findFiles(rules, {
		...inputs,
		workspace,
		cancel
	});
	for (const { pattern, root, files, skipped } of matches) {
		const counts = `${formatCount(files.length, "file")}, ${formatNumber(skipped.length)} skipped`;
		onEvent({
			kind: "debug",
			text: `Pattern ${pattern.pattern}: ${counts}, from ${root}`
		});
	}
	const hidden = listHidden(matches, workspace);
	if (hidden.length > 0) onEvent({
		kind: "note",
		text: `Hidden, so not searched: ${listSome(hidden, MAX_HIDDEN)}. See include-hidden-files.`
	});
	return planFiles(matches, {
		...inputs,
		workspace
	});
}
async function sendFiles({ files, unchanged, state, section, warnings }, inputs, client, context) {
	const { cancel, clock, onEvent } = context;
	const changed = files.filter((_, position) => unchanged[position] === void 0);
	if (state !== void 0) removeState(state);
	if (changed.length > 0) onEvent({
		kind: "start",
		files: changed,
		title: announcementOf(inputs, section, changed)
	});
	const startedAt = clock();
	let retries = 0;
	const results = await transfer(files, {
		...inputs,
		filesPerRequest: filesPerRequestOf(inputs),
		...context,
		unchanged,
		storeFiles: createStoreFiles(client, inputs, inputs.checksums || state !== void 0),
		onEvent(event) {
			if (event.kind === "attempted") retries += event.retries;
			onEvent(event);
		}
	}).finally(() => onEvent({ kind: "end" }));
	const storedPaths = new Set(results.map((result) => "path" in result ? result.path : ""));
	const upload = {
		...section,
		files: results,
		orphaned: section.orphaned.filter((orphan) => !storedPaths.has(orphan)),
		digest: digestOf(results),
		retries,
		durationMs: Math.round(clock() - startedAt)
	};
	const stateWarnings = state === void 0 ? [] : writeState(state, results);
	return {
		upload,
		cancelled: cancel.aborted,
		errors: [],
		warnings: [...warnings, ...stateWarnings]
	};
}
function announcementOf({ sandboxId, baseUrl }, { shard }, changed) {
	return `Uploading ${`${formatCount(changed.length, "file")} (${formatBytes(totalSize(changed))})`} to sandbox ${sandboxId} at ${baseUrl}${shard === void 0 ? "" : `, ${describeShard(shard)}`}`;
}
/**
* Reports what would be sent, with a digest if `checksums` is set.
* @throws AgentError if a file of the digest cannot be read
*/
async function planOnly({ files, unchanged, section, warnings }, { checksums }, { cancel }) {
	const results = [];
	for (const [position, file] of files.entries()) {
		const known = unchanged[position];
		const sha256 = known || !checksums ? void 0 : await hashFile(file, cancel);
		const hashed = sha256 === void 0 ? {} : { sha256 };
		results.push(known ?? {
			status: "skipped",
			file,
			reason: "dry run",
			...hashed
		});
	}
	return {
		upload: {
			...section,
			files: results,
			digest: digestOf(results)
		},
		cancelled: cancel.aborted,
		errors: [],
		warnings
	};
}
/** Reports that no file was attempted. Without an error, the reason is that the job was cancelled. */
function sendNothing({ files, unchanged, section, warnings }, { cancel }, error) {
	const reason = error?.message ?? "the job was cancelled";
	const results = files.map((file, position) => {
		return unchanged[position] ?? {
			status: "not-attempted",
			file,
			reason
		};
	});
	return {
		upload: {
			...section,
			files: results
		},
		cancelled: cancel.aborted,
		errors: error ? [error] : [],
		warnings
	};
}

// src/tasks/sync.ts
/**
* Plans, waits for the sandbox, uploads, measures and judges.
* @throws InputError before anything is sent
*/
async function sync(inputs, context) {
	const { sandboxId, baseUrl } = inputs;
	const report = {
		task: "sync",
		name: "",
		sandboxId,
		baseUrl
	};
	const prepared = await prepareUpload(inputs, context);
	if (inputs.dryRun) {
		const planned = await planOnly(prepared, inputs, context);
		return {
			...report,
			...planned,
			measured: NOT_MEASURED
		};
	}
	const unmeasured = {
		...report,
		measured: {
			samples: [],
			gate: gateOf(inputs, [])
		}
	};
	if (context.cancel.aborted) return {
		...unmeasured,
		...sendNothing(prepared, context)
	};
	return withClient(agentService(inputs), context, async (client) => {
		const error = await waitFor(inputs, client, context) ?? await checkGateIsJudgeable(inputs, client, context);
		if (error !== void 0 || context.cancel.aborted) return {
			...unmeasured,
			...sendNothing(prepared, context, error)
		};
		const sent = await sendFiles(prepared, inputs, client, context);
		if (sent.cancelled || hasFatalFailure(sent.upload.files)) return {
			...unmeasured,
			...sent
		};
		const { measured, errors } = await measure(inputs, client, context, isGated(inputs));
		const cancelled = context.cancel.aborted;
		return {
			...report,
			...sent,
			measured,
			cancelled,
			errors: [...sent.errors, ...errors]
		};
	});
}
function hasFatalFailure(results) {
	return results.some((result) => result.status === "failed" && isFatal(result.error) && result.error.kind !== "disk-full");
}

export { upload as n, sync as t };