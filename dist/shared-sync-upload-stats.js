import { r as __toESM } from "./rolldown-runtime.js";
import { d as tryToSample, f as waitUntil, l as findUnmet, m as redactorOf, p as openClient, u as takeSamples } from "./shared-sync-upload-stats-sandbox.js";
import { A as reportError, At as metricsOf, Dt as gateOf, Ft as isFatal, I as formatFigure, L as judgementLine, M as waitError, Mt as withRetries, Nt as AgentError, Ot as isGated, Pt as failureOf, R as EMPTY_REPORT, St as visibleCut, W as reportUnseen, Z as isSecretHeader, bt as quote, c as parseFieldsOf, ct as inputError, i as parseAnswer, lt as abbreviate, mt as formatDuration, n as readStats, ot as InputError, pt as formatCount, r as badAnswer, s as fieldsOf, st as allOf, u as systemCode, vt as takeWithin } from "./shared.js";
import { a as BROKEN_LINK, c as pathWithin, d as SMALL_BYTES, f as hashFile, h as digestOf, i as findFiles, l as toPosix, m as readSmallFile, n as findStaleTimes, o as NOT_REGULAR, p as openFile, s as isWithin, t as describeUnseen, u as READ_FLAGS } from "./shared-sync-upload-stats-monitor-monitor-stop-monitor-post.js";
import { n as require_form_data, t as pLimit } from "./vendor-sync-upload.js";
import { hash, randomUUID } from "node:crypto";
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path, { posix } from "node:path";

