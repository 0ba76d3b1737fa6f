import { a as error, c as info, g as warning, h as startGroup, i as endGroup, l as isDebug, m as setSecret, o as getInput, r as debug, u as notice } from "./vendor.js";
import { setTimeout as setTimeout$1 } from "node:timers/promises";
import { BlockList, isIP } from "node:net";
import { accessSync, constants } from "node:fs";

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
* Judges every condition over the samples. A condition that cannot be judged trips. A gate whose
* samples do not cover the whole time (`isBlind`) never passes.
*/
function gateOf({ failIf, warnIf }, samples, isBlind = false) {
	if (!isGated({
		failIf,
		warnIf
	})) return NO_GATE;
	const failures = tripped("fail", failIf, samples);
	const warnings = tripped("warn", warnIf, samples);
	const breaches = [...failures, ...warnings];
	if (failures.length > 0 || isBlind && failIf.length > 0) return {
		state: "failed",
		failIf,
		warnIf,
		breaches
	};
	return {
		state: isBlind || warnings.length > 0 ? "warned" : "passed",
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
	const lacking = samples.filter((sample) => !sample.has(metric));
	if (figures === void 0 || lacking.length > 0) {
		const reported = [...lacking[0]?.keys() ?? []].sort();
		return {
			condition,
			holds: void 0,
			samples: samples.length,
			missing: lacking.length,
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
/** The aggregate to compare: by default the extreme. `==` and `!=` compare every figure. */
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

// src/text/loopback.ts
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
const EXAMPLE$1 = "https://sandbox.example.com";
/** The port of the agent in a sandbox, and its paths, unless inputs name others. */
const DEFAULT_PORT = 49983;
const UPLOAD_PATH = "/files";
const STATS_PATH = "/metrics";
const HOST_LABEL = /^[A-Za-z0-9_-]{1,63}$/;
/** The URL of the sandbox host, placeholders filled in, without a slash at its end. */
const baseUrl = field((value, refuse, all) => {
	const fail = (why) => refuse(why, EXAMPLE$1);
	refuseOtherThings(value, refuse);
	const given = quote(value);
	const filled = fillPlaceholders(value, fail, all);
	const url = /^[a-z][a-z\d+.-]*:\/\/[^\\/\s][^\\\s]*$/i.test(filled) ? URL.parse(filled) : null;
	if (url === null) return fail(`${given} is not a URL.`);
	if (/[?#]/.test(value)) return fail(`${given} must not have a query or a fragment.`);
	if (url.protocol !== "https:" && url.protocol !== "http:") return fail(`${given} is neither an https nor an http URL.`);
	const mayBeHttp = /^true$/i.test(all["allow-insecure-http"]?.trim() ?? "");
	if (url.protocol === "http:" && !mayBeHttp && !isLoopback(url.hostname)) return fail(`${given} would send the token unencrypted. Use https, or set allow-insecure-http: true.`);
	const href = url.href.replace(/\/+$/, "");
	const operation = findOperation(href, all);
	if (operation === void 0) return href;
	return fail(`${given} ends in ${operation}, which the action adds itself. Remove it.`);
}, String);
/** Refuses what is no URL of a sandbox host, each with its own advice. */
function refuseOtherThings(value, refuse) {
	const fail = (why) => refuse(why, EXAMPLE$1);
	if (value === "") fail("is required: the sandbox host.");
	if (value.includes("@")) fail("must not contain credentials or an @: the token has its own input.");
	refuseSlips(SLIPS, value, refuse, EXAMPLE$1);
	const given = quote(value);
	const [braces] = /\{\{[^}]*\}\}|<[^>]*>/.exec(value) ?? [];
	if (braces !== void 0) fail(`${given} has ${braces}. Write {sandbox-id}, in single braces, or the ID itself.`);
	if (/^[\w.-]+(:\d+)?(\/\S*)?$/.test(value)) fail(`${given} is not a URL. Write https:// before it.`);
	if (/^https?:\/\/api\.e2b\.(app|dev)\b/i.test(value)) fail(`${given} is the API that manages sandboxes. The sandboxes are at https://sandbox.e2b.app.`);
	if (value.includes("$")) fail(`${given} contains a $: variables are not expanded here, except \`\${{ … }}\`.`);
}
const PLACEHOLDER = "place-of-the-sandbox-id";
function fillPlaceholders(value, fail, all) {
	const given = quote(value);
	const id = all["sandbox-id"]?.trim() ?? "";
	if ((URL.parse(value.replaceAll("{sandbox-id}", PLACEHOLDER).replaceAll("{port}", "1"))?.host)?.includes(PLACEHOLDER) && id !== "" && !HOST_LABEL.test(id)) return fail(`${given} puts sandbox-id ${quote(id)} into the host name, where it does not fit.`);
	if (value.includes("{sandbox-id}") && (id === "." || id === "..")) return fail(`${given} cannot take sandbox-id ${quote(id)} in its place.`);
	const filled = value.replaceAll("{sandbox-id}", encodeURIComponent(id === "" ? "id" : id.toWellFormed())).replaceAll("{port}", all["port"]?.trim() || String(49983));
	const [unknown] = /\{[^}]*\}/.exec(filled) ?? [];
	if (unknown === void 0) return filled;
	return fail(`${given} has the unknown placeholder ${unknown}; valid are {sandbox-id} and {port}.`);
}
function findOperation(href, all) {
	return [all["upload-path"]?.trim() || "/files", all["stats-path"]?.trim() || "/metrics"].find((path) => path !== "/" && new URL(href).pathname.endsWith(path));
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
/** The metric that a short name, another spelling or a typo probably means. */
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
	const hasId = url.split(/[./:?#]/).some((part) => part === id || part.endsWith(`-${id}`));
	const isRouted = url.includes("{sandbox-id}") || hasId;
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
const EXAMPLE = "dist/**";
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
	return refuse("is required: at least one line must say what to upload.", EXAMPLE);
}, showRules);
const targetDirectory = field((value, refuse) => checkTarget(value, refuse, "app"));
function showRules({ patterns, excludes }) {
	return [...patterns.map(({ pattern, target }) => target === void 0 ? JSON.stringify(pattern) : `${JSON.stringify(pattern)} => ${JSON.stringify(target)}`), ...excludes.map((exclude) => `except ${JSON.stringify(exclude)}`)].join("; ");
}
function parsePattern(line, fail) {
	const arrow = /^(?<pattern>.*?)(?:^|\s)=>(?:\s+(?<target>.*))?$/s.exec(line);
	if (arrow === null) return { pattern: checkPattern(line, fail) };
	const target = arrow.groups?.["target"]?.trim() ?? "";
	if (target === "") return fail("names no target after =>.", `${EXAMPLE} => app`);
	if (/\s=>(\s|$)/.test(target)) return fail("has more than one =>.", `${EXAMPLE} => app`);
	return {
		pattern: checkPattern(arrow.groups?.["pattern"]?.trim() ?? "", fail),
		target: checkTarget(target, fail, `${EXAMPLE} => app`)
	};
}
function parseExclude(line, fail) {
	if (/\s=>(\s|$)/.test(line)) return fail("excludes files, so it cannot have a target.", `"!${EXAMPLE}"`);
	return checkPattern(line.slice(1).trim(), fail);
}
const NO_PATTERNS = [
	UNEVALUATED,
	[/^[a-z][a-z\d+.-]*:\/\//i, "is a URL. Download it in an earlier step, and write the path."],
	[/^\[\s*["'].*["']\s*\]$/, "is a list. Write each pattern on its own line, without brackets."]
];
function checkPattern(pattern, fail) {
	if (pattern === "" || pattern.startsWith("!")) return fail("has no pattern.", EXAMPLE);
	refuseSlips(NO_PATTERNS, pattern, fail, EXAMPLE);
	const [variable] = /^(?:\$(?:\{[A-Z_]+\}|[A-Z_]+|\([^)]*\)|env:\w+)|%[A-Z_]+%)(?=[\\/]|$)/.exec(pattern) ?? [];
	if (variable !== void 0) return fail(`has the variable ${variable}, which is not expanded. Relative patterns start at the workspace.`, EXAMPLE);
	const inner = pattern.replace(/^(\.{1,2}[\\/])+/, "");
	if (/(^|[\\/])\.{1,2}([\\/]|$)/.test(inner) && !/^\.{1,2}$/.test(inner)) return fail("has a . or .. in its middle. Write the path without it.", EXAMPLE);
	const meant = pattern.replace(/[^\\/]+/g, spreadStars);
	if (meant !== pattern) return fail(`has a ** that is not a whole path segment, so it matches no folders. Write ${quote(meant)}.`, EXAMPLE);
	const fewer = pattern.replace(/[^\\/]+/g, withFewerStars);
	if (fewer === pattern) return pattern;
	return fail(`has more than three * in one name. Write ${quote(fewer)}.`, EXAMPLE);
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
	port: wholeNumber(1, 65535, DEFAULT_PORT),
	"header-prefix": headerPrefix,
	"stats-path": operationPath(STATS_PATH),
	headers: extraHeaders,
	timeout: duration(1, "60s")
};
const retrying = {
	"upload-path": operationPath(UPLOAD_PATH),
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
/** Times in which nobody saw the sandbox: errors with `fail-if`, warnings without. */
function reportUnseen(lines, { failIf }) {
	if (failIf.length === 0) return {
		errors: [],
		warnings: lines
	};
	return {
		errors: lines.map((message) => ({
			message,
			details: []
		})),
		warnings: []
	};
}
/** A report of nothing done, to start from. */
const EMPTY_REPORT = {
	task: "sync",
	name: "",
	sandboxId: "",
	baseUrl: "",
	dryRun: false,
	couldBatch: false,
	cancelled: false,
	shard: void 0,
	files: [],
	digest: "",
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
/** Whether the run was meant to upload files. */
function isUpload({ task }) {
	return task === "sync" || task === "upload";
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
/** One figure for a metric over samples; undefined if none of them reports it. */
function figureOver(metric, aggregate, samples) {
	const all = samples.map(({ figures }) => figures);
	const figures = figuresOf(metric, all);
	return figures && aggregateOf(aggregate, figures);
}
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
/** When the deciding figure was sampled, and for how long samples in a row tripped. */
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
	const { files, skipped, errors, dryRun, cancelled, durationMs } = report;
	if (!isUpload(report)) return describeUsage(report);
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
/** What to report of an error: of a bug, its stack. */
function reportError(error) {
	if (error instanceof AgentError) return {
		message: error.message,
		details: error.kind === "cancelled" ? [] : [error.hint]
	};
	return error instanceof InputError ? reportProblems(error) : reportBug(error);
}
function reportProblems(error) {
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
function reportBug(error) {
	return {
		message: "Sandbox Sync itself failed. This is a bug; please report it.",
		details: (error instanceof Error ? error.stack ?? error.message : String(error)).split("\n")
	};
}
/** Why a step that waited for the sandbox did not go on. */
function waitError({ unmet, error, waitedMs }) {
	if (error !== void 0 && !error.isRetryable) return reportError(error);
	const message = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
	const last = error === void 0 ? [] : [error.message, error.hint];
	return {
		message,
		details: [...unmet.map(judgementLine), ...last]
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
const MAX_LINES = 1e3;
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
	const taken = takeWithin(lines.slice(0, MAX_LINES), MAX_CHARACTERS$1, ({ length }) => length);
	const rest = lines.length - taken.length;
	return rest > 0 ? [...taken, moreInReport(rest)] : taken;
}
function fileLine(result) {
	const { source, target } = result.file;
	const line = `${STATUS[result.status]}: ${source} → ${"path" in result ? result.path : target}`;
	return harmless(result.status === "failed" ? `${line} (${result.error.message})` : line);
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
/** The names of all inputs that the workflow sets, also those the runner only warns about. */
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
/** Starts a step with its own inputs, or with those `given` by an earlier step. */
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

// src/text/system-error.ts
/** The code of a system error, such as `ENOENT`; undefined for any other error, such as a bug. */
function systemCode(error) {
	if (!(error instanceof Error) || !("code" in error)) return void 0;
	return typeof error.code === "string" ? error.code : void 0;
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

// src/agent/words.ts
const MAX_CHARACTERS = 300;
const MAX_SEARCHED = 16384;
/** What an error's body says, whether JSON, HTML or text, in one line of at most 300 characters. */
function wordsOf(text, redact) {
	const message = messageIn(text);
	const isText = message !== void 0 && !HTML.test(message);
	const page = redact(message ?? text).slice(0, MAX_SEARCHED);
	const line = redact(redact(isText ? message : shownText(page)).slice(0, MAX_SEARCHED).replace(/\s+/g, " ").trim());
	return truncate(line, MAX_CHARACTERS);
}
const HTML = /<(?:!doctype|html|head|body|title|center|h\d|p|div|pre)\b/i;
const ENTITIES = new Map(Object.entries({
	lt: "<",
	gt: ">",
	quot: "\"",
	apos: "'",
	"#39": "'",
	nbsp: " ",
	amp: "&"
}));
function shownText(html) {
	return html.replace(/<!--.*?(-->|$)|<(style|script)\b.*?(<\/\2>|$)/gis, " ").replace(/<[^<>]*>/g, " ").replace(/&(#?\w+);/g, (entity, name) => ENTITIES.get(name) ?? entity);
}
/** The message in a JSON body; undefined if it is not JSON. */
function messageIn(text) {
	try {
		const body = JSON.parse(text);
		if (typeof body === "string") return body;
		if (typeof body !== "object" || body === null) return text;
		const { message, error } = fieldsOf(body);
		return [message, error].find((each) => typeof each === "string") ?? JSON.stringify(body);
	} catch {
		return;
	}
}

// src/agent/answer.ts
const { STATUS_CODES } = process.getBuiltinModule("node:http");
const MAX_BYTES = 131072;
const MAX_RETRY_AFTER_MS = 6e4;
/** @throws AgentError if the body is longer than 128 KiB */
async function readAnswer({ statusCode: status, headers, body }, { label, isEarly }) {
	const chunks = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > MAX_BYTES) {
			const message = `${label} answered ${status} with a response larger than 128 KiB.`;
			throw new AgentError("bad-answer", message, { status });
		}
		chunks.push(chunk);
	}
	return {
		label,
		status,
		text: new TextDecoder().decode(Buffer.concat(chunks)),
		retryAfter: [headers["retry-after"]].flat()[0],
		location: [headers["location"]].flat()[0],
		isEarly
	};
}
/** @throws AgentError if the answer is not JSON */
function parseAnswer(answer) {
	try {
		return JSON.parse(answer.text);
	} catch {
		throw badAnswer(answer, "it is not JSON");
	}
}
/** An error for a 2xx answer that breaks the contract. `why` completes the sentence. */
function badAnswer({ label, status }, why) {
	const message = `${label} answered ${status} with an unusable answer: ${why}.`;
	return new AgentError("bad-answer", message, { status });
}
const KINDS = {
	401: "unauthorized",
	403: "forbidden",
	404: "not-found",
	405: "not-found",
	408: "busy",
	409: "busy",
	410: "sandbox-not-found",
	413: "too-large",
	425: "busy",
	429: "busy",
	500: "server",
	502: "server",
	503: "server",
	504: "server",
	507: "disk-full",
	520: "server",
	521: "server",
	522: "server",
	523: "server",
	524: "server"
};
const RULES = [
	{
		statuses: [404, 502],
		words: /\bsandbox(?: id)?(?: \\?["'`][^"'`]+["'`]| [\w.-]*[\d_-][\w.-]*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
		kind: "sandbox-not-found"
	},
	{
		statuses: [400],
		words: /(?:missing|required|no|invalid)\b.*\b(?:header|sandbox.?id|sandbox.?port)/i,
		kind: "not-routed"
	},
	{
		statuses: [
			400,
			401,
			404,
			500
		],
		words: /\b(?:unknown user|user:? [\w.'"`-]+ (?:was )?not found|error looking up user)/i,
		kind: "unknown-user"
	},
	{
		statuses: [400, 500],
		words: /not a directory|\bENOTDIR\b|\bpath is a file\b/i,
		kind: "not-a-directory"
	},
	{
		statuses: [500],
		words: /no space left on device|disk quota exceeded/i,
		kind: "disk-full"
	}
];
const PERMISSION_DENIED = /permission denied/i;
const HINTS = [
	[/is a directory/i, "The target is a directory in the sandbox: end the target with / to put the file in it."],
	[PERMISSION_DENIED, "Set username to a user who may write there, or give the files another target."],
	[/read-only file system/i, "Nothing can be stored at this target. Choose another."],
	[/text file busy/i, "The sandbox is running this file. Stop it, or upload to another target."],
	[/file name too long/i, "A name may have 255 bytes. Give the file a shorter target."],
	[/cloudflare|firewall|captcha|been blocked|access denied by/i, "Something before the service refuses the request. Let requests of this runner through there."]
];
const HINTS_BY_STATUS = {
	402: "The service wants to be paid, or a quota is used up: look into your account there.",
	414: "The URL is too long: shorten the file's target.",
	431: "The headers are too long: shorten token, sandbox-id or headers."
};
/** What a status other than 200 and 201 means. `now` is in milliseconds since 1970. */
function statusFailure(answer, redact, now) {
	const { label, status, retryAfter, location } = answer;
	const words = wordsOf(answer.text, redact);
	const reason = STATUS_CODES[status] === void 0 ? "" : ` ${STATUS_CODES[status]}`;
	const destination = isRedirect(status) ? destinationOf(location, redact) : "";
	const quoted = words === "" ? "" : ` It said: ${JSON.stringify(words)}.`;
	return new AgentError(kindOf(status, words), `${label} answered ${status}${reason}${destination}.${quoted}`, {
		status,
		retryAfterMs: parseRetryAfter(retryAfter, now),
		hint: hintOn(status, words)
	});
}
/** Milliseconds that a Retry-After header asks for (RFC 9110, section 10.2.3), at most a minute. */
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : void 0;
}
function kindOf(status, words) {
	const rule = RULES.find((each) => each.statuses.includes(status) && each.words.test(words));
	if (rule !== void 0) return rule.kind;
	if (isRedirect(status)) return "redirected";
	return KINDS[status] ?? (status >= 400 ? "rejected" : "bad-answer");
}
function hintOn(status, words) {
	const isAboutToken = status === 401 || status === 403;
	const hint = HINTS.filter(([pattern]) => !isAboutToken || pattern !== PERMISSION_DENIED).find(([pattern]) => pattern.test(words))?.[1] ?? HINTS_BY_STATUS[status];
	if (hint === void 0 && status >= 520) return "Check port, and that the service is up.";
	return hint;
}
function isRedirect(status) {
	return status >= 300 && status < 400;
}
/** Host and path; a query may hold a secret of somebody else. */
function destinationOf(location, redact) {
	const url = location === void 0 ? null : URL.parse(location, "http://same-host");
	if (url === null) return "";
	return `, which leads to ${redact(`${url.host === "same-host" ? "" : url.host}${url.pathname}`).slice(0, 200)}`;
}

// src/stats/stats.ts
/** Gets the stats once; `judged` are the metrics that conditions name. @throws AgentError */
async function readStats(client, statsPath, judged) {
	const answer = await client.send({
		method: "GET",
		path: statsPath,
		headers: { "Cache-Control": "no-cache" }
	});
	const stats = decodeStats(answer.text, judged, client.redact);
	if (stats instanceof Error) throw badAnswer(answer, stats.message);
	return stats;
}
/** Decodes the agent's stats, or returns an error that says why they are none. */
function decodeStats(text, judged, redact = (same) => same) {
	try {
		const body = parseWithDigits(text, redact);
		if (typeof body !== "object" || body === null || Array.isArray(body)) return /* @__PURE__ */ new Error("it is not a JSON object");
		const json = !text.includes("\\") && redact(text) === text ? text.trim() : JSON.stringify(body);
		return {
			...figuresIn(new Map(Object.entries(body)), judged),
			json
		};
	} catch (error) {
		if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
		return /* @__PURE__ */ new Error("it is not JSON");
	}
}
function figuresIn(fields, judged) {
	const digits = /* @__PURE__ */ new Map();
	const warnings = [];
	for (const metric of /* @__PURE__ */ new Set([...Object.keys(METRICS), ...judged])) {
		const value = fields.get(metric);
		const found = plainDigits(metric, digitsOf(value));
		const isExpected = Object.hasOwn(CONTRACT, metric) || judged.has(metric);
		if (found !== void 0) digits.set(metric, found);
		else if (isExpected && value !== void 0 && value !== null) warnings.push(`The sandbox's ${metric} cannot be used: it is not a valid number.`);
	}
	dropUnknown(digits);
	if (!["mem_used", "mem_total"].some((name) => fields.get(name) != null)) addFromMebibytes(digits);
	addDerived(digits);
	return {
		figures: new Map([...digits].map(([metric, text]) => [metric, Number(text)])),
		digits,
		warnings
	};
}
const MAX_INT64 = 2n ** 63n - 1n;
/** The digits of a number that is valid for the metric: in the contract, none is negative. */
function plainDigits(metric, sent) {
	if (sent === void 0) return void 0;
	const figure = Number(sent);
	const isWhole = /^\d+$/.test(sent);
	const digits = isWhole ? sent : String(figure);
	if (!Object.hasOwn(CONTRACT, metric)) return Number.isFinite(figure) ? digits : void 0;
	if (metricKind(metric) === "percentage") return Number.isFinite(figure) && figure >= 0 ? digits : void 0;
	return (isWhole ? BigInt(sent) <= MAX_INT64 : Number.isSafeInteger(figure) && figure >= 0) ? digits : void 0;
}
const TOTALS = {
	mem_used: "mem_total",
	mem_used_mib: "mem_total_mib",
	disk_used: "disk_total"
};
/** A total of 0 means that the service does not know, so what is used of it is not known either. */
function dropUnknown(digits) {
	for (const [used, total] of Object.entries(TOTALS)) if (digits.has(total) && Number(digits.get(total)) === 0) digits.delete(used);
}
/** Adds the memory in bytes, for a service that reports it only in MiB. */
function addFromMebibytes(digits) {
	const used = digits.get("mem_used_mib");
	const total = digits.get("mem_total_mib");
	if (used === void 0 || total === void 0) return;
	digits.set("mem_used", String(BigInt(used) * 2n ** 20n));
	digits.set("mem_total", String(BigInt(total) * 2n ** 20n));
}
/** Adds free bytes and used percent. */
function addDerived(digits) {
	for (const name of ["mem", "disk"]) {
		const total = BigInt(digits.get(`${name}_total`) ?? 0);
		const used = digits.get(`${name}_used`);
		if (total === 0n || used === void 0) continue;
		digits.set(`${name}_used_pct`, percentage(BigInt(used), total));
		digits.set(`${name}_free`, String(total - BigInt(used)));
	}
}
/** Percent with two decimals, rounded half up, in whole numbers since floats are inexact. */
function percentage(used, total) {
	const hundredths = (used * 20000n + total) / (total * 2n);
	return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
}

export { secretsInHeaders as $, reportError as A, metricsOf as At, describeShard as B, logFiles as C, NO_GATE as Ct, failureGroups as D, gateOf as Dt, adviceFor as E, figuresOf as Et, figureOver as F, isFatal as Ft, succeeded as G, moreInReport as H, formatFigure as I, taskOf as J, inputNames as K, judgementLine as L, waitError as M, withRetries as Mt, withName as N, AgentError as Nt, furtherLines as O, isGated as Ot, breachLine as P, failureOf as Pt, routingHeaders as Q, EMPTY_REPORT as R, annotate as S, visibleCut as St, toMessage as T, decidingOf as Tt, nameDigest as U, isUpload as V, reportUnseen as W, isHeaderValue as X, USER_AGENT as Y, isSecretHeader as Z, requireFileCommands as _, formatTime as _t, readAnswer as a, STATS_PATH as at, proxyCredentials as b, quote as bt, parseFieldsOf as c, inputError as ct, openStep as d, formatBytes as dt, redactor as et, cacheWarnings as f, formatBytesEvenly as ft, readInputs as g, formatRate as gt, lastCallSignal as h, formatNumber as ht, parseAnswer as i, DEFAULT_PORT as it, verdictSentences as j, sleep as jt, headline as k, judge as kt, textsOf as l, abbreviate as lt, environmentWarnings as m, formatDuration as mt, readStats as n, METRICS as nt, statusFailure as o, InputError as ot, cancelSignal as p, formatCount as pt, parseInputs as q, badAnswer as r, metricKind as rt, fieldsOf as s, allOf as st, decodeStats as t, AGGREGATES as tt, systemCode as u, andMore as ut, workspace as v, takeWithin as vt, logLine as w, aggregateOf as wt, usableProxy as x, truncate as xt, proxyAddress as y, totalSize as yt, countFiles as z };