import { _ as summary$1, a as error, c as info, f as setFailed, g as warning, h as startGroup, i as endGroup, l as isDebug, m as setSecret, n as Minimatch, o as getInput, p as setOutput, r as debug, t as create, u as notice } from "./vendor.js";
import { setImmediate, setTimeout as setTimeout$1 } from "node:timers/promises";
import { BlockList, isIP } from "node:net";
import { createHash, hash } from "node:crypto";
import { accessSync, closeSync, constants, fstatSync, lstatSync, mkdtempSync, openSync, readSync, readdirSync, realpathSync, statSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import path from "node:path";
import { homedir } from "node:os";

// src/agent/failure.ts
const retryable = (hint) => ({
	retry: "always",
	isFatal: false,
	hint
});
const fatal = (hint) => ({
	retry: "never",
	isFatal: true,
	hint
});
const perFile = (hint) => ({
	retry: "never",
	isFatal: false,
	hint
});
const CONSEQUENCES = {
	unauthorized: fatal("Check token (the sandbox's access token, not an API key), username and base-url."),
	"unknown-user": fatal("Correct username."),
	forbidden: fatal("Check that the token may use this sandbox, and that the sandbox may resume."),
	"sandbox-not-found": fatal("Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must outlast the job."),
	"disk-full": fatal("The sandbox's disk is full. Upload less, or use a sandbox with a larger disk."),
	unreachable: {
		retry: "always",
		isFatal: true,
		hint: "Check base-url, that the host can be reached from this runner, and its proxy settings (HTTPS_PROXY, NO_PROXY)."
	},
	"proxy-refused": fatal("The proxy asks for credentials. Put them into the proxy variable: http://user:password@host:port."),
	"proxy-forbids": fatal("Allow the host in the proxy, or add it to NO_PROXY."),
	"too-many-open": retryable("Let the runner open more files (ulimit -n), or set concurrency to a smaller number."),
	tls: fatal("Check base-url, and that its port speaks TLS. If the host's certificate comes from a private CA, set NODE_EXTRA_CA_CERTS to its file."),
	"not-http": fatal("Check base-url."),
	connection: retryable("The connection to the sandbox is unreliable. Run the job again, or raise retries."),
	stalled: retryable("Run the job again, or raise timeout if the sandbox needs longer to answer."),
	busy: retryable("The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2."),
	server: retryable("Check port, that the agent is up and not overloaded, and the service's status, and run the job again."),
	"file-changed": retryable("Upload once nothing writes the file any more."),
	"bad-answer": {
		retry: "once",
		isFatal: false,
		hint: "Check that base-url and the paths lead to the in-sandbox agent."
	},
	rejected: perFile("The agent does not take this request. Check header-prefix, and that the service is compatible."),
	"not-routed": fatal("The request was not routed: check header-prefix, sandbox-id and port. E2B needs header-prefix: E2b."),
	"not-found": perFile("Check base-url, upload-path and stats-path: the service has no such operation there."),
	"too-large": perFile("A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way."),
	redirected: perFile("Redirects are not followed, so that the token stays where it was sent. Check base-url."),
	"not-a-directory": perFile("Part of the target is a file in the sandbox. Give the file another target, or remove that file."),
	misplaced: perFile("Set files-per-request: 1."),
	overwritten: perFile("Give one of them another target, or exclude it."),
	"file-replaced": perFile("Upload once nothing replaces the file any more."),
	"file-unreadable": perFile("Check that the file is still there and that the runner may read it."),
	cancelled: fatal("The job was cancelled.")
};
/** The agent, the way to it, or reading a file failed. */
var AgentError = class extends Error {
	kind;
	status;
	retryAfterMs;
	hint;
	constructor(kind, message, details = {}) {
		super(message, { cause: details.cause });
		this.name = "AgentError";
		this.kind = kind;
		this.status = details.status;
		this.retryAfterMs = details.retryAfterMs;
		this.hint = details.hint ?? CONSEQUENCES[kind].hint;
	}
	get isRetryable() {
		return CONSEQUENCES[this.kind].retry !== "never";
	}
	/** How many of the retries that the user allows this failure is worth. */
	retriesOf(allowed) {
		const { retry } = CONSEQUENCES[this.kind];
		if (retry === "always") return allowed;
		return retry === "once" ? Math.min(allowed, 1) : 0;
	}
};
function failureOf({ kind, status, message, hint }) {
	return {
		kind,
		status,
		message,
		hint
	};
}
function isFatal({ kind }) {
	return CONSEQUENCES[kind].isFatal;
}

// src/agent/retry.ts
const BASE_MS = 500;
const CAP_MS = 3e4;
/** Repeats a request until it succeeds, fails for good, or has no retries left. */
async function withRetries(request, options) {
	const { random, sleep, stop, onRetry, isRepeatable = () => true } = options;
	for (let attempt = 1;; attempt += 1) try {
		return {
			attempts: attempt,
			value: await request()
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		const retries = isRepeatable(error) ? error.retriesOf(options.retries) : 0;
		if (attempt > retries || stop.aborted) return {
			attempts: attempt,
			error
		};
		const delayMs = backoff(attempt, random, error.retryAfterMs);
		onRetry({
			attempt,
			error,
			delayMs
		});
		if (!await sleep(delayMs, stop)) return {
			attempts: attempt,
			error
		};
	}
}
/** Milliseconds: exponential with full jitter, never less than the agent asked for. */
function backoff(attempt, random, retryAfterMs = 0) {
	const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
	return Math.max(Math.round(random() * ceiling), retryAfterMs);
}
function sleep(ms, stop) {
	return setTimeout$1(ms, true, { signal: stop }).catch(() => false);
}

// src/gate/judge.ts
const NO_GATE = {
	state: "none",
	failIf: [],
	warnIf: [],
	breaches: []
};
/** The metrics that conditions name. */
function metricsOf(...conditions) {
	return new Set(conditions.flat().map(({ metric }) => metric));
}
/**
* Judges every condition over the samples. What cannot be judged trips, and a `blind` gate, whose
* samples do not cover the whole time, never passes.
*/
function gateOf({ failIf, warnIf }, samples, blind = false) {
	if (!isGated({
		failIf,
		warnIf
	})) return NO_GATE;
	const failures = tripped("fail", failIf, samples);
	const warnings = tripped("warn", warnIf, samples);
	const breaches = [...failures, ...warnings];
	if (failures.length > 0 || blind && failIf.length > 0) return {
		state: "failed",
		failIf,
		warnIf,
		breaches
	};
	return {
		state: blind || warnings.length > 0 ? "warned" : "passed",
		failIf,
		warnIf,
		breaches
	};
}
/** Whether there is anything to judge. */
function isGated({ failIf, warnIf }) {
	return failIf.length + warnIf.length > 0;
}
function tripped(level, conditions, samples) {
	return conditions.map((condition) => ({
		...judge(condition, samples),
		level
	})).filter(({ holds }) => holds !== false);
}
const HOLDS = {
	">": (figure, limit) => figure > limit,
	">=": (figure, limit) => figure >= limit,
	"<": (figure, limit) => figure < limit,
	"<=": (figure, limit) => figure <= limit,
	"==": (figure, limit) => figure === limit,
	"!=": (figure, limit) => figure !== limit
};
/** Judges a condition over samples, oldest first, unless one of them lacks the metric. */
function judge(condition, samples) {
	const { metric, aggregate, operator, limit } = condition;
	const figures = figuresOf(metric, samples);
	const blind = samples.filter((sample) => !sample.has(metric));
	if (figures === void 0 || blind.length > 0) {
		const reported = [...blind[0]?.keys() ?? []].sort();
		return {
			condition,
			holds: void 0,
			samples: samples.length,
			missing: blind.length,
			reported
		};
	}
	const deciding = decidingOf(condition);
	const found = (deciding === void 0 ? figures : [aggregateOf(deciding, figures)]).find((figure) => HOLDS[operator](figure, limit));
	const figure = found ?? aggregateOf(aggregate ?? "last", figures);
	return {
		condition,
		holds: found !== void 0,
		figure
	};
}
/** The aggregate that decides: by default the extreme; with `==` and `!=` none, any figure does. */
function decidingOf({ aggregate, operator }) {
	if (aggregate !== void 0) return aggregate;
	if (operator.startsWith("<")) return "min";
	return operator.startsWith(">") ? "max" : void 0;
}
/** One figure for several. */
function aggregateOf(aggregate, figures) {
	switch (aggregate) {
		case "last": return figures.at(-1) ?? figures[0];
		case "mean": return mean(figures);
		case "min": return figures.reduce((a, b) => Math.min(a, b));
		case "max": return figures.reduce((a, b) => Math.max(a, b));
	}
}
/** The figures of one metric in the samples that report it; undefined if none does. */
function figuresOf(metric, samples) {
	const [first, ...others] = samples.flatMap((figures) => figures.get(metric) ?? []);
	return first === void 0 ? void 0 : [first, ...others];
}
const MAX_EXACT_SUM = 2 ** 51;
/** The mean, rounded once: of 0.1 and 0.2 it is 0.15, while their sum is 0.30000000000000004. */
function mean(figures) {
	const decimals = figures.reduce((most, figure) => Math.max(most, countDecimals(figure)), 0);
	const scale = Number(`1e${decimals}`);
	const sum = figures.reduce((total, figure) => total + Math.round(figure * scale), 0);
	if (Math.abs(sum) < MAX_EXACT_SUM) return sum / (figures.length * scale);
	const [first] = figures;
	return first + figures.reduce((total, figure) => total + (figure - first), 0) / figures.length;
}
/** How many decimals a number has when it is written out. */
function countDecimals(figure) {
	const [mantissa = "", exponent = "0"] = String(figure).split("e");
	const written = mantissa.split(".")[1]?.length ?? 0;
	return Math.max(written - Number(exponent), 0);
}

// src/inputs/input-error.ts
/** The user's input is wrong. Carries every problem found; the message lists them, one per line. */
var InputError = class extends Error {
	problems;
	constructor(problems) {
		super(problems.map(describeProblem).join("\n"));
		this.name = "InputError";
		this.problems = problems;
	}
};
/** The error of a single problem. */
function inputError(input, message, example) {
	const more = example === void 0 ? {} : { example: `${input}: ${example}` };
	return new InputError([{
		input,
		message,
		...more
	}]);
}
/** A problem in one line: the input, what is wrong and what is valid, an example. */
function describeProblem({ input, message, example }) {
	return `${input}: ${message}${example === void 0 ? "" : ` Example: ${example}`}`;
}
/** Runs `parse` on each item. @throws InputError with the problems of all items */
function parseAll(items, parse) {
	const problems = [];
	const parsed = [];
	for (const item of items) try {
		parsed.push(...parse(item));
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		problems.push(...error.problems);
	}
	if (problems.length > 0) throw new InputError(problems);
	return parsed;
}
/** Like `Promise.all`, but collects the problems of every `InputError`. */
async function allOf(promises) {
	const problems = (await Promise.allSettled(promises)).flatMap((each) => each.status === "rejected" && each.reason instanceof InputError ? each.reason.problems : []);
	if (problems.length > 0) throw new InputError(problems);
	return Promise.all(promises);
}

// src/text/visible.ts
const UNSEEN = /(?!\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;
/** Foreign text as one line: invisible characters become escapes such as `\n` or `\u{202e}`. */
function visible(text) {
	return text.replace(UNSEEN, escapeCharacter);
}
/** The first invisible character of a text as an escape. */
function findInvisible(text) {
	const [character] = text.match(UNSEEN) ?? [];
	return character === void 0 ? void 0 : escapeCharacter(character);
}
/** The first `limit` characters, then `…` if there are more; never half a character. */
function truncate(text, limit) {
	return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`;
}
/** `visible`, cut to `limit` characters. */
function visibleCut(text, limit) {
	return visible(truncate(text, limit));
}
/** A value in a message: quoted, cut, escaped, except for the backslashes of Windows paths. */
function quote(value) {
	return JSON.stringify(truncate(value, 100)).replaceAll("\\\\", "\\");
}
/** A line that the runner only prints: with `::` at its start or `##[` it would be a command. */
function harmless(text) {
	return visible(text).replace(/^\s*::/, "\\$&").replaceAll("##[", "##\\[");
}
function escapeCharacter(character) {
	if (character === "\n") return "\\n";
	if (character === "\r") return "\\r";
	if (character === "	") return "\\t";
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

// src/text/format.ts
const BYTE_UNITS$1 = [
	"B",
	"KiB",
	"MiB",
	"GiB",
	"TiB",
	"PiB",
	"EiB"
];
/** Bytes for a reader, in units of 1024 with at most one decimal: `512 B`, `3.4 MiB`, `12 GiB`. */
function formatBytes(bytes) {
	const { value, unit } = inByteUnit(bytes);
	return `${formatDecimal(value, 1)} ${unit}`;
}
/** Bytes for a column of figures, which all have one decimal: `3.4 MiB`, `12.0 GiB`. */
function formatBytesEvenly(bytes) {
	const { value, unit } = inByteUnit(bytes);
	return unit === "B" ? formatBytes(bytes) : `${value.toFixed(1)} ${unit}`;
}
/** The next unit starts at 1000, since "1000 B" beside "2.9 KiB" is hard to compare. */
function inByteUnit(bytes) {
	const last = BYTE_UNITS$1.length - 1;
	let step = 0;
	while (step < last && Math.abs(bytes) / 1024 ** step >= 999.95) step += 1;
	return {
		value: bytes / 1024 ** step,
		unit: BYTE_UNITS$1[step] ?? ""
	};
}
/** Milliseconds for a reader: `80 ms`, `3.4 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
function formatDuration(ms) {
	if (Math.round(ms) < 1e3) return `${Math.round(ms)} ms`;
	const seconds = Math.round(ms / 1e3);
	if (seconds < 60) return `${formatDecimal(ms / 1e3, 1)} s`;
	return seconds < 3600 ? formatSixtieths(seconds, "min", "s") : formatSixtieths(Math.floor(seconds / 60), "h", "min");
}
function formatSixtieths(count, large, small) {
	const rest = count % 60 === 0 ? "" : ` ${count % 60} ${small}`;
	return `${Math.floor(count / 60)} ${large}${rest}`;
}
function formatRate(bytes, ms) {
	return `${formatBytes(bytes * 1e3 / Math.max(ms, 1))}/s`;
}
/** A time of day, from milliseconds since 1970: `09:05:00 UTC`. */
function formatTime(ms) {
	return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}
/** A whole number: `12,000`. By hand, since `toLocaleString` takes 12 ms the first time. */
function formatNumber(count) {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
/** A count with its noun: `1 file`, `12,000 files`. */
function formatCount(count, noun) {
	return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
/** The first of several names: `a.js and 12 more`. */
function andMore(first, others) {
	return others === 0 ? first : `${first} and ${formatNumber(others)} more`;
}
/** A number with at most so many decimals. */
function formatDecimal(value, decimals) {
	return String(Number(value.toFixed(decimals)));
}
/** The sum of the files' sizes, in bytes. */
function totalSize(files) {
	return files.reduce((sum, { size }) => sum + size, 0);
}
/** The first `limit` items as `show` shows them, and `more` for the number of the rest. */
function abbreviate(items, limit, { show, more }) {
	const shown = items.slice(0, limit).map((item) => show(item));
	const rest = items.length - limit;
	return rest > 0 ? [...shown, more(rest)] : shown;
}
/** The first items whose sizes add up to at most `limit`. Items after them are never generated. */
function takeWithin(items, limit, sizeOf) {
	const taken = [];
	let left = limit;
	for (const item of items) {
		left -= sizeOf(item);
		if (left < 0) break;
		taken.push(item);
	}
	return taken;
}

// src/inputs/fields.ts
function field(parse, show = showText) {
	return {
		parse,
		show,
		isSecret: false
	};
}
function showText(value) {
	return value === "" || value === void 0 ? "empty" : JSON.stringify(value);
}
/** An input whose value is never shown. */
function secret(parse) {
	return {
		parse,
		show: (value) => value === "" ? "empty" : "set",
		isSecret: true
	};
}
const text = field((value) => value);
/** A switch, in the spellings of YAML 1.2. Empty is `fallback`. */
function flag(fallback) {
	return field((value, refuse) => {
		if (value === "") return fallback;
		if (/^(true|True|TRUE)$/.test(value)) return true;
		if (/^(false|False|FALSE)$/.test(value)) return false;
		return refuse(`${quote(value)} is neither true nor false.`, String(fallback));
	});
}
/** One of the words given. Empty is the first of them. */
function choice(first, ...others) {
	const words = [first, ...others];
	return field((value, refuse) => {
		return (value === "" ? first : words.find((candidate) => candidate === value)) ?? refuse(`${quote(value)} is not one of ${words.join(", ")}.`, first);
	}, (word) => word);
}
/** A whole number from `min` to `max`. Empty is `fallback`. */
function wholeNumber(min, max, fallback) {
	return field((value, refuse) => {
		if (value === "") return fallback;
		const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
		if (number >= min && number <= max) return number;
		return refuse(`${quote(value)} is not a whole number from ${min} to ${max}.`, String(fallback));
	});
}
const MILLISECONDS = new Map(Object.entries({
	ms: 1,
	s: 1e3,
	m: 6e4,
	h: 36e5
}));
const LONGEST = 864e5;
/** A duration such as `500ms`, `30s`, `5m` or `2h`, in milliseconds, from `min` to a day. */
function duration(min, fallback) {
	return field((value, refuse) => {
		const ms = parseDuration(value === "" ? fallback : value);
		if (ms !== void 0 && ms >= min && ms <= LONGEST) return ms;
		return refuse(`${quote(value)} is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`, fallback);
	}, formatDuration);
}
function parseDuration(text) {
	const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
	const factor = MILLISECONDS.get(unit);
	return factor === void 0 ? void 0 : Math.round(Number(number) * factor);
}
/** Parses each trimmed line, counted from 1. @throws InputError with the problems of all lines */
function parseLines(value, parseLine) {
	return parseAll(value.split(/\r?\n/).entries(), ([index, line]) => parseLine(line.trim(), index + 1));
}

// src/inputs/slips.ts
const UNEVALUATED = [/\$\{\{/, "contains a literal `${{`, which the runner did not evaluate. Check its spelling."];
/** What is wrong in any input that holds a single value; the messages do not repeat it. */
const SLIPS = [
	UNEVALUATED,
	[/^(["'`]).*\1$/s, "is in quotation marks. Remove them."],
	[/^(secrets|steps|env|vars|needs|matrix|inputs)\.[\w.-]+$/, "is an expression without its braces. Write it as `${{ … }}`."],
	[/^\$(env:\w+|\w+|\{\w+\}|\(.*\))$/s, "is for a shell to expand, and there is none. Use an expression, `${{ … }}`."]
];
function refuseSlips(slips, value, refuse, example) {
	const slip = slips.find(([pattern]) => pattern.test(value));
	if (slip !== void 0) refuse(slip[1], example);
}
/** The home directory or variable in a path that only a shell would expand. */
function findUnexpanded(path) {
	return /^~[\w.-]*(?=\/|$)|\$HOME\b|\$[{(]|%[A-Za-z_]\w*%/.exec(path)?.[0];
}

// src/inputs/base-url.ts
const EXAMPLE$2 = "https://sandbox.example.com";
const HOST_LABEL = /^[A-Za-z0-9_-]{1,63}$/;
/** The URL of the sandbox host, placeholders filled in, without a slash at its end. */
const baseUrl = field((value, refuse, all) => {
	const fail = (why) => refuse(why, EXAMPLE$2);
	if (value === "") return fail("is required: the sandbox host.");
	if (value.includes("@")) return fail("must not contain credentials or an @: the token has its own input.");
	refuseSlips(SLIPS, value, refuse, EXAMPLE$2);
	const given = quote(value);
	const [braces] = /\{\{[^}]*\}\}|<[^>]*>/.exec(value) ?? [];
	if (braces !== void 0) return fail(`${given} has ${braces}. Write {sandbox-id}, in single braces, or the ID itself.`);
	if (/^[\w.-]+(:\d+)?(\/\S*)?$/.test(value)) return fail(`${given} is not a URL. Write https:// before it.`);
	if (/^https?:\/\/api\.e2b\.(app|dev)\b/i.test(value)) return fail(`${given} is the API that manages sandboxes. The sandboxes are at https://sandbox.e2b.app.`);
	if (value.includes("$")) return fail(`${given} contains a $: variables are not expanded here, except \`\${{ … }}\`.`);
	const url = parseBaseUrl(value, fail, all);
	if (/[?#]/.test(value)) return fail(`${given} must not have a query or a fragment.`);
	if (url.protocol !== "https:" && url.protocol !== "http:") return fail(`${given} is neither an https nor an http URL.`);
	const mayBeHttp = /^true$/i.test(all["allow-insecure-http"]?.trim() ?? "");
	if (url.protocol === "http:" && !mayBeHttp && !isLoopback(url.hostname)) return fail(`${given} would send the token unencrypted. Use https, or set allow-insecure-http: true.`);
	const href = url.href.replace(/\/+$/, "");
	const operation = findOperation(href, all);
	if (operation === void 0) return href;
	return fail(`${given} ends in ${operation}, which the action adds itself. Remove it.`);
}, String);
const PLACEHOLDER = "place-of-the-sandbox-id";
function parseBaseUrl(value, fail, all) {
	const given = quote(value);
	const id = all["sandbox-id"]?.trim() ?? "";
	if ((URL.parse(value.replaceAll("{sandbox-id}", PLACEHOLDER).replaceAll("{port}", "1"))?.host)?.includes(PLACEHOLDER) && id !== "" && !HOST_LABEL.test(id)) return fail(`${given} puts sandbox-id ${quote(id)} into the host name, where it does not fit.`);
	if (value.includes("{sandbox-id}") && (id === "." || id === "..")) return fail(`${given} cannot take sandbox-id ${quote(id)} in its place.`);
	const filled = value.replaceAll("{sandbox-id}", encodeURIComponent(id === "" ? "id" : id.toWellFormed())).replaceAll("{port}", all["port"]?.trim() || "49983");
	const [unknown] = /\{[^}]*\}/.exec(filled) ?? [];
	if (unknown !== void 0) return fail(`${given} has the unknown placeholder ${unknown}; valid are {sandbox-id} and {port}.`);
	return (/^[a-z][a-z\d+.-]*:\/\/[^\\/\s][^\\\s]*$/i.test(filled) ? URL.parse(filled) : null) ?? fail(`${given} is not a URL.`);
}
function findOperation(href, all) {
	return [all["upload-path"]?.trim() || "/files", all["stats-path"]?.trim() || "/metrics"].find((path) => path !== "/" && new URL(href).pathname.endsWith(path));
}
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");
/** Whether a host name is this machine. Other names than `localhost` may be resolved elsewhere. */
function isLoopback(hostname) {
	const address = hostname.replace(/^\[|\]$/g, "");
	const family = isIP(address);
	if (family === 0) return hostname === "localhost";
	return LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}
/** An operation's path below the base URL, beginning with a slash. */
function operationPath(fallback) {
	return field((value, refuse) => {
		const path = value === "" ? fallback : value;
		const url = URL.parse(path, "http://host");
		if (/^\/[^?#]*$/.test(path) && url?.host === "host" && url.pathname === path) return path;
		return refuse(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
	});
}

// src/text/nearest.ts
/** The closest word, at most two edits and less than this share of its letters away. */
function closestWord(written, words, share = 1) {
	return words.map((word) => ({
		word,
		distance: editDistance(written, word)
	})).sort((a, b) => a.distance - b.distance).find(({ word, distance }) => distance <= 2 && distance < word.length * share)?.word;
}
/** The Levenshtein distance: how many letters to insert, delete or replace. */
function editDistance(a, b) {
	let row = Array.from({ length: b.length + 1 }, (_, index) => index);
	for (const [i, letter] of a.split("").entries()) {
		const next = [i + 1];
		for (const [j, other] of b.split("").entries()) {
			const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
			next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row.at(-1) ?? 0;
}

// src/gate/metrics.ts
/** The metrics of the contract: whole numbers (int64), except for the percentage. */
const CONTRACT = {
	ts: "plain",
	cpu_count: "plain",
	cpu_used_pct: "percentage",
	mem_total: "bytes",
	mem_used: "bytes",
	mem_total_mib: "mebibytes",
	mem_used_mib: "mebibytes",
	disk_total: "bytes",
	disk_used: "bytes"
};
/** The contract's metrics, and those derived from them. */
const METRICS = {
	...CONTRACT,
	mem_used_pct: "percentage",
	mem_free: "bytes",
	disk_used_pct: "percentage",
	disk_free: "bytes"
};
/** What a metric counts; undefined for a metric that only the agent knows. */
function metricKind(metric) {
	return Object.hasOwn(METRICS, metric) ? METRICS[metric] : void 0;
}
/** The metric that was probably meant by a short name, another spelling or a typing error. */
function nearestMetric(name) {
	const plain = name.toLowerCase().replaceAll("-", "_").replace(/^memory/, "mem");
	if ([
		"cpu",
		"mem",
		"disk"
	].includes(plain)) return `${plain}_used_pct`;
	const metrics = Object.keys(METRICS).filter((metric) => metric[0] === plain[0]);
	return closestWord(plain, metrics, .5);
}

// src/gate/conditions.ts
const OPERATORS = [
	">",
	">=",
	"<",
	"<=",
	"==",
	"!="
];
const AGGREGATES = [
	"last",
	"min",
	"max",
	"mean"
];
/** Parses one condition, `metric[.aggregate] operator number[unit]`. */
function parseCondition(line, fail) {
	const next = openWords(line);
	const metric = parseMetric(next(/[A-Za-z_][\w-]*/y), fail);
	const aggregate = parseAggregate(next(/\.\w*/y), fail);
	const operator = parseOperator(next(/[<>=!~&|]+|[A-Za-z]+/y), fail);
	const number = next(/-?[\d.]+(?:e[+-]?\d+)?/y);
	requireNumber(number, operator, fail);
	const unit = next(/\S(?:.*\S)?/y);
	if (ANOTHER.test(unit.text)) fail("write one condition per line: put the rest on its own line", unit.column);
	requireUnit(unit, metric, operator, fail);
	const limit = parseLimit(number, unit, metric, fail);
	return {
		text: `${metric}${aggregate === void 0 ? "" : `.${aggregate}`} ${operator} ${number.text}${unit.text}`,
		metric,
		aggregate,
		operator,
		limit
	};
}
/** True for `ready`, which any stats satisfy. Refuses a slip of it. */
function isReady(line, fail) {
	if (line === "ready") return true;
	return /^(true|yes|up|running|started|healthy|.*\bis ready)$/i.test(line) || /^\w+$/.test(line) && closestWord(line.toLowerCase(), ["ready"], .5) !== void 0 ? fail("did you mean ready?", 1, "ready") : false;
}
const ANOTHER = /^\S*\s*(?:&|\||(?:and|or)\b|[,;]\s*[A-Za-z])/i;
/** Reads a line word by word, each by its pattern; white space between words is ignored. */
function openWords(line) {
	let at = 0;
	return (pattern) => {
		while (/\s/.test(line.charAt(at))) at += 1;
		pattern.lastIndex = at;
		const text = pattern.exec(line)?.[0] ?? "";
		const word = {
			text,
			column: at + 1,
			rest: line.slice(at).trim()
		};
		at += text.length;
		return word;
	};
}
function parseMetric(word, fail) {
	const { text, column } = word;
	if (text === "") return fail(`a metric was expected${butFound(word)}, such as mem_used_pct`, column);
	if (metricKind(text) !== void 0) return text;
	const meant = nearestMetric(text);
	if (meant === void 0) return text;
	return fail(`there is no metric ${text}; did you mean ${meant}?`, column);
}
function parseAggregate({ text, column }, fail) {
	if (text === "") return void 0;
	const name = text.slice(1);
	return AGGREGATES.find((each) => each === name) ?? fail(unknown("aggregate", name, AGGREGATES), column);
}
const SPELLINGS = /* @__PURE__ */ new Map([
	["=>", ">="],
	["=<", "<="],
	["!==", "!="],
	["<>", "!="],
	["peak", "max"],
	["avg", "mean"],
	["average", "mean"],
	["percent", "%"],
	["above", ">"],
	["below", "<"],
	["is", "=="],
	["=", "=="]
]);
function parseOperator({ text, column, rest }, fail) {
	const operator = OPERATORS.find((each) => each === text);
	const written = text === "" ? rest.slice(0, 2) : text;
	return operator ?? fail(unknown("operator", written, OPERATORS), column);
}
function requireNumber(number, operator, fail) {
	if (number.rest === "") fail(`nothing follows ${operator}: is the expression empty?`, number.column);
	if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(number.text)) fail(`a number was expected${butFound(number)}, such as 90 or 1.5`, number.column);
}
const NO_FACTOR = {
	tens: 0,
	twos: 0
};
const BYTE_FACTORS = /* @__PURE__ */ new Map([
	["B", NO_FACTOR],
	["kB", {
		tens: 3,
		twos: 0
	}],
	["MB", {
		tens: 6,
		twos: 0
	}],
	["GB", {
		tens: 9,
		twos: 0
	}],
	["TB", {
		tens: 12,
		twos: 0
	}],
	["KiB", {
		tens: 0,
		twos: 10
	}],
	["MiB", {
		tens: 0,
		twos: 20
	}],
	["GiB", {
		tens: 0,
		twos: 30
	}],
	["TiB", {
		tens: 0,
		twos: 40
	}]
]);
const BYTE_UNITS = [...BYTE_FACTORS.keys()];
const UNITS = ["%", ...BYTE_UNITS];
/** The units that a metric takes, and the advice if another was written. */
const FITTING = {
	percentage: {
		units: ["%"],
		advice: "which is in percent: write % or no unit"
	},
	bytes: {
		units: BYTE_UNITS,
		advice: `which is in bytes: write one of ${BYTE_UNITS.join(", ")}`
	},
	mebibytes: {
		units: BYTE_UNITS,
		advice: `which is in MiB: write no unit or one of ${BYTE_UNITS.join(", ")}`
	},
	plain: {
		units: [],
		advice: "which is a plain number: write no unit"
	}
};
/** Refuses a unit that the metric does not take. A metric that only the agent knows takes any. */
function requireUnit({ text, column }, metric, operator, fail) {
	const kind = metricKind(metric);
	if (text === "") {
		if (kind !== "bytes") return;
		const example = `${metric} ${operator} 512MiB`;
		fail(`${metric} is in bytes and needs a unit, such as ${example}`, column, example);
	}
	if (!UNITS.includes(text)) fail(unknown("unit", text, UNITS), column);
	if (kind !== void 0 && !FITTING[kind].units.includes(text)) fail(`${text} does not fit ${metric}, ${adviceOn(metric, kind, text)}`, column);
}
function adviceOn(metric, kind, unit) {
	const percentage = `${metric.replace(/_(free|total)$/, "_used")}_pct`;
	return unit === "%" && metricKind(percentage) === "percentage" ? `but ${percentage}` : FITTING[kind].advice;
}
/** The limit in the metric's own unit. */
function parseLimit(number, unit, metric, fail) {
	const kind = metricKind(metric);
	const limit = multiply(number.text, BYTE_FACTORS.get(unit.text) ?? NO_FACTOR);
	const ownLimit = kind === "mebibytes" && unit.text !== "" ? limit / 2 ** 20 : limit;
	if (!Number.isFinite(ownLimit)) fail(`${number.text} is too large a number`, number.column);
	if (kind === "percentage" && (ownLimit < 0 || ownLimit > 100)) fail(`${metric} is a percentage, which is between 0 and 100`, number.column);
	return ownLimit;
}
/** Multiplies in the exponent, so it rounds once: 1.005 * 1000 would be 1004.9999999999999. */
function multiply(decimal, { tens, twos }) {
	const [mantissa, exponent = "0"] = decimal.split("e");
	return Number(`${mantissa}e${Number(exponent) + tens}`) * 2 ** twos;
}
function unknown(what, written, valid) {
	const lower = written.toLowerCase();
	const completed = valid.find((each) => lower !== "" && each.toLowerCase().startsWith(lower));
	const near = SPELLINGS.get(lower) ?? completed ?? closestWord(written, valid);
	const advice = near === void 0 ? `use one of ${valid.join(" ")}` : `did you mean ${near}?`;
	return written === "" ? `an ${what} is missing; ${advice}` : `there is no ${what} ${written}; ${advice}`;
}
function butFound({ rest }) {
	return rest === "" ? "" : `, not ${rest}`;
}

// src/inputs/condition-fields.ts
/** Conditions of a gate, one per line; empty lines and comments are ignored. */
const conditions = field((value, refuse) => parseConditionLines(value, {
	refuse,
	example: "mem_used_pct > 90"
}, parseConditionLine), (all) => all.length === 0 ? "empty" : all.map((each) => each.text).join(", "));
/** Conditions to wait for; `ready` only asks for stats. Undefined if the input is empty. */
const waiting = field((value, refuse) => {
	const lines = parseConditionLines(value, {
		refuse,
		example: "cpu_used_pct < 50"
	}, (line, fail) => {
		if (/^[\d.]+\s*(ms|s|m|h)$/.test(line)) return fail("it is a duration: use wait-timeout", 1, "ready");
		return isReady(line, fail) ? "ready" : parseConditionLine(line, fail);
	});
	return lines.length > 0 ? lines.filter((line) => line !== "ready") : void 0;
}, (all) => all === void 0 ? "empty" : ["ready", ...all.map((each) => each.text)].join(", "));
const LINE_SLIPS = [
	[/\$\{\{/, "the runner did not evaluate `${{`: check its spelling"],
	[/^-\s/, "remove the dash: one condition per line, not a list"],
	[/^(["'`]).*\1$/, "remove the quotes around it"],
	[/^if\b|^\$/, "begin with the metric alone, such as mem_used_pct"],
	[/^-?[\d.]+%?\s*[<>=]/, "write the metric first, and the number after the operator"],
	[/\d,\d{3}/, "write the number without commas"]
];
/** Parses every line that is neither empty nor a comment. */
function parseConditionLines(value, { refuse, example }, parseLine) {
	return parseLines(value, (line, number) => line === "" || line.startsWith("#") ? [] : [parseLine(line, failAt(line, number, refuse, example))]);
}
function parseConditionLine(line, fail) {
	const slip = LINE_SLIPS.find(([pattern]) => pattern.test(line));
	if (slip !== void 0) return fail(slip[1], 1);
	const [, aggregate, metric] = /^(min|max|mean|last)\s*\(\s*(\w+)\s*\)/i.exec(line) ?? [];
	if (aggregate !== void 0) return fail(`write ${metric}.${aggregate.toLowerCase()} instead`, 1);
	return parseCondition(line, fail);
}
function failAt(line, number, refuse, usualExample) {
	const place = `line ${number}, ${quote(line)}`;
	return (message, column, example = usualExample) => refuse(`${place}, at character ${column}: ${message.replace(/(?<![?.])$/, ".")}`, example);
}

// package.json
var version = "1.0.0";

// src/text/redact.ts
const MIN_LENGTH = 8;
/** Whether a value that was not declared as secret is long enough to be masked. */
function isMaskable(value) {
	return value.length >= MIN_LENGTH;
}
/** Makes a `Redact`: the runner only masks its log, not outputs, summary and report. */
function redactor(secrets) {
	const forms = secrets.filter((secret) => secret !== "").flatMap(encodingsOf);
	const ordered = [...new Set(forms)].sort((a, b) => b.length - a.length);
	return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, "***"), text);
}
function encodingsOf(secret) {
	const percent = encodeURIComponent(secret.toWellFormed());
	const json = JSON.stringify(secret).slice(1, -1);
	const jsonInJson = JSON.stringify(json).slice(1, -1);
	return [
		secret,
		percent,
		percent.replace(/%../g, (code) => code.toLowerCase()),
		json,
		jsonInJson,
		...[Buffer.from(secret), Buffer.from(secret, "latin1")].flatMap((bytes) => {
			const base64 = bytes.toString("base64");
			const hex = bytes.toString("hex");
			return [
				base64,
				base64.replace(/=+$/, ""),
				bytes.toString("base64url"),
				hex,
				hex.toUpperCase()
			];
		})
	];
}

// src/inputs/headers.ts
/** How the action names itself to the agent. */
const USER_AGENT = `sandbox-sync/${version}`;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
function isHeaderValue(value) {
	return VALUE.test(value);
}
const DEFAULT_PREFIX = "Svc";
const headerPrefix = field((value, refuse, all) => {
	const prefix = value === "" ? DEFAULT_PREFIX : value;
	const [meant = ""] = /^.*?(?=-+$|-Sandbox-(?:Id|Port)\b)/i.exec(prefix) ?? [];
	if (meant !== "") return refuse(`${quote(value)} is more than the prefix, which is ${quote(meant)}.`, meant);
	if (!NAME.test(prefix)) return refuse(`${quote(value)} cannot be part of a header's name.`, "E2b");
	const url = all["base-url"] ?? "";
	const id = all["sandbox-id"]?.trim() || "{sandbox-id}";
	const isRouted = url.includes("{sandbox-id}") || url.includes(id);
	if (prefix === DEFAULT_PREFIX && isE2b(url) && !isRouted) return refuse("base-url is E2B's: set header-prefix: E2b.", "E2b");
	return prefix;
});
function isE2b(url) {
	return /^https?:\/\/([^/?#]*\.)?e2b\.(app|dev)(:\d+)?(\/|$)/i.test(url.trim());
}
/** The names of the headers that route a request to a sandbox and to a port in it. */
function routingHeaders(prefix) {
	return {
		id: `${prefix}-Sandbox-Id`,
		port: `${prefix}-Sandbox-Port`
	};
}
const RESERVED = [
	"x-access-token accept user-agent host content-type content-length content-encoding",
	"transfer-encoding connection keep-alive proxy-connection proxy-authorization",
	"upgrade expect te trailer"
].flatMap((names) => names.split(" "));
/** Extra headers, one `Name: value` per line. Messages do not quote values: they may be secret. */
const extraHeaders = field((value, refuse, all) => {
	const routing = Object.values(routingHeaders(all["header-prefix"]?.trim() || DEFAULT_PREFIX));
	const reserved = /* @__PURE__ */ new Set([...RESERVED, ...routing.map((name) => name.toLowerCase())]);
	const seen = /* @__PURE__ */ new Set();
	const headers = parseLines(value, (line, number) => {
		if (line === "") return [];
		const fail = (why) => refuse(`line ${number} ${why}.`, "\"X-Metadata-build: 42\"");
		const [name, content] = splitHeader(line) ?? fail("is not of the form Name: value");
		const key = name.toLowerCase();
		if (reserved.has(key)) return fail(`sets ${quote(name)}, which the action sets itself`);
		if (seen.has(key)) return fail(`sets ${quote(name)} a second time`);
		seen.add(key);
		return [[name, content]];
	});
	return Object.fromEntries(headers);
}, (headers) => Object.keys(headers).join(", ") || "empty");
/** Splits a header's line; undefined if it is not one. */
function splitHeader(line) {
	const colon = line.indexOf(":");
	const name = line.slice(0, Math.max(colon, 0)).trim();
	const content = line.slice(colon + 1).trim();
	return NAME.test(name) && VALUE.test(content) ? [name, content] : void 0;
}
/** Whether the name of a header says that its value is secret. */
function isSecretHeader(name) {
	return /^(authorization|cookie)$|token|key|secret/i.test(name);
}
/** The values to mask among headers whose names say that they are secret. */
function secretsInHeaders(headers) {
	return headers.filter(([name]) => isSecretHeader(name)).flatMap(([, value]) => [value, value.replace(/^\S+\s+/, "")]).filter(isMaskable);
}

// src/inputs/credentials.ts
const API_KEY = [/^(sk_)?e2b_/i, "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox."];
const ID_SLIPS = [
	...SLIPS,
	[API_KEY[0], "is an API key. Give the ID that the API returns when it creates the sandbox."],
	[/^\{/, "is the JSON of an answer. Give only the ID in it."]
];
const sandboxId = field((value, refuse) => {
	const example = "${{ steps.sandbox.outputs.id }}";
	refuseSlips(ID_SLIPS, value, refuse, example);
	const id = requireHeaderValue(value, refuse, {
		output: "id",
		example,
		isSecret: false
	});
	if (/^[a-z]+:\/\//i.test(id)) return refuse(`${quote(id)} is a URL. Give only the ID.`, example);
	if (/^[\w-]+(\.[\w-]+)+\.[a-z]{2,}(:\d+)?$/i.test(id)) return refuse(`${quote(id)} is a host name. Give only the ID.`, example);
	return id;
});
const TOKEN_SLIPS = [
	...SLIPS,
	[/^Bearer\s/i, "begins with Bearer. Give the token alone."],
	[/^X-Access-Token:/i, "begins with the name of the header. Give the token alone."],
	[/^\{/, "is the JSON of an answer. Give only the token in it."],
	[/^\*+$/, "was copied from a log, where secrets are masked. Take it from the step that has it."],
	[/^(gh[a-z]_|github_pat_)/, "is GitHub's token. Give the sandbox's access token."],
	API_KEY
];
const token = secret((value, refuse) => {
	const example = "${{ steps.sandbox.outputs.token }}";
	refuseSlips(TOKEN_SLIPS, value, refuse, example);
	return requireHeaderValue(value, refuse, {
		output: "token",
		example,
		isSecret: true
	});
});
/** Refuses what an earlier step did not write as `output`, or what no header can carry. */
function requireHeaderValue(value, refuse, { output, example, isSecret }) {
	if (isMissing(value)) {
		const check = `check the id of the step that it comes from, and that the step writes ${output}=… to GITHUB_OUTPUT`;
		return refuse(`is ${value || "empty"}: ${check}${isSecret ? "; GitHub drops masked outputs between jobs" : ""}; workflows of forks get no secrets.`, example);
	}
	if (isHeaderValue(value)) return value;
	return refuse(`${isSecret ? "the value given" : quote(value)} cannot be sent in a header: it has a line break or another character outside Latin-1.`, example);
}
/** Whether a value comes from a step that had none: `jq -r` prints `null`. */
function isMissing(value) {
	return [
		"",
		"null",
		"undefined"
	].includes(value);
}

// src/inputs/files.ts
const EXAMPLE$1 = "dist/**";
/** The lines of `files`: `pattern`, `pattern => target`, `!pattern`, a `#` comment, or empty. */
const fileRules = field((value, refuse) => {
	const lines = parseLines(value, (line, number) => {
		if (line === "" || line.startsWith("#")) return [];
		const fail = (why, example) => refuse(`line ${number}, ${quote(line)}, ${why}`, example);
		return [line.startsWith("!") ? { exclude: parseExclude(line, fail) } : parsePattern(line, fail)];
	});
	const patterns = lines.filter((line) => "pattern" in line);
	const excludes = lines.flatMap((line) => "exclude" in line ? [line.exclude] : []);
	if (patterns.length > 0) return {
		patterns,
		excludes
	};
	return refuse("is required: at least one line must say what to upload.", EXAMPLE$1);
}, showRules);
const targetDirectory = field((value, refuse) => checkTarget(value, refuse, "app"));
function showRules({ patterns, excludes }) {
	return [...patterns.map(({ pattern, target }) => target === void 0 ? JSON.stringify(pattern) : `${JSON.stringify(pattern)} => ${JSON.stringify(target)}`), ...excludes.map((exclude) => `except ${JSON.stringify(exclude)}`)].join("; ");
}
function parsePattern(line, fail) {
	const arrow = /^(?<pattern>.*?)(?:^|\s)=>(?:\s+(?<target>.*))?$/s.exec(line);
	if (arrow === null) return { pattern: checkPattern(line, fail) };
	const target = arrow.groups?.["target"]?.trim() ?? "";
	if (target === "") return fail("names no target after =>.", `${EXAMPLE$1} => app`);
	if (/\s=>(\s|$)/.test(target)) return fail("has more than one =>.", `${EXAMPLE$1} => app`);
	return {
		pattern: checkPattern(arrow.groups?.["pattern"]?.trim() ?? "", fail),
		target: checkTarget(target, fail, `${EXAMPLE$1} => app`)
	};
}
function parseExclude(line, fail) {
	if (/\s=>(\s|$)/.test(line)) return fail("excludes files, so it cannot have a target.", `"!${EXAMPLE$1}"`);
	return checkPattern(line.slice(1).trim(), fail);
}
const NO_PATTERNS = [
	UNEVALUATED,
	[/^[a-z][a-z\d+.-]*:\/\//i, "is a URL. Download it in an earlier step, and write the path."],
	[/^\[\s*["'].*["']\s*\]$/, "is a list. Write each pattern on its own line, without brackets."]
];
function checkPattern(pattern, fail) {
	if (pattern === "" || pattern.startsWith("!")) return fail("has no pattern.", EXAMPLE$1);
	refuseSlips(NO_PATTERNS, pattern, fail, EXAMPLE$1);
	const [variable] = /^(?:\$(?:\{[A-Z_]+\}|[A-Z_]+|\([^)]*\)|env:\w+)|%[A-Z_]+%)(?=[\\/]|$)/.exec(pattern) ?? [];
	if (variable !== void 0) return fail(`has the variable ${variable}, which is not expanded. Relative patterns start at the workspace.`, EXAMPLE$1);
	const inner = pattern.replace(/^(\.{1,2}[\\/])+/, "");
	if (/(^|[\\/])\.{1,2}([\\/]|$)/.test(inner) && !/^\.{1,2}$/.test(inner)) return fail("has a . or .. in its middle. Write the path without it.", EXAMPLE$1);
	const meant = pattern.replace(/[^\\/]+/g, spreadStars);
	if (meant !== pattern) return fail(`has a ** that is not a whole path segment, so it matches no folders. Write ${quote(meant)}.`, EXAMPLE$1);
	const fewer = pattern.replace(/[^\\/]+/g, withFewerStars);
	if (fewer === pattern) return pattern;
	return fail(`has more than three * in one name. Write ${quote(fewer)}.`, EXAMPLE$1);
}
const MAX_STARS = 3;
/** Replaces too many stars, and what is between them, by one. */
function withFewerStars(part) {
	return part.replace(/\[[^\]]+\]/g, "").split("*").length - 1 > MAX_STARS ? part.replace(/\*(?!\]).*\*(?!\])/, "*") : part;
}
const SLIP = /^(["'`]|-\s)\*\*|\*\*(["'`,:;|\s}]|[-=]>)/;
/** Makes each `**` in a segment a segment of its own: `a**.js` becomes `a*`, `**` and `*.js`. */
function spreadStars(segment) {
	const withoutSets = segment.replace(/\[[^\]]+\]/g, "");
	if (segment === "**" || !withoutSets.includes("**") || SLIP.test(segment)) return segment;
	return segment.replace(/\*{3,}/g, "**").replace(/(?<=[^*])\*\*/g, "*/**").replace(/\*\*(?=[^*/])/g, "**/*");
}
const NO_TARGETS = [
	[/^(["'`]).*\1$/, "in quotation marks. Remove them."],
	[/^[a-z][a-z\d+.-]*:\/\//i, "which is a URL. Write the path in the sandbox."],
	[/^[\w.-]+@[\w.-]+:/, "with a host. Write only the path in the sandbox."],
	[/\*/, "with a *, which only patterns may have. Write the folder that the files go to."]
];
function checkTarget(target, fail, example) {
	const given = `the target ${quote(target)}`;
	const invisible = findInvisible(target);
	if (invisible !== void 0) return fail(`has the invisible character ${invisible} in ${given}.`, example);
	if (target.split("/").includes("..")) return fail(`has a .. in ${given}. Write the path without it.`, example);
	if (/\\|^[A-Za-z]:\//.test(target)) return fail(`has ${given}. Targets are POSIX paths, such as /srv/app.`, example);
	refuseSlips(NO_TARGETS, target, (slip, shown) => fail(`has ${given}, ${slip}`, shown), example);
	const unexpanded = findUnexpanded(target);
	if (unexpanded === void 0) return target;
	return fail(`has ${given}, ${`but ${unexpanded} is not expanded. Write the path; a relative one is below the user's home.`}`, example);
}

// src/inputs/sandbox-fields.ts
/** The URL of the API that creates sandboxes, without a slash at its end. */
const apiUrl = field((value, refuse) => {
	const fail = (why) => refuse(why, "https://api.e2b.app");
	if (value === "") return fail("is required: the URL of the service's API.");
	if (value.includes("@")) return fail("must not contain credentials or an @: the key has its own input.");
	const given = quote(value);
	const url = /^https?:\/\/[^\\/\s][^\\\s]*$/i.test(value) ? URL.parse(value) : null;
	if (url === null || /[?#${}]/.test(value)) return fail(`${given} is not a plain https URL.`);
	if (url.protocol === "http:" && !isLoopback(url.hostname)) return fail(`${given} would send the API key unencrypted. Use https.`);
	const href = url.href.replace(/\/+$/, "");
	if (!href.endsWith("/sandboxes")) return href;
	return fail(`${given} ends in /sandboxes, which the action adds itself. Remove it.`);
}, String);
const KEY_SLIPS = [...SLIPS, [/^Bearer\s/i, "begins with Bearer. Give the key alone."]];
const apiKey = secret((value, refuse) => {
	const example = "${{ secrets.E2B_API_KEY }}";
	const fail = (why) => refuse(why, example);
	if (isMissing(value)) return fail(`is ${value || "empty"}: add the key as a secret of the repository. Pull requests from forks and of Dependabot get no secrets.`);
	refuseSlips(KEY_SLIPS, value, refuse, example);
	if (isHeaderValue(value)) return value;
	return fail("cannot be sent in a header: it has a line break or is not Latin-1.");
});
const templateName = field((value) => value || "base");
/** The ID of a sandbox to connect to; empty if one is to be created. */
const existingSandboxId = field((value, refuse, all) => {
	if (value === "") return value;
	if (value === "." || value === "..") return refuse(`${quote(value)} is not the ID of a sandbox.`, "${{ needs.create.outputs.id }}");
	return sandboxId.parse(value, refuse, all);
});
/** A switch whose default depends on what the step does; then it is undefined. */
const optionalFlag = field((value, refuse, all) => value === "" ? void 0 : flag(false).parse(value, refuse, all));
/** Texts by name, one `KEY=value` per line. Values may be secret, so messages do not quote them. */
const keyValues = field((value, refuse) => {
	const seen = /* @__PURE__ */ new Set();
	const pairs = parseLines(value, (line, number) => {
		if (line === "") return [];
		const fail = (why) => refuse(`line ${number} ${why}.`, "\"SUITE=api\"");
		const [, key, content = ""] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
		if (key === void 0) return fail("is not of the form KEY=value");
		if (seen.has(key)) return fail(`sets ${quote(key)} a second time`);
		seen.add(key);
		return [[key, content]];
	});
	return Object.fromEntries(pairs);
}, (pairs) => Object.keys(pairs).join(", ") || "empty");
/** Extra headers of requests to the API. */
const apiHeaders = field((value, refuse, all) => {
	const headers = extraHeaders.parse(value, refuse, all);
	if (!Object.keys(headers).some((name) => /^x-api-key$/i.test(name))) return headers;
	return refuse("sets X-API-Key, which the action sends from api-key. Remove the line.", "\"X-Team: 42\"");
}, extraHeaders.show);

// src/inputs/upload-fields.ts
const MAX_SHARDS = 256;
const shard = field((value, refuse) => {
	if (value === "") return void 0;
	const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
	if (1 <= index && index <= count && count <= MAX_SHARDS) return {
		index,
		count
	};
	const from = value.startsWith("0/") ? " The first is 1, but strategy.job-index begins with 0." : "";
	return refuse(`${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.${from}`, "2/4");
}, (value) => value === void 0 ? "empty" : `${value.index} of ${value.count}`);
/** `auto`, which is also what empty means, or a whole number from 1 to `max`. */
function autoOr(max) {
	return (value, refuse) => {
		if (value === "" || value === "auto") return "auto";
		const number = /^\d{1,4}$/.test(value) ? Number(value) : 0;
		if (number >= 1 && number <= max) return number;
		return refuse(`${quote(value)} is neither auto nor a whole number from 1 to ${max}.`, "auto");
	};
}
const concurrency = field(autoOr(100), String);
const parseBatchSize = autoOr(1e3);
const AUTO_BATCH_SIZE = 250;
/** How many small files may share a request. E2B's agent accepts batches. */
const filesPerRequest = field((value, refuse, all) => {
	const isSigned = Boolean(all["signature"]?.trim());
	const count = parseBatchSize(value, refuse, all);
	if (count === "auto") return /^e2b$/i.test(all["header-prefix"]?.trim() ?? "") && !isSigned ? AUTO_BATCH_SIZE : 1;
	if (count === 1 || !isSigned) return count;
	return refuse(`${quote(value)} cannot be combined with a signature, which fits a single target path.`, "auto");
});
const expiration = field((value, refuse) => /^\d{0,19}$/.test(value) ? value : refuse(`${quote(value)} is not a whole number: the Unix time in seconds.`, "1767225600"));
/** A path on the runner. */
const runnerPath = field((value, refuse) => {
	const invisible = findInvisible(value);
	if (invisible !== void 0) return refuse(`${quote(value)} has the invisible character ${invisible}.`, "cache/state.json");
	if (/^[a-z][a-z\d+.-]*:\/\//i.test(value)) return refuse(`${quote(value)} is a URL. Name a file of the runner, and keep it with actions/cache.`, "cache/state.json");
	if (/\/$|^(true|yes|on)$/i.test(value)) return refuse(`${quote(value)} does not name a file.`, "cache/state.json");
	const unexpanded = findUnexpanded(value);
	if (unexpanded === void 0) return value;
	return refuse(`${quote(value)}: ${unexpanded} is not expanded. Write the path; a relative one is below the workspace.`, "cache/state.json");
});

// src/inputs/inputs.ts
const reaching = {
	"sandbox-id": sandboxId,
	token,
	"base-url": baseUrl,
	"allow-insecure-http": flag(false),
	port: wholeNumber(1, 65535, 49983),
	"header-prefix": headerPrefix,
	"stats-path": operationPath("/metrics"),
	headers: extraHeaders,
	timeout: duration(1, "60s")
};
const retrying = {
	"upload-path": operationPath("/files"),
	retries: wholeNumber(0, 10, 4)
};
const uploading = {
	files: fileRules,
	target: targetDirectory,
	"working-directory": text,
	username: text,
	signature: secret(text.parse),
	"signature-expiration": expiration,
	"if-no-files-found": choice("error", "warn", "ignore"),
	"include-hidden-files": flag(false),
	"follow-symlinks": flag(true),
	"state-file": runnerPath,
	shard,
	concurrency,
	"files-per-request": filesPerRequest,
	checksums: flag(false),
	"dry-run": flag(false)
};
const judging = {
	"fail-if": conditions,
	"warn-if": conditions
};
const measuring = {
	...judging,
	"wait-until": waiting,
	"wait-timeout": duration(1, "5m"),
	samples: wholeNumber(1, 1e3, 1),
	"sample-interval": duration(200, "1s")
};
const reporting = { summary: flag(true) };
const controlling = {
	"api-url": apiUrl,
	"api-key": apiKey,
	headers: apiHeaders,
	retries: wholeNumber(0, 10, 4),
	timeout: duration(1, "60s")
};
/** Every input of each action.yml. */
const TABLES = {
	sync: {
		...reaching,
		...retrying,
		...uploading,
		...measuring,
		...reporting
	},
	upload: {
		...reaching,
		...retrying,
		...uploading,
		...reporting
	},
	stats: {
		...reaching,
		...retrying,
		...measuring,
		...reporting
	},
	monitor: {
		...reaching,
		...judging,
		"sample-interval": duration(200, "5s"),
		"max-duration": duration(1e3, "6h"),
		name: text,
		...reporting
	},
	"monitor-stop": {
		monitor: text,
		...reporting
	},
	"monitor-end": {
		"sandbox-id": text,
		"base-url": text,
		...judging,
		"sample-interval": duration(200, "5s"),
		name: text,
		...reporting
	},
	sandbox: {
		...controlling,
		template: templateName,
		lifetime: duration(1e3, "15m"),
		metadata: keyValues,
		env: keyValues,
		"sandbox-id": existingSandboxId,
		delete: optionalFlag,
		wait: flag(true)
	},
	"sandbox-end": controlling
};
function taskOf(entry) {
	return entry === "monitor-end" || entry === "monitor-stop" ? "monitor" : entry;
}
function inputNames(entry) {
	return Object.keys(TABLES[entry]);
}
const SECRET_INPUTS = Object.entries({
	...TABLES.sync,
	...TABLES.sandbox
}).filter(([, { isSecret }]) => isSecret).map(([name]) => name);
/** Parses the inputs of an entry. @throws InputError that lists every input that is wrong */
function parseInputs(entry, raw) {
	return parseFields(TABLES[entry], raw);
}
/** Parses every input that has a field. @throws InputError with the problems of all of them */
function parseFields(fields, raw) {
	const parsed = parseAll(Object.entries(fields), ([name, { parse }]) => {
		const refuse = (message, example) => {
			throw inputError(name, message, example);
		};
		return [[toCamel(name), parse((raw[name] ?? "").trim(), refuse, raw)]];
	});
	return Object.fromEntries(parsed);
}
/** The inputs of an entry as they were understood, one per line, without secrets. */
function showInputs(entry, inputs) {
	const values = new Map(Object.entries(inputs));
	return Object.entries(TABLES[entry]).map(([name, field]) => `${name}: ${field.show(values.get(toCamel(name)))}`);
}
function toCamel(name) {
	return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}

// src/report/report.ts
/** A report of nothing done, to start from. */
const EMPTY_REPORT = {
	task: "sync",
	name: "",
	sandboxId: "",
	baseUrl: "",
	dryRun: false,
	mayBatch: false,
	cancelled: false,
	shard: void 0,
	files: [],
	skipped: [],
	hidden: [],
	orphaned: [],
	stats: void 0,
	samples: [],
	gate: NO_GATE,
	durationMs: 0,
	durations: {},
	errors: [],
	warnings: []
};
/** Counts the files of a report by how they ended. */
function countFiles({ files, skipped }) {
	const totals = {
		planned: files.length,
		/** When the plan was made. */
		plannedBytes: 0,
		uploaded: 0,
		unchanged: 0,
		unchangedBytes: 0,
		failed: 0,
		/** The files of a dry run, and what patterns matched but is not uploaded. */
		skipped: skipped.length,
		notAttempted: 0,
		/** As they were sent. */
		uploadedBytes: 0
	};
	for (const result of files) {
		const { status, file } = result;
		totals[status === "not-attempted" ? "notAttempted" : status] += 1;
		totals.plannedBytes += file.size;
		if (status === "unchanged") totals.unchangedBytes += file.size;
		if (status === "uploaded") totals.uploadedBytes += result.size;
	}
	return totals;
}
function succeeded(report) {
	const { errors, gate, cancelled } = report;
	const { failed, notAttempted } = countFiles(report);
	return failed + notAttempted + errors.length === 0 && gate.state !== "failed" && !cancelled;
}
/** How a file ended, in words. Only a dry run plans files and skips them. */
const STATUS = {
	uploaded: "uploaded",
	unchanged: "unchanged",
	failed: "failed",
	skipped: "would be uploaded",
	"not-attempted": "not attempted"
};
/** Which shard it is: `shard 2 of 4`. */
function nameShard({ index, count }) {
	return `shard ${index} of ${count}`;
}
/** Which shard it is, and how much of the plan: `shard 2 of 4: 500 of 2,000 files`. */
function describeShard(shard) {
	return `${nameShard(shard)}: ${formatNumber(shard.files)} of ${formatCount(shard.planned, "file")}`;
}
/** What a digest covers: a shard's is that of its files alone. */
function nameDigest({ shard }) {
	return shard === void 0 ? "Digest" : `Digest of ${nameShard(shard)}`;
}
function moreInReport(rest) {
	return `and ${formatNumber(rest)} more; the report file has them all`;
}

// src/stats/sample.ts
/**
* Takes samples. The CPU figure covers the time since the last one, so without a `previous` sample,
* several start with one that does not count.
*/
async function takeSamples(read, { count, intervalMs, previous }, { sleep, stop, now }) {
	const samples = [];
	const warnings = /* @__PURE__ */ new Set();
	let before = previous;
	let stats;
	let error;
	do {
		const outcome = await read();
		if ("error" in outcome) {
			error = outcome.error;
			break;
		}
		const sample = {
			at: now(),
			figures: outcome.value.figures
		};
		if (count > 1 && before === void 0) {
			before = sample;
			continue;
		}
		samples.push(sample);
		stats = outcome.value;
		for (const warning of stats.warnings) warnings.add(warning);
	} while (samples.length < count && await sleep(intervalMs, stop));
	return {
		samples,
		stats,
		warnings: [...warnings],
		previous: before,
		error
	};
}
/** Takes samples until all conditions hold in one, time is up, or waiting cannot mend an error. */
async function waitUntil(conditions, read, { intervalMs, timeoutMs, onSample, mayMend = ({ isRetryable }) => isRetryable }, { sleep, stop, now }) {
	const start = now();
	let missing = [];
	for (;;) {
		const sampled = await tryToSample(read);
		const error = sampled instanceof AgentError ? sampled : void 0;
		if (!(sampled instanceof AgentError)) missing = unmet(conditions, sampled.figures);
		const held = error === void 0 && missing.length === 0;
		const wait = {
			held,
			waitedMs: now() - start,
			missing,
			error
		};
		onSample(wait);
		const leftMs = timeoutMs - wait.waitedMs;
		if (held || leftMs <= 0 || stop.aborted || error && !mayMend(error) || !await sleep(Math.min(intervalMs, leftMs), stop)) return wait;
	}
}
/** The stats, or why there are none. Bugs pass through. */
async function tryToSample(read) {
	try {
		return await read();
	} catch (error) {
		if (error instanceof AgentError) return error;
		throw error;
	}
}
/** One figure for a metric over samples; undefined if none of them reports it. */
function figureOver(metric, aggregate, samples) {
	const all = samples.map(({ figures }) => figures);
	const figures = figuresOf(metric, all);
	return figures && aggregateOf(aggregate, figures);
}
/** The conditions that do not hold, or cannot be judged. */
function unmet(conditions, figures) {
	return conditions.map((condition) => judge(condition, [figures])).filter(({ holds }) => holds !== true);
}

// src/report/breaches.ts
/** A metric's figure for a reader: `93.2 %`, `512 MiB`, `4`. */
function formatFigure(metric, figure) {
	return FORMATS[metricKind(metric) ?? "plain"](figure);
}
const FORMATS = {
	percentage: (figure) => `${formatDecimal(figure, 1)} %`,
	bytes: formatBytes,
	mebibytes: (figure) => formatBytes(figure * 2 ** 20),
	plain: (figure) => formatDecimal(figure, 2)
};
/** A tripped condition, and what tripped it. */
function breachLine(breach, samples) {
	return breach.holds === void 0 ? describeUnjudged(breach) : `${breach.condition.text}: ${breachSentence(breach, samples)}`;
}
const SUBJECTS = [
	[/^cpu_used_pct$/, "CPU"],
	[/^mem_used(_pct|_mib)?$/, "Memory"],
	[/^mem_free$/, "Free memory"],
	[/^disk_used(_pct)?$/, "Disk"],
	[/^disk_free$/, "Free disk space"]
];
const VERBS = {
	max: "peaked at",
	min: "fell to",
	mean: "averaged",
	last: "ended at"
};
/** Such as `Memory peaked at 90 % (limit 80 %) at 09:05:00 UTC, too high for 40 s`. */
function breachSentence(breach, samples) {
	const { metric, limit } = breach.condition;
	const subject = SUBJECTS.find(([pattern]) => pattern.test(metric))?.[1] ?? metric;
	if (breach.holds === void 0) return `${subject} cannot be judged`;
	const deciding = decidingOf(breach.condition);
	const isSingle = samples.length < 2;
	const peak = `${subject} ${isSingle || deciding === void 0 ? "was at" : VERBS[deciding]} ${formatFigure(metric, breach.figure)} (limit ${formatFigure(metric, limit)})`;
	if (isSingle || deciding === "mean" || deciding === "last") return peak;
	return `${peak}${describeTime(breach, samples)}`;
}
/** When the deciding figure was sampled, and how long samples in a row tripped. */
function describeTime({ condition, figure }, samples) {
	const single = {
		...condition,
		aggregate: void 0
	};
	const judged = samples.map(({ at, figures }) => ({
		at,
		...judge(single, [figures])
	}));
	const peak = judged.find((one) => one.holds !== void 0 && one.figure === figure);
	const longest = 10 * ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / samples.length;
	let ms = 0;
	for (const [index, { at, holds }] of judged.entries()) {
		const before = judged[index - 1];
		if (holds && before?.holds && at - before.at <= longest) ms += Math.max(at - before.at, 0);
	}
	const count = judged.filter(({ holds }) => holds).length;
	const how = {
		"<": ", too low",
		">": ", too high"
	}[condition.operator.charAt(0)] ?? "";
	const howLong = ms === 0 ? `in ${formatCount(count, "sample")}` : `for ${formatDuration(ms)}`;
	return ` at ${formatTime(peak?.at ?? 0)}${how} ${howLong}`;
}
/** A condition that does not hold, with the figure that was seen. */
function judgementLine(judgement) {
	if (judgement.holds === void 0) return describeUnjudged(judgement);
	const { text, metric } = judgement.condition;
	return `${text} does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}
const MAX_REPORTED = 30;
function describeUnjudged({ condition, samples, missing, reported }) {
	const { text, metric } = condition;
	if (samples === 0) return `${text} cannot be judged: there are no stats`;
	if (missing < samples) return `${text} cannot be judged: ${missing} of ${samples} samples do not report ${metric}`;
	return `${text} cannot be judged: the sandbox does not report ${metric}; it reports ${abbreviate(reported, MAX_REPORTED, {
		show: (name) => name,
		more: (rest) => `${rest} more`
	}).join(", ") || "nothing"}`;
}

// src/report/verdict.ts
function headline(report) {
	return withName(report, verdictSentences(report).join(" "));
}
/** A line of the log, which also says whose it is if several monitors run. */
function withName({ name }, line) {
	return name === "" ? line : `${name}: ${line}`;
}
/** What came of the run, a sentence each, the most important first. */
function verdictSentences(report) {
	const { files, errors, gate, shard, cancelled } = report;
	const { failed, notAttempted } = countFiles(report);
	const isLost = failed + notAttempted > 0;
	const done = `${describeWork(report)}${shard === void 0 ? "" : ` (${nameShard(shard)})`}`;
	const judged = gateSentences(report);
	if (cancelled) return [`Cancelled: ${done.charAt(0).toLowerCase()}${done.slice(1)}.`, ...judged];
	const error = errors.slice(0, 1).map(({ message }) => message);
	const hasTripped = gate.state === "failed";
	const tripped = hasTripped ? judged : [];
	if (error.length > 0 && files.length === 0) return [...tripped, ...error];
	const isOtherError = error.length > 0 && !isLost;
	const rest = hasTripped || isLost && gate.state === "passed" ? [] : judged;
	return [
		...tripped,
		isOtherError ? `${done}, but the step failed:` : `${done}.`,
		...rest,
		...error
	];
}
/** The sentence on the gate; none without samples, since an error says why there are none. */
function gateSentences({ gate: { state, breaches }, samples }) {
	if (state === "passed") return ["The gate passed."];
	const level = state === "failed" ? "fail" : "warn";
	const [first, ...others] = breaches.filter((breach) => breach.level === level);
	if (first === void 0 || samples.length === 0) return [];
	const more = others.length === 0 ? "" : `, and ${formatCount(others.length, "other condition")} tripped`;
	return [`${breachSentence(first, samples)}${more}, so the gate ${state}.`];
}
function describeWork(report) {
	const { task, files, skipped, errors, dryRun, cancelled, durationMs } = report;
	if (task === "stats" || task === "monitor") return describeUsage(report);
	if (files.length === 0) return describeNothing(report);
	const totals = countFiles(report);
	const { planned, unchanged, uploaded, failed, notAttempted } = totals;
	const changed = formatCount(planned - unchanged, "file");
	const alsoUnchanged = also(unchanged, "unchanged");
	const alsoSkipped = also(skipped.length, "skipped");
	const others = `${alsoUnchanged}${alsoSkipped}`;
	if (planned === unchanged) return `${dryRun ? "Dry run: nothing would be uploaded" : "Nothing was sent"}, ${formatCount(unchanged, "file")} unchanged${alsoSkipped}`;
	if (dryRun) return `Dry run: ${changed} (${formatBytes(totals.plannedBytes - totals.unchangedBytes)}) would be uploaded${others}; nothing was sent`;
	if (failed + notAttempted + errors.length > 0 || cancelled) {
		const rest = `${`${also(failed, "failed")}${also(notAttempted, "not attempted")}`}${alsoUnchanged}`.replace(",", ";");
		return `Uploaded ${formatNumber(uploaded)} of ${changed}${rest}`;
	}
	const size = formatBytes(totals.uploadedBytes);
	const duration = formatDuration(durationMs);
	return `Uploaded ${formatCount(uploaded, "file")} (${size}) in ${duration}${others}`;
}
function also(count, what) {
	return count === 0 ? "" : `, ${formatNumber(count)} ${what}`;
}
function describeNothing({ shard }) {
	if (shard === void 0 || shard.planned === 0) return "There were no files to upload";
	return `None of ${formatCount(shard.planned, "file")} belongs to this shard`;
}
const USED = {
	CPU: "cpu_used_pct",
	memory: "mem_used_pct",
	disk: "disk_used_pct"
};
/** What the sandbox uses, or its peak over several samples. */
function describeUsage({ samples, cancelled }) {
	if (samples.length === 0) return cancelled ? "No stats were read yet" : "There are no stats for the sandbox";
	const used = Object.entries(USED).flatMap(([name, metric]) => {
		const figure = figureOver(metric, "max", samples);
		return figure === void 0 ? [] : `${name} ${formatFigure(metric, figure)}`;
	});
	const figures = used.length === 0 ? "no CPU, memory or disk usage" : used.join(", ");
	return samples.length === 1 ? `The sandbox reports ${figures}` : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}
/** The lines below the headline: details, other errors, and the conditions that failed. */
function furtherLines(report) {
	const { errors } = report;
	const given = new Set(failureGroups(report).map(({ error }) => error.hint));
	return [...errors.flatMap(({ message, details }, index) => index === 0 ? details : [message, ...details]).filter((line) => !given.has(line)), ...trippedLines(report)];
}
function trippedLines({ gate, samples }) {
	if (samples.length === 0) return [];
	const tripped = gate.breaches.filter(({ level }) => level === "fail");
	return tripped.length === 1 && tripped[0]?.holds === true ? [] : tripped.map((breach) => breachLine(breach, samples));
}
/** The failed files in plan order, grouped by message, the largest group first. */
function failureGroups({ files }) {
	const groups = /* @__PURE__ */ new Map();
	for (const { error, file } of files.filter((result) => result.status === "failed")) {
		const group = groups.get(error.message) ?? {
			error,
			sources: []
		};
		group.sources.push(file.source);
		groups.set(error.message, group);
	}
	return [...groups.values()].sort((a, b) => b.sources.length - a.sources.length);
}
/** What to do about a failure; for a full disk with the sandbox's figures, if they are known. */
function adviceFor({ kind, hint }, { stats }) {
	const used = stats?.figures.get("disk_used");
	const total = stats?.figures.get("disk_total");
	if (kind !== "disk-full" || used === void 0 || total === void 0) return hint;
	return `${hint} Its root file system uses ${formatBytes(used)} of ${formatBytes(total)}; the target may be on another.`;
}
function reportError(error) {
	if (error instanceof AgentError) return {
		message: error.message,
		details: error.kind === "cancelled" ? [] : [error.hint]
	};
	const lines = error.problems.map(describeProblem);
	const [only] = lines;
	if (lines.length === 1 && only !== void 0) return {
		message: only,
		details: ["Nothing was sent."]
	};
	const count = new Set(error.problems.map(({ input }) => input)).size;
	return {
		message: `${`${formatCount(count, "input")} ${count === 1 ? "is" : "are"} invalid`}; nothing was sent.`,
		details: lines
	};
}
/** Why a step that waited for the sandbox did not go on. */
function waitError({ missing, error, waitedMs }) {
	if (error !== void 0 && !error.isRetryable) return reportError(error);
	const message = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
	const last = error === void 0 ? [] : [error.message, error.hint];
	return {
		message,
		details: [...missing.map(judgementLine), ...last]
	};
}

// src/github/log.ts
function logLine(text) {
	info(harmless(text));
}
/** Writes a text to the debug log, without secrets: people paste it into bug reports. */
function logDebug(text, redact) {
	if (!isDebug()) return;
	for (const line of redact(text).split("\n")) debug(harmless(line));
}
const MAX_MESSAGE = 4e3;
/** Joins lines to the message of an annotation. */
function toMessage(lines) {
	return truncate(lines.map(harmless).join("\n"), MAX_MESSAGE);
}
/** Annotations of the run, of several lines each. */
const annotate = {
	error: (lines) => error(toMessage(lines)),
	warning: (lines) => warning(toMessage(lines)),
	notice: (lines) => notice(toMessage(lines))
};
const MAX_LINES$1 = 1e3;
const MAX_CHARACTERS$1 = 131072;
const RANKS = {
	failed: 0,
	"not-attempted": 0,
	uploaded: 1,
	skipped: 1,
	unchanged: 2
};
/** Logs the files in a folded group: a plan in full; of many results, failures first. */
function logFiles({ files, skipped, dryRun }) {
	if (files.length + skipped.length === 0) return;
	const ranked = files.toSorted((one, other) => RANKS[one.status] - RANKS[other.status]);
	const lines = dryRun ? files.map(fileLine) : cutLines(ranked.map(fileLine));
	const others = skipped.map(({ path, reason }) => harmless(`skipped: ${path} (${reason})`));
	startGroup("Files");
	info([...lines, ...cutLines(others)].join("\n"));
	endGroup();
}
function cutLines(lines) {
	const taken = takeWithin(lines.slice(0, MAX_LINES$1), MAX_CHARACTERS$1, ({ length }) => length);
	const rest = lines.length - taken.length;
	return rest > 0 ? [...taken, moreInReport(rest)] : taken;
}
function fileLine(result) {
	const { source, target } = result.file;
	const line = `${STATUS[result.status]}: ${source} → ${"path" in result ? result.path : target}`;
	return harmless(result.status === "failed" ? `${line} (${result.error.message})` : line);
}

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
		const progress = tally.now();
		if (progress.elapsedMs < dueMs) return;
		dueMs = progress.elapsedMs * SLOWER;
		logLine(progressLine(progress));
	}, INTERVAL_MS);
	timer.unref();
	return {
		add: (event) => tally.add(event),
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
/** Adds up events. What a failed attempt sent no longer counts. */
function newTally(files) {
	const started = performance.now();
	let lastChange = started;
	let planned = files;
	const results = /* @__PURE__ */ new Map();
	const inFlight = /* @__PURE__ */ new Map();
	return {
		add(event) {
			switch (event.kind) {
				case "concurrency":
				case "batch-refused": return;
				case "sent":
					inFlight.set(event.file, (inFlight.get(event.file) ?? 0) + event.bytes);
					break;
				case "settled":
					inFlight.delete(event.result.file);
					results.set(event.result.file, event.result);
					break;
				case "restart":
					planned = event.files;
					results.clear();
					break;
				case "retry":
				case "failed": for (const file of event.files) inFlight.delete(file);
			}
			lastChange = performance.now();
		},
		now() {
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
	};
}

// src/github/wait-log.ts
const WAIT_INTERVAL_MS = 15e3;
/** Logs what a wait waits for: unreported metrics at once, all every 15 s, and how long it took. */
function waitLog(log = logLine) {
	let dueMs = WAIT_INTERVAL_MS;
	let isFirst = true;
	return ({ held, waitedMs, missing, error }) => {
		const duration = formatDuration(waitedMs);
		if (held) return log(`The sandbox was ready after ${duration}`);
		const isDue = waitedMs >= dueMs;
		if (isDue) dueMs = waitedMs + WAIT_INTERVAL_MS;
		const unreported = isFirst ? missing.filter(({ holds }) => holds === void 0) : [];
		isFirst &&= error !== void 0;
		const lines = (isDue ? missing : unreported).map(judgementLine);
		if (isDue && error !== void 0) lines.push(error.message);
		if (lines.length > 0) log(`Waited ${duration}: ${lines.join("; ")}`);
	};
}

// src/github/observer.ts
/** Logs the plan, waits, retries and progress as they happen, until `stop` is called. */
function watchTransfer(debug) {
	let progress;
	const showRetry = retryLog();
	const warnOfBatches = batchWarning();
	return {
		observer: {
			planned(upload, inputs) {
				const changed = upload.files.filter((file) => !upload.unchanged.has(file));
				debug(planLines(upload, changed));
				if (changed.length === 0) return;
				logLine(announcement(upload, changed, inputs));
				progress = showProgress(changed);
			},
			waiting: ({ sandboxId, waitTimeout }) => logLine(`Waiting up to ${formatDuration(waitTimeout)} for sandbox ${sandboxId} to be ready`),
			waited: waitLog(),
			event(event) {
				progress?.add(event);
				for (const line of debugLines(event)) debug(line);
				if (event.kind === "retry") showRetry(event);
				warnOfBatches(event);
			}
		},
		stop: () => progress?.stop()
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

// src/inputs/misnamed.ts
const EXCLUDE = "is not an input: write !**/*.map in files.";
const USE_FILES = "is not an input: use files.";
const USE_TARGET = "is not an input: use target.";
const USE_FAIL_IF = "is not an input: use fail-if.";
const OTHER_NAMES = /* @__PURE__ */ new Map([
	["exclude", EXCLUDE],
	["ignore", EXCLUDE],
	["path", USE_FILES],
	["source", USE_FILES],
	["dest", USE_TARGET],
	["destination", USE_TARGET],
	["target-dir", USE_TARGET],
	["remote-path", USE_TARGET],
	["include", USE_FILES],
	["pattern", USE_FILES],
	["patterns", USE_FILES]
]);
const OTHER_GATES = /* @__PURE__ */ new Map([
	["fail-on", USE_FAIL_IF],
	["fail-when", USE_FAIL_IF],
	["threshold", USE_FAIL_IF]
]);
const NO_GATE_HERE = "is not an input of this action. Use it in a step of the action stats.";
const NO_GATES = /* @__PURE__ */ new Map([["fail-if", NO_GATE_HERE], ["warn-if", NO_GATE_HERE]]);
/** The inputs among those given that the entry does not have: one could be meant as a gate. */
function misnamedInputs(entry, given) {
	const known = inputNames(entry);
	const others = new Map([...known.includes("files") ? OTHER_NAMES : [], ...known.includes("fail-if") ? OTHER_GATES : NO_GATES]);
	return given.filter((name) => !known.includes(name)).flatMap((input) => {
		const message = others.get(input);
		if (message !== void 0) return [{
			input,
			message
		}];
		const meant = closestWord(input, known, .5);
		if (meant === void 0) return [];
		return [{
			input,
			message: `is not an input. Did you mean ${meant}?`
		}];
	});
}

// src/agent/proxy.ts
/** The proxy for a URL, if there is one: plain http to this machine never uses one. */
function proxyFor(url, env) {
	const { protocol, hostname, port } = new URL(url);
	if (protocol === "http:" && isLoopback(hostname)) return void 0;
	if (isExcepted({
		protocol,
		hostname,
		port
	}, env["no_proxy"] ?? env["NO_PROXY"] ?? "")) return void 0;
	const plain = firstSet(["http_proxy", "HTTP_PROXY"], env);
	if (protocol === "http:") return plain;
	return firstSet(["https_proxy", "HTTPS_PROXY"], env) ?? plain;
}
/** Like `proxyFor`. @throws InputError if undici cannot use the proxy: no request goes past it. */
function usableProxy(url, env) {
	const proxy = proxyFor(url, env);
	if (proxy === void 0 || isUsable(proxy)) return proxy;
	throw inputError(proxy.name, `the environment variable is not the URL of an http, https or socks5 proxy. Correct it, or add the host to NO_PROXY.`, "http://host:3128");
}
function isUsable({ value }) {
	const { protocol = "", hostname = "", username = "", password = "" } = URL.parse(value) ?? {};
	return /^(https?|socks5?):$/.test(protocol) && hostname !== "" && decode(`${username}${password}`) !== void 0;
}
/** The host and port of a usable proxy. */
function proxyAddress({ value }) {
	return new URL(value).host;
}
/** Passwords, and user names without one, encoded and decoded. */
function proxyCredentials(env) {
	return [
		"http_proxy",
		"https_proxy",
		"HTTP_PROXY",
		"HTTPS_PROXY"
	].flatMap((name) => URL.parse(env[name] ?? "") ?? []).flatMap(({ username, password }) => password === "" ? [username] : [password, `${username}:${password}`]).flatMap((secret) => [secret, decode(secret) ?? secret]).filter(isMaskable);
}
/** NO_PROXY has `*`, `host`, `.domain` and `*.domain`, each with or without a port. */
function isExcepted({ hostname, port, protocol }, noProxy) {
	const host = plainHost(hostname);
	const ownPort = port || (protocol === "https:" ? "443" : "80");
	return noProxy.split(/[,\s]+/).some((entry) => {
		const [, name = "", wantedPort = ""] = /^(\[[^\]]+\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
		const isOtherPort = Number(wantedPort) !== 0 && Number(wantedPort) !== Number(ownPort);
		if (name === "" || isOtherPort) return false;
		const wanted = plainHost(name.replace(/^\*?\./, ""));
		const isExact = host === wanted && !name.startsWith("*.");
		return wanted === "*" || isExact || host.endsWith(`.${wanted}`);
	});
}
function plainHost(hostname) {
	return hostname.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
}
function decode(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		return;
	}
}
/** The first of the variables that is set; undefined if its value is empty. */
function firstSet(names, env) {
	const name = names.find((each) => env[each] !== void 0) ?? "";
	const value = env[name];
	return value ? {
		name,
		value
	} : void 0;
}

// src/github/runner.ts
/** Reads the inputs of the step, and masks its secrets in the log. */
function readInputs(entry) {
	const raw = Object.fromEntries(inputNames(entry).map((name) => [name, getInput(name, { trimWhitespace: false })]));
	for (const secret of secretsOf(raw)) setSecret(secret);
	return raw;
}
/** The names of all inputs that the workflow gives, also those that only cause a warning. */
function givenInputs() {
	return Object.keys(process.env).flatMap((name) => /^INPUT_(.+)$/.exec(name)?.[1]?.toLowerCase() ?? []);
}
/** What must never be shown: the secrets in the inputs, and those of proxies. */
function secretsOf(raw) {
	return [...secretsIn(raw), ...proxyCredentials(process.env)];
}
function secretsIn(raw) {
	const lines = (raw["headers"] ?? "").split(/\r?\n/).map((line) => splitHeader(line.trim()));
	return [...SECRET_INPUTS.map((name) => (raw[name] ?? "").trim()), ...secretsInHeaders(lines.filter((header) => header !== void 0))].filter((value) => !isMissing(value));
}
/** The values of all headers: any may be secret, so the debug log does not show them. */
function headerValuesIn({ headers = "" }) {
	return headers.split("\n").map((line) => line.slice(line.indexOf(":") + 1).trim()).filter(isMaskable);
}
/** The inputs that contain a secret of another input, and would show it. */
function strayInputs(raw) {
	const redact = redactor(secretsIn(raw).filter(isMaskable));
	const message = "contains the token or another secret, which belongs only in its own input.";
	return Object.entries(raw).filter(([name]) => name !== "headers" && !SECRET_INPUTS.includes(name)).filter(([, value]) => redact(value) !== value).map(([input]) => ({
		input,
		message
	}));
}
/** The directory of the checkout. */
function workspace() {
	return process.env["GITHUB_WORKSPACE"] || process.cwd();
}
/** Warnings about variables that make connections unsafe, or will make them fail. */
function environmentWarnings() {
	const { NODE_TLS_REJECT_UNAUTHORIZED: check, NODE_EXTRA_CA_CERTS: certificates } = process.env;
	const warnings = [];
	if (check === "0") warnings.push("NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates, so anyone on the way can read the token. Remove it; for a private CA, set NODE_EXTRA_CA_CERTS to its file.");
	if (certificates && !isReadable(certificates)) warnings.push(`NODE_EXTRA_CA_CERTS is set to ${quote(certificates)}, which cannot be read.`);
	return warnings;
}
function isReadable(file) {
	try {
		accessSync(file, constants.R_OK);
		return true;
	} catch {
		return false;
	}
}
/** Warnings for a run that writes a state file, which its cache may not save. */
function cacheWarnings() {
	const mode = process.env["ACTIONS_CACHE_MODE"] ?? "";
	if (mode !== "read" && mode !== "none") return [];
	return [`${`Caches of this run are not saved (ACTIONS_CACHE_MODE: ${mode}).`} If one carries the state file, the next run starts from an older state, which does not know what was sent now.`];
}
/** A signal that aborts when the runner cancels the job: SIGINT, and SIGTERM some seconds later. */
function cancelSignal() {
	const controller = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => controller.abort());
	return controller.signal;
}
const GRACE_MS = {
	SIGINT: 9e3,
	SIGTERM: 2e3
};
/** A signal that aborts just before the runner kills the process of a cancelled job. */
function lastCallSignal() {
	const controller = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => setTimeout(() => controller.abort(), GRACE_MS[signal]).unref());
	return controller.signal;
}
/** @throws InputError if a post step or later steps cannot be told of what is started */
function requireFileCommands(started, names) {
	const missing = names.find((name) => !process.env[name]);
	if (missing !== void 0) throw inputError(started, `cannot start: ${missing} is not set.`);
}

// src/github/open-step.ts
/** Reads the inputs of a step, unless they are `given`, since an earlier step understood them. */
function openStep(entry, given) {
	process.stdout.on("error", () => {});
	const raw = given ?? readInputs(entry);
	const secrets = secretsOf(raw);
	const redact = redactor(secrets);
	const redactHeaders = redactor([...secrets, ...headerValuesIn(raw)]);
	const debug = (text) => logDebug(text, redactHeaders);
	debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
	return {
		raw,
		redact,
		debug,
		parse() {
			const inputs = given === void 0 ? parseRead(entry, raw, redact) : parseInputs(entry, raw);
			for (const line of showInputs(entry, inputs)) debug(`Input ${line}`);
			return inputs;
		}
	};
}
/** Parses what the workflow's author wrote, which may have secrets and names in wrong places. */
function parseRead(entry, raw, redact) {
	const strays = strayInputs(raw);
	const isStray = (input) => strays.some((stray) => stray.input === input);
	const clean = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, isStray(name) ? redact(value) : value]));
	const misnamed = misnamedInputs(entry, givenInputs());
	const problems = [...strays];
	try {
		const inputs = parseInputs(entry, clean);
		if (strays.length + misnamed.length === 0) return inputs;
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		problems.push(...error.problems.filter(({ input }) => !isStray(input)));
	}
	throw new InputError([...problems, ...misnamed]);
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
function digestOf({ files }) {
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

// src/text/system-error.ts
/** The code of a system error, such as `ENOENT`; undefined for any other error, such as a bug. */
function systemCode(error) {
	if (!(error instanceof Error) || !("code" in error)) return void 0;
	return typeof error.code === "string" ? error.code : void 0;
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
/** In hexadecimal digits; undefined if the file cannot be read, or `cancel` aborts. */
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
function batchNotice({ files, mayBatch, durationMs }) {
	const small = files.filter((result) => result.status === "uploaded").filter(({ size }) => size <= SMALL_BYTES);
	const times = small.map((result) => result.durationMs).sort((a, b) => a - b);
	const isIdle = (times[times.length >> 1] ?? 0) >= LONG_MS && totalSize(small) / durationMs < SLOW_BYTES_PER_MS;
	if (!mayBatch || small.length < MANY || !isIdle) return [];
	return [`${`${formatCount(small.length, "small file")} went out one per request`}, and most of the time was spent waiting. If the service accepts several files per request, files-per-request: ${MANY} is several times as fast.`];
}

// src/report/outputs.ts
const MAX_CHARACTERS = 45e4;
/** One output may not take the room of all others. */
const MAX_OUTPUT_BYTES = 262144;
function derive(report) {
	return {
		aggregates: aggregatesOf(report.samples),
		digest: digestOf(report)
	};
}
/** The outputs by name, beside those that name files; a notice for each that is too long. */
function outputsOf(report, { aggregates, digest }) {
	const { task } = report;
	const drafts = {
		...task === "sync" || task === "upload" ? {
			...uploadCounts(report),
			digest
		} : {},
		...task === "upload" ? {} : {
			...statsOutputs(report),
			...gateOutputs(report, aggregates)
		},
		...task === "sync" || task === "upload" ? { uploaded: uploadedList(report) } : {}
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
/** Each metric's aggregates. */
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
function* reportJson(report, { aggregates, digest }) {
	const { task, files, stats, samples, gate, mayBatch: _, ...rest } = report;
	const document = {
		$schema: SCHEMA,
		task,
		succeeded: succeeded(report),
		headline: headline(report),
		totals: countFiles(report),
		digest,
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
	const unit = [
		{
			name: "hours",
			ms: 36e5
		},
		{
			name: "minutes",
			ms: 6e4
		},
		{
			name: "seconds",
			ms: 1e3
		}
	].find(({ ms }) => lengthMs >= 2 * ms) ?? {
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
function summary(report, digest = "") {
	const [title = "", ...others] = verdictSentences(report);
	return [
		html`<h3>${markOf(report)} Sandbox Sync${nameSandbox(report)}: ${prose(title)}</h3>`,
		...others.map((line) => html`<p>${prose(line)}</p>`),
		...failureSection(report),
		...list(furtherLines(report), MAX_LINES, prose),
		...statsSection(report),
		...planSection(report),
		...uploadTable(report, digest),
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
	const isUpload = report.task === "sync" || report.task === "upload";
	const isEmpty = report.files.length === 0 && !report.shard?.planned;
	return isUpload && isEmpty || report.gate.state === "warned" ? "⚠️" : "✅";
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
function uploadTable(report, digest) {
	if (report.files.length === 0 || report.dryRun) return [];
	const { uploaded, unchanged, failed, skipped, notAttempted, uploadedBytes } = countFiles(report);
	const { durationMs, durations } = report;
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
	const derived = derive(report);
	if (derived.digest !== "") logLine(`${nameDigest(report)}: ${derived.digest}`);
	const outputProblem = await writeOutputs(report, derived);
	if (withSummary) await writeSummary(report, derived.digest);
	annotateWarnings(report);
	for (const line of notices(report)) annotate.notice([line]);
	annotateFailures(report);
	const verdict = [headline(report), ...furtherLines(report)];
	if (!succeeded(report)) setFailed(toMessage([...verdict, ...outputProblem]));
	else if (outputProblem.length > 0) setFailed(toMessage([...outputProblem, ...verdict]));
	else logLine([...verdict, ...hiddenNotice(report)].join(" "));
}
/** Why the outputs could not be written, if so. */
async function writeOutputs(report, derived) {
	try {
		const { outputs, notices: tooLong } = outputsOf(report, derived);
		for (const line of tooLong) annotate.notice([line]);
		const files = await writeFiles(report, derived);
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
async function writeFiles(report, derived) {
	const isUpload = report.task === "sync" || report.task === "upload";
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
		const lines = isUpload ? checksumsOf(report) : [];
		const checksums = lines.length === 0 ? "" : await write("checksums.txt", lines);
		const files = { report: await write("report.json", reportJson(report, derived)) };
		return isUpload ? {
			...files,
			checksums
		} : files;
	} catch (error) {
		annotate.warning([`The report file could not be written: ${reasonOf(error)}.`]);
		return isUpload ? {
			report: "",
			checksums: ""
		} : { report: "" };
	}
}
async function writeSummary(report, digest) {
	try {
		await summary$1.addRaw(summary(report, digest)).write();
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
	const { observer, stop } = watchTransfer(debug);
	const context = {
		workspace: workspace(),
		cancel,
		clock: () => performance.now(),
		now: Date.now,
		sleep,
		random: Math.random,
		cacheWarnings: cacheWarnings(),
		observer,
		debug
	};
	const report = await Promise.try(() => run(parse(), context, raw)).catch((error) => failedReport(entry, raw, redact, error));
	stop();
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
	const { message, details } = error instanceof InputError ? reportError(error) : reportBug(error);
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
function reportBug(error) {
	return {
		message: "Sandbox Sync itself failed. This is a bug; please report it.",
		details: (error instanceof Error ? error.stack ?? error.message : String(error)).split("\n")
	};
}

// src/text/json.ts
/**
* Parses JSON, and changes its strings, names and digits. Numbers keep their digits.
* @throws SyntaxError, or RangeError if it is nested too deeply
*/
function parseWithDigits(text, change) {
	return JSON.parse(text, (_key, value, { source }) => {
		if (typeof value === "string") return change(value);
		if (typeof value === "number" && source !== void 0) {
			const changed = change(source);
			return changed === source ? JSON.rawJSON(source) : changed;
		}
		if (!(typeof value === "object" && value !== null && !Array.isArray(value))) return value;
		return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), item]));
	});
}
/** The digits of a number from `parseWithDigits`; undefined for any other value. */
function digitsOf(value) {
	return JSON.isRawJSON(value) ? value.rawJSON : void 0;
}
/** The fields of a value that has yet to be checked; none if it is not an object. */
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
/** The fields of a JSON text; none if it is not the text of an object. */
function parseFieldsOf(text) {
	try {
		return fieldsOf(JSON.parse(text));
	} catch {
		return {};
	}
}
/** The fields of an object as text; none if it is not an object. */
function textsOf(value) {
	return Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, field]) => [name, String(field)]));
}

export { formatBytes as $, logLine as A, EMPTY_REPORT as B, lastCallSignal as C, proxyCredentials as D, proxyAddress as E, judgementLine as F, isSecretHeader as G, parseInputs as H, takeSamples as I, redactor as J, routingHeaders as K, tryToSample as L, reportError as M, waitError as N, usableProxy as O, formatFigure as P, abbreviate as Q, unmet as R, environmentWarnings as S, requireFileCommands as T, USER_AGENT as U, inputNames as V, isHeaderValue as W, METRICS as X, CONTRACT as Y, metricKind as Z, openFile as _, failureOf as _t, textsOf as a, quote as at, openStep as b, findFiles as c, InputError as ct, isWithin as d, gateOf as dt, formatCount as et, pathWithin as f, isGated as ft, hashFile as g, AgentError as gt, SMALL_BYTES as h, withRetries as ht, parseWithDigits as i, takeWithin as it, toMessage as j, annotate as k, BROKEN_LINK as l, allOf as lt, READ_FLAGS as m, sleep as mt, fieldsOf as n, formatNumber as nt, reportBug as o, truncate as ot, toPosix as p, metricsOf as pt, secretsInHeaders as q, parseFieldsOf as r, formatTime as rt, step as s, visibleCut as st, digitsOf as t, formatDuration as tt, NOT_REGULAR as u, inputError as ut, readSmallFile as v, isFatal as vt, readInputs as w, cancelSignal as x, systemCode as y, waitUntil as z };