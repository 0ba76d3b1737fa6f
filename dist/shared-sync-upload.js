import { a as waitFor, n as isGated, o as openClient, r as measure, s as badAnswer, t as foresee } from "./shared-sync-upload-stats.js";
import { A as EMPTY_REPORT, B as gateOf, G as AgentError, I as formatNumber, O as firstOf, P as formatCount, W as withRetries, _ as selectFiles, a as bodyOpener, g as resultsOf, i as SHARED_BYTES, k as fitting, o as sharedBytes, r as BUFFER_BYTES, s as openForm, v as forget, x as fieldsOf, y as remember } from "./shared.js";
import { n as pLimit } from "./vendor.js";
import { posix } from "node:path";
import { setFlagsFromString } from "node:v8";

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
	const entries = entriesOf(answer);
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
function entriesOf(answer) {
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

// src/upload/attempt.ts
/** Sends entries with one request, and again until it succeeds, fails for good, or has had its attempts. */
async function attempt(entries, { level, stop }, options) {
	const files = entries.map(({ file }) => file);
	const { retries, sleep, random, clock, onEvent } = options;
	const start = clock();
	const outcome = await withRetries(() => sendOnce(files, level, options), {
		retries,
		sleep,
		random,
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
	const bytes = files.reduce((sum, { size }) => sum + size, 0);
	const count = stored.filter((each) => each !== void 0).length;
	return `Shared request: ${`${formatCount(files.length, "file")}, ${formatCount(bytes, "byte")}`}; ${formatNumber(count)} stored, ${formatNumber(files.length - count)} not sent`;
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

export { upload as n, sync as t };