// src/agent/body.ts
var import_form_data = /* @__PURE__ */ __toESM(require_form_data(), 1);
/** Creates a form with a random boundary, which no content can contain. */
function newForm() {
	const boundary = `----sandboxsync${crypto.randomUUID().replaceAll("-", "")}`;
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	return {
		contentType: `multipart/form-data; boundary=${boundary}`,
		tail,
		head(filename) {
			const form = new import_form_data.default();
			form.setBoundary(boundary);
			const options = {
				filepath: filename,
				contentType: "application/octet-stream"
			};
			form.append("file", "", options);
			return form.getBuffer().subarray(0, -tail.length);
		}
	};
}
const LINE_BREAK = Buffer.from("\r\n");
const BATCH_BYTES = 1048576;
const FRAME_BYTES = 256;
/** The most bytes that a file takes in a batch; undefined if it must go alone. */
function batchBytes({ target, size }) {
	if (size > 262144 || !isPlainFilename(target)) return void 0;
	return FRAME_BYTES + target.length + size + 1;
}
function isPlainFilename(filename) {
	if (!/^[!-~](?:[ -~]*[!-~])?$/.test(filename)) return false;
	return !/["%;\\]|\/\/|(^|\/)\.{1,2}(\/|$)/.test(filename);
}
/** Opens one file as a body. @throws AgentError if it cannot be read */
async function openBody(file, form, isHashed) {
	const body = file.size <= 262144 ? readBatch([file], form) : void 0;
	return body?.parts.length === 1 ? body : streamFile(file, form, isHashed);
}
/** Reads small files into one body. Files that cannot be read, or no longer fit, are not in it. */
function readBatch(files, form) {
	const framed = files.map((file) => ({
		file,
		head: form.head(file.target)
	}));
	const framing = framed.reduce((sum, { head }) => sum + head.length + LINE_BREAK.length, 0);
	const content = files.reduce((sum, { size }) => sum + size + 1, 0);
	const buffer = Buffer.allocUnsafeSlow(framing + content + form.tail.length);
	const parts = [];
	let end = 0;
	for (const { file, head } of framed) {
		const start = parts.length > 0 ? end + LINE_BREAK.copy(buffer, end) : end;
		const offset = start + head.copy(buffer, start);
		const size = readSmallFile(file, buffer.subarray(0, -form.tail.length), offset);
		if (size === void 0) continue;
		end = offset + size;
		const stored = buffer.subarray(offset, end);
		parts.push({
			file,
			size,
			sha256: () => hash("sha256", stored)
		});
	}
	end += form.tail.copy(buffer, end);
	return {
		parts,
		chunks: slicesOf(buffer.subarray(0, end)),
		length: end,
		close: async () => {}
	};
}
async function streamFile(file, form, isHashed) {
	const opened = await openFile(file, isHashed);
	const head = form.head(file.target);
	const { size, sha256, close } = opened;
	async function* chunks() {
		yield head;
		yield* opened.chunks();
		yield form.tail;
	}
	const length = head.length + size + form.tail.length;
	return {
		parts: [{
			file,
			size,
			sha256
		}],
		chunks: chunks(),
		length,
		close
	};
}
const SLICE_BYTES = 65536;
async function* slicesOf(buffer) {
	for (let start = 0; start < buffer.length; start += SLICE_BYTES) yield buffer.subarray(start, start + SLICE_BYTES);
}

// src/agent/upload.ts
/** Uploads over a client. `isHashed` says whether to hash what is sent. */
function uploader(client, inputs, isHashed) {
	const form = newForm();
	return async (files, onSent) => {
		const [file, ...others] = files;
		if (file === void 0) return /* @__PURE__ */ new Map();
		const isBatch = others.length > 0;
		const body = isBatch ? readBatch(files, form) : await openBody(file, form, isHashed);
		if (body.parts.length === 0) return /* @__PURE__ */ new Map();
		try {
			const paths = storedPaths(await client.send({
				method: "POST",
				path: requestPath(inputs, isBatch ? void 0 : file.target),
				headers: {
					"Content-Type": form.contentType,
					"Content-Length": String(body.length)
				},
				body: body.chunks,
				onSent
			}), body.parts.map((part) => part.file.target));
			return new Map(body.parts.map(({ file: sent, size, sha256 }, index) => {
				const path = client.redact(paths[index] ?? "");
				return [sent, isHashed ? {
					path,
					size,
					sha256: sha256()
				} : {
					path,
					size
				}];
			}));
		} catch (error) {
			if (error instanceof AgentError && error.kind === "bad-answer") client.reconnect();
			throw error;
		} finally {
			await body.close();
		}
	};
}
/** The path and query of an upload; only that of a single file names its target. */
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
const MAX_HOME_BYTES = 1024;
/** Where an answer says that files were stored, in the order of `targets`. @throws AgentError */
function storedPaths(answer, targets) {
	if (answer.isEarly) {
		const { label, status } = answer;
		const message = `${label} answered ${status} before the whole file was sent, so it cannot have been stored.`;
		throw new AgentError("connection", message, { status });
	}
	const body = parseAnswer(answer);
	const entries = Array.isArray(body) ? body : [body];
	if (entries.length !== targets.length) throw badAnswer(answer, `it lists ${entries.length} files instead of ${targets.length}`);
	return targets.map((target, index) => storedPath(entries[index], target, answer));
}
function storedPath(entry, target, answer) {
	if (typeof entry !== "object" || entry === null) throw badAnswer(answer, "its entry is no object");
	const { path, name, type } = fieldsOf(entry);
	if (type !== "file") throw badAnswer(answer, "its entry is not of type \"file\"");
	if (name !== posix.basename(target)) throw badAnswer(answer, "its entry names another file");
	if (typeof path !== "string" || path === "") throw badAnswer(answer, "its entry has no path");
	if (!leadsTo(path, target)) throw badAnswer(answer, "its entry has the path of another target");
	if (Buffer.byteLength(path) <= Buffer.byteLength(target) + MAX_HOME_BYTES) return path;
	throw badAnswer(answer, `its entry has a path more than ${MAX_HOME_BYTES} bytes longer than the target`);
}
/** A relative target may come back absolute, below a home directory. */
function leadsTo(stored, target) {
	return stored === target || !posix.isAbsolute(target) && stored.endsWith(`/${target}`);
}

// src/upload/changes.ts
/**
* Compares files with what a state says of their targets. A file that another upload of this run
* may overwrite counts as changed.
*/
async function findChanges(files, rows, cancel) {
	const byTarget = new Map([...rows].map(([path, row]) => [row.target, {
		path,
		row
	}]));
	const unchanged = /* @__PURE__ */ new Map();
	for (const file of files) {
		const known = byTarget.get(file.target);
		if (known !== void 0 && await isSame(file, known.row, cancel)) unchanged.set(file, {
			path: known.path,
			sha256: known.row.sha256
		});
	}
	let before;
	do {
		before = unchanged.size;
		const isTouched = touchedBy(files.filter((file) => !unchanged.has(file)).map(({ target }) => target), []);
		for (const [file, { path }] of unchanged) if (isTouched(path, file.target)) unchanged.delete(file);
	} while (unchanged.size < before);
	const targets = files.map(({ target }) => target);
	return {
		unchanged,
		orphaned: cancel.aborted ? [] : [...withoutTouched(rows, targets).keys()]
	};
}
/** Adds uploads, and drops rows that an upload, even a failed one, may have overwritten. */
function rowsAfter(rows, results) {
	const targets = results.filter(({ status }) => status === "uploaded" || status === "failed").map(({ file }) => file.target);
	const isRespelled = respelledBy(targets);
	const uploaded = results.flatMap((result) => {
		if (result.status !== "uploaded" || result.sha256 === void 0) return [];
		const { file, path, size, sha256 } = result;
		return [[path, {
			target: file.target,
			size,
			sha256
		}]];
	});
	const paths = uploaded.map(([path]) => path);
	const sure = uploaded.filter(([, { target }]) => !isRespelled(target));
	return new Map([...withoutTouched(rows, targets, paths), ...sure]);
}
/** The rows that stay true while files are sent to some targets, and arrive at some paths. */
function withoutTouched(rows, targets, paths = []) {
	const isTouched = touchedBy(targets, paths);
	return new Map([...rows].filter(([path, { target }]) => !isTouched(path, target)));
}
async function isSame(file, row, cancel) {
	return row.size === file.size && await hashFile(file, cancel) === row.sha256;
}
/** Tells which paths and targets may be overwritten by uploads to these targets and paths. */
function touchedBy(targets, paths) {
	const all = new Set(targets);
	const places = /* @__PURE__ */ new Set([...paths, ...targets.filter((target) => posix.isAbsolute(target))]);
	const isRespelled = respelledBy(targets);
	return (path, target) => places.has(path) || all.has(target) || isRespelled(target);
}
/**
* Tells which targets may be others in another spelling: a relative one lies below an unknown home
* directory, so it may be any absolute one that ends with it.
*/
function respelledBy(targets) {
	const all = new Set(targets);
	const endings = new Set(targets.filter((target) => posix.isAbsolute(target)).flatMap(endingsOf));
	return (target) => posix.isAbsolute(target) ? endingsOf(target).some((ending) => all.has(ending)) : endings.has(target);
}
/** The relative targets that an absolute one ends with: of `/a/b/c`, `a/b/c`, `b/c` and `c`. */
function endingsOf(target) {
	const parts = target.split("/").slice(1);
	return parts.map((_, index) => parts.slice(index).join("/"));
}

// src/files/rename-file.ts
const ATTEMPTS = 5;
const PAUSE_MS = 50;
/** Renames a file; on Windows, a virus scanner that looks at it can make that fail for a moment. */
function renameFile(from, to) {
	for (let attempt = 1;; attempt += 1) try {
		renameSync(from, to);
		return;
	} catch (error) {
		if (![
			"EPERM",
			"EBUSY",
			"EACCES"
		].includes(systemCode(error) ?? "") || attempt === ATTEMPTS) throw error;
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
	}
}

// src/upload/state-file.ts
const MAX_BYTES = 67108864;
const SCHEMA = 2;
/** @throws InputError if the file is no state, or cannot be read */
function readState(inputs, workspace) {
	if (inputs.stateFile === "") return void 0;
	const file = path.resolve(workspace, inputs.stateFile);
	checkPlace(file, workspace);
	const text = readText(file);
	const scope = scopeOf(inputs);
	const rows = text === void 0 ? /* @__PURE__ */ new Map() : decodeState(text, scope);
	if (rows !== void 0) return {
		file,
		rows,
		text,
		scope,
		warnings: []
	};
	const warning = `The state file ${quote(file)} is damaged, of another version, or of another sandbox, service, user, shard or headers. It is ignored, and every file is sent.`;
	return {
		file,
		rows: /* @__PURE__ */ new Map(),
		text,
		scope,
		warnings: [warning]
	};
}
/**
* Removes the file, so that the next run sends everything again if this process is killed.
* @throws InputError if another step changed the file meanwhile, or it cannot be removed
*/
function claimState({ file, text }) {
	if (readText(file) !== text) throw stateError(file, "was changed by another step that runs at the same time");
	try {
		mkdirSync(path.dirname(file), { recursive: true });
		rmSync(file, { force: true });
	} catch (error) {
		throw systemError(file, error, "replaced");
	}
}
/** Writes rows to the file that was claimed. Returns a warning if it cannot be written. */
function writeState({ file, scope }, rows) {
	try {
		if (!existsSync(file)) {
			writeWhole(file, encodeState(scope, rows));
			return [];
		}
		rmSync(file);
		return [`Another step used the state file ${quote(file)} at the same time. It was removed, so the next run sends every file.`];
	} catch (error) {
		return [`The state file could not be written, so the next run sends every file: ${error instanceof Error ? error.message : String(error)}.`];
	}
}
/** Secret values are left out, since they change from run to run. */
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
/** A build could contain a link that leads out; an input that leads out is the user's choice. */
function checkPlace(file, workspace) {
	if (pathWithin(workspace, file) === void 0) return;
	let folder = path.dirname(file);
	while (!existsSync(folder)) folder = path.dirname(folder);
	try {
		if (pathWithin(realpathSync.native(workspace), realpathSync.native(folder)) === void 0) throw stateError(file, "is behind a link that leads out of the workspace");
	} catch (error) {
		throw systemError(file, error, "read");
	}
}
/** Undefined if there is no file. @throws InputError if it is something other than a state */
function readText(file) {
	let descriptor;
	try {
		descriptor = openSync(file, READ_FLAGS);
		const stat = fstatSync(descriptor);
		if (!stat.isFile()) throw stateError(file, "is not a regular file");
		if (stat.size > MAX_BYTES) throw stateError(file, `is longer than ${MAX_BYTES / 1024 ** 2} MiB, so it is no state`);
		const text = readFileSync(descriptor, "utf8");
		if (/^\{"schema":\d+,"(scope|sandboxId)":/.test(text)) return text;
		throw stateError(file, "contains something other than the state of uploads");
	} catch (error) {
		if (systemCode(error) === "ENOENT") return void 0;
		throw systemError(file, error, "read");
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}
/** Writes a temporary file and renames it, so that nobody reads half a state. */
function writeWhole(file, text) {
	const { dir, base } = path.parse(file);
	const fresh = path.join(dir, `.${base}.${randomUUID()}.tmp`);
	try {
		writeFileSync(fresh, text, {
			flag: "wx",
			mode: 384
		});
		renameFile(fresh, file);
	} finally {
		rmSync(fresh, { force: true });
	}
}
/** A row a line, sorted by path, so that the same state is the same text. */
function encodeState(scope, rows) {
	const head = `{"schema":${SCHEMA},"scope":"${scope}","files":[\n`;
	const tail = "\n]}\n";
	const lines = [...rows].sort(([one], [other]) => one < other ? -1 : 1).map(([place, { target, size, sha256 }]) => JSON.stringify({
		path: place,
		target,
		size,
		sha256
	}));
	const room = MAX_BYTES - Buffer.byteLength(head + tail);
	return `${head}${takeWithin(lines, room, (line) => Buffer.byteLength(line) + 2).join(",\n")}${tail}`;
}
/** The rows of a state of the same scope; undefined for any other. */
function decodeState(text, scope) {
	const { files, ...state } = parseFieldsOf(text);
	if (state["schema"] !== SCHEMA || state["scope"] !== scope) return void 0;
	if (!Array.isArray(files)) return void 0;
	const rows = /* @__PURE__ */ new Map();
	for (const row of files) {
		const { path: place, target, size, sha256 } = fieldsOf(row);
		if (typeof place !== "string" || typeof target !== "string" || rows.has(place)) return void 0;
		if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return void 0;
		if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256)) return void 0;
		rows.set(place, {
			target,
			size,
			sha256
		});
	}
	return rows;
}
function systemError(file, error, verb) {
	const code = systemCode(error);
	return code === void 0 ? error : stateError(file, `cannot be ${verb} (${code})`);
}
function stateError(file, why) {
	const message = `${quote(file)} ${why}. Name a file that only this step writes.`;
	return inputError("state-file", message, ".sandbox-sync/state.json");
}

// src/upload/batches.ts
/**
* Parts files into requests: large ones alone, the largest first, then small ones in plan order, up
* to `filesPerRequest` and a megabyte together. `inPlanOrder` keeps the order of large ones too.
*/
function batchesOf(files, { filesPerRequest, inPlanOrder }) {
	const isLarge = ({ size }) => size > SMALL_BYTES;
	const largest = files.filter(isLarge).sort((one, other) => other.size - one.size);
	const small = files.filter((file) => !isLarge(file));
	const ordered = inPlanOrder ? files : [...largest, ...small];
	const batches = [];
	let open = [];
	let room = 0;
	for (const file of ordered) {
		const bytes = batchBytes(file);
		if (bytes === void 0 || filesPerRequest === 1) {
			batches.push([file]);
			continue;
		}
		if (open.length === 0 || open.length === filesPerRequest || bytes > room) {
			open = [];
			room = BATCH_BYTES;
			batches.push(open);
		}
		open.push(file);
		room -= bytes;
	}
	return batches;
}

// src/upload/concurrency.ts
const START = 8;
const MAX = 24;
/** Limits requests. With `auto`, the limit grows with successes, and halves at a sign of overload. */
function adaptConcurrency(input, onChange) {
	if (input !== "auto") return {
		limit: pLimit(input),
		begin: () => () => {}
	};
	const limit = pLimit(START);
	const state = {
		halvings: 0,
		successes: 0
	};
	function change(wanted, reason) {
		const from = limit.concurrency;
		const to = Math.min(MAX, Math.max(1, wanted));
		state.successes = 0;
		if (to === from) return;
		limit.concurrency = to;
		onChange({
			from,
			to,
			reason
		});
	}
	function succeed() {
		state.successes += 1;
		const needed = state.halvings === 0 ? 1 : limit.concurrency;
		if (state.successes >= needed) change(limit.concurrency + 1, "requests succeed");
	}
	return {
		limit,
		begin() {
			const begun = state.halvings;
			return (error) => {
				if (error === void 0) succeed();
				else if (isOverload(error) && begun === state.halvings) {
					state.halvings += 1;
					change(Math.floor(limit.concurrency / 2), error.message);
				}
			};
		}
	};
}
function isOverload({ kind, status }) {
	return kind === "connection" || kind === "unreachable" || kind === "stalled" || status === 429 || status === 503;
}

// src/upload/give-up.ts
/** An outage of this length is survived, in milliseconds. */
const GIVE_UP_MS = 6e4;
/**
* Gives up once a file has used up its attempts, another one that was begun after that has too, and
* nothing has arrived for a minute. Neither a few bad files among good ones, nor the requests of
* one moment that meet the same outage, add up to that.
*/
function watchForGivingUp(clock) {
	const state = {
		lastArrival: clock(),
		firstLoss: Number.POSITIVE_INFINITY
	};
	return {
		arrived() {
			state.lastArrival = clock();
			state.firstLoss = Number.POSITIVE_INFINITY;
		},
		/** Reports a lost request. True if the transfer is to be given up. */
		lost(error, begunAt) {
			if (!error.isRetryable || error.kind === "file-changed") return false;
			if (begunAt >= state.firstLoss && clock() - state.lastArrival >= 6e4) return true;
			state.firstLoss = Math.min(state.firstLoss, clock());
			return false;
		}
	};
}

// src/upload/send.ts
function startSending(options) {
	const { cancel, clock, concurrency, onEvent } = options;
	const ending = new AbortController();
	return {
		...options,
		results: /* @__PURE__ */ new Map(),
		requests: adaptConcurrency(concurrency, (change) => onEvent({
			kind: "concurrency",
			...change
		})),
		givingUp: watchForGivingUp(clock),
		stop: AbortSignal.any([cancel, ending.signal]),
		end: (reason) => ending.abort(reason),
		state: {
			isBatching: true,
			isMisplaced: false,
			pausedUntil: 0
		}
	};
}
/** Sends all batches. Throws the first bug, once every request has ended. */
async function sendAll(sending, batches) {
	const bug = (await Promise.allSettled(batches.map((batch) => sendBatch(sending, batch)))).find((end) => end.status === "rejected");
	if (bug !== void 0) throw bug.reason;
}
/** Sends a batch; its files go alone if the agent does not take them together. */
async function sendBatch(sending, batch) {
	const { state, requests } = sending;
	const isSplit = () => batch.length > 1 && !state.isBatching;
	await sendAll(sending, (await requests.limit(() => isSplit() ? batch : send(sending, batch))).map((file) => [file]));
}
/** Sends files with one request, and its retries. Returns the files that are to go alone. */
async function send(sending, files) {
	const { results, state, clock, sleep, onEvent } = sending;
	if (!await waitOutPause(sending)) {
		settleUnsent(sending, files);
		return [];
	}
	if (state.isMisplaced) return [];
	const begunAt = clock();
	const spent = Math.max(...files.map((file) => attemptsOf(results.get(file))));
	const left = Math.max(0, sending.retries - spent);
	const outcome = await withRetries(() => sendOnce(sending, files), {
		...sending,
		retries: files.length > 1 ? Math.floor(left / 2) : left,
		sleep: async (ms, stop) => await sleep(ms, stop) && waitOutPause(sending),
		onRetry: (retry) => {
			const delayMs = Math.max(retry.delayMs, pauseLeft(sending));
			onEvent({
				kind: "retry",
				files,
				retry: {
					...retry,
					delayMs
				}
			});
		}
	});
	const sent = {
		attempts: spent + outcome.attempts,
		durationMs: Math.round(clock() - begunAt)
	};
	if ("value" in outcome) return settleStored(sending, files, {
		...sent,
		stored: outcome.value
	});
	return settleFailed(sending, files, {
		...sent,
		error: outcome.error,
		begunAt
	});
}
/** Waits out the pause that the agent asked for. False if the transfer ended meanwhile. */
async function waitOutPause(sending) {
	const { sleep, stop } = sending;
	for (let ms = pauseLeft(sending); ms > 0 && !stop.aborted; ms = pauseLeft(sending)) await sleep(ms, stop);
	return !stop.aborted;
}
/** In milliseconds; 0 or less if there is no pause. */
function pauseLeft({ state, clock }) {
	return state.pausedUntil - clock();
}
async function sendOnce(sending, files) {
	const { requests, upload, onEvent, end, state, clock } = sending;
	const [file] = files;
	const ended = requests.begin();
	try {
		const stored = await upload(files, (bytes) => {
			if (file !== void 0) onEvent({
				kind: "sent",
				file,
				bytes
			});
		});
		ended();
		return stored;
	} catch (error) {
		if (!(error instanceof AgentError)) {
			end(error);
			throw error;
		}
		ended(error);
		const pauseMs = error.isRetryable ? error.retryAfterMs ?? 0 : 0;
		state.pausedUntil = Math.max(state.pausedUntil, clock() + pauseMs);
		if (files.length === 1 || !MAY_MISPLACE.has(error.kind)) throw error;
		throw new AgentError("misplaced", error.message, {
			status: error.status,
			cause: error
		});
	}
}
const MAY_MISPLACE = /* @__PURE__ */ new Set([
	"bad-answer",
	"rejected",
	"not-a-directory"
]);
function settleStored(sending, files, { stored, ...sent }) {
	sending.givingUp.arrived();
	return files.filter((file) => {
		const own = stored.get(file);
		if (own !== void 0) settle(sending, {
			status: "uploaded",
			file,
			...sent,
			...own
		});
		return own === void 0;
	});
}
function settleFailed(sending, files, { error, begunAt, ...sent }) {
	const { state, results, onEvent, end } = sending;
	onEvent({
		kind: "failed",
		files,
		error
	});
	const failures = files.map((file) => ({
		status: "failed",
		file,
		...sent,
		error: failureOf(error)
	}));
	if (files.length > 1 && !isFatal(error)) {
		if (isRefusal(error)) {
			state.isBatching = false;
			onEvent({
				kind: "batch-refused",
				files
			});
		}
		state.isMisplaced ||= error.kind === "misplaced";
		for (const failure of failures) results.set(failure.file, failure);
		if (state.isMisplaced) return [];
		if (!error.isRetryable || sent.attempts <= sending.retries) {
			if (!isRefusal(error)) giveUpIfLost(sending, error, begunAt);
			return files;
		}
	}
	for (const failure of failures) settle(sending, failure);
	if (isFatal(error)) end(error);
	giveUpIfLost(sending, error, begunAt);
	return [];
}
/** Whether a failure may be about the batch. An overload is not. */
function isRefusal({ status }) {
	return status !== 429 && status !== 503;
}
function giveUpIfLost({ givingUp, end }, error, begunAt) {
	if (!givingUp.lost(error, begunAt)) return;
	end(`nothing has arrived for ${formatDuration(GIVE_UP_MS)}; the last failure: ${error.message}`);
}
/** Files that have failed in a batch stay failed if the transfer ends before they went alone. */
function settleUnsent(sending, files) {
	for (const file of files) {
		const result = sending.results.get(file);
		if (result !== void 0) settle(sending, result);
	}
}
function settle({ results, onEvent }, result) {
	results.set(result.file, result);
	onEvent({
		kind: "settled",
		result
	});
}
function attemptsOf(result) {
	return result?.status === "failed" ? result.attempts : 0;
}
/** Why the transfer was given up; undefined if it was not. */
function whyGivenUp({ stop }) {
	return typeof stop.reason === "string" ? stop.reason : void 0;
}
/** Why nothing more was sent, for the files that were not attempted. */
function reasonToStop({ cancel, stop }) {
	if (cancel.aborted) return "the job was cancelled";
	const reason = stop.reason;
	return reason instanceof AgentError ? `the transfer had ended: ${reason.message}` : "the transfer was given up";
}

// src/upload/transfer.ts
/** Uploads every file that has changed. Throws the first bug, once every request has ended. */
async function transfer(files, options) {
	const { unchanged, concurrency, filesPerRequest, onEvent } = options;
	const sending = startSending(options);
	const { results } = sending;
	for (const [file, known] of unchanged) results.set(file, {
		status: "unchanged",
		file,
		...known
	});
	const changed = files.filter((file) => !unchanged.has(file));
	const batches = batchesOf(changed, {
		filesPerRequest,
		inPlanOrder: concurrency === 1
	});
	onEvent({
		kind: "start",
		files: changed
	});
	const isMisplaced = await sendBatches(sending, batches, files).finally(() => onEvent({ kind: "end" }));
	const reason = reasonToStop(sending);
	return {
		files: failOverwritten(files.map((file) => results.get(file) ?? {
			status: "not-attempted",
			file,
			reason
		})),
		gaveUp: whyGivenUp(sending),
		isMisplaced
	};
}
/** Sends batches. If a file may be in a wrong place, sends every file again, alone, and says so. */
async function sendBatches(sending, batches, files) {
	const { results, state, onEvent } = sending;
	await sendAll(sending, batches);
	if (!state.isMisplaced) return false;
	for (const [file, { status }] of results) if (status !== "failed") results.delete(file);
	onEvent({
		kind: "start",
		files
	});
	state.isMisplaced = false;
	await sendAll(sending, files.map((file) => [file]));
	return true;
}
const MAX_NAMED = 10;
/** Fails files that the agent stored at one place, also in an earlier run: only one is there. */
function failOverwritten(results) {
	const byPath = Map.groupBy(results, (result) => "path" in result ? result.path : "");
	return results.map((result) => {
		if (!("path" in result)) return result;
		const { file, path } = result;
		const same = byPath.get(path) ?? [];
		if (same.length < 2) return result;
		const message = `${abbreviate(same, MAX_NAMED, {
			show: ({ file }) => file.source,
			more: (rest) => `${rest} more`
		}).join(" and ")} were stored at the same place, ${path}: only one of them is there.`;
		const { attempts, durationMs } = result.status === "uploaded" ? result : {
			attempts: 0,
			durationMs: 0
		};
		return {
			status: "failed",
			file,
			attempts,
			durationMs,
			error: failureOf(new AgentError("overwritten", message))
		};
	});
}

// src/run/measure.ts
/** Waits for the sandbox, samples and judges it. Failures are in the report. */
async function stats(inputs, context) {
	const { sandboxId, baseUrl } = inputs;
	const { cancel } = context;
	const gate = gateOf(inputs, []);
	const base = {
		...EMPTY_REPORT,
		task: "stats",
		sandboxId,
		baseUrl,
		gate
	};
	const client = openClient(inputs, context);
	try {
		const waitProblem = await waitFor(inputs, client, context);
		if (waitProblem !== void 0) return {
			...base,
			errors: [waitProblem],
			cancelled: cancel.aborted
		};
		const measured = await measure(inputs, client, context);
		return {
			...base,
			...measured,
			cancelled: cancel.aborted
		};
	} finally {
		await client.close();
	}
}
/** Waits until the conditions of `wait-until` hold. Returns why the run cannot go on, if so. */
async function waitFor(inputs, client, context) {
	const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval: intervalMs } = inputs;
	const { sleep, cancel, clock, observer } = context;
	if (conditions === void 0) return void 0;
	observer.waiting(inputs);
	const wait = await waitUntil(conditions, () => sample(inputs, client, context), {
		intervalMs,
		timeoutMs,
		onSample: (state) => observer.waited(state)
	}, {
		sleep,
		stop: cancel,
		clock
	});
	return wait.held ? void 0 : waitError(wait);
}
/** Finds out before the upload if `fail-if` can never be judged. */
async function checkGateIsJudgeable(inputs, client, context) {
	if (!isGated(inputs)) return {
		problem: void 0,
		sample: void 0
	};
	const sampled = await tryToSample(() => sample(inputs, client, context));
	if (sampled instanceof AgentError) return {
		problem: void 0,
		sample: void 0
	};
	const { figures } = sampled;
	const taken = {
		at: context.now(),
		figures
	};
	const unjudged = findUnmet(inputs.failIf, figures).filter(({ holds }) => holds === void 0);
	if (unjudged.length === 0) return {
		problem: void 0,
		sample: taken
	};
	const breaches = unjudged.map((judgement) => ({
		...judgement,
		level: "fail"
	}));
	const error = {
		message: "The gate cannot be judged, so nothing was uploaded.",
		details: unjudged.map(judgementLine)
	};
	return {
		problem: {
			gate: {
				...gateOf(inputs, []),
				breaches
			},
			errors: [error]
		},
		sample: taken
	};
}
/** Takes samples and judges them. The gate fails if they cannot be had, or are stale. */
async function measure(inputs, client, context, previous) {
	const { samples: count, sampleInterval: intervalMs, retries } = inputs;
	const { sleep, cancel, now, observer } = context;
	const read = () => withRetries(() => sample(inputs, client, context), {
		...context,
		retries,
		stop: cancel,
		onRetry: (retry) => observer.event({
			kind: "retry",
			files: [],
			retry
		})
	});
	const taken = await takeSamples(read, {
		count,
		intervalMs,
		previous
	}, {
		sleep,
		stop: cancel,
		now
	});
	const { samples, error } = taken;
	if (error !== void 0) observer.event({
		kind: "failed",
		files: [],
		error
	});
	const before = taken.previous === void 0 ? [] : [taken.previous];
	const stale = findStaleTimes([...before, ...samples]).map(describeUnseen);
	const unseen = reportUnseen(stale, inputs);
	const isBlind = samples.length < count || stale.length > 0;
	return {
		samples,
		stats: taken.stats,
		gate: gateOf(inputs, samples.map(({ figures }) => figures), isBlind),
		errors: [...error === void 0 ? [] : [reportError(error)], ...unseen.errors],
		warnings: [...taken.warnings, ...unseen.warnings]
	};
}
async function sample(inputs, client, context) {
	const { statsPath, failIf, warnIf, waitUntil: awaited = [] } = inputs;
	const sampled = await readStats(client, statsPath, metricsOf(failIf, warnIf, awaited));
	const shown = [...sampled.figures].map(([name, figure]) => `${name} ${formatFigure(name, figure)}`);
	context.debug(`Sample: ${shown.join(", ")}`);
	return sampled;
}

