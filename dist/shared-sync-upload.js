import { r as __toESM } from "./rolldown-runtime.js";
import { D as EMPTY_REPORT, E as AgentError, F as quote, I as InputError, b as proxyFor, f as dueFiles, m as select, p as resultsOf, y as isUsable } from "./shared.js";
import { a as nameOf$1, c as openExchange, d as withRetries, i as unusableProxy, o as networkFailure, r as readStats, s as badAnswer, t as exchangeOptions } from "./shared-sync-upload-stats.js";
import { t as Minimatch } from "./vendor-sync-upload.js";
import { t as require_pool } from "./undici-sync-upload-index.js";
import { setFlagsFromString } from "node:v8";
import { setImmediate } from "node:timers/promises";
import { Socket } from "node:net";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createHash, hash } from "node:crypto";
import { homedir } from "node:os";
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path, { posix } from "node:path";
import { open } from "node:fs/promises";

// src/main/small-heap.ts
setFlagsFromString("--semi-space-growth-factor=1");
setFlagsFromString("--heap-growing-percent=20");

// src/agent/system-error.ts
/** The code of an error of the system, such as `ENOENT`; undefined for any other: bugs have none. */
function systemCode(error) {
	return error instanceof Error && "code" in error ? String(error.code) : void 0;
}
/** Whether an error says that a file cannot be read, and is no bug. */
function isUnreadable(error) {
	return error instanceof AgentError || systemCode(error) !== void 0;
}

// src/upload/paths.ts
/** The path of `file` from `directory`, both absolute; undefined where it is neither that directory nor below it. */
function pathWithin(directory, file) {
	const rest = file.startsWith(directory) ? file.slice(directory.length) : "";
	if (rest.startsWith(path.sep) && !rest.includes("..")) return rest.slice(1);
	const relative = path.relative(directory, file);
	return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? void 0 : relative;
}
/** Whether `file` is `directory` or lies below it; both absolute. */
function isInside(directory, file) {
	return pathWithin(directory, file) !== void 0;
}
/** A path of the runner with slashes, also on Windows. */
function toPosix(file) {
	return path.sep === "/" ? file : file.replaceAll(path.sep, "/");
}

// src/upload/boundary.ts
/**
* A resolver that lets links lead only to places inside the workspace, or inside the pattern's own root where that lies
* outside the workspace. A build that ran untrusted code could hold a link to a credential of the runner.
* `root` is the directory that the pattern's search starts in; both are absolute.
*/
function boundary(workspace, root) {
	const bounds = [realpathSync.native(workspace)];
	if (!isInside(workspace, root)) bounds.push(realpathSync.native(root));
	const within = (real) => bounds.some((bound) => isInside(bound, real));
	const searched = (place) => isInside(workspace, place) || isInside(root, place);
	const directories = /* @__PURE__ */ new Map();
	function resolveDirectory(directory, file) {
		const known = directories.get(directory);
		if (known !== void 0) return known;
		const real = realpathSync.native(directory);
		if (!within(real)) throw leadsOut(linkOf(file, searched, within), real);
		directories.set(directory, real);
		return real;
	}
	return (file, isLink) => {
		const real = path.join(resolveDirectory(path.dirname(file), file), path.basename(file));
		if (!isLink) return real;
		const end = realpathSync.native(real);
		if (!within(end)) throw leadsOut(file, end);
		return end;
	};
}
/** The first part of a path that leads out; where the searched place itself lies behind a link, that is not it. */
function linkOf(file, searched, within) {
	const parents = [];
	for (let part = file; part !== path.dirname(part); part = path.dirname(part)) parents.unshift(part);
	const isLeavingLink = (part) => searched(part) && lstatSync(part).isSymbolicLink() && !within(realpathSync.native(part));
	return parents.find(isLeavingLink) ?? file;
}
function leadsOut(link, end) {
	const message = `${link} is a link to ${end}, outside the workspace.`;
	return new InputError([{
		input: "files",
		message: `${message} Exclude it with a ! line, or copy what it leads to into the workspace.`
	}]);
}

