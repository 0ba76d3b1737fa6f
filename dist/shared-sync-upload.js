import { r as __toESM } from "./rolldown-runtime.js";
import { $ as isGated, F as firstOf, H as formatCount, I as fitting, J as visibleCut, K as totalSize, L as EMPTY_REPORT, Q as gateOf, R as parseSearch, T as parseFieldsOf, U as formatDuration, W as formatNumber, X as allOf, Y as InputError, Z as inputError, _ as renameFile, a as NOT_REGULAR, c as sortOut, d as EXACTLY, f as READ_FLAGS, g as readSmallFile, h as isUnreadable, i as BROKEN_LINK, it as AgentError, l as toPosix, m as checkRead, o as pathWithin, p as checkOpened, q as quote, r as ALL_HIDDEN, rt as withRetries, s as realPaths, u as BUFFER_BYTES, v as systemCode, w as fieldsOf } from "./shared.js";
import { i as require_form_data, n as create, r as Minimatch, t as pLimit } from "./vendor-sync-upload.js";
import { a as openClient, i as waitFor, n as measure, o as badAnswer, s as fromJson, t as foresee } from "./shared-sync-upload-stats.js";
import { setImmediate } from "node:timers/promises";
import { homedir } from "node:os";
import { isUtf8 } from "node:buffer";
import { createHash, hash } from "node:crypto";
import { open } from "node:fs/promises";
import path, { posix } from "node:path";
import { closeSync, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

// src/agent/form.ts
var import_form_data = /* @__PURE__ */ __toESM(require_form_data(), 1);
const LINE_BREAK = Buffer.from("\r\n");
/** A form under a boundary that no content can know beforehand. */
function openForm() {
	const boundary = `----sandboxsync${crypto.randomUUID().replaceAll("-", "")}`;
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	const head = (filepath, isNext = false) => {
		const form = new import_form_data.default();
		form.setBoundary(boundary);
		form.append("file", "", {
			filepath,
			contentType: "application/octet-stream"
		});
		const own = form.getBuffer().subarray(0, -tail.length);
		return isNext ? Buffer.concat([LINE_BREAK, own]) : own;
	};
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		head,
		tail
	};
}
/** Whether every parser reads a filename alike: printable ASCII, nothing that is or looks escaped, no blank at its ends. */
function survives(filename) {
	return /^[!-~](?:[ -~]*[!-~])?$/.test(filename) && !/["%;\\]/.test(filename);
}

// src/agent/stream.ts
/**
* Opens a file to be streamed by way of two buffers that nothing else uses meanwhile. Its `chunks` are as many bytes as it
* had when it was opened; `sha256` is that of all chunks, in hexadecimal digits. @throws AgentError `file-unreadable` where
* it is no regular file any more or is reached through a link; `file-changed` where it is being replaced.
*/
async function openStream(path, buffers, hashed) {
	let file;
	try {
		file = await open(path, READ_FLAGS);
		const stats = await file.stat(EXACTLY);
		const size = checkOpened(path, stats);
		if (size === 0 && (await file.read(buffers[0], 0, 1)).bytesRead > 0) throw new AgentError("file-unreadable", `${path} claims to be empty but has content.`);
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
		if (sent === size) checkRead(path, stats, await file.stat(EXACTLY));
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
/** The size of a body that several files share at most, in bytes. */
const SHARED_BYTES = 1048576;
const FRAME_BYTES = 256;
/** The bytes that a file takes in a shared body at most, or undefined where its size or its name keeps it from sharing one. */
function sharedBytes({ target, size }) {
	return size <= 262144 && survives(target) ? FRAME_BYTES + target.length + size : void 0;
}
/**
* Opens files as one body under a form: of several, those that can be read and fit. `hashed` says whether their parts are
* asked for their hashes. @throws AgentError where a single one cannot be read.
*/
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
/**
* Buffers of one size that are used again, the one that was given back longest ago first: as many as are ever in use at
* once. One for each file would be garbage that V8 is slow to collect.
*/
function bufferPool(size) {
	const free = [];
	return {
		take: () => free.shift() ?? Buffer.allocUnsafeSlow(size),
		/** Gives back what nothing reads any more. */
		give: (buffer) => void free.push(buffer)
	};
}
/** Files in one buffer, as many of them as can be read and fit. */
function packed(files, form, pool) {
	const buffer = pool.take();
	const parts = [];
	let end = 0;
	for (const file of files) {
		const head = form.head(file.target, parts.length > 0);
		const offset = end + head.length;
		const room = buffer.length - offset - form.tail.length;
		const size = room < 0 ? void 0 : readSmallFile(file.realPath, buffer, {
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
			const paths = storedPaths(await client.send(request), parts.map(({ file }) => file.target)).map(client.redact);
			isStored = true;
			const stored = new Map(parts.map(({ file, size, sha256 }, index) => {
				const path = paths[index] ?? "";
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
const MAX_HOME_BYTES = 1024;
/** The paths under which an answer says that files were stored, in the order of `targets`. @throws AgentError */
function storedPaths(answer, targets) {
	const entries = entriesOf$1(answer);
	const { length } = targets;
	if (entries.length !== length) {
		const expected = length === 1 ? "one was" : `${length} were`;
		throw badAnswer(answer, `It holds ${entries.length} file entries, where ${expected} expected`);
	}
	return targets.map((target, index) => pathOf(entries[index], target, answer));
}
/** Whether a path is that of a target: from the user's home or from elsewhere if that is relative, as some services answer. */
function leadsTo(stored, target) {
	return stored === target || !posix.isAbsolute(target) && stored.endsWith(`/${target}`);
}
/** The path of an answer's entry that is to speak of a target. @throws AgentError */
function pathOf(entry, target, answer) {
	if (typeof entry !== "object" || entry === null) throw badAnswer(answer, "Its entry is not an object");
	const { path, name, type } = fieldsOf(entry);
	if (type !== "file") throw badAnswer(answer, "Its entry is not of type \"file\"");
	if (name !== posix.basename(target)) throw badAnswer(answer, "Its entry names another file");
	if (typeof path !== "string" || path === "") throw badAnswer(answer, "Its entry has no path");
	if (!leadsTo(path, target)) throw badAnswer(answer, "Its entry has the path of another target");
	if (Buffer.byteLength(path) <= Buffer.byteLength(target) + MAX_HOME_BYTES) return path;
	throw badAnswer(answer, `Its entry has a path more than ${MAX_HOME_BYTES} bytes longer than the target`);
}
/** The entries of an answer, which come in an array, or one by itself. */
function entriesOf$1(answer) {
	const { tried, status, sentWhole } = answer;
	if (!sentWhole) {
		const message = `${tried} answered ${status} before the whole file had been sent, so it cannot have been stored.`;
		throw new AgentError("connection", message, { status });
	}
	const body = fromJson(answer, (text) => JSON.parse(text));
	return Array.isArray(body) ? body : [body];
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
/** The level that a transfer starts with for the input `concurrency`. */
function firstLevel(concurrency) {
	return concurrency === "auto" ? START : concurrency;
}
const MAX = 24;
const START = 8;
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
/** What lines exclude that `absolute` makes absolute; `idle` are those that have excluded nothing so far. */
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
	const prunes = (directory) => {
		if (!excludes(directory)) return false;
		for (const each of all) each.isIdle &&= !each.matches(directory, true);
		return true;
	};
	return {
		excludes,
		prunes,
		idle: () => all.filter(({ isIdle }) => isIdle).map(({ line }) => line)
	};
}
/** A matcher for an absolute pattern. */
function matcher(pattern, { excludes, prunes }) {
	const wanted = matches(pattern, true);
	const visible = matches(pattern, false);
	return {
		pattern,
		wants: (file) => wanted(file) && !excludes(file),
		hides: (file) => /[\\/]\./.test(file) && !visible(file),
		excludes,
		prunes,
		mayHold: (directory) => wanted(directory, true) && !excludes(directory)
	};
}
/** The pattern made absolute: relative ones start in `directory`, `~` is the home directory. */
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
function matches(pattern, dot) {
	const own = (WINDOWS ? pattern.replaceAll("\\", "/") : pattern).replace(/(\/\*\*)+$/, "");
	const matchers = [`${own}/**`, own].map((each) => new Minimatch(each, {
		...OPTIONS,
		dot
	}));
	return (file, partial) => matchers.some((each) => each.match(file, partial));
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
		isPlain: !isLink,
		entries: 0
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
		const entries = readdirSync(folder.path, {
			encoding: "buffer",
			withFileTypes: true
		});
		found.entries += entries.length;
		for (const { file, isFolder, isLink, flaw } of notable(entries, folder, options)) {
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
function* notable(entries, folder, options) {
	for (const entry of entries) {
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

// src/upload/search.ts
const MAX_PATHS = 1e6;
const SEARCHES = 8;
const FEW_FOLDERS = 32;
const MANY_ENTRIES = 10;
/** A search that looks in several places at once. @throws InputError for a pattern that leads to more than `maxPaths`. */
function openSearch(maxPaths = MAX_PATHS) {
	const limit = pLimit(SEARCHES);
	return async (match, options) => {
		const [root = ""] = (await create(match.pattern)).getSearchPaths();
		const realPath = realPaths(root);
		const overlooked = await findOverlooked(root, match, {
			...options,
			realPath
		});
		const { isFolder, unreadable, brokenLinks, hidden, entries } = overlooked;
		if (unreadable[0] !== void 0) throw unreadableName(unreadable[0]);
		if (isFolder === void 0 || match.prunes(root)) return {
			root,
			paths: [],
			brokenLinks,
			hidden
		};
		const visibleOnly = !options.includeHiddenFiles && !spellsDots(match.pattern, root);
		const followSymlinks = options.followSymlinks && !overlooked.isPlain;
		const manner = {
			match,
			visibleOnly,
			followSymlinks,
			cancel: options.cancel,
			bound: { left: maxPaths }
		};
		const searches = ((isFolder ? split(root, manner, entries) : void 0) ?? [{
			pattern: match.pattern,
			descends: true
		}]).map((part) => limit(() => find(part, manner)));
		const found = new Set((await Promise.all(searches)).flat());
		const again = followSymlinks ? leadsThrough(root, realPath) : () => false;
		return {
			root,
			paths: [...found].filter((file) => !again(file)).sort(),
			brokenLinks,
			hidden
		};
	};
}
async function find({ pattern, descends }, manner) {
	const { match, visibleOnly, followSymlinks, cancel, bound } = manner;
	const globber = await create(pattern, {
		followSymbolicLinks: followSymlinks,
		implicitDescendants: descends,
		matchDirectories: false,
		excludeHiddenFiles: visibleOnly
	});
	const paths = [];
	for await (const file of globber.globGenerator()) {
		if (cancel.aborted) break;
		if (match.excludes(file)) continue;
		bound.left -= 1;
		if (bound.left < 0) throw leadsTooFar(pattern, file);
		paths.push(file);
	}
	return paths;
}
function unreadableName(file) {
	return inputError("files", `${JSON.stringify(file)} has a name that is not valid UTF-8. Rename it, or exclude it with a ! line.`);
}
function leadsTooFar(pattern, file) {
	return inputError("files", `${quote(pattern)} leads to more than a million files, perhaps because links form a loop, such as to ${quote(file)}. Exclude what is not needed.`);
}
/** A search for everything in a folder, split by those in it that are not excluded whole; undefined of any other. */
function split(root, { match, visibleOnly }, total) {
	const literal = escaped(root);
	const folders = ([
		literal,
		path.join(literal, "**"),
		path.join(literal, "**", "*")
	].includes(match.pattern) ? entriesOf(root) : []).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
	const isWorthIt = folders.length <= Math.max(FEW_FOLDERS, total / MANY_ENTRIES);
	if (folders.length === 0 || !isWorthIt || !folders.every(isOneLine)) return void 0;
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
/** What is in a folder; nothing where it cannot be read. */
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
/**
* Searches the files of every pattern, in their order; `warnings` are on lines that excluded nothing. @throws InputError for
* places, names and links that cannot be used.
*/
async function discover(rules, options) {
	const directory = path.resolve(options.workspace, options.workingDirectory);
	requireDirectory(directory, options.workingDirectory);
	const excludes = excludesOf(rules.excludes, (exclude) => anchor(exclude, directory));
	const search = openSearch();
	const all = rules.patterns.map((pattern) => {
		const place = {
			directory,
			pattern,
			match: matcher(anchor(pattern.pattern, directory), excludes)
		};
		return findMatches(place, search, options).catch((error) => {
			throw unsearchable(place, error);
		});
	});
	const matches = await unlessAborted(options.cancel, allOf(all), []);
	const found = new Set(matches.flatMap((match) => match.files.map((file) => file.path)));
	return {
		matches,
		warnings: (found.size === 0 ? [] : excludes.idle()).map((line) => idleLine(line, directory, [...found]))
	};
}
/** A warning on a line that excluded nothing, with what it was maybe meant to exclude. */
function idleLine(line, directory, found) {
	const says = `${quote(`!${line}`)} excluded nothing`;
	const deep = `**/${line}`;
	const { excludes } = excludesOf([deep], () => anchor(deep, directory));
	const count = /^(\.{0,2}[\\/]|~)/.test(line) ? 0 : found.filter(excludes).length;
	if (count === 0) return `${says} that the other lines match.`;
	return `${says}; ${quote(`!${deep}`)} would leave out ${formatCount(count, "file")}.`;
}
async function findMatches(place, search, options) {
	const { pattern, match } = place;
	const { root, paths, brokenLinks, hidden } = await search(match, options);
	const shown = options.includeHiddenFiles ? paths : paths.filter((file) => !match.hides(file));
	const { files, leftOut } = await sortOut(root, shown, options);
	const broken = brokenLinks.map((file) => ({
		path: file,
		reason: BROKEN_LINK
	}));
	const passedOver = hidden.map((file) => ({
		path: file,
		reason: wayTo(file, root, place)
	}));
	return {
		pattern,
		root,
		files,
		leftOut: [...leftOut, ...broken],
		hidden: passedOver
	};
}
/** What takes a hidden file to where the pattern would. */
function wayTo(file, root, { directory, pattern: { target } }) {
	const [dotted = "", ...others] = (pathWithin(root, file) ?? "").split(path.sep).filter((name) => name.startsWith("."));
	if (others.length > 0 || dotted === ".git") return ALL_HIDDEN;
	const start = toPosix(escaped(pathWithin(directory, root) ?? root));
	const line = `${path.posix.join(start, "**", escaped(dotted))}${target === void 0 ? "" : ` => ${target}`}`;
	return `the line ${quote(line)} includes it`;
}
function requireDirectory(directory, given) {
	const isThere = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
	if (isThere && !/[\r\n]|^\s|\s$/.test(directory)) return;
	const why = isThere ? "has a line break, or a space at the start or end of its path" : "is not a directory on the runner";
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
/** What a promise comes to, or `fallback` as soon as the signal aborts. */
function unlessAborted(signal, promise, fallback) {
	const { promise: aborted, resolve } = Promise.withResolvers();
	const abort = () => resolve(fallback);
	if (signal.aborted) abort();
	signal.addEventListener("abort", abort, { once: true });
	return Promise.race([aborted, promise]).finally(() => signal.removeEventListener("abort", abort));
}

// src/upload/unmatched.ts
/** A sentence on a pattern that matches no file: the likeliest reason, or how far its path exists. `name` says what a path is called. */
function nothingFound(match, directory, name) {
	const { pattern: { pattern }, hidden, leftOut: [first, ...others] } = match;
	const found = `${quote(pattern)} matches no files to upload`;
	if (hidden.length > 0) return `${found} (${hidden.length} with a name that starts with a dot; set include-hidden-files: true to include them).`;
	if (first !== void 0) return `${found} (${others.length + 1} left out, such as ${name(first.path)}: ${first.reason}).`;
	const slip = slipIn(pattern, directory);
	if (slip !== void 0) return `${found} (${slip}).`;
	return `${found} (${extentOf(match, directory)}). Did the build run before this step? Is working-directory right?`;
}
const MAX_NAMES = 10;
const SLIPS = [
	{
		slip: /^(["'`]).*\1$/,
		advice: "remove the quotes around it; a line is taken literally"
	},
	{
		slip: /^-\s/,
		advice: "remove the dash; files is text with one pattern per line, not a list"
	},
	{
		slip: /->/,
		advice: "write => instead of ->"
	},
	{
		slip: /.[*\w]:[\w/.]/,
		advice: "write => instead of :"
	},
	{
		slip: /\{.*\}/,
		advice: "braces have no meaning in patterns; write one line for each"
	},
	{
		slip: /,/,
		advice: "a comma is part of a name; write each pattern on its own line"
	},
	{
		slip: /\[.*\]/,
		advice: "[ and ] enclose a set of characters; write [[] for a [ in a name"
	},
	{
		slip: /=>/,
		advice: "write a space on each side of =>"
	},
	{
		slip: /\s#/,
		advice: "a comment needs its own line"
	},
	...path.sep === "/" ? [{
		slip: /\\/,
		advice: "write / instead of \\, which escapes the next character"
	}] : []
];
function slipIn(pattern, directory) {
	const slip = SLIPS.find((each) => each.slip.test(pattern));
	if (slip !== void 0) return slip.advice;
	const [first = "", ...others] = pattern.split(/\s+/);
	const isWhole = /[*?]/.test(first) || existsSync(path.resolve(directory, first));
	return others.length > 0 && isWhole ? "several patterns on one line; if the workflow has them on several, write files: | instead of files: >" : void 0;
}
/** How far the path exists that a pattern spells out, and what is there in its place. */
function extentOf({ root, pattern: { pattern } }, directory) {
	let missing = "";
	let at = root;
	for (; !existsSync(at); at = path.dirname(at)) missing = path.basename(at);
	const place = at === directory ? "the working directory" : quote(toPosix(pathWithin(directory, at) ?? at));
	if (!statSync(at).isDirectory()) return `${place} is ${missing === "" && !/[*?]/.test(pattern) ? "left out by a ! line" : "not a folder"}`;
	const names = entriesOf(at).map(({ name }) => name).sort();
	if (names.length === 0) return `${place} is empty`;
	const other = names.find((name) => name.toLowerCase() === missing.toLowerCase());
	if (other !== void 0) return `there is no ${quote(missing)}, only ${quote(other)}: case matters`;
	const some = firstOf(names, MAX_NAMES, {
		show: (name) => visibleCut(name, 100),
		more: (rest) => `${rest} more`
	});
	const lacks = missing === "" ? "nothing in it matches, or a ! line leaves it out" : `there is no ${quote(missing)} in it`;
	return `${place} exists and contains ${some.join(", ")}; ${lacks}`;
}

// src/upload/plan.ts
const NAMED = 10;
/** Says where each file goes: the fixed part of a pattern is dropped. @throws InputError for no match, or two for one place. */
function plan(matches, options) {
	const name = (file) => toPosix(pathWithin(options.workspace, file) ?? file);
	const directory = path.resolve(options.workspace, options.workingDirectory);
	const files = matches.flatMap((match) => match.files.map((file) => {
		const { realPath, size, isExecutable } = file;
		const target = targetOf(file, match.pattern.target, options.target);
		return {
			source: name(file.path),
			realPath,
			target,
			size,
			isExecutable
		};
	}));
	const unmatched = matches.filter((match) => match.files.length === 0).map((match) => nothingFound(match, directory, name));
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
	const named = (items) => [...new Map(items.map((item) => [item.path, {
		...item,
		path: name(item.path)
	}])).values()];
	const leftOut = named(matches.flatMap((match) => match.leftOut));
	const hidden = named(matches.flatMap((match) => match.hidden));
	const taken = new Set(unique.map(({ source }) => source));
	return {
		files: unique,
		leftOut,
		hidden: hidden.filter((item) => !taken.has(item.path)),
		warnings: [...options.ifNoFilesFound === "warn" ? unmatched : [], ...oddities(leftOut)]
	};
}
/** A shard's share in plan order. All shares are disjoint, make up the plan, and weigh the same but for at most one file. */
function shareOf(files, { index, count }) {
	const loads = Array.from({ length: count }, () => 0);
	const mine = /* @__PURE__ */ new Set();
	for (const file of files.toSorted(heaviestFirst)) {
		const lightest = loads.indexOf(Math.min(...loads));
		loads[lightest] = (loads[lightest] ?? 0) + file.size + REQUEST_BYTES;
		if (lightest === index - 1) mine.add(file);
	}
	return files.filter((file) => mine.has(file));
}
const REQUEST_BYTES = 1024;
function heaviestFirst(one, other) {
	if (one.size !== other.size) return other.size - one.size;
	return one.target < other.target ? -1 : 1;
}
function targetOf({ path: file, relative }, own, general) {
	const target = own !== void 0 && path.posix.isAbsolute(own) ? own : path.posix.join(general, own ?? "");
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
		else if (owner.realPath !== file.realPath || owner.source.toLowerCase() !== file.source.toLowerCase()) conflicts.push(conflict(owner, file));
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
function conflict(one, other) {
	return `${`${JSON.stringify(one.source)} and ${JSON.stringify(other.source)}`} would both go to ${JSON.stringify(other.target)}. Give one line another target, or exclude one.`;
}
function nested(owner, file) {
	const [one, other] = [owner, file].map(({ source, target }) => `${JSON.stringify(source)} would go to ${JSON.stringify(target)}`);
	return `${one} and ${other}: a file cannot also be a directory. Give one line another target, or exclude one.`;
}
/** A warning for each kind of what was left out without being asked for. */
function oddities(leftOut) {
	return [BROKEN_LINK, NOT_REGULAR].flatMap((reason) => {
		const [first, ...others] = leftOut.filter((item) => item.reason === reason);
		if (first === void 0) return [];
		const more = others.length === 0 ? "," : ` and ${others.length} more, each`;
		return [`Left out: ${quote(first.path)}${more} ${reason}.`];
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
function encodeState(scope, entries, maxBytes) {
	const head = JSON.stringify({
		schema: SCHEMA,
		...scope
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
	if (schema !== SCHEMA) return `has schema ${schema}, but this version of the action uses ${SCHEMA}`;
	for (const [field, name] of SCOPE) {
		const found = fields[field];
		if (typeof found !== "string") return DAMAGED;
		if (found !== scope[field]) return `belongs to another ${name}, ${quote(found)} instead of ${quote(scope[field])}`;
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
const NONE = /* @__PURE__ */ new Map();
/** Reads the state of these inputs, if one is kept; no entries where none hold for its scope. @throws InputError */
async function openState(inputs, workspace) {
	const file = stateFileOf(inputs, workspace);
	if (file === void 0) return void 0;
	const text = contentOf(file.path);
	const entries = text === void 0 ? NONE : decodeState(text, file.scope);
	if (entries === void 0) throw refusal(file.path, "contains something other than the state of uploads");
	if (typeof entries !== "string") return {
		file,
		entries,
		warnings: []
	};
	const message = `The state file ${quote(file.path)} ${entries}. It is ignored, and every file is sent.`;
	return {
		file,
		entries: NONE,
		warnings: [message]
	};
}
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
	if (pathWithin(realpathSync.native(workspace), realpathSync.native(folder)) === void 0 && pathWithin(workspace, file) !== void 0) throw refusal(file, "is behind a link that leads out of the workspace");
}
/** Whether a file found is the state file, or the one that is about to take its place: neither is part of a build. */
function isStateFile({ path: file }) {
	const own = [file, freshFile(file)].map(realPathOf);
	return ({ realPath }) => own.includes(realPath);
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
		renameFile(fresh, file);
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
* that of an agent that takes the last part of a filename for a path. `unchanged` are their entries, and `entries` all that
* the sending of the others leaves true. Cancelled, it ends with what it knows.
*/
async function compare(files, entries, { cancel, shareRequests }) {
	const same = /* @__PURE__ */ new Map();
	const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
	for (const file of files) {
		const entry = entries.get(file.target);
		if (entry?.size !== file.size) continue;
		if (await digestOf(file, buffer, cancel) === entry.sha256) same.set(file.target, entry);
	}
	for (let unchanged = same;;) {
		const due = files.map(({ target }) => target).filter((target) => !unchanged.has(target));
		const nested = due.filter((target) => target.includes("/"));
		const misplaced = shareRequests ? nested.map((target) => posix.basename(target)) : [];
		const untouched = without(entries, [...due, ...misplaced]);
		const still = new Map([...unchanged].filter(([target]) => untouched.has(target)));
		if (still.size === unchanged.size) return {
			unchanged,
			entries: without(entries, misplaced)
		};
		unchanged = still;
	}
}
/** Undefined where the file cannot be read, or is of another size by now: its upload says what is wrong with it. */
async function digestOf({ realPath, size }, buffer, cancel) {
	let descriptor;
	try {
		descriptor = openSync(realPath, READ_FLAGS);
		if (checkOpened(realPath, fstatSync(descriptor, EXACTLY)) !== size) return void 0;
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
	const [state, all] = await allOf([openState(inputs, options.workspace), planFiles(inputs, options)]);
	const planned = state === void 0 ? all : leaveOutState(all, state.file, options.workspace);
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
		...options,
		shareRequests: inputs.filesPerRequest > 1
	};
	const selected = state === void 0 ? selection : await skipUnchanged(selection, state, planned.files, comparing);
	options.debug?.("plan", planLine(selected));
	return selected;
}
/** Looks for the files of inputs that are refused for something else. @throws InputError for what is wrong with them. */
async function checkFiles(raw, options) {
	await planFiles(parseSearch(raw), {
		...options,
		debug: void 0
	});
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
async function planFiles(inputs, { workspace, cancel, clock, debug }) {
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
/** Takes what the sandbox has already from what is due; `planned` are the files of all shards. */
async function skipUnchanged(selection, { file, entries: read, warnings }, planned, { shareRequests, cancel, debug }) {
	const mine = new Set(selection.files);
	const elsewhere = planned.filter((each) => !mine.has(each)).map(({ target }) => target);
	const { unchanged, entries } = await compare(selection.files, without(read, elsewhere), {
		cancel,
		shareRequests
	});
	const counts = `${formatNumber(read.size)} entries read, ${formatCount(unchanged.size, "file")} unchanged`;
	debug?.("state file", `State file ${file.path}: ${counts}`);
	const due = selection.files.filter(({ target }) => !unchanged.has(target));
	const targets = due.map(({ target }) => target);
	const left = [...without(entries, targets)].filter(([target]) => !unchanged.has(target));
	return {
		...selection,
		due,
		unchanged,
		gone: cancel.aborted ? [] : left.map(([, { path: place }]) => place),
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
	const toSend = `${formatCount(due.length, "file")}, ${formatCount(totalSize(due), "byte")} to send`;
	const rest = `${formatNumber(unchanged.size)} unchanged, ${formatNumber(leftOut.length)} left out`;
	const others = share === void 0 ? "" : `, ${formatNumber(share.planned - share.files)} of other shards`;
	return `Plan: ${formatCount(files.length, "file")}; ${toSend}; ${rest}${others}`;
}

// src/upload/attempt.ts
/** Sends entries with one request, and again until it succeeds, fails for good, or has had its attempts. */
async function attempt(entries, { level, stop }, options) {
	const files = entries.map(({ file }) => file);
	const { clock, onEvent } = options;
	const start = clock();
	const outcome = await withRetries(() => sendOnce(files, level, options), {
		...options,
		stop,
		onRetry: (retry) => onEvent({
			kind: "retry",
			files,
			retry
		})
	});
	const durationMs = Math.round(clock() - start);
	const stored = "value" in outcome ? outcome.value : [];
	const error = "error" in outcome ? outcome.error : void 0;
	const isRefused = error !== void 0 && entries.length > 1 && !error.final;
	const settled = [];
	const again = [];
	for (const [place, { file, index, failed }] of entries.entries()) {
		const ended = {
			file,
			attempts: (failed?.attempts ?? 0) + outcome.attempts,
			durationMs
		};
		const success = stored[place];
		if (success !== void 0) {
			settled.push({
				index,
				result: {
					status: "uploaded",
					...ended,
					...success
				}
			});
			continue;
		}
		const result = {
			status: "failed",
			...ended,
			error: error ?? notSent$1()
		};
		if (error === void 0 || isRefused) again.push({
			file,
			index,
			failed: result
		});
		else settled.push({
			index,
			result
		});
	}
	return {
		settled,
		again,
		isRefused
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
	const count = stored.filter((each) => each !== void 0).length;
	return `Shared request: ${`${formatCount(files.length, "file")}, ${formatCount(totalSize(files), "byte")}`}; ${formatNumber(count)} stored, ${formatNumber(files.length - count)} not sent`;
}
function notSent$1() {
	return new AgentError("file-changed", "The file changed while the batch was being sent.");
}

// src/upload/queue.ts
/** Small files go in plan order, up to `perRequest` together, large ones the largest first; `inOrder`, all in plan order. */
function openQueue(files, { perRequest, inOrder }) {
	const isLarge = ({ file }) => !inOrder && file.size > 262144;
	const entries = files.map((file, index) => ({
		file,
		index
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
		}).join(" and ")} were stored at the same place, ${path}: only one of them is there.`;
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
		settled: entries.map(({ index, file, failed }) => ({
			index,
			result: failed ?? {
				status: "not-attempted",
				file,
				reason: why
			}
		})),
		again: [],
		isRefused: false
	};
}
function changeLine({ from, to, error }) {
	const sign = error?.status === void 0 ? error?.kind : `status ${error.status}`;
	return `Parallel uploads: ${from} → ${to}, ${error === void 0 ? "the transfer became faster" : `a sign of overload, ${sign}`}`;
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
	const { cancel, clock, observer } = surroundings;
	const took = {};
	const timed = async (what, doing) => {
		const start = clock();
		const result = await doing;
		took[what] = Math.round(clock() - start);
		return result;
	};
	const selection = await timed("search", selectFiles(inputs, surroundings));
	observer.planned(selection, inputs);
	const planned = {
		...reportOn(selection, inputs),
		task
	};
	const ended = (more) => ({
		...planned,
		...more,
		took,
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
		const isNotReady = measuring && await timed("wait", waitFor(measuring, client, surroundings));
		if (isNotReady !== void 0) return ended({
			gate,
			files: unsent(selection, "not-attempted", "the sandbox was not ready"),
			errors: [isNotReady]
		});
		const obstacle = measuring && await foresee(measuring, client, surroundings);
		if (obstacle !== void 0) return ended({
			...obstacle,
			files: unsent(selection, "not-attempted", "the gate cannot be judged")
		});
		const sent = await send(selection, inputs, client, surroundings);
		const warnings = [...planned.warnings, ...sent.warnings];
		if (measuring === void 0 || cancel.aborted || isPointless(sent.files)) return ended({
			...sent,
			gate,
			warnings
		});
		const patient = isOutOfReach(sent.files) ? {
			...measuring,
			retries: 0
		} : measuring;
		const measured = await timed("stats", measure(patient, client, surroundings, isGated(measuring)));
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
	const { sandboxId, baseUrl, dryRun, signature, filesPerRequest } = inputs;
	const uncovered = `One signature covers one target path, and ${due.length} files would use it.`;
	const warnings = [...selection.warnings, ...due.length > 1 && signature !== "" ? [uncovered] : []];
	const mayShare = filesPerRequest === 1 && signature === "";
	return {
		...EMPTY_REPORT,
		sandboxId,
		baseUrl,
		dryRun,
		mayShare,
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
	const { cacheWarnings, clock, observer } = surroundings;
	if (state !== void 0) forget(state, due);
	const start = clock();
	const requests = Math.ceil(Math.max(due.length / inputs.filesPerRequest, totalSize(due) / SHARED_BYTES));
	client.connectAhead(Math.min(due.length, requests, firstLevel(inputs.concurrency)));
	const results = await transfer(due, {
		...inputs,
		...surroundings,
		upload: uploader(client, inputs, state !== void 0),
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
/** Whether every attempt at a file came to nothing on the way: the stats need not take as long again to fail. */
function isOutOfReach(results) {
	const isLost = (result) => result.status === "failed" && ["connection", "stalled"].includes(result.error.kind);
	return results.some(isLost) && !results.some(({ status }) => status === "uploaded");
}
/** Whether the stats cannot be had either; those of a full disk can, and they explain it. */
function isPointless(results) {
	return results.some((result) => result.status === "failed" && result.error.final && result.error.kind !== "disk-full");
}

export { upload as n, checkFiles as r, sync as t };