// src/files/unmatched.ts
/** Says why a pattern matches no file: the likeliest reason, or how far its path exists. */
function explainNoMatch(match, directory, nameOf) {
	const { hidden, skipped } = match;
	const { pattern } = match.pattern;
	const [first] = skipped;
	const found = `${quote(pattern)} matches no files to upload`;
	if (hidden.length > 0) return `${found} (${hidden.length} with a name that starts with a dot; set include-hidden-files: true to include them).`;
	if (first !== void 0) return `${found} (${skipped.length} skipped, such as ${nameOf(first.path)}: ${first.reason}).`;
	const slip = slipIn(pattern, directory);
	if (slip !== void 0) return `${found} (${slip}).`;
	return `${found} (${extentOf(match, directory)}). Did the build run before this step? Is working-directory right?`;
}
const MAX_NAMES = 10;
const PATTERN_SLIPS = [
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
		slip: /[!@?+*]\(.*\)/,
		advice: "parentheses have no meaning in patterns; exclude files with a ! line of their own"
	},
	{
		slip: /\{.*\}/,
		advice: "braces have no meaning in patterns; write one line for each"
	},
	{
		slip: /[;|]/,
		advice: "write each pattern on its own line, and => before a target"
	},
	{
		slip: /^[\^]|\.\+|[^/]\$$/,
		advice: "it is a regular expression; patterns use *, as in dist/**/*.js"
	},
	{
		slip: /^(:!|-)/,
		advice: "a line that excludes files begins with !"
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
		slip: /\\\./,
		advice: "it is a regular expression; patterns use *, as in dist/**/*.js"
	}, {
		slip: /\\/,
		advice: "write / instead of \\, which escapes the next character"
	}] : []
];
function slipIn(pattern, directory) {
	const slip = PATTERN_SLIPS.find((each) => each.slip.test(pattern));
	if (slip !== void 0) return slip.advice;
	const [below = ""] = /^\/[^/*?[]+/.exec(pattern) ?? [];
	if (below !== "" && !existsSync(below) && existsSync(path.join(directory, below))) return `a / at its start means the root of the file system; write ${pattern.slice(1)}`;
	const [first = "", ...others] = pattern.split(/\s+/);
	const isWhole = /[*?]/.test(first) || existsSync(path.resolve(directory, first));
	return others.length > 0 && isWhole ? "several patterns on one line; if the workflow has them on several, write files: | instead of files: >" : void 0;
}
/** How far the root of a pattern exists, and what is there. */
function extentOf({ root, pattern: { pattern } }, directory) {
	let missing = "";
	let at = root;
	while (!existsSync(at)) {
		const above = path.dirname(at);
		if (above === at) return `${quote(at)} does not exist`;
		missing = path.basename(at);
		at = above;
	}
	const place = at === directory ? "the working directory" : quote(toPosix(pathWithin(directory, at) ?? at));
	const isSpelledOut = missing === "" && !/[*?]/.test(pattern);
	if (!statSync(at).isDirectory()) return `${place} is ${isSpelledOut ? "excluded by a ! line" : "not a folder"}`;
	const names = namesIn(at);
	if (names.length === 0) return `${place} is empty`;
	const other = names.find((name) => name.toLowerCase() === missing.toLowerCase());
	if (other !== void 0) return `there is no ${quote(missing)}, only ${quote(other)}: case matters`;
	const some = abbreviate(names, MAX_NAMES, {
		show: (name) => visibleCut(name, 100),
		more: (rest) => `${rest} more`
	});
	const lacks = missing === "" ? "nothing in it matches, or a ! line excludes it" : `there is no ${quote(missing)} in it`;
	return `${place} exists and contains ${some.join(", ")}; ${lacks}`;
}
function namesIn(folder) {
	try {
		return readdirSync(folder).sort();
	} catch {
		return [];
	}
}

// src/files/plan.ts
const MAX_MESSAGES = 10;
/**
* Decides where each file goes: the fixed part of its pattern is dropped. @throws InputError for
* patterns without a match, names that cannot be used, and two files for one place.
*/
function planFiles(matches, options) {
	const { workspace, workingDirectory, ifNoFilesFound, redact } = options;
	const nameOf = (file) => toPosix(pathWithin(workspace, file) ?? file);
	const directory = path.resolve(workspace, workingDirectory);
	const { files, conflicts } = byTarget(matches.flatMap(({ files, pattern }) => files.map(({ path: file, relative, ...rest }) => {
		const target = targetOf({
			path: file,
			relative
		}, pattern.target, options.target);
		return {
			...rest,
			source: nameOf(file),
			target
		};
	})));
	const unique = (entries) => uniqueEntries(entries, nameOf);
	const skipped = unique(matches.flatMap((match) => match.skipped));
	const hidden = unique(matches.flatMap((match) => match.hidden));
	const unmatched = (ifNoFilesFound === "ignore" ? [] : matches.filter(({ files: all }) => all.length === 0)).map((match) => explainNoMatch(match, directory, nameOf));
	const entries = [...skipped, ...hidden];
	const problems = [
		...ifNoFilesFound === "error" ? unmatched : [],
		...conflicts,
		...unwritable(files),
		...secretNames([...files.map((file) => file.source), ...entries.map((each) => each.path)], redact)
	];
	if (problems.length > 0) throw new InputError(problems.map((message) => ({
		input: "files",
		message
	})));
	const warnings = [...ifNoFilesFound === "warn" ? unmatched : [], ...oddities(skipped)];
	return {
		files,
		skipped,
		hidden: withoutTaken(hidden, files),
		warnings: warnings.map(redact)
	};
}
/**
* The files of one shard, in plan order: the same on every machine, whatever the order in which
* files were found. The weights of the shards differ by one file at most.
*/
function shardOf(files, { index, count }) {
	const loads = Array.from({ length: count }, () => 0);
	const own = /* @__PURE__ */ new Set();
	for (const file of files.toSorted(heaviestFirst)) {
		const lightest = loads.indexOf(Math.min(...loads));
		loads[lightest] = (loads[lightest] ?? 0) + file.size + REQUEST_BYTES;
		if (lightest === index - 1) own.add(file);
	}
	return files.filter((file) => own.has(file));
}
const REQUEST_BYTES = 1024;
function heaviestFirst(one, other) {
	if (one.size !== other.size) return other.size - one.size;
	return one.target < other.target ? -1 : 1;
}
/** Two patterns may match the same entry. */
function uniqueEntries(entries, nameOf) {
	return [...new Map(entries.map((entry) => [entry.path, entry])).values()].map((entry) => ({
		...entry,
		path: nameOf(entry.path)
	}));
}
/** The hidden entries of which no pattern takes anything. */
function withoutTaken(hidden, files) {
	const taken = /* @__PURE__ */ new Set();
	for (const { source } of hidden.length === 0 ? [] : files) for (let at = source; !taken.has(at); at = path.posix.dirname(at)) taken.add(at);
	return hidden.filter((entry) => !taken.has(entry.path));
}
function targetOf({ path: file, relative }, own, general) {
	const target = own !== void 0 && path.posix.isAbsolute(own) ? own : path.posix.join(general, own ?? "");
	if (!(own === void 0 || relative !== "" || /(^|\/)\.?$/.test(own))) return path.posix.normalize(target);
	return path.posix.join(target, relative === "" ? path.basename(file) : relative);
}
/** The files, each target once, and messages for targets that two sources claim. */
function byTarget(planned) {
	const owners = /* @__PURE__ */ new Map();
	const conflicts = [];
	for (const file of planned) {
		const owner = owners.get(file.target);
		if (owner === void 0) owners.set(file.target, file);
		else if (owner.realPath !== file.realPath || owner.source.toLowerCase() !== file.source.toLowerCase()) conflicts.push(conflict(owner, file));
	}
	return {
		files: [...owners.values()],
		conflicts: cut([...conflicts, ...nestedTargets(owners)])
	};
}
/** Messages for targets that would be a file and a directory at once. */
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
/** A warning for each kind of entry that nobody asked to skip. */
function oddities(skipped) {
	return [BROKEN_LINK, NOT_REGULAR].flatMap((reason) => {
		const [first, ...others] = skipped.filter((entry) => entry.reason === reason);
		if (first === void 0) return [];
		const more = others.length === 0 ? "," : ` and ${others.length} more, each`;
		return [`Skipped: ${quote(first.path)}${more} ${reason}.`];
	});
}
function unwritable(files) {
	const wrong = files.filter(({ target }) => !target.isWellFormed());
	const why = "has a name that cannot be written as UTF-8. Rename or exclude it.";
	return cut(wrong.map(({ source }) => `${JSON.stringify(source)} ${why}`));
}
function secretNames(names, redact) {
	const wrong = names.filter((name) => redact(name) !== name);
	const why = "has a name that contains the token or another secret. Rename or exclude it.";
	return cut(wrong.map((name) => `${quote(redact(name))} ${why}`));
}
function cut(messages) {
	return abbreviate(messages, MAX_MESSAGES, {
		show: (message) => message,
		more: (rest) => `And ${rest} more of this kind.`
	});
}

// src/run/plan.ts
/** Finds the files, plans where they go, and compares them with the state. @throws InputError */
async function planUpload(inputs, context) {
	const [state, plan] = await allOf([Promise.try(() => readState(inputs, context.workspace)), planFound(inputs, context)]);
	const { shard } = inputs;
	const whole = state === void 0 ? plan : withoutState(plan, state, context.workspace);
	const files = shard === void 0 ? whole.files : shardOf(whole.files, shard);
	const planned = {
		...whole,
		files,
		shard: shard && {
			...shard,
			files: files.length,
			planned: whole.files.length
		},
		warnings: [...whole.warnings, ...state?.warnings ?? []]
	};
	if (state === void 0) return {
		...planned,
		state,
		unchanged: /* @__PURE__ */ new Map(),
		orphaned: []
	};
	const own = new Set(files);
	const elsewhere = whole.files.filter((file) => !own.has(file)).map(({ target }) => target);
	const rows = withoutTouched(state.rows, elsewhere);
	const changes = await findChanges(files, rows, context.cancel);
	return {
		...planned,
		...changes,
		state: {
			...state,
			rows
		}
	};
}
async function planFound(inputs, context) {
	const { workspace, cancel, debug } = context;
	const { matches, warnings } = await findFiles(inputs.files, {
		...inputs,
		workspace,
		cancel
	});
	for (const match of matches) debug(describeMatch(match));
	const ifNoFilesFound = cancel.aborted ? "ignore" : inputs.ifNoFilesFound;
	const redact = redactorOf(inputs.headers, [inputs.token, inputs.signature]);
	const plan = planFiles(matches, {
		...inputs,
		ifNoFilesFound,
		workspace,
		redact
	});
	return {
		...plan,
		warnings: [...plan.warnings, ...warnings]
	};
}
function describeMatch({ pattern: { pattern }, root, files, skipped, hidden }) {
	const counts = `${formatCount(files.length, "file")}, ${skipped.length} skipped, ${hidden.length} hidden`;
	return `Pattern ${JSON.stringify(pattern)}: searched from ${root}, ${counts}`;
}
/** The state file is no part of a build. */
function withoutState(plan, { file }, workspace) {
	const real = realPathOf(file);
	const isState = (place) => place === file || place === real;
	const states = plan.files.filter(({ realPath }) => isState(realPath));
	return {
		...plan,
		files: plan.files.filter(({ realPath }) => !isState(realPath)),
		hidden: plan.hidden.filter((entry) => !isWithin(path.resolve(workspace, entry.path), file)),
		skipped: [...plan.skipped, ...states.map(({ source }) => ({
			path: source,
			reason: "the state file"
		}))]
	};
}
function realPathOf(file) {
	try {
		return realpathSync.native(file);
	} catch {
		return;
	}
}

// src/run/sync.ts
/** Finds the files, plans, and transfers. @throws InputError before anything is sent */
function upload(inputs, context) {
	return withPlan("upload", inputs, context, (run) => sendFiles(run, inputs, context));
}
/**
* Finds the files, plans, waits for the sandbox, transfers, measures and judges.
* @throws InputError before anything is sent
*/
function sync(inputs, context) {
	return withPlan("sync", inputs, context, (run) => sendAndMeasure(run, inputs, context));
}
/** Finds and plans, and unless it is a dry run, goes on with a client. */
async function withPlan(task, inputs, context, goOn) {
	const { observer, cancel, clock } = context;
	const { durations, time } = startTimer(clock);
	const planned = await time("search", () => planUpload(inputs, context));
	const report = {
		...reportOf(planned, inputs),
		task
	};
	observer.planned(planned, inputs);
	const ended = (done) => {
		const digest = digestOf(done.files);
		return {
			...done,
			durations,
			digest,
			cancelled: cancel.aborted
		};
	};
	if (inputs.dryRun) {
		const files = unsent(planned, "skipped", "dry run");
		return ended({
			...report,
			files: inputs.checksums ? await withHashes(files, cancel) : files
		});
	}
	const client = openClient(inputs, context);
	try {
		return ended(await goOn({
			planned,
			report,
			client,
			time
		}));
	} finally {
		await client.close();
	}
}
async function sendAndMeasure(run, inputs, context) {
	const { planned, client, time } = run;
	const report = {
		...run.report,
		gate: gateOf(inputs, [])
	};
	const waitProblem = await time("wait", () => waitFor(inputs, client, context));
	if (waitProblem !== void 0) {
		const files = unsent(planned, "not-attempted", "the sandbox was not ready");
		return {
			...report,
			files,
			errors: [waitProblem]
		};
	}
	const { problem, sample } = await checkGateIsJudgeable(inputs, client, context);
	if (problem !== void 0) {
		const files = unsent(planned, "not-attempted", "the gate cannot be judged");
		return {
			...report,
			...problem,
			files
		};
	}
	const sent = await sendFiles({
		...run,
		report
	}, inputs, context);
	if (context.cancel.aborted || wouldStatsFail(sent.files)) return sent;
	const statsInputs = isOutOfReach(sent.files) ? {
		...inputs,
		retries: 0
	} : inputs;
	const measured = await time("stats", () => measure(statsInputs, client, context, sample));
	const errors = [...sent.errors, ...measured.errors];
	const warnings = [...sent.warnings, ...measured.warnings];
	return {
		...sent,
		...measured,
		errors,
		warnings
	};
}
function startTimer(clock) {
	const durations = {};
	return {
		durations,
		async time(name, step) {
			const start = clock();
			const result = await step();
			durations[name] = Math.round(clock() - start);
			return result;
		}
	};
}
/** What a report says before anything is sent. */
function reportOf(planned, inputs) {
	const { skipped, hidden, orphaned, shard, files, unchanged } = planned;
	const { sandboxId, baseUrl, dryRun, signature, filesPerRequest } = inputs;
	const changed = files.length - unchanged.size;
	const uncovered = `One signature covers one target path, and ${changed} files would use it.`;
	const isUncovered = changed > 1 && signature !== "";
	return {
		...EMPTY_REPORT,
		sandboxId,
		baseUrl,
		dryRun,
		couldBatch: filesPerRequest === 1 && signature === "",
		skipped,
		hidden,
		orphaned,
		shard,
		warnings: isUncovered ? [...planned.warnings, uncovered] : planned.warnings
	};
}
/** Uploads the files that have changed, and keeps the state. */
async function sendFiles({ planned, report, client }, inputs, context) {
	const { files, unchanged, state } = planned;
	const claimed = unchanged.size < files.length ? state : void 0;
	if (claimed !== void 0) claimState(claimed);
	const start = context.clock();
	const sent = await transfer(files, {
		...inputs,
		...context,
		unchanged,
		upload: uploader(client, inputs, inputs.checksums || state !== void 0),
		onEvent: context.observer.event
	});
	const durationMs = Math.round(context.clock() - start);
	const kept = claimed === void 0 ? [] : keepState(claimed, sent, context);
	const warnings = [...report.warnings, ...kept];
	return {
		...report,
		files: sent.files,
		durationMs,
		errors: givenUp(sent),
		warnings
	};
}
function keepState(state, sent, { cacheWarnings }) {
	const rows = sent.isMisplaced ? /* @__PURE__ */ new Map() : state.rows;
	return [...writeState(state, rowsAfter(rows, sent.files)), ...cacheWarnings];
}
function givenUp({ gaveUp }) {
	if (gaveUp === void 0) return [];
	return [{
		message: `The transfer was given up: ${gaveUp}`,
		details: []
	}];
}
function unsent({ files, unchanged }, status, reason) {
	return files.map((file) => {
		const known = unchanged.get(file);
		return known === void 0 ? {
			status,
			file,
			reason
		} : {
			status: "unchanged",
			file,
			...known
		};
	});
}
/** Files of a dry run with their hashes; a file that cannot be read has none. */
async function withHashes(results, cancel) {
	const hashed = [];
	for (const result of results) {
		const isDue = result.status === "skipped";
		const sha256 = isDue ? await hashFile(result.file, cancel) : void 0;
		hashed.push(isDue && sha256 !== void 0 ? {
			...result,
			sha256
		} : result);
	}
	return hashed;
}
/** True if every request failed on its way: the stats need not take as long again to fail. */
function isOutOfReach(results) {
	const isLost = (result) => result.status === "failed" && ["connection", "stalled"].includes(result.error.kind);
	return results.some(isLost) && !results.some(({ status }) => status === "uploaded");
}
/** True if the stats would fail too. After a full disk they are read: they show how full it is. */
function wouldStatsFail(results) {
	return results.some((result) => result.status === "failed" && isFatal(result.error) && result.error.kind !== "disk-full");
}

export { upload as n, stats as r, sync as t };