// src/upload/pattern.ts
const WINDOWS = process.platform === "win32";
const OPTIONS = {
	nobrace: true,
	nocase: WINDOWS,
	nocomment: true,
	noext: true,
	nonegate: true
};
/** A matcher for an absolute pattern and absolute excludes. */
function matcher(pattern, excludes) {
	const wanted = matchAny([pattern], true);
	const excluded = matchAny(excludes, true);
	const visible = matchAny([pattern], false);
	return {
		wants: (file) => wanted(file) && !excluded(file),
		hides: (file) => !visible(file),
		mayHold: (directory, onlyVisible) => (onlyVisible ? visible : wanted)(directory, true) && !excluded(directory)
	};
}
/** The pattern made absolute: relative ones start in `directory`, `~` is the home directory. */
function anchor(pattern, directory) {
	const trimmed = pattern.replace(WINDOWS ? /(?<=.)[\\/]+$/ : /(?<=.)\/+$/, "");
	if (/^~(?=$|[\\/])/.test(trimmed)) return escaped(homedir()) + trimmed.slice(1);
	if (WINDOWS && /^[\\/](?![\\/])/.test(trimmed)) return path.parse(directory).root + trimmed.slice(1);
	if (path.isAbsolute(trimmed)) return trimmed;
	const [climb = ""] = /^(\.{1,2}([\\/]|$))*/.exec(trimmed) ?? [];
	const base = path.resolve(directory, climb === "" ? "." : climb);
	const rest = trimmed.slice(climb.length);
	if (rest === "") return escaped(base);
	return `${escaped(base)}${base.endsWith(path.sep) ? "" : path.sep}${rest}`;
}
/** What an absolute pattern spells out before its first wildcard: where its search starts. */
function rootOf(pattern) {
	const [segments = []] = new Minimatch(slashed(pattern), {
		...OPTIONS,
		nocaseMagicOnly: true
	}).set;
	const wildcard = segments.findIndex((segment) => typeof segment !== "string");
	const literal = wildcard < 0 ? segments : segments.slice(0, wildcard);
	return path.resolve(`${literal.join("/")}/`);
}
function matchAny(patterns, dot) {
	const matchers = patterns.map((pattern) => slashed(pattern).replace(/(\/\*\*)+$/, "")).flatMap((pattern) => [`${pattern}/**`, pattern]).map((pattern) => new Minimatch(pattern, {
		...OPTIONS,
		dot
	}));
	return (file, partial) => matchers.some((each) => each.match(file, partial));
}
function slashed(pattern) {
	return WINDOWS ? pattern.replaceAll("\\", "/") : pattern;
}
function escaped(literal) {
	return (WINDOWS ? literal : literal.replaceAll("\\", "\\\\")).replace(/[[?*]/g, "[$&]");
}

// src/upload/walk.ts
/**
* Everything at and below a path, each directory before what lies in it, names in order. A directory that a link leads to
* is not entered within itself.
*/
function* walk(place, options, above = []) {
	const found = look(place, options.followSymlinks);
	if (found === void 0) return;
	yield found;
	if (found.kind !== "directory" || !options.enters(place)) return;
	const real = realpathSync.native(place);
	if (above.includes(real)) return;
	const chain = [...above, real];
	for (const name of readdirSync(place).sort()) yield* walk(path.join(place, name), options, chain);
}
/** Undefined where there is nothing, or nothing any more. */
function look(place, followSymlinks) {
	const own = unlessGone(() => lstatSync(place));
	const nothing = {
		path: place,
		size: 0,
		isLink: false
	};
	if (own === void 0) return place.includes("�") ? {
		...nothing,
		kind: "unreadable name"
	} : void 0;
	const isLink = own.isSymbolicLink();
	if (isLink && !followSymlinks) return {
		...nothing,
		kind: "link",
		isLink
	};
	const end = isLink ? unlessGone(() => statSync(place)) : own;
	if (end === void 0) return {
		...nothing,
		kind: "broken link",
		isLink
	};
	return {
		path: place,
		kind: end.isDirectory() ? "directory" : end.isFile() ? "file" : "special",
		size: end.size,
		isLink
	};
}
/** What `stat` says; undefined where the path leads nowhere, through a file, or a link to itself. */
function unlessGone(stat) {
	try {
		return stat();
	} catch (error) {
		const code = systemCode(error);
		if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return void 0;
		throw error;
	}
}

// src/upload/discover.ts
/** The reason of a link that leads nowhere. */
const BROKEN_LINK = "a broken link";
/** The reason of a pipe, a socket or a device. */
const NOT_REGULAR = "not a regular file";
const LEFT_OUT = {
	"broken link": BROKEN_LINK,
	special: NOT_REGULAR,
	link: "a symbolic link"
};
/**
* Searches the files of every pattern, in the order of the patterns. Reads the runner's file system, and no content.
* @throws InputError where a place cannot be searched or a link leads out of the workspace.
*/
async function discover(rules, options) {
	const directory = path.resolve(options.workspace, options.workingDirectory);
	requireDirectory(directory, options.workingDirectory);
	const excludes = rules.excludes.map((exclude) => anchor(exclude, directory));
	const all = [];
	for (const pattern of rules.patterns) try {
		all.push(await search(pattern, anchor(pattern.pattern, directory), excludes, options));
	} catch (error) {
		throw unsearchable(pattern, error);
	}
	return all;
}
async function search(pattern, absolute, excludes, options) {
	const match = matcher(absolute, excludes);
	const root = rootOf(absolute);
	const found = await sort(root, match, options);
	const isEmpty = found.files.length === 0 && !options.includeHidden;
	return {
		pattern,
		root,
		...found,
		hidden: isEmpty ? await countHidden(root, match, options) : 0
	};
}
async function sort(root, match, options) {
	const files = [];
	const leftOut = [];
	const isHidden = hider(root, match, options);
	let resolve;
	for await (const { path: file, kind, size, isLink } of wanted(root, match, options)) {
		if (isHidden(file)) continue;
		if (kind === "unreadable name") throw unreadableName(file);
		if (kind !== "file") leftOut.push({
			path: file,
			reason: LEFT_OUT[kind]
		});
		else {
			const relative = pathWithin(root, file) ?? "";
			resolve ??= boundary(options.workspace, relative === "" ? path.dirname(root) : root);
			files.push({
				path: file,
				realPath: resolve(file, isLink),
				relative: toPosix(relative),
				size
			});
		}
	}
	return {
		files,
		leftOut
	};
}
async function countHidden(root, match, options) {
	const isHidden = hider(root, match, options);
	let hidden = 0;
	for await (const { path: file } of wanted(root, match, {
		...options,
		includeHidden: true
	})) if (isHidden(file)) hidden += 1;
	return hidden;
}
const TURN = 1e3;
/** What the pattern wants of what is there, directories aside. */
async function* wanted(root, match, { includeHidden, followSymlinks, cancel }) {
	let seen = 0;
	const enters = (directory) => match.mayHold(directory, !includeHidden);
	for (const found of walk(root, {
		followSymlinks,
		enters
	})) {
		const { kind } = found;
		if (kind !== "directory" && match.wants(found.path)) yield {
			...found,
			kind
		};
		seen += 1;
		if (seen % TURN === 0) await setImmediate();
		if (cancel.aborted) return;
	}
}
function hider(root, match, { includeHidden }) {
	return (file) => !includeHidden && /[\\/]\./.test(file.slice(root.length - 1)) && match.hides(file);
}
function unreadableName(file) {
	const message = `${JSON.stringify(file)} has a name that is not valid UTF-8. Rename it, or exclude it with a ! line.`;
	return new InputError([{
		input: "files",
		message
	}]);
}
function requireDirectory(directory, given) {
	if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
	const message = `${quote(given)} is not a directory on the runner (${directory}).`;
	throw new InputError([{
		input: "working-directory",
		message,
		example: "working-directory: packages/app"
	}]);
}
const ADVICE = {
	ENOENT: " A folder vanished during the search.",
	EACCES: " Let the runner read the folder, or upload another."
};
function unsearchable({ pattern }, error) {
	const code = systemCode(error);
	if (code === void 0 || !(error instanceof Error)) return error;
	const message = `${quote(pattern)} cannot be searched: ${error.message}.${ADVICE[code] ?? ""}`;
	return new InputError([{
		input: "files",
		message
	}]);
}

// src/upload/plan.ts
const NAMED = 10;
/**
* Says where each file goes: what a pattern spells out is dropped, what its wildcards match is kept.
* @throws InputError where a pattern matches nothing, or two files would go to one place.
*/
function plan(matches, options) {
	const name = (file) => toPosix(pathWithin(options.workspace, file) ?? file);
	const files = matches.flatMap((match) => match.files.map((file) => ({
		source: name(file.path),
		realPath: file.realPath,
		target: targetOf(file, match.pattern.target, options.target),
		size: file.size
	})));
	const unmatched = matches.filter((match) => match.files.length === 0).map((match) => nothingFound(match, name));
	const { unique, conflicts } = byTarget(files);
	const problems = [
		...options.ifNoFilesFound === "error" ? unmatched : [],
		...cut(conflicts),
		...cut(unwritable(unique))
	];
	if (problems.length > 0) throw new InputError(problems.map((message) => ({
		input: "files",
		message
	})));
	const leftOut = dedupe(matches.flatMap((match) => match.leftOut)).map((item) => ({
		...item,
		path: name(item.path)
	}));
	return {
		files: unique,
		leftOut,
		warnings: [...options.ifNoFilesFound === "warn" ? unmatched : [], ...oddities(leftOut)]
	};
}
function targetOf({ path: file, relative }, own, general) {
	if (!(own === void 0 || relative !== "" || /(^|\/)\.?$/.test(own))) return path.posix.normalize(own);
	return path.posix.join(own ?? general, relative === "" ? path.basename(file) : relative);
}
const SLIPS = [
	{
		slip: /\{.*\}/,
		advice: "braces have no meaning in a pattern; write a line for each"
	},
	{
		slip: /\[.*\]/,
		advice: "[ and ] mean one of some characters; write [[] for a [ in a name"
	},
	{
		slip: /=>/,
		advice: "write a space on each side of =>"
	},
	{
		slip: /\s#/,
		advice: "a comment must be a line of its own"
	}
];
function nothingFound({ pattern, hidden, leftOut }, name) {
	const reasons = [
		...hidden > 0 ? [`${hidden} with a name that begins with a dot; set include-hidden-files: true to include them`] : [],
		...SLIPS.filter(({ slip }) => slip.test(pattern.pattern)).map(({ advice }) => advice),
		...leftOut[0] === void 0 ? [] : [`${leftOut.length} left out, such as ${name(leftOut[0].path)}: ${leftOut[0].reason}`]
	];
	const found = `${quote(pattern.pattern)} matches no file to upload`;
	if (reasons.length > 0) return `${found} (${reasons.join("; ")}).`;
	return `${found}. Check that what makes it ran before this step, and working-directory.`;
}
/** The files with each target once, and a message for each target that two sources claim. */
function byTarget(files) {
	const owners = /* @__PURE__ */ new Map();
	const conflicts = [];
	for (const file of files) {
		const owner = owners.get(file.target);
		if (owner === void 0) owners.set(file.target, file);
		else if (owner.source !== file.source) conflicts.push(conflict(owner, file, file.target));
	}
	return {
		unique: [...owners.values()],
		conflicts: [...conflicts, ...nestedTargets(owners)]
	};
}
/** Messages for targets that would have to be a file and a directory at once. */
function nestedTargets(owners) {
	const messages = [];
	const checked = /* @__PURE__ */ new Set();
	for (const file of owners.values()) {
		let parent = path.posix.dirname(file.target);
		for (; !checked.has(parent) && parent !== path.posix.dirname(parent); parent = path.posix.dirname(parent)) {
			checked.add(parent);
			const owner = owners.get(parent);
			if (owner !== void 0) messages.push(nested(owner, file));
		}
	}
	return messages;
}
function conflict(one, other, target) {
	return `${`${JSON.stringify(one.source)} and ${JSON.stringify(other.source)}`} would both go to ${JSON.stringify(target)}. Give one line another target, or exclude one.`;
}
function nested(owner, file) {
	const [one, other] = [owner, file].map(({ source, target }) => `${JSON.stringify(source)} would go to ${JSON.stringify(target)}`);
	return `${one} and ${other}: a file cannot be a directory as well. Give one line another target, or exclude one.`;
}
/** A warning for each kind of what was left out without being asked for. */
function oddities(leftOut) {
	return [BROKEN_LINK, NOT_REGULAR].flatMap((reason) => {
		const [first, ...others] = leftOut.filter((item) => item.reason === reason);
		if (first === void 0) return [];
		const more = others.length === 0 ? "" : ` and ${others.length} more, each`;
		return [`Left out: ${quote(first.path)}${more === "" ? "," : more} ${reason}.`];
	});
}
function unwritable(files) {
	return files.filter(({ target }) => !target.isWellFormed()).map(({ source }) => `${JSON.stringify(source)} has a name that cannot be written as UTF-8. Rename or exclude it.`);
}
function cut(messages) {
	const rest = messages.length - NAMED;
	return rest <= 0 ? [...messages] : [...messages.slice(0, NAMED), `And ${rest} more of this kind.`];
}
function dedupe(leftOut) {
	return [...new Map(leftOut.map((item) => [item.path, item])).values()];
}

// src/upload/state-entries.ts
/**
* The entries that stay true while the targets are sent, whatever comes of it: all but those of the targets themselves, and
* of what may be one of these places in another spelling, such as `app/x` and `/home/user/app/x`.
*/
function without(entries, targets) {
	const sent = new Map(targets.map((target) => [target, placeOf(entries.get(target))]));
	const isTouched = touchedBy(sent);
	return new Map([...entries].filter(([target, entry]) => !sent.has(target) && !isTouched(target, placeOf(entry))));
}
/** Where files end up that share a request, if the agent takes the last part of a filename alone for a path. */
function misplaced(targets) {
	return targets.filter((target) => target.includes("/")).map((target) => posix.basename(target));
}
/** The entries after a transfer: what was acknowledged is in, what was tried and failed is out, the rest is as it was. */
function afterTransfer(entries, results) {
	const stored = new Map(results.flatMap(acknowledged));
	const tried = results.filter(({ status }) => status === "uploaded" || status === "failed");
	const sent = new Map(tried.map(({ file: { target } }) => [target, placeOf(stored.get(target) ?? entries.get(target))]));
	const isTouched = touchedBy(sent);
	const kept = [...entries].filter(([target]) => !sent.has(target));
	return new Map([...kept, ...stored].filter(([target, entry]) => !isTouched(target, placeOf(entry))));
}
function acknowledged(result) {
	if (result.status !== "uploaded" || result.sha256 === void 0) return [];
	const { file, path, size, sha256 } = result;
	return [[file.target, {
		path,
		size,
		sha256
	}]];
}
function placeOf(entry) {
	return entry !== void 0 && posix.isAbsolute(entry.path) ? entry.path : void 0;
}
/**
* Says whether one of the targets sent may lie where another target does. Two absolute targets are two places, and so are
* two relative ones. An absolute and a relative one may be the same where their last names are, unless both places are known.
*/
function touchedBy(sent) {
	const byPlace = Map.groupBy(sent, ([, place]) => place);
	const names = new Set([...sent.keys()].map(nameOf));
	const unplaced = new Set(byPlace.get(void 0)?.map(([target]) => nameOf(target)));
	return (target, place) => {
		const respelt = otherNameOf(target);
		if (place === void 0) return names.has(respelt);
		return unplaced.has(respelt) || (byPlace.get(place)?.some(([other]) => other !== target) ?? false);
	};
}
function nameOf(target) {
	return `${posix.isAbsolute(target) ? "/" : ""}${posix.basename(target)}`;
}
/** The `nameOf` of the same place in the other spelling. */
function otherNameOf(target) {
	return `${posix.isAbsolute(target) ? "" : "/"}${posix.basename(target)}`;
}

// src/agent/opened.ts
/**
* Flags to open a file for reading whose path has its links resolved already: a link found there now was put in after the
* plan was made. Without O_NONBLOCK, opening a pipe put in its place would wait for ever. Windows has neither flag.
*/
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/**
* Checks that what was opened is a regular file and is what its path names, and returns its size. The flags guard the last
* part of the path alone: a directory above it could have been swapped for a link that leads to a secret.
* @throws AgentError `file-unreadable` or `file-changed`, or the system's own error where the path is gone.
*/
function checkOpened(path, opened) {
	if (!opened.isFile()) throw new AgentError("file-unreadable", `${path} is not a regular file any more.`);
	if (realpathSync.native(path) !== path) throw new AgentError("file-unreadable", `${path} leads through a link now, which it did not before.`);
	if (!isSame(lstatSync(path), opened)) throw new AgentError("file-changed", `${path} was replaced while it was opened.`);
	return opened.size;
}
function isSame(named, opened) {
	return named.ino === opened.ino && (named.dev === opened.dev || process.platform === "win32");
}

// src/upload/state.ts
const SCHEMA = 1;
const SCOPE = [
	["sandboxId", "sandbox"],
	["baseUrl", "base URL"],
	["username", "user"],
	["shard", "shard"]
];
const DAMAGED = "is damaged";
/** A state as JSON: an entry a line, sorted by target, so that the same state is the same text. */
function encodeState({ sandboxId, baseUrl, username, shard }, entries) {
	const head = JSON.stringify({
		schema: SCHEMA,
		sandboxId,
		baseUrl,
		username,
		shard
	});
	const lines = [...entries].sort(([one], [other]) => one < other ? -1 : 1).map(([target, { path, size, sha256 }]) => JSON.stringify({
		target,
		path,
		size,
		sha256
	}));
	return `${head.slice(0, -1)},"files":[\n${lines.join(",\n")}\n]}\n`;
}
/** The entries of a state, or why there are none that hold for this scope: what the text is, to follow its name. */
function decodeState(text, scope) {
	const fields = fieldsOf(parsed(text));
	const { schema, files } = fields;
	if (typeof schema !== "number") return DAMAGED;
	if (schema !== SCHEMA) return `is of schema ${schema}, and this version of the action knows ${SCHEMA}`;
	for (const [field, name] of SCOPE) {
		const found = fields[field];
		if (typeof found !== "string") return DAMAGED;
		if (found !== scope[field]) return `is of another ${name}, ${quote(found)} and not ${quote(scope[field])}`;
	}
	return (Array.isArray(files) ? decodeEntries(files) : void 0) ?? DAMAGED;
}
/** Undefined where one cannot be read or is there twice: something else wrote this. */
function decodeEntries(files) {
	const entries = /* @__PURE__ */ new Map();
	for (const file of files) {
		const { target, path, size, sha256 } = fieldsOf(file);
		if (typeof target !== "string" || typeof path !== "string" || entries.has(target)) return void 0;
		if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return void 0;
		if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return void 0;
		entries.set(target, {
			path,
			size,
			sha256
		});
	}
	return entries;
}
function parsed(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? { ...value } : {};
}

// src/upload/state-file.ts
const MAX_BYTES$1 = 67108864;
const EXAMPLE = "state-file: .sandbox-sync/state.json";
/**
* The entries of a state file: none where there is no file yet; none, and a warning, where it does not hold for the scope.
* @throws InputError where there is something that cannot be read.
*/
function readState(file) {
	const found = contentOf(file.path);
	if (found === void 0) return {
		entries: /* @__PURE__ */ new Map(),
		warnings: []
	};
	const entries = "text" in found ? decodeState(found.text, file.scope) : found.refused;
	if (typeof entries !== "string") return {
		entries,
		warnings: []
	};
	const message = `The state file ${quote(file.path)} ${entries}. It is ignored, and every file is sent.`;
	return {
		entries: /* @__PURE__ */ new Map(),
		warnings: [message]
	};
}
/**
* Writes a state file in one step: a reader, or a process that is killed, never leaves a part of it.
* @throws the system's error where it cannot be written.
*/
function writeState({ path: file, scope }, entries) {
	const fresh = freshFile(file);
	mkdirSync(path.dirname(file), { recursive: true });
	try {
		rmSync(fresh, { force: true });
		writeFileSync(fresh, encodeState(scope, entries), {
			flag: "wx",
			mode: 384
		});
		renameSync(fresh, file);
	} finally {
		rmSync(fresh, { force: true });
	}
}
/** The plan with the state file left out, which is no part of a build. */
function leaveOutState(plan, { path: file }) {
	const own = [file, freshFile(file)].map(realPathOf);
	const isOwn = ({ realPath }) => own.includes(realPath);
	const leftOut = plan.files.filter(isOwn).map(({ source }) => ({
		path: source,
		reason: "the state file"
	}));
	if (leftOut.length === 0) return plan;
	return {
		...plan,
		files: plan.files.filter((each) => !isOwn(each)),
		leftOut: [...plan.leftOut, ...leftOut]
	};
}
/** An error that names what keeps the state file from being read or written. */
function stateFileError(file, error, verb) {
	const code = systemCode(error);
	return code === void 0 ? error : refusal(file, `cannot be ${verb} (${code})`);
}
function refusal(file, why) {
	const message = `${quote(file)} ${why}. Name a file that this step may write.`;
	return new InputError([{
		input: "state-file",
		message,
		example: EXAMPLE
	}]);
}
function contentOf(file) {
	let descriptor;
	try {
		descriptor = openSync(file, READ_FLAGS);
		const stat = fstatSync(descriptor);
		if (!stat.isFile()) throw refusal(file, "is not a regular file");
		if (stat.size > MAX_BYTES$1) return { refused: `is longer than ${MAX_BYTES$1 / 1024 ** 2} MiB` };
		return { text: readFileSync(descriptor, "utf8") };
	} catch (error) {
		if (systemCode(error) === "ENOENT") return void 0;
		throw stateFileError(file, error, "read");
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}
function freshFile(file) {
	return `${file}.new`;
}
function realPathOf(file) {
	try {
		return realpathSync.native(file);
	} catch {
		return;
	}
}

// src/upload/unchanged.ts
const CHUNK_BYTES = 1048576;
/**
* The entries of the files whose content is what their entry says. A file that cannot be read is not among them, and so is
* none that the upload of the others may overwrite. Cancelled, it ends with what it knows.
*/
async function findUnchanged(files, entries, { cancel, shareRequests }) {
	const same = /* @__PURE__ */ new Map();
	const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
	for (const file of files) {
		const entry = entries.get(file.target);
		if (entry?.size !== file.size) continue;
		if (await digestOf(file, buffer, cancel) === entry.sha256) same.set(file.target, entry);
	}
	const staying = (left) => {
		const due = files.map(({ target }) => target).filter((target) => !left.has(target));
		const untouched = without(entries, shareRequests ? [...due, ...misplaced(due)] : due);
		const still = new Map([...left].filter(([target]) => untouched.has(target)));
		return still.size === left.size ? left : staying(still);
	};
	return staying(same);
}
/** Undefined where the file cannot be read, or is of another size by now: its upload says what is wrong with it. */
async function digestOf({ realPath, size }, buffer, cancel) {
	let descriptor;
	try {
		descriptor = openSync(realPath, READ_FLAGS);
		if (checkOpened(realPath, fstatSync(descriptor)) !== size) return void 0;
		return await digestOfOpened(descriptor, size, {
			buffer,
			cancel
		});
	} catch (error) {
		if (isUnreadable(error)) return void 0;
		throw error;
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}
/** Reads with calls that wait, since most files are small, and lets signals have their turn between them. */
async function digestOfOpened(descriptor, size, { buffer, cancel }) {
	const digest = createHash("sha256");
	for (let total = 0;;) {
		await setImmediate();
		if (cancel.aborted) return void 0;
		if (total === size) return digest.digest("hex");
		const read = readSync(descriptor, buffer, 0, Math.min(buffer.length, size - total), total);
		if (read === 0) return void 0;
		digest.update(buffer.subarray(0, read));
		total += read;
	}
}

// src/run/remembering.ts
/** Where the task keeps its state; undefined where it keeps none. */
function stateFileOf({ connection, upload }, workspace) {
	if (upload.stateFile === "") return void 0;
	const { sandboxId, baseUrl } = connection;
	const { query, shard } = upload;
	const scope = {
		sandboxId,
		baseUrl,
		username: query["username"] ?? "",
		shard: shard === void 0 ? "" : `${shard.index}/${shard.count}`
	};
	return {
		path: path.resolve(workspace, upload.stateFile),
		scope
	};
}
/**
* Takes what is about to be sent out of the state file: an upload that fails may leave a part of the file in the sandbox,
* and a process that is killed can no longer say so.
* @throws InputError where the file cannot be written.
*/
function forget(state, due) {
	if (state === void 0) return;
	const targets = due.map(({ target }) => target);
	try {
		writeState(state.file, without(state.entries, targets));
	} catch (error) {
		throw stateFileError(state.file.path, error, "written");
	}
}
/** Writes what a transfer came to into the state file; a warning where that cannot be done. */
function remember(state, results) {
	if (state === void 0) return [];
	try {
		writeState(state.file, afterTransfer(state.entries, results));
		return [];
	} catch (error) {
		return [`The state file could not be written, so the next run sends these files again: ${error instanceof Error ? error.message : String(error)}.`];
	}
}

// src/run/selecting.ts
/** Finds the files, plans where each goes, takes this run's share and what of it has changed, and shows that. */
async function selectFiles(task, surroundings) {
	const { workspace, observer } = surroundings;
	const found = await findFiles(task, surroundings);
	const file = stateFileOf(task, workspace);
	const { shard } = task.upload;
	const selected = file === void 0 ? {
		selection: select(found, shard),
		state: void 0
	} : await compare(select(leaveOutState(found, file), shard), file, {
		...surroundings,
		shareRequests: task.upload.filesPerRequest > 1
	});
	observer.planned(selected.selection, task);
	observer.fact?.({
		kind: "plan",
		selection: selected.selection
	});
	return selected;
}
async function findFiles(task, { workspace, cancel, clock, observer }) {
	const { rules, workingDirectory, includeHidden, followSymlinks, target, ifNoFilesFound } = task.upload;
	const options = {
		workspace,
		workingDirectory,
		includeHidden,
		followSymlinks,
		cancel
	};
	const start = clock();
	const matches = await discover(rules, options);
	observer.fact?.({
		kind: "search",
		matches,
		durationMs: clock() - start
	});
	const ifNone = cancel.aborted ? "ignore" : ifNoFilesFound;
	return plan(matches, {
		workspace,
		target,
		ifNoFilesFound: ifNone
	});
}
/** Looks up in the state which files the sandbox has already. */
async function compare(selection, file, { cancel, observer, shareRequests }) {
	const { entries: all, warnings } = readState(file);
	const known = without(all, selection.elsewhere);
	const unchanged = await findUnchanged(selection.files, known, {
		cancel,
		shareRequests
	});
	observer.fact?.({
		kind: "state",
		path: file.path,
		read: all.size,
		unchanged: unchanged.size
	});
	const compared = {
		...selection,
		unchanged,
		warnings: [...selection.warnings, ...warnings]
	};
	const due = dueFiles(compared).map(({ target }) => target);
	return {
		selection: compared,
		state: {
			file,
			entries: shareRequests ? without(known, misplaced(due)) : known
		}
	};
}

// src/agent/connections.ts
const CHANNEL$1 = "undici:client:connected";
/** Tells of each connection that undici opens, until the function returned is called. */
function watchConnections(opened) {
	const connected = (message) => {
		if (typeof message !== "object" || message === null || !("socket" in message)) return;
		const { socket } = message;
		if (socket instanceof Socket) opened({
			family: socket.remoteFamily,
			tls: tlsOf(socket)
		});
	};
	subscribe(CHANNEL$1, connected);
	return () => void unsubscribe(CHANNEL$1, connected);
}
/** Asked of the object, since loading what defines its class takes its time. */
function tlsOf(socket) {
	if (!("getProtocol" in socket) || typeof socket.getProtocol !== "function") return void 0;
	return String(socket.getProtocol());
}

// src/agent/collect.ts
var import_pool = /* @__PURE__ */ __toESM(require_pool(), 1);
/** More of an answer is never read: the contract's answers are some hundred bytes. */
const MAX_ANSWER_BYTES = 131072;
const MAX_INTERIM = 20;
const UTF8 = new TextDecoder();
/** The part of a dispatch handler that takes the answer in: bounded in its size, its time and its announcements. */
function collect({ tried, timeoutMs, answered, failed }) {
	const chunks = [];
	let controller;
	let timer;
	let [size, interim, status] = [
		0,
		0,
		0
	];
	let retryAfter;
	const refuse = (why) => controller?.abort(new AgentError("bad-answer", `${tried} answered ${status} ${why}.`, { status }));
	return {
		onRequestStart(started) {
			controller = started;
		},
		onResponseStarted() {
			timer = setTimeout(() => controller?.abort(tooSlow(tried)), timeoutMs);
		},
		onResponseStart(_, code, headers) {
			status = code;
			retryAfter = [headers["retry-after"]].flat()[0];
			if (code >= 200) return;
			clearTimeout(timer);
			interim += 1;
			if (interim > MAX_INTERIM) refuse(`more than ${MAX_INTERIM} times before an answer came`);
		},
		onResponseData(_, chunk) {
			size += chunk.length;
			if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
			else refuse("with more than was ever expected: it is longer than 128 KiB");
		},
		onResponseEnd() {
			clearTimeout(timer);
			answered({
				status,
				text: UTF8.decode(Buffer.concat(chunks)),
				retryAfter
			});
		},
		onResponseError(_, error) {
			clearTimeout(timer);
			failed(error);
		}
	};
}
function tooSlow(tried) {
	return new AgentError("stalled", `${tried} failed: the answer began, but had not ended after the length of timeout.`);
}

// src/agent/flood-guard.ts
const MAX_BYTES = 1048576;
const LOOK_MS$1 = 50;
const CHANNEL = "undici:client:sendHeaders";
/**
* Ends a connection on which more than a megabyte comes in answer to one request. What of it is body, collect.ts counts;
* but undici reads some things without telling anyone, such as the extensions of a chunk, for as long as they come.
*/
function guardAgainstFloods() {
	const readBefore = /* @__PURE__ */ new Map();
	const started = (message) => {
		if (typeof message !== "object" || message === null || !("socket" in message)) return;
		const { socket } = message;
		if (!(socket instanceof Socket)) return;
		if (!readBefore.has(socket)) socket.once("close", () => readBefore.delete(socket));
		readBefore.set(socket, socket.bytesRead);
	};
	const look = setInterval(() => {
		for (const [socket, before] of readBefore) if (socket.bytesRead - before > MAX_BYTES) socket.destroy(flood());
	}, LOOK_MS$1);
	look.unref();
	subscribe(CHANNEL, started);
	return { close() {
		clearInterval(look);
		unsubscribe(CHANNEL, started);
	} };
}
function flood() {
	return new AgentError("bad-answer", "The answer to one request is longer than 1 MiB, headers and framing counted.");
}

// src/agent/on-abort.ts
const waiting = /* @__PURE__ */ new WeakMap();
/**
* Calls `act` when the signal aborts, unless the function returned is called before. For many requests that share one
* signal: a listener for each would be looked for among all the others whenever one is added or removed.
*/
function onAbort(signal, act) {
	const acts = waiting.get(signal) ?? listen(signal);
	acts.add(act);
	return () => acts.delete(act);
}
function listen(signal) {
	const acts = /* @__PURE__ */ new Set();
	waiting.set(signal, acts);
	signal.addEventListener("abort", () => {
		for (const act of acts) act();
	}, { once: true });
	return acts;
}

// src/agent/http.ts
/**
* Opens a pool of at most `connections` HTTP/1.1 connections, through the proxy that the environment names. Where what it
* names is no proxy, every request fails.
*/
async function openHttp(origin, connections, timeoutMs) {
	const proxy = proxyFor(origin, process.env);
	if (proxy !== void 0 && !isUsable(proxy)) return unusableProxy(origin, proxy.name);
	const guard = guardAgainstFloods();
	const closing = new AbortController();
	const { signal } = closing;
	const connecting = {
		connections,
		timeoutMs,
		signal
	};
	const dispatcher = proxy === void 0 ? direct(origin, connecting) : await proxied(proxy.value, connecting);
	return {
		send: (request) => exchange(dispatcher, {
			origin,
			timeoutMs
		}, request),
		async close() {
			guard.close();
			const destroyed = dispatcher.destroy();
			closing.abort();
			await destroyed;
		}
	};
}
function direct(origin, { connections, timeoutMs, signal }, more = {}) {
	return new import_pool.default(origin, {
		connect: connectOptions(timeoutMs, signal),
		...more,
		headersTimeout: timeoutMs,
		bodyTimeout: timeoutMs,
		connections,
		pipelining: 1
	});
}
/** Through a proxy, NO_PROXY aside. */
async function proxied(proxy, connecting) {
	const { EnvHttpProxyAgent } = await import("./undici.js").then((m) => /* @__PURE__ */ __toESM(m.default, 1));
	const connect = connectOptions(connecting.timeoutMs, connecting.signal);
	const open = (origin, options) => direct(origin, connecting, options);
	return new EnvHttpProxyAgent({
		httpProxy: proxy,
		httpsProxy: proxy,
		connect,
		proxyTls: connect,
		requestTls: connect,
		factory: open,
		clientFactory: open
	});
}
function connectOptions(timeoutMs, signal) {
	return {
		timeout: timeoutMs,
		allowH2: false,
		signal
	};
}
function exchange(dispatcher, { origin, timeoutMs }, request) {
	return new Promise((resolve, reject) => {
		const { cancel, method, path, headers, body, onSent } = request;
		const tried = nameOf$1(request, origin);
		let controller;
		let sentWhole = false;
		const abort = () => {
			const cancelled = new AgentError("cancelled", `${tried} was cancelled.`);
			reject(cancelled);
			controller?.abort(cancelled);
		};
		if (cancel.aborted) return abort();
		const settled = onAbort(cancel, abort);
		const collector = collect({
			tried,
			timeoutMs,
			answered: (answer) => {
				settled();
				resolve({
					tried,
					sentWhole,
					...answer
				});
			},
			failed: (error) => {
				settled();
				reject(networkFailure(error, tried));
			}
		});
		const handler = {
			...collector,
			onRequestStart(started) {
				controller = started;
				collector.onRequestStart(started);
				if (cancel.aborted) abort();
			},
			onBodySent: (chunk) => onSent?.(chunk.length),
			onRequestSent: () => {
				sentWhole = true;
			}
		};
		dispatcher.dispatch({
			origin,
			method,
			path,
			headers,
			body: body ?? null
		}, handler);
	});
}

// src/agent/acknowledgement.ts
const MAX_PATH_BYTES = 4096;
/**
* The path under which the one File entry of an answer says that the upload to `target` was stored.
* @throws AgentError where the answer does not acknowledge it.
*/
function storedPath(answer, target) {
	const entries = entriesOf(answer);
	if (entries.length !== 1) throw badAnswer(answer, `It holds ${entries.length} file entries, where one was expected`);
	const path = pathOf(entries[0], target);
	if ("wrong" in path) throw badAnswer(answer, path.wrong);
	return path.path;
}
/**
* The paths under which an answer says that the files of one request were stored, in the order of `targets`. Since no query
* says where a file goes, the whole path must be that of its target: an agent that takes the last part of a filename alone
* has stored it elsewhere.
* @throws AgentError where the answer does not acknowledge each of them: what was stored elsewhere may lie where another one
* belongs, so that none of them can be relied on.
*/
function storedPaths(answer, targets) {
	const entries = entriesOf(answer);
	if (entries.length !== targets.length) throw badAnswer(answer, `It holds ${entries.length} file entries, where ${targets.length} were expected`);
	return targets.map((target, index) => {
		const stored = pathOf(entries[index], target);
		if ("wrong" in stored) throw badAnswer(answer, stored.wrong);
		if (!leadsTo(stored.path, target)) throw badAnswer(answer, "Its entry has the path of another target");
		return stored.path;
	});
}
function leadsTo(stored, target) {
	return stored === target || !posix.isAbsolute(target) && stored.endsWith(`/${target}`);
}
/** The path of an entry that speaks of a target, or what is wrong with it. */
function pathOf(entry, target) {
	if (typeof entry !== "object" || entry === null) return { wrong: "Its entry is not an object" };
	const { path, name, type } = {
		path: void 0,
		name: void 0,
		type: void 0,
		...entry
	};
	if (type !== "file") return { wrong: "Its entry is not of type \"file\"" };
	if (name !== posix.basename(target)) return { wrong: "Its entry names another file" };
	if (typeof path !== "string" || path === "") return { wrong: "Its entry has no path" };
	return Buffer.byteLength(path) > MAX_PATH_BYTES ? { wrong: `Its entry has a path longer than ${MAX_PATH_BYTES} bytes` } : { path };
}
/** The entries of an answer, which come in an array, or one by itself. */
function entriesOf(answer) {
	if (!answer.sentWhole) throw tooEarly(answer);
	const body = parse(answer);
	return Array.isArray(body) ? body : [body];
}
function tooEarly({ tried, status }) {
	const message = `${tried} answered ${status} before the whole file had been sent, so it cannot have been stored.`;
	return new AgentError("connection", message, { status });
}
function parse(answer) {
	try {
		return JSON.parse(answer.text);
	} catch (error) {
		throw badAnswer(answer, "It is not JSON", error);
	}
}

// src/agent/small-file.ts
/**
* Reads a whole file into a buffer at `offset`, with calls that wait: for small files they cost less than handing them to
* a thread. Returns the bytes read, or undefined where the file has more than `room`.
* @throws AgentError or the system's own error, as `checkOpened` does.
*/
function readSmallFile(path, buffer, { offset, room }) {
	const descriptor = openSync(path, READ_FLAGS);
	try {
		const size = checkOpened(path, fstatSync(descriptor));
		return size > room ? void 0 : readWhole(descriptor, buffer, {
			offset,
			size
		});
	} finally {
		closeSync(descriptor);
	}
}
/** Bytes read, fewer than `size` where the file has shrunk meanwhile. */
function readWhole(descriptor, buffer, { offset, size }) {
	let total = 0;
	while (total < size) {
		const read = readSync(descriptor, buffer, offset + total, size - total, null);
		if (read === 0) break;
		total += read;
	}
	return total;
}

// src/agent/body.ts
/**
* The size of the buffers, in bytes. A body that fits in one is sent as one, which takes a fraction of the time of a
* stream; longer ones are streamed in chunks of this size.
*/
const BUFFER_BYTES = 262144;
/**
* Opens a file and frames its content.
* @throws AgentError `file-unreadable` where the file cannot be opened, is no regular file any more, or is reached through
* a link; `file-changed` where it is being replaced.
*/
async function openBody(source) {
	try {
		return (frameBytes(source.frame) + source.plannedSize <= source.pool.size ? buffered(source) : void 0) ?? await streamed(source);
	} catch (error) {
		throw unreadable(source.path, error);
	}
}
/** One buffer, or undefined where the file has grown out of it. */
function buffered({ path, frame, pool, onContent }) {
	const { head, tail } = frame;
	const buffer = pool.take();
	let read;
	try {
		read = readSmallFile(path, buffer, {
			offset: head.length,
			room: pool.size - frameBytes(frame)
		});
	} finally {
		if (read === void 0) pool.give(buffer);
	}
	if (read === void 0) return void 0;
	onContent?.(buffer.subarray(head.length, head.length + read));
	head.copy(buffer);
	tail.copy(buffer, head.length + read);
	const length = frameBytes(frame) + read;
	const close = async (sent) => sent ? pool.give(buffer) : void 0;
	return {
		body: buffer.subarray(0, length),
		length,
		fileBytes: read,
		close
	};
}
async function streamed({ path, frame, pool, onContent }) {
	const file = await open(path, READ_FLAGS);
	try {
		const size = checkOpened(path, await file.stat());
		const buffers = [pool.take(), pool.take()];
		const close = async (sent) => {
			await file.close();
			if (sent) for (const buffer of buffers) pool.give(buffer);
		};
		return {
			body: chunks({
				file,
				path,
				size,
				frame,
				buffers,
				onContent
			}),
			length: frameBytes(frame) + size,
			fileBytes: size,
			close
		};
	} catch (error) {
		await file.close();
		throw error;
	}
}
/**
* Exactly `size` bytes of the file in its frame: what is appended meanwhile would break the announced length. Two buffers
* take turns, one is filled while the other is sent, which halves the time and the memory of a new buffer for each chunk.
* This holds because the consumer asks for the next chunk only when the socket has let go of the one before: a chunk is
* larger than what a socket takes without asking to wait.
*/
async function* chunks({ file, path, size, frame, buffers, onContent }) {
	yield frame.head;
	let [filling, spare] = buffers;
	let reading = readAhead(file, filling, 0, size);
	for (let sent = 0; sent < size;) {
		const chunk = await reading;
		if (chunk.length === 0) throw shorter(path, size - sent);
		sent += chunk.length;
		onContent?.(chunk);
		[filling, spare] = [spare, filling];
		reading = readAhead(file, filling, sent, size);
		yield chunk;
	}
	yield frame.tail;
}
/** Reads on from `position` as far as the buffer and `size` reach. */
function readAhead(file, buffer, position, size) {
	const reading = fill(file, buffer.subarray(0, Math.min(buffer.length, size - position)), position);
	reading.catch(() => {});
	return reading;
}
/** A system may give less than was asked for; a short chunk would break what the turns of the buffers rest on. */
async function fill(file, buffer, position) {
	let filled = 0;
	while (filled < buffer.length) {
		const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
		if (bytesRead === 0) break;
		filled += bytesRead;
	}
	return buffer.subarray(0, filled);
}
function frameBytes({ head, tail }) {
	return head.length + tail.length;
}
function shorter(path, missing) {
	return new AgentError("file-changed", `${path} became shorter while it was sent, by ${missing} bytes.`);
}
/** The error of a file that cannot be read; of bugs and AgentErrors, the very one. */
function unreadable(path, error) {
	const code = systemCode(error);
	if (code === void 0) return error;
	return new AgentError("file-unreadable", `${path} cannot be read (${code}).`, { cause: error });
}

// src/agent/buffer-pool.ts
/**
* A pool that grows to as many buffers as are ever in use at once. A buffer for each file would be garbage that V8 is
* slow to collect, since it lies outside of its heap: hundreds of megabytes with thousands of files.
*/
function bufferPool(size) {
	const free = [];
	return {
		size,
		take: () => free.shift() ?? Buffer.allocUnsafeSlow(size),
		give: (buffer) => void free.push(buffer)
	};
}

// src/agent/form.ts
/** A form under a boundary that no content can know beforehand. */
function openForm() {
	const boundary = `----sandboxsync${crypto.randomUUID().replaceAll("-", "")}`;
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		head: (filename) => Buffer.from(partHeader(boundary, filename)),
		next: (filename) => Buffer.from(`\r\n${partHeader(boundary, filename)}`),
		tail: Buffer.from(`\r\n--${boundary}--\r\n`)
	};
}
/**
* Whether every parser reads a filename as it is: printable ASCII, nothing that is escaped or looks so, and no blank at
* its ends. Others are read in one way by some and in another by others.
*/
function survives(filename) {
	return /^[!-~](?:[ -~]*[!-~])?$/.test(filename) && !/["%;\\]/.test(filename);
}
function partHeader(boundary, filename) {
	const escaped = filename.replaceAll("\\", "\\\\").replaceAll("\"", "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
	return [
		`--${boundary}`,
		`Content-Disposition: form-data; name="file"; filename="${escaped}"`,
		"Content-Type: application/octet-stream",
		"\r\n"
	].join("\r\n");
}

// src/agent/shared-body.ts
/** The size of a shared body at most, in bytes. */
const SHARED_BYTES = 1048576;
const FRAME_BYTES = 256;
/** The bytes that a file takes in a shared body at most, or undefined where its size or its name keeps it from sharing one. */
function sharedBytes({ target, size }) {
	return size <= 262144 && survives(target) ? FRAME_BYTES + target.length + size : void 0;
}
/**
* Puts files into one body under a form, as they are now. Those that do not fit any more or cannot be read are left out:
* sent alone, each says what is wrong with it.
*/
function shareBody(files, form, buffer) {
	const parts = [];
	let end = 0;
	for (const file of files) {
		const head = parts.length === 0 ? form.head(file.target) : form.next(file.target);
		const offset = end + head.length;
		const size = read(file.realPath, buffer, {
			offset,
			room: buffer.length - offset - form.tail.length
		});
		if (size === void 0) continue;
		head.copy(buffer, end);
		end = offset + size;
		parts.push({
			file,
			content: buffer.subarray(offset, end)
		});
	}
	form.tail.copy(buffer, end);
	return {
		body: buffer.subarray(0, end + form.tail.length),
		parts
	};
}
function read(path, buffer, place) {
	try {
		return readSmallFile(path, buffer, place);
	} catch (error) {
		if (isUnreadable(error)) return void 0;
		throw error;
	}
}

// src/agent/upload-client.ts
/** Uploads over an exchange. */
function uploads({ uploadPath }, { query, hashed = false }, exchange) {
	const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
	const sharedPath = parameters.length === 0 ? uploadPath : `${uploadPath}?${parameters.join("&")}`;
	const pathFor = ({ target }) => `${uploadPath}?${[`path=${encodeURIComponent(target)}`, ...parameters].join("&")}`;
	const pools = {
		pool: bufferPool(BUFFER_BYTES),
		sharedPool: bufferPool(SHARED_BYTES)
	};
	const way = {
		exchange,
		hashed,
		form: openForm(),
		...pools
	};
	return {
		upload: (file, onSent) => uploadAlone(file, way, {
			path: pathFor(file),
			onSent
		}),
		uploadTogether: (files, onSent) => uploadTogether(files, way, {
			path: sharedPath,
			onSent
		})
	};
}
async function uploadAlone(file, way, request) {
	const frame = {
		head: way.form.head(file.target),
		tail: way.form.tail
	};
	const digest = way.hashed ? createHash("sha256") : void 0;
	const onContent = digest && ((piece) => void digest.update(piece));
	const source = {
		path: file.realPath,
		plannedSize: file.size,
		frame,
		pool: way.pool,
		onContent
	};
	const { body, length, fileBytes, close } = await openBody(source);
	let sent = false;
	try {
		const answer = await post(way, {
			...request,
			body,
			length
		});
		const stored = {
			path: way.exchange.redact(storedPath(answer, file.target)),
			size: fileBytes
		};
		sent = true;
		return digest === void 0 ? stored : {
			...stored,
			sha256: digest.digest("hex")
		};
	} finally {
		await close(sent);
	}
}
async function uploadTogether(files, way, request) {
	const buffer = way.sharedPool.take();
	const { body, parts } = shareBody(files, way.form, buffer);
	if (parts.length === 0) return files.map(() => "not-sent");
	const answer = await post(way, {
		...request,
		body,
		length: body.length
	});
	const targets = parts.map(({ file }) => file.target);
	const paths = storedPaths(answer, targets).values();
	const byFile = new Map(parts.map(({ file, content }) => [file, stored(paths.next().value ?? "", content, way)]));
	way.sharedPool.give(buffer);
	return files.map((file) => byFile.get(file) ?? "not-sent");
}
function stored(path, content, { exchange, hashed }) {
	const file = {
		path: exchange.redact(path),
		size: content.length
	};
	return hashed ? {
		...file,
		sha256: hash("sha256", content)
	} : file;
}
function post({ exchange, form }, request) {
	const { path, body, length, onSent } = request;
	const headers = {
		"Content-Type": form.contentType,
		"Content-Length": String(length)
	};
	return exchange.send({
		method: "POST",
		path,
		headers,
		body,
		onSent
	});
}

// src/agent/client.ts
/** Opens a client for one sandbox. */
async function openClient(connection, options) {
	const http = await openHttp(new URL(connection.baseUrl).origin, options.connections, connection.timeoutMs);
	const exchange = openExchange(connection, http, options);
	const unwatch = options.watch && watchConnections(options.watch.opened);
	return {
		...uploads(connection, options, exchange),
		stats: () => readStats(connection, exchange),
		async close() {
			unwatch?.();
			await http.close();
		}
	};
}

// src/upload/level.ts
/** A level for the input `concurrency`. `clock` gives milliseconds. */
function openLevel(concurrency, clock, onChange) {
	const level = concurrency === "auto" ? adaptiveLevel(clock) : fixedLevel(concurrency);
	return onChange === void 0 ? level : watched(level, onChange);
}
/** The highest that a level for the input `concurrency` can be. */
function highestLevel(concurrency) {
	return concurrency === "auto" ? MAX : concurrency;
}
function fixedLevel(level) {
	return {
		now: () => level,
		sent: () => {},
		begin: () => () => {}
	};
}
const MAX = 24;
const START = 4;
const GAIN = 1.1;
const REQUEST_BYTES = 65536;
const LOOK_MS = 1e3;
/**
* A level that finds itself. It starts low and is looked at each time that as many uploads have ended as may be in flight,
* or after a second. It doubles as long as more is sent per time than ever before. When the sandbox or the way to it is
* overloaded, it halves, and from then on grows by one.
*/
function adaptiveLevel(clock) {
	let [level, best, steady] = [
		START,
		0,
		false
	];
	let since = clock();
	let [bytes, ended, period] = [
		0,
		0,
		0
	];
	function look() {
		const elapsed = clock() - since;
		if (ended < level && elapsed < LOOK_MS) return;
		const rate = (bytes + ended * REQUEST_BYTES) / Math.max(elapsed, 1);
		if (rate > best * GAIN) {
			best = rate;
			level = Math.min(MAX, steady ? level + 1 : level * 2);
		}
		restart();
	}
	function backOff() {
		[level, best, steady] = [
			Math.max(1, Math.floor(level / 2)),
			0,
			true
		];
		period += 1;
		restart();
	}
	function restart() {
		since = clock();
		[bytes, ended] = [0, 0];
	}
	return {
		now: () => level,
		sent(count) {
			bytes += count;
			look();
		},
		begin() {
			const begun = period;
			return (error) => {
				if (error !== void 0 && isOverload(error)) {
					if (begun === period) backOff();
					return;
				}
				ended += 1;
				look();
			};
		}
	};
}
function watched({ now, sent, begin }, onChange) {
	function watch(act, error) {
		const from = now();
		act();
		if (now() !== from) onChange({
			from,
			to: now(),
			error
		});
	}
	return {
		now,
		sent: (bytes) => watch(() => sent(bytes)),
		begin() {
			const end = begin();
			return (error) => watch(() => end(error), error);
		}
	};
}
function isOverload({ kind, status }) {
	return status === 429 || status === 503 || kind === "connection" || kind === "unreachable";
}

// src/run/surroundings.ts
/** A connection to the sandbox for as long as `use` takes. */
async function withClient(connection, { concurrency, query, stateFile }, surroundings, use) {
	const connections = highestLevel(concurrency);
	const client = await openClient(connection, {
		connections,
		query,
		hashed: stateFile !== "",
		...exchangeOptions(surroundings)
	});
	try {
		return await use(client);
	} finally {
		await client.close();
	}
}

// src/upload/attempt.ts
/** Sends entries with one request, and again until it succeeds, fails for good, or has had its attempts. */
async function attempt(entries, stop, options) {
	const start = options.clock();
	const outcome = await withRetries(() => sendOnce(entries, options), {
		...options.retry,
		stop,
		onRetry: (retry) => options.onEvent({
			kind: "retry",
			files: entries.map(({ file }) => file),
			retry
		})
	});
	const durationMs = Math.round(options.clock() - start);
	const ended = entries.map((entry) => ({
		...entry,
		attempts: entry.attempts + outcome.attempts
	}));
	if ("error" in outcome) {
		const { error } = outcome;
		const results = ended.map((entry) => failed(entry, error, durationMs));
		if (ended.length === 1 || error.final) return {
			settled: results,
			again: [],
			refused: false
		};
		return {
			settled: [],
			again: results.map(toSendAgain),
			refused: true
		};
	}
	const { value } = outcome;
	const left = ended.filter((_, index) => value[index] === "not-sent");
	return {
		settled: ended.flatMap((entry, index) => uploaded(entry, value[index], durationMs)),
		again: left.map((entry) => toSendAgain(failed(entry, notSent(), durationMs))),
		refused: false
	};
}
async function sendOnce(entries, { client, level, onEvent }) {
	const files = entries.map(({ file }) => file);
	const [first, ...others] = files;
	if (first === void 0) return [];
	const end = level.begin();
	const onSent = (bytes) => {
		level.sent(bytes);
		onEvent({
			kind: "sent",
			file: first,
			bytes
		});
	};
	try {
		const outcomes = others.length === 0 ? [await client.upload(first, onSent)] : await client.uploadTogether(files, onSent);
		end();
		if (others.length > 0) onEvent({
			kind: "shared",
			files,
			outcomes
		});
		return outcomes;
	} catch (error) {
		if (error instanceof AgentError) end(error);
		throw error;
	}
}
function notSent() {
	return new AgentError("file-changed", "It changed, and could not be sent with the others any more.");
}
function failed({ index, file, attempts }, error, durationMs) {
	return {
		index,
		result: {
			status: "failed",
			file,
			attempts,
			durationMs,
			error
		}
	};
}
/** An entry that failed with others, which is how it ends if it does not come to be sent alone. */
function toSendAgain({ index, result }) {
	const { file, attempts } = result;
	return {
		index,
		file,
		attempts,
		failed: result
	};
}
function uploaded(entry, outcome, durationMs) {
	if (typeof outcome !== "object") return [];
	const { index, file, attempts } = entry;
	return [{
		index,
		result: {
			status: "uploaded",
			file,
			attempts,
			durationMs,
			...outcome
		}
	}];
}

// src/upload/lanes.ts
/**
* Works on what `next` gives, so many things at once as `level` allows at that moment, until `next` gives nothing and all
* work has ended. Work that throws does not keep the rest from its end; the first such error is thrown then.
*/
function inLanes(level, next, work) {
	const { promise, resolve, reject } = Promise.withResolvers();
	const errors = [];
	let lanes = 0;
	function fill() {
		while (lanes < level()) {
			const item = next();
			if (item === void 0) break;
			lanes += 1;
			run(item);
		}
		if (lanes > 0) return;
		if (errors.length > 0) reject(errors[0]);
		else resolve();
	}
	async function run(item) {
		try {
			await work(item);
		} catch (error) {
			errors.push(error);
		}
		lanes -= 1;
		fill();
	}
	fill();
	return promise;
}

// src/upload/schedule.ts
/** Larger files are streamed. */
const LARGE_BYTES = BUFFER_BYTES;
/**
* Small files go in plan order; large ones begin at once, the largest first, so that none is left over at the end, but as
* long as there are small ones they take at most half of the lanes. In a single lane, all go in plan order. Up to
* `perRequest` small files share a request. The first of these goes by itself, before everything else: an agent that cannot
* take it harms no more than that, and one that drops the directories of filenames may overwrite with it what went before.
*/
function openSchedule(files, { perRequest, lanes: lanesAtFirst }) {
	const isLarge = ({ file }) => lanesAtFirst > 1 && file.size > LARGE_BYTES;
	const entries = files.map((file, index) => ({
		file,
		index,
		attempts: 0
	}));
	const large = entries.filter(isLarge).sort((a, b) => b.file.size - a.file.size);
	const trial = perRequest > 1 ? trialOf(entries) : [];
	const tried = new Set(trial);
	const small = queueOf(entries.filter((entry) => !isLarge(entry) && !tried.has(entry)));
	const again = [];
	let sharing = trial.length > 0 ? "untried" : "off";
	let [largeNow, nextLarge] = [0, 0];
	function nextUntried(lanes) {
		const candidate = large[nextLarge];
		if (candidate === void 0 || small.left() > 0 && largeNow >= Math.floor(lanes / 2)) {
			if (small.left() === 0) return void 0;
			return sharing === "off" ? small.take(1, () => 0) : small.take(perRequest, bytesOf);
		}
		[largeNow, nextLarge] = [largeNow + 1, nextLarge + 1];
		return [candidate];
	}
	return {
		next(lanes) {
			if (sharing === "on trial") return void 0;
			if (sharing === "untried") {
				sharing = "on trial";
				return trial;
			}
			const retried = again.shift();
			return retried === void 0 ? nextUntried(lanes) : [retried];
		},
		ended(done, rest) {
			largeNow -= done.filter(isLarge).length;
			again.push(...rest.again);
			if (rest.refused || sharing === "on trial" && rest.again.length > 0) sharing = "off";
			else if (sharing === "on trial") sharing = "trusted";
		}
	};
}
const TRIAL_FILES = 2;
/**
* The files that show whether the agent takes several in one request: one in a directory first, which an agent that drops
* directories cannot store where it belongs, and the smallest, so that they fit. None where fewer than two can share one.
*/
function trialOf(entries) {
	const sharable = entries.filter((entry) => (bytesOf(entry) ?? Number.POSITIVE_INFINITY) <= SHARED_BYTES).sort((a, b) => a.file.size - b.file.size);
	const inDirectory = sharable.find(({ file }) => file.target.includes("/"));
	const others = sharable.filter((entry) => entry !== inDirectory);
	const trial = queueOf(inDirectory === void 0 ? others : [inDirectory, ...others]).take(TRIAL_FILES, bytesOf);
	return trial.length > 1 ? trial : [];
}
function bytesOf({ file }) {
	return sharedBytes(file);
}
function queueOf(entries) {
	let position = 0;
	return {
		left: () => entries.length - position,
		/** The next entries, up to `count` as far as they fit in a shared body; one where its bytes are unknown. */
		take(count, bytesOf) {
			const start = position;
			let room = SHARED_BYTES;
			for (; position < entries.length && position - start < count; position += 1) {
				const entry = entries[position];
				room -= (entry && bytesOf(entry)) ?? Number.POSITIVE_INFINITY;
				if (room < 0) break;
			}
			position = Math.max(position, start + 1);
			return entries.slice(start, position);
		}
	};
}

// src/upload/transfer.ts
/**
* Uploads every planned file and says how each ended, in plan order. A failure after which nothing else can succeed ends
* the transfer: requests in flight come to their end, the remaining files are not attempted.
*/
async function transfer(files, options) {
	const { level, cancel, onEvent } = options;
	const schedule = openSchedule(files, {
		perRequest: options.filesPerRequest,
		lanes: level.now()
	});
	const ended = new AbortController();
	const stop = AbortSignal.any([cancel, ended.signal]);
	const results = [];
	function settle({ index, result }) {
		results[index] = result;
		if (result.status === "failed" && result.error.final) ended.abort(result.error);
		onEvent({
			kind: "settled",
			result
		});
	}
	async function send(entries) {
		if (stop.aborted) {
			const reason = reasonOf(stop);
			for (const { index, file, failed } of entries) settle({
				index,
				result: failed ?? {
					status: "not-attempted",
					file,
					reason
				}
			});
			schedule.ended(entries, {
				again: [],
				refused: false
			});
			return;
		}
		const { settled, ...rest } = await attempt(entries, stop, options);
		for (const each of settled) settle(each);
		schedule.ended(entries, rest);
		if (rest.refused) onEvent({
			kind: "refused",
			files: entries.map(({ file }) => file)
		});
	}
	const sendOrEnd = (entries) => send(entries).catch((bug) => {
		ended.abort(bug);
		throw bug;
	});
	await inLanes(level.now, () => schedule.next(level.now()), sendOrEnd);
	return results;
}
function reasonOf(stop) {
	return stop.reason instanceof AgentError ? `the transfer had ended: ${stop.reason.message}` : "the job was cancelled";
}

// src/run/uploading.ts
/** What a report says before anything was sent. */
function reportOn(task, selection, { connection, upload }) {
	const { leftOut, warnings, share } = selection;
	const { sandboxId, baseUrl } = connection;
	return {
		...EMPTY_REPORT,
		task,
		sandboxId,
		baseUrl,
		dryRun: upload.dryRun,
		leftOut,
		share,
		warnings: [...warnings, ...signatureWarning(dueFiles(selection).length, upload)]
	};
}
function signatureWarning(files, { query }) {
	if (files < 2 || query["signature"] === void 0) return [];
	return [`One signature covers one target path, and ${files} files are to be uploaded with it.`];
}
/**
* Uploads the files that are due, and keeps the state.
* @throws InputError where the state file cannot be written; nothing has been sent then.
*/
async function sendFiles({ selection, state }, { connection, upload }, client, { cancel, sleep, random, clock, observer }) {
	const due = dueFiles(selection);
	forget(state, due);
	const { fact } = observer;
	const start = clock();
	const results = await transfer(due, {
		client,
		level: openLevel(upload.concurrency, clock, fact && ((change) => fact({
			kind: "level",
			change
		}))),
		filesPerRequest: upload.filesPerRequest,
		retry: {
			retries: connection.retries,
			sleep,
			random
		},
		cancel,
		onEvent: (event) => observer.event(event),
		clock
	});
	const durationMs = Math.round(clock() - start);
	return {
		files: resultsOf(selection, results),
		durationMs,
		warnings: remember(state, results)
	};
}
/** The report of a run that was to plan only. */
function reportPlanned(planned, selection, { cancel }) {
	return {
		...planned,
		files: unsent(selection, "skipped", "dry run"),
		cancelled: cancel.aborted
	};
}
/** The results where nothing was sent, for one reason. */
function unsent(selection, status, reason) {
	return resultsOf(selection, dueFiles(selection).map((file) => ({
		status,
		file,
		reason
	})));
}

export { withClient as a, unsent as i, reportPlanned as n, selectFiles as o, sendFiles as r, reportOn as t };