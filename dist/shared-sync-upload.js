import { r as __toESM } from "./rolldown-runtime.js";
import { a as badAnswer, i as openClient, r as waitFor, t as measure } from "./shared-sync-upload-stats.js";
import { C as formatDuration, D as InputError, E as visibleCut, F as AgentError, O as inputError, P as withRetries, S as formatCount, T as quote, _ as firstOf, a as parseFieldsOf, i as fieldsOf, k as gateOf, v as fitting, w as formatNumber, y as EMPTY_REPORT } from "./shared.js";
import { i as require_form_data, n as create, r as Minimatch, t as pLimit } from "./vendor-sync-upload.js";
import { setImmediate } from "node:timers/promises";
import { homedir } from "node:os";
import { isUtf8 } from "node:buffer";
import { createHash, hash } from "node:crypto";
import { open } from "node:fs/promises";
import path, { posix } from "node:path";
import { closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

// src/agent/file.ts
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/**
* Checks that what was opened is a regular file and is what its path names, and returns its size in bytes. The flags guard
* the last part of the path alone: a directory above it could have been swapped for a link that leads to a secret.
* @throws AgentError `file-unreadable` or `file-changed`, or the system's own error where the path is gone.
*/
function checkOpened(path, opened) {
	if (!opened.isFile()) throw new AgentError("file-unreadable", `${path} is not a regular file any more.`);
	if (realpathSync.native(path) !== path) throw new AgentError("file-unreadable", `${path} leads through a link now, which it did not before.`);
	if (!isSame(lstatSync(path), opened)) throw new AgentError("file-changed", `${path} was replaced while it was opened.`);
	return opened.size;
}
/** Checks that a file is as it was opened when all of it was read. @throws AgentError `file-changed` */
function checkRead(path, opened, read) {
	if (read.size === opened.size && read.mtimeMs === opened.mtimeMs) return;
	throw new AgentError("file-changed", `${path} changed while it was read.`);
}
function isSame(named, opened) {
	return named.ino === opened.ino && (named.dev === opened.dev || process.platform === "win32");
}
/** Reads a whole file into a buffer, with calls that wait: for small ones they cost least. Undefined if it is not whole within `room`. */
function readSmallFile(path, buffer, { offset, room }) {
	const descriptor = openSync(path, READ_FLAGS);
	try {
		const opened = fstatSync(descriptor);
		const size = checkOpened(path, opened);
		if (size > room) return void 0;
		let total = 0;
		while (total < size) {
			const read = readSync(descriptor, buffer, offset + total, size - total, null);
			if (read === 0) break;
			total += read;
		}
		checkRead(path, opened, fstatSync(descriptor));
		return size === 0 && room > 0 && readSync(descriptor, buffer, offset, 1, null) > 0 ? void 0 : total;
	} finally {
		closeSync(descriptor);
	}
}
/** The code of an error of the system, such as `ENOENT`; undefined for any other: bugs have none. */
function systemCode(error) {
	return error instanceof Error && "code" in error ? String(error.code) : void 0;
}
/** Whether an error says that a file cannot be read, and is no bug. */
function isUnreadable(error) {
	return error instanceof AgentError || systemCode(error) !== void 0;
}

// src/agent/form.ts
var import_form_data = /* @__PURE__ */ __toESM(require_form_data(), 1);
/** A form under a boundary that no content can know beforehand. */
function openForm() {
	const boundary = `----sandboxsync${crypto.randomUUID().replaceAll("-", "")}`;
	const lineBreak = Buffer.from("\r\n");
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const head = (filepath) => {
		const form = new import_form_data.default();
		form.setBoundary(boundary);
		form.append("file", "", {
			filepath,
			contentType: "application/octet-stream"
		});
		return form.getBuffer().subarray(0, -tail.length);
	};
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		head,
		next: (filename) => Buffer.concat([lineBreak, head(filename)]),
		tail
	};
}
/** Whether every parser reads a filename alike: printable ASCII, nothing that is or looks escaped, no blank at its ends. */
function survives(filename) {
	return /^[!-~](?:[ -~]*[!-~])?$/.test(filename) && !/["%;\\]/.test(filename);
}

// src/agent/stream.ts
/**
* Opens a file to be streamed by way of two buffers that nothing else uses meanwhile. @throws AgentError `file-unreadable`
* where it is no regular file any more or is reached through a link; `file-changed` where it is being replaced.
*/
async function openStream(path, buffers, hashed) {
	let file;
	try {
		file = await open(path, READ_FLAGS);
		const stats = await file.stat();
		const size = checkOpened(path, stats);
		if (size === 0 && (await file.read(buffers[0], 0, 1)).bytesRead > 0) throw new AgentError("file-unreadable", `${path} says that it is empty and holds content.`);
		const digest = createHash("sha256");
		const opened = {
			file,
			path,
			stats,
			size,
			onChunk: (chunk) => void (hashed && digest.update(chunk))
		};
		return {
			chunks: chunksOf(opened, buffers),
			size,
			sha256: () => digest.digest("hex"),
			close: () => opened.file.close()
		};
	} catch (error) {
		await file?.close();
		const code = systemCode(error);
		if (code === void 0) throw error;
		if (code === "EMFILE" || code === "ENFILE") throw new AgentError("too-many-open", `${path} cannot be opened now: too many files are open (${code}).`);
		throw new AgentError("file-unreadable", `${path} cannot be read (${code}).`, { cause: error });
	}
}
/**
* Exactly `size` bytes: what is appended meanwhile would break the announced length. The buffers take turns, one is filled
* while the other is sent, which halves the time and the memory of a new buffer for each chunk. This holds because the
* consumer asks for the next chunk only when the socket has let go of the one before: a chunk is larger than what a socket
* takes without asking to wait.
*/
async function* chunksOf({ file, path, stats, size, onChunk }, [one, other]) {
	let [filling, spare] = [one, other];
	const readAhead = (position) => {
		const reading = fill(file, filling.subarray(0, Math.min(filling.length, size - position)), position);
		reading.catch(() => {});
		return reading;
	};
	let reading = readAhead(0);
	for (let sent = 0; sent < size;) {
		const chunk = await reading;
		if (chunk.length === 0) {
			const missing = `${path} became shorter while it was sent, by ${size - sent} bytes.`;
			throw new AgentError("file-changed", missing);
		}
		sent += chunk.length;
		onChunk(chunk);
		[filling, spare] = [spare, filling];
		reading = readAhead(sent);
		if (sent === size) checkRead(path, stats, await file.stat());
		yield chunk;
	}
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

// src/agent/body.ts
/** The bytes of a file that still goes out in one piece, in a fraction of a stream's time; longer ones go in such chunks. */
const BUFFER_BYTES = 262144;
/** The size of a body that several files share at most, in bytes. */
const SHARED_BYTES = 1048576;
const FRAME_BYTES = 256;
/** The bytes that a file takes in a shared body at most, or undefined where its size or its name keeps it from sharing one. */
function sharedBytes({ target, size }) {
	return size <= 262144 && survives(target) ? FRAME_BYTES + target.length + size : void 0;
}
/** Makes bodies under one form. `hashed` says whether their parts are asked for their hashes. */
function bodyOpener(form, hashed) {
	const alone = bufferPool(BUFFER_BYTES);
	const shared = bufferPool(SHARED_BYTES);
	return async (files) => {
		const [file, ...others] = files;
		if (file === void 0 || others.length > 0) return packed(files, form, shared);
		const body = file.size <= 262144 ? packed(files, form, alone) : void 0;
		if (body !== void 0 && body.parts.length > 0) return body;
		await body?.close(true);
		return streamed(file, form, {
			pool: alone,
			hashed
		});
	};
}
/** As many buffers as are ever in use at once. One for each file would be garbage that V8 is slow to collect. */
function bufferPool(size) {
	const free = [];
	return {
		take: () => free.shift() ?? Buffer.allocUnsafeSlow(size),
		give: (buffer) => void free.push(buffer)
	};
}
/** Files in one buffer, as many of them as can be read and fit. */
function packed(files, form, pool) {
	const buffer = pool.take();
	const parts = [];
	let end = 0;
	for (const file of files) {
		const head = parts.length === 0 ? form.head(file.target) : form.next(file.target);
		const offset = end + head.length;
		const room = buffer.length - offset - form.tail.length;
		const size = room < 0 ? void 0 : readIfFits(file.realPath, buffer, {
			offset,
			room
		});
		if (size === void 0) continue;
		head.copy(buffer, end);
		end = offset + size;
		const content = buffer.subarray(offset, end);
		parts.push({
			file,
			size,
			sha256: () => hash("sha256", content)
		});
	}
	form.tail.copy(buffer, end);
	const length = end + form.tail.length;
	const close = async (sent) => sent ? pool.give(buffer) : void 0;
	return {
		parts,
		content: buffer.subarray(0, length),
		length,
		close
	};
}
function readIfFits(...[path, buffer, place]) {
	try {
		return readSmallFile(path, buffer, place);
	} catch (error) {
		if (isUnreadable(error)) return void 0;
		throw error;
	}
}
async function streamed(file, form, { pool, hashed }) {
	const buffers = [pool.take(), pool.take()];
	const { chunks, size, sha256, close } = await openStream(file.realPath, buffers, hashed);
	const head = form.head(file.target);
	return {
		parts: [{
			file,
			size,
			sha256
		}],
		content: framed(head, chunks, form.tail),
		length: head.length + size + form.tail.length,
		async close(sent) {
			await close();
			if (sent) for (const buffer of buffers) pool.give(buffer);
		}
	};
}
async function* framed(head, chunks, tail) {
	yield head;
	yield* chunks;
	yield tail;
}

// src/agent/uploader.ts
/** Uploads over a client. `hashed` says whether to hash what is sent. */
function uploader(client, inputs, hashed) {
	const form = openForm();
	const openBody = bodyOpener(form, hashed);
	const pathFor = pathsOf(inputs);
	return async (files, onSent) => {
		const { parts, content, length, close } = await openBody(files);
		if (parts.length === 0) return files.map(() => void 0);
		const headers = [
			"Content-Type",
			form.contentType,
			"Content-Length",
			String(length)
		];
		const request = {
			method: "POST",
			path: pathFor(files),
			headers,
			body: content,
			onSent
		};
		let isStored = false;
		try {
			const paths = storedPaths(await client.send(request), parts.map(({ file }) => file.target)).map(client.redact).values();
			isStored = true;
			const stored = new Map(parts.map(({ file, size, sha256 }) => {
				const { value: path = "" } = paths.next();
				return [file, hashed ? {
					path,
					size,
					sha256: sha256()
				} : {
					path,
					size
				}];
			}));
			return files.map((file) => stored.get(file));
		} finally {
			await close(isStored);
		}
	};
}
/** The path and query of a request for files. */
function pathsOf(inputs) {
	const { uploadPath, username, signature, signatureExpiration } = inputs;
	const common = Object.entries({
		username,
		signature,
		signature_expiration: signatureExpiration
	}).filter(([, value]) => value !== "").map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
	return ([file, ...others]) => {
		const query = [...file === void 0 || others.length > 0 ? [] : [`path=${encodeURIComponent(file.target)}`], ...common].join("&");
		return query === "" ? uploadPath : `${uploadPath}?${query}`;
	};
}
const MAX_PATH_BYTES = 4096;
/** The paths under which an answer says that files were stored, in the order of `targets`. @throws AgentError */
function storedPaths(answer, targets) {
	const entries = entriesOf$2(answer);
	const { length } = targets;
	if (entries.length !== length) {
		const expected = length === 1 ? "one was" : `${length} were`;
		throw badAnswer(answer, `It holds ${entries.length} file entries, where ${expected} expected`);
	}
	return targets.map((target, index) => {
		const path = pathOf(entries[index], target);
		if (typeof path !== "string") throw badAnswer(answer, path.wrong);
		return path;
	});
}
/** Whether a path is that of a target: from the user's home or from elsewhere if that is relative, as some services answer. */
function leadsTo(stored, target) {
	return stored === target || !posix.isAbsolute(target) && stored.endsWith(`/${target}`);
}
/** The path of an entry that speaks of a target, or what is wrong with it. */
function pathOf(entry, target) {
	if (typeof entry !== "object" || entry === null) return { wrong: "Its entry is not an object" };
	const { path, name, type } = fieldsOf(entry);
	if (type !== "file") return { wrong: "Its entry is not of type \"file\"" };
	if (name !== posix.basename(target)) return { wrong: "Its entry names another file" };
	if (typeof path !== "string" || path === "") return { wrong: "Its entry has no path" };
	if (!leadsTo(path, target)) return { wrong: "Its entry has the path of another target" };
	return Buffer.byteLength(path) > MAX_PATH_BYTES ? { wrong: `Its entry has a path longer than ${MAX_PATH_BYTES} bytes` } : path;
}
/** The entries of an answer, which come in an array, or one by itself. */
function entriesOf$2(answer) {
	const { tried, status, sentWhole } = answer;
	if (!sentWhole) {
		const message = `${tried} answered ${status} before the whole file had been sent, so it cannot have been stored.`;
		throw new AgentError("connection", message, { status });
	}
	const body = parse(answer);
	return Array.isArray(body) ? body : [body];
}
function parse(answer) {
	try {
		return JSON.parse(answer.text);
	} catch (error) {
		throw badAnswer(answer, "It is not JSON", error);
	}
}

// src/upload/level.ts
/** A level for the input `concurrency`. `clock` gives milliseconds. */
function openLevel(concurrency, clock, onChange) {
	const highest = highestLevel(concurrency);
	if (concurrency !== "auto") return {
		highest,
		now: () => highest,
		sent: () => {},
		begin: () => () => {}
	};
	return {
		highest,
		...adaptiveLevel(clock, onChange)
	};
}
/** The highest that a level for the input `concurrency` can be. */
function highestLevel(concurrency) {
	return concurrency === "auto" ? MAX : concurrency;
}
const MAX = 24;
const START = 4;
const GAIN = 1.1;
const RATED_BYTES = 65536;
const LOOK_MS = 1e3;
/**
* A level that starts low, and doubles as long as more is sent per time than ever before: as many uploads as may be in
* flight, or a second. When the sandbox or the way to it is overloaded, it halves, and from then on grows by one.
*/
function adaptiveLevel(clock, onChange) {
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
		const rate = (bytes + ended * RATED_BYTES) / Math.max(elapsed, 1);
		if (rate > best * GAIN) {
			best = rate;
			change(steady ? level + 1 : level * 2);
		}
		restart();
	}
	function backOff(error) {
		[best, steady] = [0, true];
		period += 1;
		change(Math.floor(level / 2), error);
		restart();
	}
	function change(wanted, error) {
		const from = level;
		level = Math.min(MAX, Math.max(1, wanted));
		if (level !== from) onChange({
			from,
			to: level,
			error
		});
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
					if (begun === period) backOff(error);
					return;
				}
				ended += 1;
				look();
			};
		}
	};
}
function isOverload({ kind, status }) {
	return status === 429 || status === 503 || kind === "connection" || kind === "unreachable";
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
/** The excludes of lines, made absolute by `absolute`. */
function excludesOf(lines, absolute) {
	const all = lines.map((line) => ({
		line,
		matches: matches(absolute(line), true),
		isIdle: true
	}));
	const excludes = (file) => {
		let isExcluded = false;
		for (const each of all) {
			if (isExcluded && !each.isIdle || !each.matches(file)) continue;
			each.isIdle = false;
			isExcluded = true;
		}
		return isExcluded;
	};
	return {
		excludes,
		prunes(directory) {
			if (!excludes(directory)) return false;
			for (const each of all) each.isIdle &&= !each.matches(directory, true);
			return true;
		},
		idle: () => all.filter(({ isIdle }) => isIdle).map(({ line }) => line)
	};
}
/** A matcher for an absolute pattern. */
function matcher(pattern, { excludes, prunes }) {
	const wanted = matches(pattern, true);
	const visible = matches(pattern, false);
	return {
		wants: (file) => wanted(file) && !excludes(file),
		hides: (file) => /[\\/]\./.test(file) && !visible(file),
		excludes,
		prunes,
		mayHold: (directory) => wanted(directory, true) && !excludes(directory)
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
function matches(pattern, dot) {
	const own = slashed(pattern).replace(/(\/\*\*)+$/, "");
	const matchers = [`${own}/**`, own].map((each) => new Minimatch(each, {
		...OPTIONS,
		dot
	}));
	return (file, partial) => matchers.some((each) => each.match(file, partial));
}
function slashed(pattern) {
	return WINDOWS ? pattern.replaceAll("\\", "/") : pattern;
}
/** A pattern for the very path. */
function escaped(literal) {
	return (WINDOWS ? literal : literal.replaceAll("\\", "\\\\")).replace(/[[?*]/g, "[$&]");
}

// src/upload/overlooked.ts
const TURN = 100;
const DOT = 46;
/** Looks for what a search does not tell of: names that are not valid UTF-8, and broken links. @throws the system's error. */
async function findOverlooked(root, match, options) {
	const { isFolder, isLink, flaw } = lookAt(root, options);
	const found = {
		brokenLinks: [],
		unreadable: [],
		hidden: [],
		isFolder,
		isPlain: !isLink
	};
	if (flaw !== void 0 && match.wants(root)) found[flaw].push(root);
	const seen = /* @__PURE__ */ new Set();
	const folders = isFolder === true ? [{
		path: root,
		above: [],
		isHidden: false
	}] : [];
	for (let looked = 1; !options.cancel.aborted; looked += 1) {
		const folder = folders.pop();
		if (folder === void 0) break;
		const real = options.realPath(folder.path);
		const key = `${folder.above.length} ${real}`;
		if (folder.above.includes(real) || seen.has(key)) continue;
		seen.add(key);
		const above = [...folder.above, real];
		for (const { file, isFolder, isLink, flaw } of entriesOf$1(folder, options)) {
			const isWanted = isFolder ? match.mayHold(file) : match.wants(file);
			const isHidden = !options.includeHiddenFiles && match.hides(file);
			found.isPlain &&= !isLink && (isWanted || !isFolder);
			if (!isWanted) continue;
			if (isHidden && !isFolder) found.hidden.push(file);
			else if (flaw !== void 0) found[flaw].push(file);
			else if (isFolder) folders.push({
				path: file,
				above,
				isHidden
			});
		}
		if (looked % TURN === 0) await setImmediate();
	}
	return found;
}
/** What may have been overlooked in a folder, and the folders in it. */
function* entriesOf$1(folder, options) {
	for (const entry of readdirSync(folder.path, {
		encoding: "buffer",
		withFileTypes: true
	})) {
		const isReadable = isUtf8(entry.name);
		if (isReadable && entry.isFile() && !folder.isHidden && entry.name[0] !== DOT) continue;
		const file = path.join(folder.path, entry.name.toString());
		if (!isReadable) yield {
			file,
			isFolder: entry.isDirectory(),
			isLink: true,
			flaw: "unreadable"
		};
		else yield {
			file,
			...kindOf(entry, file, options)
		};
	}
}
function lookAt(root, options) {
	try {
		return kindOf(lstatSync(root), root, options);
	} catch (error) {
		if (!["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) throw error;
		return {
			isFolder: void 0,
			isLink: void 0,
			flaw: void 0
		};
	}
}
function kindOf(found, file, { followSymlinks }) {
	const isLink = found.isSymbolicLink();
	if (!isLink || !followSymlinks) return {
		isFolder: found.isDirectory(),
		isLink,
		flaw: void 0
	};
	try {
		return {
			isFolder: statSync(file).isDirectory(),
			isLink,
			flaw: void 0
		};
	} catch (error) {
		if (systemCode(error) === void 0) throw error;
		return {
			isFolder: false,
			isLink,
			flaw: "brokenLinks"
		};
	}
}

// src/upload/sources.ts
/** The reason of a link that leads nowhere. */
const BROKEN_LINK = "a broken link";
/** The reason of a pipe, a socket or a device. */
const NOT_REGULAR = "not a regular file";
const SYMBOLIC_LINK = "a symbolic link";
/** Finds the real paths of folders below `root` from those of their parents, each once: the system asks for all parts again. */
function realPaths(root) {
	const known = /* @__PURE__ */ new Map();
	return function find(directory) {
		let real = known.get(directory);
		if (real !== void 0) return real;
		const isBelow = directory !== root && pathWithin(root, directory) !== void 0;
		const own = isBelow ? path.join(find(path.dirname(directory)), path.basename(directory)) : directory;
		real = !isBelow || lstatSync(own).isSymbolicLink() ? realpathSync.native(own) : own;
		known.set(directory, real);
		return real;
	};
}
/** Parts what a search found into files and what is left out. @throws InputError where a link leads out of the workspace. */
function sortOut(root, paths, { workspace, followSymlinks, includeHiddenFiles }) {
	const files = [];
	const leftOut = [];
	let resolve;
	for (const file of paths) {
		const own = lstatSync(file, { throwIfNoEntry: false });
		const isLink = own?.isSymbolicLink() ?? false;
		const stats = isLink && followSymlinks ? statSync(file, { throwIfNoEntry: false }) : own;
		if (stats === void 0) continue;
		const relative = pathWithin(root, file) ?? "";
		if (stats.isSymbolicLink()) leftOut.push({
			path: file,
			reason: SYMBOLIC_LINK
		});
		else if (!stats.isFile()) leftOut.push({
			path: file,
			reason: NOT_REGULAR
		});
		else {
			resolve ??= boundary(workspace, relative === "" ? path.dirname(root) : root);
			const { real, isHidden } = resolve(file, isLink);
			if (isHidden && !includeHiddenFiles) leftOut.push({
				path: file,
				reason: "a link to what is hidden"
			});
			else {
				const isExecutable = (stats.mode & 73) !== 0;
				files.push({
					path: file,
					realPath: real,
					relative: toPosix(relative),
					size: stats.size,
					isExecutable
				});
			}
		}
	}
	return {
		files,
		leftOut
	};
}
/** The path of `file` from `directory`, both absolute; undefined where it is neither that directory nor below it. */
function pathWithin(directory, file) {
	const rest = file.startsWith(directory) ? file.slice(directory.length) : "";
	if (rest.startsWith(path.sep) && !rest.includes("..")) return rest.slice(1);
	const relative = path.relative(directory, file);
	return relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative) ? void 0 : relative;
}
/** A path of the runner with slashes, also on Windows. */
function toPosix(file) {
	return path.sep === "/" ? file : file.replaceAll(path.sep, "/");
}
/**
* A resolver that lets links lead only to places inside the workspace, or inside the pattern's own root where that lies
* outside the workspace. A build that ran untrusted code could hold a link to a credential of the runner.
* `root` is the directory that the pattern's search starts in; both are absolute.
*/
function boundary(workspace, root) {
	const home = realpathSync.native(workspace);
	const inside = pathWithin(workspace, root);
	const place = inside === void 0 ? path.join(realpathSync.native(path.dirname(root)), path.basename(root)) : path.join(home, inside);
	const bounds = inside === void 0 ? [home, place] : [home];
	const within = (real) => bounds.some((bound) => pathWithin(bound, real) !== void 0);
	const searched = (place) => (pathWithin(workspace, place) ?? pathWithin(root, place)) !== void 0;
	const realPath = realPaths(root);
	return (file, isLink) => {
		const directory = realPath(path.dirname(file));
		if (!within(directory)) throw leadsOut(linkOf(file, searched, within), directory);
		const own = path.join(directory, path.basename(file));
		const real = isLink ? realpathSync.native(own) : own;
		if (!within(real)) throw leadsOut(file, real);
		const isElsewhere = real !== path.join(place, pathWithin(root, file) ?? "");
		const shown = pathWithin(place, real) ?? pathWithin(home, real) ?? "";
		return {
			real,
			isHidden: isElsewhere && /(^|[\\/])\./.test(shown)
		};
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
	return inputError("files", `${link} is a link to ${end}, outside the workspace. Exclude it with a ! line, or copy what it leads to into the workspace.`);
}

// src/upload/search.ts
const MAX_PATHS = 1e6;
const SEARCHES = 8;
const MAX_FOLDERS = 32;
/** A search that looks in several places at once. @throws InputError for a pattern that leads to more than `maxPaths`. */
function openSearch(maxPaths = MAX_PATHS) {
	const limit = pLimit(SEARCHES);
	return async (query, cancel) => {
		const { pattern, match, includeHiddenFiles } = query;
		const [root = ""] = (await create(pattern)).getSearchPaths();
		const realPath = realPaths(root);
		const overlooked = await findOverlooked(root, match, {
			...query,
			realPath,
			cancel
		});
		const { isFolder, unreadable, brokenLinks, hidden } = overlooked;
		if (unreadable[0] !== void 0) throw unreadableName(unreadable[0]);
		if (isFolder === void 0 || match.prunes(root)) return {
			root,
			paths: [],
			brokenLinks,
			hidden
		};
		const visibleOnly = !includeHiddenFiles && !spellsDots(pattern, root);
		const part = {
			...query,
			visibleOnly,
			followSymlinks: query.followSymlinks && !overlooked.isPlain
		};
		const bound = { left: maxPaths };
		const parts = (isFolder ? split(root, part) : [whole(query)]).map((each) => limit(() => find({
			...part,
			...each
		}, bound, cancel)));
		const found = new Set((await Promise.all(parts)).flat());
		const again = part.followSymlinks ? leadsThrough(root, realPath) : () => false;
		return {
			root,
			paths: [...found].filter((file) => !again(file)).sort(),
			brokenLinks,
			hidden
		};
	};
}
async function find(part, bound, cancel) {
	const globber = await create(part.pattern, {
		followSymbolicLinks: part.followSymlinks,
		implicitDescendants: part.descends,
		matchDirectories: false,
		excludeHiddenFiles: part.visibleOnly
	});
	const paths = [];
	for await (const file of globber.globGenerator()) {
		if (cancel.aborted) break;
		if (part.match.excludes(file)) continue;
		bound.left -= 1;
		if (bound.left < 0) throw leadsTooFar(part.pattern, file);
		paths.push(file);
	}
	return paths;
}
function unreadableName(file) {
	return inputError("files", `${JSON.stringify(file)} has a name that is not valid UTF-8. Rename it, or exclude it with a ! line.`);
}
function leadsTooFar(pattern, file) {
	return inputError("files", `${quote(pattern)} leads to more than a million files, maybe since links lead round and round, such as to ${quote(file)}. Exclude what is not needed.`);
}
function whole({ pattern }) {
	return {
		pattern,
		descends: true
	};
}
/** A search for everything in a folder, split by the folders in it, without those that are excluded whole. */
function split(root, query) {
	const { pattern, match, visibleOnly } = query;
	const literal = escaped(root);
	const folders = ([
		literal,
		path.join(literal, "**"),
		path.join(literal, "**", "*")
	].includes(pattern) ? entriesOf(root) : []).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
	if (folders.length === 0 || folders.length > MAX_FOLDERS || !folders.every(isOneLine)) return [whole(query)];
	const searched = folders.map(({ name }) => name).filter((name) => !(visibleOnly && name.startsWith(".")) && !match.prunes(path.join(root, name)));
	return [{
		pattern: path.join(literal, "*"),
		descends: false
	}, ...searched.map((name) => ({
		pattern: path.join(literal, escaped(name)),
		descends: true
	}))];
}
/** Whether a link below `root` leads a path through it again: a search of a part does not know what it is a part of. */
function leadsThrough(root, realPath) {
	const known = /* @__PURE__ */ new Map([[root, false]]);
	const isAgain = (folder) => {
		const again = known.get(folder) ?? (isAgain(path.dirname(folder)) || realPath(folder) === realPath(root));
		known.set(folder, again);
		return again;
	};
	return (file) => file !== root && isAgain(path.dirname(file));
}
/** The library takes its patterns as lines, trimmed. */
function isOneLine({ name }) {
	return name.trim() === name && !/[\r\n]/.test(name);
}
function entriesOf(root) {
	try {
		return readdirSync(root, { withFileTypes: true });
	} catch {
		return [];
	}
}
/** Whether a name that begins with a dot is spelled out: the last of the root, or one between wildcards. */
function spellsDots(pattern, root) {
	const below = pattern.split(path.sep === "/" ? "/" : /[\\/]/).slice(root.split(path.sep).length);
	return path.basename(root).startsWith(".") || below.some((name) => /^\[?\./.test(name));
}

// src/upload/discover.ts
/** Searches the files of every pattern, in their order. @throws InputError for places, names and links that cannot be used. */
async function discover(rules, options) {
	const directory = path.resolve(options.workspace, options.workingDirectory);
	requireDirectory(directory, options.workingDirectory);
	const excludes = excludesOf(rules.excludes, (exclude) => anchor(exclude, directory));
	const search = openSearch();
	const all = rules.patterns.map((pattern) => {
		const absolute = anchor(pattern.pattern, directory);
		const place = {
			directory,
			pattern,
			absolute,
			match: matcher(absolute, excludes)
		};
		return findMatches(place, search, options).catch((error) => {
			throw unsearchable(place, error);
		});
	});
	const matches = await unlessAborted(options.cancel, allOf(all), []);
	const files = new Set(matches.flatMap((match) => match.files.map((file) => file.path)));
	return {
		matches,
		warnings: files.size === 0 ? [] : excludes.idle().map((line) => idleLine(line, directory, files))
	};
}
/** A warning on a line that excluded nothing, with what it was maybe meant to exclude. */
function idleLine(line, directory, files) {
	const says = `${quote(`!${line}`)} excluded nothing`;
	const deep = `**/${line}`;
	const isAnywhere = /^(\.{0,2}[\\/]|~)/.test(line) ? () => false : excludesOf([deep], () => anchor(deep, directory)).excludes;
	const count = [...files].filter(isAnywhere).length;
	if (count === 0) return `${says} of what the other lines match.`;
	return `${says}; ${quote(`!${deep}`)} would leave out ${formatCount(count, "file")}.`;
}
async function findMatches(place, search, options) {
	const { pattern, absolute, match } = place;
	const { includeHiddenFiles, followSymlinks, cancel } = options;
	const { root, paths, brokenLinks, hidden } = await search({
		pattern: absolute,
		match,
		followSymlinks,
		includeHiddenFiles
	}, cancel);
	const shown = includeHiddenFiles ? paths : paths.filter((file) => !match.hides(file));
	const { files, leftOut } = sortOut(root, shown, options);
	const broken = brokenLinks.map((file) => ({
		path: file,
		reason: BROKEN_LINK
	}));
	const passedOver = hidden.map((file) => ({
		path: file,
		...lineFor(file, root, place)
	}));
	return {
		pattern,
		root,
		files,
		leftOut: [...leftOut, ...broken],
		hidden: passedOver
	};
}
function lineFor(file, root, { directory, pattern: { target } }) {
	const [dotted = "", ...others] = (pathWithin(root, file) ?? "").split(path.sep).filter((name) => name.startsWith("."));
	if (others.length > 0 || dotted === ".git") return {};
	const start = toPosix(escaped(pathWithin(directory, root) ?? root));
	return { line: `${path.posix.join(start, "**", escaped(dotted))}${target === void 0 ? "" : ` => ${target}`}` };
}
function requireDirectory(directory, given) {
	const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
	if (isThere && !/[\r\n]|^\s|\s$/.test(directory)) return;
	const why = isThere ? "has a line break, or a blank at an end of its path" : "is not a directory on the runner";
	const message = `${quote(given)} ${why} (${directory}).`;
	throw inputError("working-directory", message, "packages/app");
}
const ADVICE = {
	ENOENT: " A folder vanished during the search.",
	EACCES: " Let the runner read the folder, or upload another.",
	ELOOP: " The link leads to itself: remove it, or set follow-symlinks: false.",
	ENOTDIR: " The link leads nowhere: remove it, or set follow-symlinks: false."
};
function unsearchable({ pattern: { pattern } }, error) {
	const code = systemCode(error);
	if (code === void 0 || !(error instanceof Error)) return error;
	const advice = (code === "ENOENT" && "path" in error ? String(error.path) : "").includes("�") ? " Rename it, or set follow-symlinks: true." : ADVICE[code] ?? "";
	return inputError("files", `${quote(pattern)} cannot be searched: ${error.message}.${advice}`);
}
/** What all promises come to, or what is wrong with all of them. */
async function allOf(promises) {
	const ends = await Promise.allSettled(promises);
	const errors = ends.flatMap((end) => end.status === "rejected" ? [end.reason] : []);
	for (const error of errors) if (error instanceof Error && !(error instanceof InputError)) throw error;
	const problems = errors.flatMap((error) => error instanceof InputError ? error.problems : []);
	if (problems.length > 0) throw new InputError(problems);
	return ends.flatMap((end) => end.status === "fulfilled" ? [end.value] : []);
}
/** What a promise comes to, or `fallback` as soon as the signal aborts. */
function unlessAborted(signal, promise, fallback) {
	const { promise: aborted, resolve } = Promise.withResolvers();
	const abort = () => resolve(fallback);
	if (signal.aborted) abort();
	signal.addEventListener("abort", abort, { once: true });
	return Promise.race([aborted, promise]).finally(() => signal.removeEventListener("abort", abort));
}

// src/upload/unmatched.ts
/** A sentence on a pattern that matches no file to upload, with the likeliest reason; how far its path exists, if no other. */
function nothingFound(match, { directory, name }) {
	const { pattern } = match.pattern;
	const found = `${quote(pattern)} matches no file to upload`;
	const reason = passedOver(match, name) ?? slipIn(pattern, directory);
	if (reason !== void 0) return `${found} (${reason}).`;
	const extent = extentOf(match, directory);
	return `${extent === void 0 ? found : `${found} (${extent})`}. Check that what makes it ran before this step, and working-directory.`;
}
function passedOver({ hidden, leftOut }, name) {
	const dotted = `${hidden.length} with a name that begins with a dot`;
	if (hidden.length > 0) return `${dotted}; set include-hidden-files: true to include them`;
	return leftOut[0] && `${leftOut.length} left out, such as ${name(leftOut[0].path)}: ${leftOut[0].reason}`;
}
const SLIPS = [
	{
		slip: /^(["'`]).*\1$/,
		advice: "remove the quotes round it; a line is taken as it stands"
	},
	{
		slip: /^-\s/,
		advice: "remove the dash; files is text with a pattern a line, not a list"
	},
	{
		slip: /->/,
		advice: "write => for ->"
	},
	{
		slip: /\{.*\}/,
		advice: "braces have no meaning in a pattern; write a line for each"
	},
	{
		slip: /,/,
		advice: "a comma is part of a name; write each pattern on a line of its own"
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
	},
	...path.sep === "/" ? [{
		slip: /\\/,
		advice: "write / for \\, which takes the next character as it is"
	}] : []
];
function slipIn(pattern, directory) {
	const slip = SLIPS.find((each) => each.slip.test(pattern));
	if (slip !== void 0) return slip.advice;
	const [first = "", ...others] = pattern.split(/\s+/);
	const isWhole = /[*?]/.test(first) || existsSync(path.resolve(directory, first));
	return others.length > 0 && isWhole ? "several patterns in one line; where they are lines of their own, write files: | in place of files: >" : void 0;
}
/** How far the path exists that a pattern spells out, and what is there in its place; undefined where none of it does. */
function extentOf({ root, pattern: { pattern } }, directory) {
	const { at, missing } = deepest(root, directory);
	const place = at === directory ? "the working directory" : quote(toPosix(pathWithin(directory, at) ?? at));
	const names = namesIn(at);
	if (names === void 0) {
		if (!existsSync(at)) return void 0;
		return `${place} is ${missing === void 0 && !/[*?]/.test(pattern) ? "left out by a ! line" : "no folder"}`;
	}
	if (names.length === 0) return `${place} is empty`;
	const holds = `${place} exists and holds ${shown(names)}`;
	if (missing === void 0) return `${holds}; nothing in it matches, or a ! line leaves it out`;
	const other = names.find((name) => name.toLowerCase() === missing.toLowerCase());
	if (other !== void 0) return `there is no ${quote(missing)}, but ${quote(other)}, in another case`;
	return `${holds}; there is no ${quote(missing)} in it`;
}
/** The last part of the way to a path that exists, and the name that is missing there. */
function deepest(root, directory) {
	const below = pathWithin(directory, root);
	let at = below === void 0 ? path.parse(root).root : directory;
	for (const part of (below ?? root.slice(at.length)).split(path.sep)) {
		const next = path.join(at, part);
		if (!existsSync(next)) return {
			at,
			missing: part
		};
		at = next;
	}
	return {
		at,
		missing: void 0
	};
}
const MAX_NAMES = 10;
function shown(names) {
	const inSight = names.filter((name) => !name.startsWith("."));
	const all = inSight.length === 0 ? names : inSight;
	return firstOf(all, MAX_NAMES, {
		show: (name) => visibleCut(name, 100),
		more: (rest) => `${rest} more`
	}).join(", ");
}
/** Undefined of what is no folder, or cannot be read. */
function namesIn(place) {
	try {
		return readdirSync(place).sort();
	} catch {
		return;
	}
}

// src/upload/plan.ts
const NAMED = 10;
/** Says where each file goes: the fixed part of a pattern is dropped. @throws InputError for no match, or two for one place. */
function plan(matches, options) {
	const name = (file) => toPosix(pathWithin(options.workspace, file) ?? file);
	const directory = path.resolve(options.workspace, options.workingDirectory);
	const files = matches.flatMap((match) => match.files.map((file) => ({
		source: name(file.path),
		realPath: file.realPath,
		target: targetOf(file, match.pattern.target, options.target),
		size: file.size,
		isExecutable: file.isExecutable
	})));
	const unmatched = matches.filter((match) => match.files.length === 0).map((match) => nothingFound(match, {
		directory,
		name
	}));
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
	const taken = new Set(unique.map(({ source }) => source));
	const leftOut = named(matches.flatMap((match) => match.leftOut), name);
	return {
		files: unique,
		leftOut,
		hidden: named(matches.flatMap((match) => match.hidden), name).filter((item) => !taken.has(item.path)),
		warnings: [...options.ifNoFilesFound === "warn" ? unmatched : [], ...oddities(leftOut)]
	};
}
/** What patterns match beside files, by their names: two may match the same. */
function named(items, name) {
	return [...new Map(items.map((item) => [item.path, item])).values()].map((item) => ({
		...item,
		path: name(item.path)
	}));
}
function targetOf({ path: file, relative }, own, general) {
	const target = own === void 0 || path.posix.isAbsolute(own) ? own ?? general : path.posix.join(general, own);
	if (!(own === void 0 || relative !== "" || /(^|\/)\.?$/.test(own))) return path.posix.normalize(target);
	return path.posix.join(target, relative === "" ? path.basename(file) : relative);
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
	const dirname = (place) => path.posix.dirname(place);
	for (const file of owners.values()) for (let at = dirname(file.target); !checked.has(at) && at !== dirname(at); at = dirname(at)) {
		checked.add(at);
		const owner = owners.get(at);
		if (owner !== void 0) messages.push(nested(owner, file));
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
	return firstOf(messages, NAMED, {
		show: (each) => each,
		more: (rest) => `And ${rest} more of this kind.`
	});
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
/** A state as JSON of at most `maxBytes`: an entry a line, sorted by target, so that the same state is the same text. */
function encodeState({ sandboxId, baseUrl, username, shard }, entries, maxBytes) {
	const head = JSON.stringify({
		schema: SCHEMA,
		sandboxId,
		baseUrl,
		username,
		shard
	});
	const all = [...entries].sort(([one], [other]) => one < other ? -1 : 1).map(([target, { path, size, sha256 }]) => JSON.stringify({
		target,
		path,
		size,
		sha256
	}));
	const lines = fitting(all, maxBytes - Buffer.byteLength(head) - 20, (line) => Buffer.byteLength(line) + 2);
	return `${head.slice(0, -1)},"files":[\n${lines.join(",\n")}\n]}\n`;
}
/** The entries of a state, or why none hold for this scope: what the text is, to follow its name. Undefined of no state. */
function decodeState(text, scope) {
	if (!/^\{"schema":\d+,"sandboxId":./.test(text)) return void 0;
	const fields = parseFieldsOf(text);
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
/** The entries that stay true while targets are sent: not theirs, nor what may be one of them spelt otherwise, absolute or not. */
function without(entries, targets) {
	const sent = new Set(targets);
	const respelt = new Set(targets.map((target) => nameOf(target, true)));
	const paths = new Set(targets.flatMap((target) => entries.get(target)?.path ?? []));
	return new Map([...entries].filter(([target, { path }]) => !sent.has(target) && !respelt.has(nameOf(target, false)) && !paths.has(path)));
}
/** The entries after a transfer: what was acknowledged is in, what was tried and failed is out, the rest is as it was. */
function afterTransfer(entries, results) {
	const stored = new Map(results.flatMap(acknowledged));
	const tried = results.filter(({ status }) => status === "uploaded" || status === "failed").map(({ file: { target } }) => target);
	const byPath = Map.groupBy(tried, (target) => (stored.get(target) ?? entries.get(target))?.path);
	const respelt = new Set(tried.map((target) => nameOf(target, true)));
	const kept = [...without(entries, tried)].filter(([, { path }]) => !byPath.has(path));
	const sure = [...stored].filter(([target, { path }]) => byPath.get(path)?.length === 1 && !respelt.has(nameOf(target, false)));
	return new Map([...kept, ...sure]);
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
/** The last part of a target, and whether it is absolute; `respelt`, that of the same place in the other spelling. */
function nameOf(target, respelt) {
	return `${posix.isAbsolute(target) === respelt ? "" : "/"}${posix.basename(target)}`;
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

// src/upload/state-file.ts
const MAX_BYTES = 67108864;
/** Where a state is kept for these inputs; undefined where none is. */
function stateFileOf(inputs, workspace) {
	const { stateFile, sandboxId, baseUrl, username, shard } = inputs;
	if (stateFile === "") return void 0;
	const file = path.resolve(workspace, stateFile);
	refuseLeaving(file, workspace);
	return {
		path: file,
		scope: {
			sandboxId,
			baseUrl,
			username,
			shard: shard === void 0 ? "" : `${shard.index}/${shard.count}`
		}
	};
}
/** A build could hold a link by which its files would be written elsewhere; what the user names outside the workspace is fine. */
function refuseLeaving(file, workspace) {
	let folder = path.dirname(file);
	while (!existsSync(folder)) folder = path.dirname(folder);
	if (pathWithin(realpathSync.native(workspace), realpathSync.native(folder)) === void 0 && pathWithin(workspace, file) !== void 0) throw refusal(file, "lies behind a link that leads out of the workspace");
}
/** Whether a file found is the state file, or the one that is about to take its place: neither is part of a build. */
function isStateFile({ path: file }) {
	const own = [file, freshFile(file)].map(realPathOf);
	return ({ realPath }) => own.includes(realPath);
}
/** The entries of a state file; none, and maybe a warning, where none hold for the scope. @throws InputError if unreadable. */
function readState(file) {
	const text = contentOf(file.path);
	if (text === void 0) return {
		entries: /* @__PURE__ */ new Map(),
		warnings: []
	};
	const entries = decodeState(text, file.scope);
	if (entries === void 0) throw refusal(file.path, "holds something else than the state of uploads");
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
/** Takes what is about to be sent out of the file: an upload may fail half-way, and a killed process tells nobody. */
function forget({ file, entries }, due) {
	const targets = due.map(({ target }) => target);
	try {
		writeState(file, without(entries, targets));
	} catch (error) {
		throw refusalOf(file.path, error, "written");
	}
}
/** Writes what a transfer came to into the state file; a warning where that cannot be done. */
function remember({ file, entries }, results) {
	try {
		writeState(file, afterTransfer(entries, results));
		return [];
	} catch (error) {
		return [`The state file could not be written, so the next run sends these files again: ${error instanceof Error ? error.message : String(error)}.`];
	}
}
/** In one step: a reader, or a process that is killed, never leaves a part of it. */
function writeState({ path: file, scope }, entries) {
	const fresh = freshFile(file);
	mkdirSync(path.dirname(file), { recursive: true });
	try {
		rmSync(fresh, { force: true });
		writeFileSync(fresh, encodeState(scope, entries, MAX_BYTES), {
			flag: "wx",
			mode: 384
		});
		renameSync(fresh, file);
	} finally {
		rmSync(fresh, { force: true });
	}
}
function contentOf(file) {
	let descriptor;
	try {
		descriptor = openSync(file, READ_FLAGS);
		const stat = fstatSync(descriptor);
		if (!stat.isFile()) throw refusal(file, "is not a regular file");
		if (stat.size > MAX_BYTES) throw refusal(file, `is longer than ${MAX_BYTES / 1024 ** 2} MiB, so it is no state`);
		return readFileSync(descriptor, "utf8");
	} catch (error) {
		if (systemCode(error) === "ENOENT") return void 0;
		throw refusalOf(file, error, "read");
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}
/** What keeps the state file from being read or written; of bugs and refusals, the very one. */
function refusalOf(file, error, verb) {
	const code = systemCode(error);
	return code === void 0 ? error : refusal(file, `cannot be ${verb} (${code})`);
}
function refusal(file, why) {
	const message = `${quote(file)} ${why}. Name a file that this step may write.`;
	return inputError("state-file", message, ".sandbox-sync/state.json");
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
* Finds the files whose content is what their entry says, and which no other upload may overwrite: with `shareRequests`, also
* that of an agent that takes the last part of a filename for a path. Cancelled, it ends with what it knows.
*/
async function compare(files, entries, { cancel, shareRequests }) {
	const same = /* @__PURE__ */ new Map();
	const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
	for (const file of files) {
		const entry = entries.get(file.target);
		if (entry?.size !== file.size) continue;
		if (await digestOf(file, buffer, cancel) === entry.sha256) same.set(file.target, entry);
	}
	const settle = (unchanged) => {
		const due = files.map(({ target }) => target).filter((target) => !unchanged.has(target));
		const misplaced = shareRequests ? due.filter(isNested).map((target) => posix.basename(target)) : [];
		const untouched = without(entries, [...due, ...misplaced]);
		const still = new Map([...unchanged].filter(([target]) => untouched.has(target)));
		if (still.size < unchanged.size) return settle(still);
		return {
			unchanged,
			entries: without(entries, misplaced)
		};
	};
	return settle(same);
}
function isNested(target) {
	return target.includes("/");
}
/** Undefined where the file cannot be read, or is of another size by now: its upload says what is wrong with it. */
async function digestOf({ realPath, size }, buffer, cancel) {
	let descriptor;
	try {
		descriptor = openSync(realPath, READ_FLAGS);
		if (checkOpened(realPath, fstatSync(descriptor)) !== size) return void 0;
		const digest = createHash("sha256");
		for (let total = 0; total < size;) {
			await setImmediate();
			const read = cancel.aborted ? 0 : readSync(descriptor, buffer, 0, Math.min(buffer.length, size - total), total);
			if (read === 0) return void 0;
			digest.update(buffer.subarray(0, read));
			total += read;
		}
		return digest.digest("hex");
	} catch (error) {
		if (isUnreadable(error)) return void 0;
		throw error;
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}

// src/upload/selection.ts
/** Finds the files, plans, takes this run's share, and of it what has changed. @throws InputError where that cannot be done. */
async function selectFiles(inputs, options) {
	const file = stateFileOf(inputs, options.workspace);
	const all = await planFiles(inputs, options);
	const planned = file === void 0 ? all : leaveOutState(all, file, options.workspace);
	const { shard } = inputs;
	const files = shard === void 0 ? planned.files : shareOf(planned.files, shard);
	const share = shard && {
		...shard,
		files: files.length,
		planned: planned.files.length
	};
	const selection = {
		...planned,
		files,
		share,
		due: files,
		unchanged: /* @__PURE__ */ new Map(),
		gone: [],
		state: void 0
	};
	const comparing = {
		planned: planned.files,
		shareRequests: inputs.filesPerRequest > 1
	};
	const selected = file === void 0 ? selection : await skipUnchanged(selection, {
		file,
		...comparing
	}, options);
	options.debug?.("plan", planLine(selected));
	return selected;
}
/** A result for each file of a selection, in plan order, with those of the files that were due. */
function resultsOf({ files, unchanged }, due) {
	const results = due.values();
	return files.flatMap((file) => {
		const entry = unchanged.get(file.target);
		if (entry !== void 0) return {
			status: "unchanged",
			file,
			path: entry.path
		};
		const { value } = results.next();
		return value ?? [];
	});
}
async function planFiles(inputs, options) {
	const { workspace, cancel, clock, debug } = options;
	const start = clock();
	const { matches, warnings } = await discover(inputs.files, {
		...inputs,
		workspace,
		cancel
	});
	debug?.("search", searchLines(matches, clock() - start));
	const ifNoFilesFound = cancel.aborted ? "ignore" : inputs.ifNoFilesFound;
	const planned = plan(matches, {
		...inputs,
		workspace,
		ifNoFilesFound
	});
	return {
		...planned,
		warnings: [...planned.warnings, ...warnings]
	};
}
/** The plan without the state file, which is no part of a build. */
function leaveOutState(planned, file, workspace) {
	const isState = isStateFile(file);
	const found = planned.files.filter(isState).map(({ source }) => ({
		path: source,
		reason: "the state file"
	}));
	const files = planned.files.filter((each) => !isState(each));
	const hidden = planned.hidden.filter((each) => !isState({ realPath: path.resolve(workspace, each.path) }));
	return {
		...planned,
		files,
		hidden,
		leftOut: [...planned.leftOut, ...found]
	};
}
/** Takes what the sandbox has already from what is due. `planned` are the files of all shards. */
async function skipUnchanged(selection, { file, planned, shareRequests }, { cancel, debug }) {
	const { entries: read, warnings } = readState(file);
	const mine = new Set(selection.files);
	const elsewhere = planned.filter((each) => !mine.has(each)).map(({ target }) => target);
	const { unchanged, entries } = await compare(selection.files, without(read, elsewhere), {
		cancel,
		shareRequests
	});
	const counts = `${formatNumber(read.size)} entries read, ${formatCount(unchanged.size, "file")} unchanged`;
	debug?.("state file", `State file ${file.path}: ${counts}`);
	const due = selection.files.filter(({ target }) => !unchanged.has(target));
	const targets = new Set(planned.map(({ target }) => target));
	const gone = [...without(entries, [...elsewhere, ...due.map(({ target }) => target)])].filter(([target]) => !targets.has(target)).map(([target, { path }]) => ({
		target,
		path
	}));
	return {
		...selection,
		due,
		unchanged,
		gone: cancel.aborted ? [] : gone,
		state: {
			file,
			entries
		},
		warnings: [...selection.warnings, ...warnings]
	};
}
function searchLines(matches, durationMs) {
	return [...matches.map(({ pattern: { pattern }, root, files, leftOut, hidden }) => {
		const counts = `${formatCount(files.length, "file")}, ${formatNumber(leftOut.length)} left out`;
		const passedOver = hidden.length === 0 ? "" : `, ${formatNumber(hidden.length)} hidden`;
		return `Pattern ${JSON.stringify(pattern)}: searched from ${root}, ${counts}${passedOver}`;
	}), `Search: took ${formatDuration(durationMs)}`].join("\n");
}
function planLine({ files, due, unchanged, leftOut, share }) {
	const bytes = due.reduce((sum, { size }) => sum + size, 0);
	const toSend = `${formatCount(due.length, "file")}, ${formatCount(bytes, "byte")} to send`;
	const rest = `${formatNumber(unchanged.size)} unchanged, ${formatNumber(leftOut.length)} left out`;
	const others = share === void 0 ? "" : `, ${formatNumber(share.planned - share.files)} of other shards`;
	return `Plan: ${formatCount(files.length, "file")}; ${toSend}; ${rest}${others}`;
}
const REQUEST_BYTES = 1024;
/** A shard's share in plan order. All shares are disjoint, make up the plan, and weigh the same but for at most one file. */
function shareOf(files, { index, count }) {
	const loads = Array.from({ length: count }, () => 0);
	const mine = /* @__PURE__ */ new Set();
	for (const file of files.toSorted(heaviestFirst)) {
		const lightest = loads.indexOf(Math.min(...loads));
		loads[lightest] = (loads[lightest] ?? 0) + weightOf(file);
		if (lightest === index - 1) mine.add(file);
	}
	return files.filter((file) => mine.has(file));
}
/** What a file counts when the plan is dealt out, in bytes. */
function weightOf({ size }) {
	return size + REQUEST_BYTES;
}
function heaviestFirst(one, other) {
	if (one.size !== other.size) return other.size - one.size;
	return one.target < other.target ? -1 : 1;
}

// src/upload/attempt.ts
/** Sends entries with one request, and again until it succeeds, fails for good, or has had its attempts. */
async function attempt(entries, { level, stop }, options) {
	const files = entries.map(({ file }) => file);
	const start = options.clock();
	const outcome = await withRetries(() => sendOnce(files, level, options), {
		...options.retry,
		stop,
		onRetry: (retry) => options.onEvent({
			kind: "retry",
			files,
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
			isRefused: false
		};
		return {
			settled: [],
			again: results.map(toSendAgain),
			isRefused: true
		};
	}
	const { value: stored } = outcome;
	const left = ended.filter((_, index) => stored[index] === void 0);
	return {
		settled: ended.flatMap((entry, index) => uploaded(entry, stored[index], durationMs)),
		again: left.map((entry) => toSendAgain(failed(entry, notSent$1(), durationMs))),
		isRefused: false
	};
}
async function sendOnce(files, level, { upload, onEvent, debug }) {
	const [first] = files;
	if (first === void 0) return [];
	const end = level.begin();
	try {
		const stored = await upload(files, (bytes) => {
			level.sent(bytes);
			onEvent({
				kind: "sent",
				file: first,
				bytes
			});
		});
		end();
		if (files.length > 1) debug?.("shared request", sharedLine(files, stored));
		return stored;
	} catch (error) {
		if (error instanceof AgentError) end(error);
		throw error;
	}
}
function sharedLine(files, stored) {
	const bytes = files.reduce((sum, { size }) => sum + size, 0);
	const count = stored.filter((each) => each !== void 0).length;
	return `Shared request: ${`${formatCount(files.length, "file")}, ${formatCount(bytes, "byte")}`}; ${formatNumber(count)} stored, ${formatNumber(files.length - count)} not sent`;
}
function notSent$1() {
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
	return {
		index,
		file: result.file,
		attempts: result.attempts,
		failed: result
	};
}
function uploaded(entry, stored, durationMs) {
	if (stored === void 0) return [];
	const { index, file, attempts } = entry;
	return [{
		index,
		result: {
			status: "uploaded",
			file,
			attempts,
			durationMs,
			...stored
		}
	}];
}

// src/upload/queue.ts
/** Small files go in plan order, up to `perRequest` together, large ones the largest first; `inOrder`, all in plan order. */
function openQueue(files, { perRequest, inOrder }) {
	const isLarge = ({ file }) => !inOrder && file.size > 262144;
	const entries = files.map((file, index) => ({
		file,
		index,
		attempts: 0
	}));
	const trial = perRequest > 1 ? trialOf(entries) : [];
	const large = entries.filter(isLarge).sort((a, b) => b.file.size - a.file.size);
	const small = entries.filter((entry) => !isLarge(entry) && !trial.includes(entry));
	let most = trial.length > 0 ? perRequest : 1;
	let [nextLarge, nextSmall] = [0, 0];
	const isSmallDone = () => nextSmall >= small.length;
	return {
		trial,
		isSmallDone,
		stopSharing: () => {
			most = 1;
		},
		next(welcome) {
			const candidate = large[nextLarge];
			if (candidate !== void 0 && (welcome || isSmallDone())) {
				nextLarge += 1;
				return {
					entries: [candidate],
					isLarge: true
				};
			}
			const batch = together(small, nextSmall, most);
			nextSmall += batch.length;
			return batch.length === 0 ? void 0 : {
				entries: batch,
				isLarge: false
			};
		}
	};
}
/** The entries from `start` on that fit into one request, at most `most`; one by itself always does. */
function together(entries, start, most) {
	const sizeOf = ({ file }) => sharedBytes(file) ?? Number.POSITIVE_INFINITY;
	const fit = fitting(entries.slice(start, start + most), SHARED_BYTES, sizeOf);
	return fit.length > 0 ? fit : entries.slice(start, start + 1);
}
const TRIAL_FILES = 2;
/** The smallest, so that they fit, one in a directory first: an agent that drops directories cannot store it where it belongs. */
function trialOf(entries) {
	const sharable = entries.filter(({ file }) => sharedBytes(file) !== void 0).sort((a, b) => a.file.size - b.file.size);
	const inDirectory = sharable.find(({ file }) => file.target.includes("/"));
	const others = sharable.filter((entry) => entry !== inDirectory);
	const trial = together(inDirectory === void 0 ? others : [inDirectory, ...others], 0, TRIAL_FILES);
	return trial.length === TRIAL_FILES ? trial : [];
}

// src/upload/transfer.ts
/**
* Uploads every planned file and says how each ended, in plan order. As many requests are in flight as the level of
* concurrency allows; large files take at most half of them as long as there are small ones. A failure after which nothing
* else can succeed ends the transfer: requests in flight come to their end, the remaining files are not attempted.
*/
async function transfer(files, options) {
	const level = openLevel(options.concurrency, options.clock, adjust);
	const lanes = pLimit(level.now());
	const half = pLimit(halfOf(level.now()));
	const queue = openQueue(files, {
		perRequest: options.filesPerRequest,
		inOrder: level.highest === 1
	});
	const ended = new AbortController();
	const stop = AbortSignal.any([options.cancel, ended.signal]);
	const results = [];
	const workers = [];
	const bugs = [];
	const note = (bug) => {
		bugs.push(bug);
		ended.abort(bug);
	};
	function settle({ index, result }) {
		results[index] = result;
		if (result.status === "failed" && result.error.final) ended.abort(result.error);
		options.onEvent({
			kind: "settled",
			result
		});
	}
	async function send(entries) {
		const { again, isRefused } = await lanes(async () => {
			const sent = stop.aborted ? notSent(entries, stop) : await attempt(entries, {
				level,
				stop
			}, options);
			for (const each of sent.settled) settle(each);
			return sent;
		});
		if (isRefused || entries === queue.trial && again.length > 0) queue.stopSharing();
		if (isRefused) options.onEvent({
			kind: "refused",
			files: entries.map(({ file }) => file)
		});
		await Promise.all(again.map((entry) => send([entry]).catch(note)));
	}
	function startWorkers() {
		while (workers.length < level.now()) workers.push(work(queue, {
			level,
			half
		}, send).catch(note));
	}
	function adjust(change) {
		lanes.concurrency = change.to;
		half.concurrency = halfOf(change.to);
		startWorkers();
		options.debug?.("level change", changeLine(change));
	}
	if (queue.trial.length > 0) await send(queue.trial);
	startWorkers();
	for (const worker of workers) await worker;
	if (bugs.length > 0) throw bugs[0];
	return lostRemoved(results);
}
/** The results, with files failed that the agent has stored at one place: all but one of them are lost. */
function lostRemoved(results) {
	const byPath = Map.groupBy(results, (result) => "path" in result && posix.isAbsolute(result.path) ? result.path : "");
	return results.map((result) => {
		const { path } = {
			path: "",
			...result
		};
		const same = byPath.get(path) ?? [];
		if (path === "" || same.length < 2 || result.status !== "uploaded") return result;
		const message = `${firstOf(same, MAX_NAMED, {
			show: ({ file }) => file.source,
			more: (rest) => `${rest} more`
		}).join(" and ")} were stored at one place in the sandbox, ${path}: only one of them is there.`;
		const { file, attempts, durationMs } = result;
		return {
			status: "failed",
			file,
			attempts,
			durationMs,
			error: new AgentError("overwritten", message)
		};
	});
}
const MAX_NAMED = 10;
/** Sends what is next in the queue, one batch after the other, until nothing is left. */
async function work(queue, { level, half }, send) {
	for (;;) {
		if (queue.isSmallDone()) half.concurrency = level.highest;
		const batch = queue.next(half.activeCount < half.concurrency);
		if (batch === void 0) return;
		await (batch.isLarge ? half(() => send(batch.entries)) : send(batch.entries));
	}
}
function halfOf(level) {
	return Math.max(1, Math.floor(level / 2));
}
/** How entries end that come up when the transfer has ended. */
function notSent(entries, { reason }) {
	const why = reason instanceof AgentError ? `the transfer had ended: ${reason.message}` : "the job was cancelled";
	return {
		settled: entries.map(({ index, file, failed }) => {
			return {
				index,
				result: failed ?? {
					status: "not-attempted",
					file,
					reason: why
				}
			};
		}),
		again: [],
		isRefused: false
	};
}
function changeLine({ from, to, error }) {
	const sign = error?.status === void 0 ? error?.kind : `status ${error.status}`;
	return `Uploads at once: ${from} → ${to}, ${error === void 0 ? "the transfer became faster" : `a sign of overload, ${sign}`}`;
}

// src/run/sync.ts
/** Finds the files, plans, and transfers. */
function upload(inputs, surroundings) {
	return run("upload", inputs, void 0, surroundings);
}
/** Finds the files, plans, waits for the sandbox, transfers, measures the sandbox, and judges it. */
function sync(inputs, surroundings) {
	return run("sync", inputs, inputs, surroundings);
}
async function run(task, inputs, measuring, surroundings) {
	keepHeapSmall();
	const { cancel, observer } = surroundings;
	const selection = await selectFiles(inputs, surroundings);
	observer.planned(selection, inputs);
	const planned = {
		...reportOn(selection, inputs),
		task
	};
	const ended = (more) => ({
		...planned,
		...more,
		cancelled: cancel.aborted
	});
	if (inputs.dryRun) return ended({ files: unsent(selection, "skipped", "dry run") });
	const gate = measuring === void 0 ? planned.gate : gateOf(measuring, []);
	const connections = highestLevel(inputs.concurrency);
	const client = openClient(inputs, {
		connections,
		...surroundings
	});
	try {
		const obstacle = measuring && await waitFor(measuring, client, surroundings);
		if (obstacle !== void 0) return ended({
			gate,
			files: unsent(selection, "not-attempted", "the sandbox was not ready"),
			errors: [obstacle]
		});
		const sent = await send(selection, inputs, client, surroundings);
		const warnings = [...planned.warnings, ...sent.warnings];
		if (measuring === void 0 || cancel.aborted || isPointless(sent.files)) return ended({
			...sent,
			gate,
			warnings
		});
		const measured = await measure(measuring, client, surroundings);
		return ended({
			...sent,
			...measured,
			warnings: [...warnings, ...measured.warnings]
		});
	} finally {
		await client.close();
	}
}
function keepHeapSmall() {
	setFlagsFromString("--semi-space-growth-factor=1");
	setFlagsFromString("--heap-growing-percent=20");
}
/** What a report says before anything was sent. */
function reportOn(selection, inputs) {
	const { leftOut, hidden, gone, share, due } = selection;
	const { sandboxId, baseUrl, dryRun, signature } = inputs;
	const warnings = due.length < 2 || signature === "" ? selection.warnings : [...selection.warnings, `One signature covers one target path, and ${due.length} files are to be uploaded with it.`];
	return {
		...EMPTY_REPORT,
		sandboxId,
		baseUrl,
		dryRun,
		leftOut,
		hidden,
		gone,
		share,
		warnings
	};
}
/** Uploads the files that are due, and keeps the state. */
async function send(selection, inputs, client, surroundings) {
	const { due, state } = selection;
	const { retries } = inputs;
	const { cacheWarnings, cancel, clock, debug, observer, random, sleep } = surroundings;
	if (state !== void 0) forget(state, due);
	const start = clock();
	const results = await transfer(due, {
		...inputs,
		upload: uploader(client, inputs, state !== void 0),
		retry: {
			retries,
			sleep,
			random
		},
		cancel,
		clock,
		debug,
		onEvent: (event) => observer.event(event)
	});
	return {
		files: resultsOf(selection, results),
		durationMs: Math.round(clock() - start),
		warnings: state === void 0 ? [] : [...remember(state, results), ...due.length > 0 ? cacheWarnings : []]
	};
}
/** The results where nothing was sent, for one reason. */
function unsent(selection, status, reason) {
	return resultsOf(selection, selection.due.map((file) => ({
		status,
		file,
		reason
	})));
}
/** Whether the stats cannot be had either; those of a full disk can, and they explain it. */
function isPointless(results) {
	return results.some((result) => result.status === "failed" && result.error.final && result.error.kind !== "disk-full");
}

export { upload as n, sync as t };