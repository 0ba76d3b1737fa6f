import { a as getState, c as notice, d as setOutput, f as setSecret, h as summary$1, i as getInput, l as saveState, m as warning, n as endGroup, o as info, p as startGroup, r as error, s as isDebug, t as debug, u as setFailed } from "./vendor.js";
import { setImmediate, setTimeout } from "node:timers/promises";
import { BlockList, isIP } from "node:net";
import { availableParallelism, freemem, release, tmpdir, totalmem } from "node:os";
import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { closeSync, constants, fstatSync, lstatSync, mkdtempSync, openSync, readSync, realpathSync, renameSync, statSync } from "node:fs";

// src/agent/failure.ts
const again = (hint) => ({
	retry: true,
	final: false,
	hint
});
const ends = (hint) => ({
	retry: false,
	final: true,
	hint
});
const single = (hint) => ({
	retry: false,
	final: false,
	hint
});
const MEANINGS = {
	unauthorized: ends("Check that token is the access token of this sandbox, and no API key, that username, if set, exists in it, and base-url."),
	forbidden: ends("Check that the token may use this sandbox, and that the sandbox may be resumed."),
	"sandbox-not-found": ends("Check sandbox-id, and that the sandbox was not killed and has not expired: its lifetime must outlast the job."),
	"disk-full": ends("The sandbox's disk is full. Upload less, or use a sandbox with a larger disk."),
	unreachable: {
		retry: true,
		final: true,
		hint: "Check base-url, that the host can be reached from this runner, and its proxy settings (HTTPS_PROXY, NO_PROXY)."
	},
	"proxy-refused": ends("The proxy asks for credentials. Put them into the proxy variable: http://user:password@host:port."),
	"too-many-open": again("Let the runner open more files (ulimit -n), or set concurrency to a smaller number."),
	tls: ends("Check base-url, and that its port speaks TLS. If the host's certificate comes from a private CA, set NODE_EXTRA_CA_CERTS to its file."),
	connection: again("The connection to the sandbox is unreliable. Run the job again, or raise retries."),
	stalled: again("Run the job again, or raise timeout if the sandbox needs longer to answer."),
	busy: again("The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2."),
	server: again("Check port, that the agent is up and not overloaded, and the service's status, and run the job again."),
	"file-changed": again("Upload once nothing writes the file any more."),
	rejected: single("The agent does not take this request. Check header-prefix, and that the service is compatible."),
	"not-routed": ends("The request was not routed: check header-prefix, sandbox-id and port. E2B needs header-prefix: E2b."),
	"not-found": single("Check base-url, upload-path and stats-path: the service has no such operation there."),
	"too-large": single("A proxy on the way limits the size of a request. Upload the file in parts."),
	redirected: single("Redirects are not followed, so that the token stays where it was sent. Check base-url."),
	"bad-answer": single("Check that base-url and the paths lead to the in-sandbox agent."),
	overwritten: single("Give one of them another target, or exclude it."),
	"file-unreadable": single("Check that the file is still there and that the runner may read it."),
	cancelled: ends("The job was cancelled.")
};
/** The agent, the way to it, or reading the file failed. The message says what happened, the hint what to do. */
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
		this.hint = details.hint ?? MEANINGS[kind].hint;
	}
	get retryable() {
		return MEANINGS[this.kind].retry;
	}
	/** Whether no other request can succeed either, once this one has had its attempts. */
	get final() {
		return MEANINGS[this.kind].final;
	}
};

// src/agent/retry.ts
const BASE_MS = 500;
const CAP_MS = 3e4;
/** Makes a request until it succeeds, fails for good, has had its attempts, or `stop` aborts. Bugs pass through. */
async function withRetries(request, policy) {
	for (let attempt = 1;; attempt += 1) try {
		return {
			attempts: attempt,
			value: await request()
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		if (!error.retryable || attempt > policy.retries || policy.stop.aborted) return {
			attempts: attempt,
			error
		};
		const delayMs = backoff(attempt, policy.random, error.retryAfterMs);
		policy.onRetry({
			attempt,
			error,
			delayMs
		});
		if (!await policy.sleep(delayMs, policy.stop)) return {
			attempts: attempt,
			error
		};
	}
}
/** Milliseconds before the next attempt: exponential with full jitter, never sooner than the agent asked for. */
function backoff(attempt, random, retryAfterMs = 0) {
	const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
	return Math.max(Math.round(random() * ceiling), retryAfterMs);
}
/** The sleep of real time. */
function sleep(ms, stop) {
	return setTimeout(ms, true, { signal: stop }).catch(() => false);
}

// src/gate/exact-number.ts
/** The exact number of a figure. A float stands for the shortest decimal that reads as it, as people write it. */
function exactly(figure) {
	if (typeof figure === "bigint") return {
		numerator: figure,
		denominator: 1n
	};
	const exact = parseDecimal(String(figure));
	if (exact === void 0) throw new RangeError(`${figure} has no exact value`);
	return exact;
}
/** Parses a decimal such as `-12`, `0.5` or `1e+21`; undefined for anything else. */
function parseDecimal(text) {
	const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/.exec(text) ?? [];
	if (whole === void 0) return void 0;
	const digits = BigInt(`${sign}${whole}${fraction}`);
	const power = Number(exponent) - fraction.length;
	return power >= 0 ? {
		numerator: digits * 10n ** BigInt(power),
		denominator: 1n
	} : {
		numerator: digits,
		denominator: 10n ** BigInt(-power)
	};
}
/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`. */
function compare(a, b) {
	const difference = a.numerator * b.denominator - b.numerator * a.denominator;
	return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
function multiply(a, b) {
	return {
		numerator: a.numerator * b.numerator,
		denominator: a.denominator * b.denominator
	};
}
/** The arithmetic mean of at least one number. */
function mean(numbers) {
	return multiply(numbers.reduce(add), {
		numerator: 1n,
		denominator: BigInt(numbers.length)
	});
}
function add(a, b) {
	if (a.denominator < b.denominator) return add(b, a);
	const common = a.denominator % b.denominator === 0n ? a.denominator : a.denominator * b.denominator;
	return {
		numerator: a.numerator * (common / a.denominator) + b.numerator * (common / b.denominator),
		denominator: common
	};
}
/** A whole number as bigint, any other as the nearest float. */
function toFigure(number) {
	const { numerator, denominator } = number;
	return numerator % denominator === 0n ? numerator / denominator : toNumber(number);
}
/** The nearest float. */
function toNumber({ numerator, denominator }) {
	const digits = Math.max(0, String(denominator).length - String(numerator).length) + 25;
	return Number(`${numerator * 10n ** BigInt(digits) / denominator}e-${digits}`);
}

// src/gate/judge.ts
/** A gate that nothing was asked of. */
const NO_GATE = {
	state: "none",
	failIf: [],
	warnIf: [],
	breaches: []
};
/** The metrics that conditions speak of. */
function metricsOf(...conditions) {
	return new Set(conditions.flat().map(({ metric }) => metric));
}
/**
* Judges every condition over the samples. What cannot be judged trips: a gate that fails open guards nothing. Where it is
* `blind`, since the samples do not cover the time that was to be watched, it passes nothing.
*/
function gateOf({ failIf, warnIf }, samples, blind = false) {
	if (!isGated({
		failIf,
		warnIf
	})) return NO_GATE;
	const tripped = (level, conditions) => conditions.map((condition) => ({
		...judge(condition, samples),
		level
	})).filter(({ holds }) => holds !== false);
	const [failures, warnings] = [tripped("fail", failIf), tripped("warn", warnIf)];
	return {
		state: failures.length > 0 || blind && failIf.length > 0 ? "failed" : blind || warnings.length > 0 ? "warned" : "passed",
		failIf,
		warnIf,
		breaches: [...failures, ...warnings]
	};
}
/** Whether anything is judged. */
function isGated({ failIf, warnIf }) {
	return failIf.length + warnIf.length > 0;
}
const HOLDS = {
	">": (order) => order > 0,
	">=": (order) => order >= 0,
	"<": (order) => order < 0,
	"<=": (order) => order <= 0,
	"==": (order) => order === 0,
	"!=": (order) => order !== 0
};
/**
* Judges a condition over samples, the oldest first. Where one does not report the metric, whatever it was then is not
* known, and nothing can be judged.
*/
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
	const found = (deciding === void 0 ? figures : [aggregateOf(deciding, figures)]).find((figure) => HOLDS[operator](compare(figure, limit)));
	const figure = found ?? aggregateOf(aggregate ?? "last", figures);
	return {
		condition,
		holds: found !== void 0,
		figure
	};
}
/** Which figure decides: without an aggregate, the extreme on the condition's side; for == and != each must be asked. */
function decidingOf({ aggregate, operator }) {
	return aggregate ?? (operator.startsWith("<") ? "min" : operator.startsWith(">") ? "max" : void 0);
}
/** One figure of several. */
function aggregateOf(aggregate, figures) {
	const [first] = figures;
	switch (aggregate) {
		case "last": return figures.at(-1) ?? first;
		case "mean": return mean(figures);
		case "min": return figures.reduce((a, b) => compare(b, a) < 0 ? b : a);
		case "max": return figures.reduce((a, b) => compare(b, a) > 0 ? b : a);
	}
}
/** The figures of one metric in the samples that report it; undefined where none does. */
function figuresOf(metric, samples) {
	const [first, ...others] = samples.flatMap((figures) => {
		const figure = figures.get(metric);
		return figure === void 0 ? [] : [exactly(figure)];
	});
	return first === void 0 ? void 0 : [first, ...others];
}

// src/inputs/parse.ts
/** The user's input is wrong. Carries every problem found, and its message lists them all, a line each. */
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
	return new InputError([example === void 0 ? {
		input,
		message
	} : {
		input,
		message,
		example: `${input}: ${example}`
	}]);
}
/** A problem in one line: the input, what is wrong and what is valid, an example. */
function describeProblem({ input, message, example }) {
	return `${input}: ${message}${example === void 0 ? "" : ` Example: ${example}`}`;
}
/** Parses every input that has a field. @throws InputError that holds the problems of all of them. */
function parseFields(fields, raw) {
	const parsed = collect(Object.entries(fields), ([name, { parse }]) => [[camel(name), parse((raw[name] ?? "").trim(), refusal(name), raw)]]);
	return Object.fromEntries(parsed);
}
/** The same, but that what is refused is as if it were empty. */
function parseRest(fields, raw) {
	try {
		return parseFields(fields, raw);
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		const refused = error.problems.map(({ input }) => [input, ""]);
		return parseFields(fields, {
			...raw,
			...Object.fromEntries(refused)
		});
	}
}
/** The values of fields as they were understood, an input a line; of secrets, whether they are set. */
function showFields(fields, values) {
	const byName = new Map(Object.entries(values));
	return Object.entries(fields).map(([name, field]) => `${name}: ${field.show(byName.get(camel(name)))}`);
}
/** Parses a value line by line, trimmed, counted from 1. @throws InputError that holds the problems of all lines, if `strict`. */
function parseLines(value, parseLine, strict = true) {
	return collect([...value.split(/\r?\n/).entries()], ([index, line]) => parseLine(line.trim(), index + 1), strict);
}
/** What all promises come to, or what is wrong with all of them. */
async function allOf(promises) {
	const errors = (await Promise.allSettled(promises)).flatMap((end) => end.status === "rejected" ? [end.reason] : []);
	for (const error of errors) if (error instanceof Error && !(error instanceof InputError)) throw error;
	const problems = errors.flatMap((error) => error instanceof InputError ? error.problems : []);
	if (problems.length > 0) throw new InputError(problems);
	return Promise.all(promises);
}
/** What parsing yields of all items, or the problems of all of them; not `strict`, of those without problems. */
function collect(items, parse, strict = true) {
	const problems = [];
	const parsed = items.flatMap((item) => {
		try {
			return parse(item);
		} catch (error) {
			if (!(error instanceof InputError)) throw error;
			problems.push(...error.problems);
			return [];
		}
	});
	if (strict && problems.length > 0) throw new InputError(problems);
	return parsed;
}
function camel(name) {
	return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}
function refusal(input) {
	return (message, example) => {
		throw inputError(input, message, example);
	};
}

// src/text/visible.ts
const UNSEEN = /(?!\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;
/** Text from elsewhere as it can be shown in one line: what could not be seen is an escape, such as `\n` or `\u{202e}`. */
function visible(text) {
	return text.replace(UNSEEN, escapeOf);
}
/** `visible`, cut to `limit` characters. */
function visibleCut(text, limit) {
	return visible(text.length > limit ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…` : text);
}
/** A value as a message shows it: quoted, cut, control characters escaped, but not backslashes, which paths of Windows hold. */
function quote(value) {
	return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value).replaceAll("\\\\", "\\");
}
/** A line that the runner only shows: it takes one that begins with `::`, or holds `##[`, for a command to itself. */
function harmless(text) {
	return visible(text).replace(/^\s*::/, "\\$&").replaceAll("##[", "##\\[");
}
function escapeOf(character) {
	if (character === "\n") return "\\n";
	if (character === "\r") return "\\r";
	if (character === "	") return "\\t";
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

// src/text/units.ts
const STEPS = [
	"B",
	"KiB",
	"MiB",
	"GiB",
	"TiB",
	"PiB",
	"EiB"
];
/** Bytes for a reader, in units of 1024: `512 B`, `3.4 MiB`, `12 GiB`. */
function formatBytes(bytes) {
	const size = Number(bytes);
	const reaching = Math.max(Math.abs(size) * (1024 / 1023.5), 1);
	const step = Math.min(Math.floor(Math.log2(reaching) / 10), STEPS.length - 1);
	return `${threeDigits(size / 1024 ** step)} ${STEPS[step]}`;
}
/** Milliseconds for a reader: `80 ms`, `3.4 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
function formatDuration(ms) {
	if (Math.round(ms) < 1e3) return `${Math.round(ms)} ms`;
	const seconds = Math.round(ms / 1e3);
	if (seconds < 60) return `${threeDigits(ms / 1e3)} s`;
	return seconds < 3600 ? inSixties(seconds, "min", "s") : inSixties(Math.floor(seconds / 60), "h", "min");
}
function inSixties(count, large, small) {
	const rest = count % 60 === 0 ? "" : ` ${count % 60} ${small}`;
	return `${Math.floor(count / 60)} ${large}${rest}`;
}
/** The sizes of some files together, in bytes. */
function totalSize(files) {
	return files.reduce((sum, { size }) => sum + size, 0);
}
/** A whole number with its thousands parted: `12,000`. By hand, since `toLocaleString` takes 12 ms the first time. */
function formatNumber(count) {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
/** A count with its noun: `1 file`, `12,000 files`. */
function formatCount(count, noun) {
	return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
/** Bytes a second for a reader. */
function formatRate(bytes, ms) {
	return `${formatBytes(bytes * 1e3 / Math.max(ms, 1))}/s`;
}
/** A time of day, from milliseconds since 1970: `09:05:00 UTC`. */
function formatTime(ms) {
	return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}
/** A number with at most two decimals. */
function formatDecimal(value) {
	return String(Number(value.toFixed(2)));
}
function threeDigits(value) {
	return String(Number(value.toFixed(Math.abs(value) >= 99.95 ? 0 : 1)));
}

// src/inputs/values.ts
/** An input that is read by `parse`, and shown by `show`: text in quotation marks unless given. */
function field(parse, show = shown) {
	return {
		parse,
		show,
		isSecret: false
	};
}
/** An input whose value is never shown. */
function secret(parse) {
	return {
		parse,
		show: (value) => value === "" ? "empty" : "set",
		isSecret: true
	};
}
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
/** A whole number within `min` and `max`, both included. Empty is `fallback`. */
function wholeNumber(min, max, fallback) {
	return field((value, refuse) => {
		const number = value === "" ? fallback : /^\d{1,15}$/.test(value) ? Number(value) : NaN;
		if (number >= min && number <= max) return number;
		return refuse(`${quote(value)} is not a whole number from ${min} to ${max}.`, String(fallback));
	});
}
const HOUR = 36e5;
const MILLISECONDS = new Map(Object.entries({
	ms: 1,
	s: 1e3,
	m: 6e4,
	h: HOUR
}));
const LONGEST = 24 * HOUR;
/** A length of time such as `500ms`, `30s`, `5m` or `2h`, in milliseconds, at least `min` and at most a day. */
function duration(min, fallback) {
	return field((value, refuse) => {
		const ms = milliseconds(value === "" ? fallback : value);
		if (ms >= min && ms <= LONGEST) return ms;
		return refuse(`${quote(value)} is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`, fallback);
	}, formatDuration);
}
/** Not a number where it is no length of time. */
function milliseconds(text) {
	const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
	return Math.round(Number(number) * (MILLISECONDS.get(unit) ?? NaN));
}
/** Text as it is. */
const text = field((value) => value);
function shown(value) {
	if (value === "" || value === void 0) return "empty";
	return JSON.stringify(value);
}

// src/inputs/base-url.ts
const EXAMPLE$1 = "https://sandbox.example.com";
const HOST_LABEL = /^[A-Za-z0-9_-]{1,63}$/;
const MARK = "place-of-the-sandbox-id";
/** The sandbox host with its path prefix, placeholders filled in, no slash at the end; `http` to loopback or by consent. */
const baseUrl = field((value, refuse, all) => {
	const fail = (why) => refuse(why, EXAMPLE$1);
	if (value === "") return fail("is required: the sandbox host.");
	if (value.includes("@")) return fail("must not contain credentials or an @: the token has its own input.");
	const given = quote(value);
	if (value.includes("$")) return fail(`${given} contains a $: variables are not expanded here, except \`\${{ … }}\`.`);
	const url = parseUrl(value, fail, all);
	if (/[?#]/.test(value)) return fail(`${given} must not have a query or a fragment.`);
	if (url.protocol === "http:") refuseInsecure(url, given, fail, all);
	else if (url.protocol !== "https:") return fail(`${given} is neither an https nor an http URL.`);
	return url.href.replace(/\/+$/, "");
}, String);
/** An operation's path below the base URL, beginning with a slash. */
function operationPath(fallback) {
	return field((value, refuse) => {
		const path = value === "" ? fallback : value;
		const url = URL.parse(path, "http://host");
		if (/^\/[^?#]*$/.test(path) && url?.host === "host" && url.pathname === path) return path;
		return refuse(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
	});
}
function parseUrl(value, fail, all) {
	const given = quote(value);
	const id = all["sandbox-id"]?.trim() ?? "";
	if ((URL.parse(value.replaceAll("{sandbox-id}", MARK).replaceAll("{port}", "1"))?.host)?.includes(MARK) && id !== "" && !HOST_LABEL.test(id)) return fail(`${given} puts sandbox-id ${quote(id)} into the host name, where it does not fit.`);
	if (value.includes("{sandbox-id}") && (id === "." || id === "..")) return fail(`${given} cannot take sandbox-id ${quote(id)} in its place.`);
	const filled = value.replaceAll("{sandbox-id}", encodeURIComponent(id === "" ? "id" : id.toWellFormed())).replaceAll("{port}", all["port"]?.trim() || "49983");
	const [unknown] = /\{[^}]*\}/.exec(filled) ?? [];
	if (unknown !== void 0) return fail(`${given} has the unknown placeholder ${unknown}; valid are {sandbox-id} and {port}.`);
	return (/^[a-z][a-z\d+.-]*:\/\/[^\\/\s][^\\\s]*$/i.test(filled) ? URL.parse(filled) : null) ?? fail(`${given} is not a URL.`);
}
function refuseInsecure(url, given, fail, all) {
	if (/^true$/i.test(all["allow-insecure-http"]?.trim() ?? "") || isLoopback(url.hostname)) return;
	fail(`${given} would send the token unencrypted. Use https, or set allow-insecure-http: true.`);
}
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8);
LOOPBACK.addAddress("::1", "ipv6");
/** Whether a host name is this very machine; of names only `localhost`, since others may be asked of the network. */
function isLoopback(hostname) {
	const address = hostname.replace(/^\[|\]$/g, "");
	const family = isIP(address);
	if (family === 0) return hostname === "localhost";
	return LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

// src/gate/metrics.ts
/** The metrics of the contract: whole numbers (int64), but for the percentage. */
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
/** The metrics that can be known beforehand, those of the contract and those derived from them. */
const METRICS = {
	...CONTRACT,
	mem_used_pct: "percentage",
	mem_free: "bytes",
	disk_used_pct: "percentage",
	disk_free: "bytes"
};
/** What a metric counts; undefined for one that only the agent knows. */
function metricKind(metric) {
	return Object.hasOwn(METRICS, metric) ? METRICS[metric] : void 0;
}
/**
* The known metric that a name is a slip of: short for a share, with other hyphens or case, or two letters apart and with
* the same first letter.
*/
function nearestMetric(name) {
	const plain = name.toLowerCase().replaceAll("-", "_").replace(/^memory/, "mem");
	if ([
		"cpu",
		"mem",
		"disk"
	].includes(plain)) return `${plain}_used_pct`;
	return nearest(plain, Object.keys(METRICS).filter((metric) => metric[0] === plain[0]), .5);
}
/** The nearest word that is at most two edits away from what was written, and fewer than this part of its letters. */
function nearest(written, words, part = 1) {
	return words.map((word) => ({
		word,
		distance: editDistance(written, word)
	})).sort((a, b) => a.distance - b.distance).find(({ distance, word }) => distance <= 2 && distance < word.length * part)?.word;
}
/** Levenshtein's distance: how many letters to insert, delete or replace. */
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
	const next = wordsOf(line);
	const metric = readMetric(next(/[A-Za-z_][\w-]*/y), fail);
	const aggregate = readAggregate(next(/\.\w*/y), fail);
	const operator = readOperator(next(/[<>=!~&|]+|[A-Za-z]+/y), fail);
	const number = next(/-?[\d.]+(?:e[+-]?\d+)?/y);
	const value = parseDecimal(number.text) ?? fail(`a number was expected${found(number)}, such as 90 or 1.5`, number.column);
	const unit = next(/\S(?:.*\S)?/y);
	if (ANOTHER.test(unit.text)) fail("write one condition per line: put the rest on its own line", unit.column);
	const limit = toMetricUnit(metric, value, unit, fail);
	return {
		text: `${metric}${aggregate === void 0 ? "" : `.${aggregate}`} ${operator} ${number.text}${unit.text}`,
		metric,
		aggregate,
		operator,
		limit
	};
}
const ANOTHER = /^\S*\s*(?:&|\||(?:and|or)\b|[,;]\s*[A-Za-z])/i;
/** Reads a line word by word; white space between words is passed over. */
function wordsOf(line) {
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
function readMetric(word, fail) {
	const { text, column } = word;
	if (text === "") return fail(`a metric was expected${found(word)}, such as mem_used_pct`, column);
	const meant = metricKind(text) === void 0 ? nearestMetric(text) : void 0;
	return meant === void 0 ? text : fail(`there is no metric ${text}; did you mean ${meant}?`, column);
}
function readAggregate({ text, column }, fail) {
	if (text === "") return void 0;
	const name = text.slice(1);
	return AGGREGATES.find((each) => each === name) ?? fail(unknown("aggregate", name, AGGREGATES), column);
}
const SLIPS = /* @__PURE__ */ new Map([
	["=>", ">="],
	["=<", "<="],
	["!==", "!="],
	["<>", "!="],
	["peak", "max"],
	["avg", "mean"],
	["average", "mean"]
]);
function readOperator({ text, column, rest }, fail) {
	const written = text === "" ? rest.slice(0, 2) : text;
	return OPERATORS.find((each) => each === text) ?? fail(unknown("operator", written, OPERATORS), column);
}
const MEBIBYTE = 2n ** 20n;
const BYTE_UNITS = {
	B: 1n,
	kB: 10n ** 3n,
	MB: 10n ** 6n,
	GB: 10n ** 9n,
	TB: 10n ** 12n,
	KiB: 2n ** 10n,
	MiB: MEBIBYTE,
	GiB: 2n ** 30n,
	TiB: 2n ** 40n
};
const BYTES = Object.keys(BYTE_UNITS);
const UNITS = ["%", ...BYTES];
/** The units that a metric takes beside none, and what to say of another. */
const FITTING = {
	percentage: {
		units: ["%"],
		advice: "which is in percent: write % or no unit"
	},
	bytes: {
		units: BYTES,
		advice: `which is in bytes: write one of ${BYTES.join(", ")}`
	},
	mebibytes: {
		units: BYTES,
		advice: `which is in MiB: write no unit or one of ${BYTES.join(", ")}`
	},
	plain: {
		units: [],
		advice: "which is a plain number: write no unit"
	}
};
/** The number in the metric's own unit. A metric that only the agent knows takes any unit, bytes being its own. */
function toMetricUnit(metric, value, unit, fail) {
	const { text, column } = unit;
	const kind = metricKind(metric);
	if (text === "" && kind === "bytes") return fail(`${metric} is in bytes and needs a unit, such as 1GiB or 512MiB`, column);
	if (text !== "" && !UNITS.includes(text)) return fail(unknown("unit", text, UNITS), column);
	if (kind === "percentage" && !isPercentage(value)) return fail(`${metric} is a percentage, which is between 0 and 100`, column);
	if (text === "") return value;
	if (kind !== void 0 && !FITTING[kind].units.includes(text)) return fail(`${text} does not fit ${metric}, ${adviceOn$1(metric, kind, text)}`, column);
	const numerator = BYTE_UNITS[text] ?? 1n;
	return multiply(value, {
		numerator,
		denominator: kind === "mebibytes" ? MEBIBYTE : 1n
	});
}
function adviceOn$1(metric, kind, unit) {
	const percentage = `${metric}_pct`;
	return unit === "%" && metricKind(percentage) === "percentage" ? `but ${percentage}` : FITTING[kind].advice;
}
function isPercentage(value) {
	return compare(value, exactly(0n)) >= 0 && compare(value, exactly(100n)) <= 0;
}
function unknown(what, written, valid) {
	const lower = written.toLowerCase();
	const near = SLIPS.get(lower) ?? (lower === "" ? void 0 : valid.find((each) => each.toLowerCase().startsWith(lower))) ?? nearest(written, valid);
	const advice = near === void 0 ? `use one of ${valid.join(" ")}` : `did you mean ${near}?`;
	return written === "" ? `an ${what} is missing; ${advice}` : `there is no ${what} ${written}; ${advice}`;
}
function found({ rest }) {
	return rest === "" ? "" : `, not ${rest}`;
}

// src/inputs/conditions.ts
/** Conditions of a gate, one a line; empty lines and comments are passed over. */
const conditions = field((value, refuse) => parseLines(value, (line, number) => conditionIn(line, number, refuse, "mem_used_pct > 90")), (all) => all.length === 0 ? "empty" : all.map((each) => each.text).join(", "));
/** Conditions to wait for, of which `ready` asks for no more than stats; undefined where there is nothing to wait for. */
const waiting = field((value, refuse) => {
	const isReady = (line) => line === "ready";
	const all = parseLines(value, (line, number) => isReady(line) ? [] : conditionIn(line, number, refuse, "cpu_used_pct < 50"));
	return all.length > 0 || value.split(/\s*\n\s*/).some(isReady) ? all : void 0;
}, (all) => all === void 0 ? "empty" : ["ready", ...all.map((each) => each.text)].join(", "));
function conditionIn(line, number, refuse, example) {
	if (line === "" || line.startsWith("#")) return [];
	const place = `line ${number}, ${quote(line)}`;
	const fail = (message, column) => refuse(`${place}, at character ${column}: ${message.replace(/(?<![?.])$/, ".")}`, example);
	return [parseCondition(line, fail)];
}

// src/inputs/files.ts
const EXAMPLE = "dist/**";
/** The lines of `files`: `pattern`, `pattern => target`, `!pattern`, a `#` comment, or empty. */
const fileRules = rules(true);
/** Those of the lines that can be read, which may be none. */
const readableRules = rules(false);
/** The directory in the sandbox for the lines that name none. */
const targetDirectory = field((value, refuse) => checkTarget(value, refuse, "app"));
function rules(strict) {
	return field((value, refuse) => {
		const parseLine = (line, number) => {
			if (line === "" || line.startsWith("#")) return [];
			const fail = (why, example) => refuse(`line ${number}, ${quote(line)}, ${why}`, example);
			return [line.startsWith("!") ? { exclude: parseExclude(line, fail) } : parsePattern(line, fail)];
		};
		const lines = parseLines(value, parseLine, strict);
		const patterns = lines.filter((line) => "pattern" in line);
		const excludes = lines.flatMap((line) => "exclude" in line ? [line.exclude] : []);
		if (patterns.length > 0 || !strict) return {
			patterns,
			excludes
		};
		return refuse("is required: at least one line must say what to upload.", EXAMPLE);
	}, showRules);
}
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
function checkPattern(pattern, fail) {
	if (pattern === "" || pattern.startsWith("!")) return fail("has no pattern.", EXAMPLE);
	const inner = pattern.replace(/^(\.{1,2}[\\/])+/, "");
	if (/(^|[\\/])\.{1,2}([\\/]|$)/.test(inner) && !/^\.{1,2}$/.test(inner)) return fail("has a . or .. in its middle. Write the path without it.", EXAMPLE);
	const meant = pattern.replace(/[^\\/]+/g, spreadStars);
	if (meant === pattern) return pattern;
	return fail(`has a ** that is not a whole path segment, so it matches no folders. Write ${quote(meant)}.`, EXAMPLE);
}
const SLIP = /^(["'`]|-\s)\*\*|\*\*(["'`,:\s}]|[-=]>)/;
/** A part of a pattern with each `**` in it as a part of its own: of `a**.js`, `a*`, `**` and `*.js`. */
function spreadStars(part) {
	if (part === "**" || !part.replace(/\[[^\]]+\]/g, "").includes("**") || SLIP.test(part)) return part;
	return part.replace(/\*{3,}/g, "**").replace(/(?<=[^*])\*\*/g, "*/**").replace(/\*\*(?=[^*/])/g, "**/*");
}
function checkTarget(target, fail, example) {
	const given = `the target ${quote(target)}`;
	if (target.includes("\0")) return fail(`has a NUL character in ${given}.`, example);
	if (target.split("/").includes("..")) return fail(`has a .. in ${given}. Write the path without it.`, example);
	if (/\\|^[A-Za-z]:\//.test(target)) return fail(`has ${given}. Targets are POSIX paths, such as /srv/app.`, example);
	const [unexpanded] = /^~(?=\/|$)|\$HOME\b|\$[{(]|%[A-Za-z_]\w*%/.exec(target) ?? [];
	if (unexpanded === void 0) return target;
	return fail(`has ${given}, ${`but ${unexpanded} is not expanded. Write the path; a relative one is below the user's home.`}`, example);
}

// package.json
var version = "1.0.0";

// src/inputs/headers.ts
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const RESERVED = "x-access-token accept user-agent host content-type content-length content-encoding transfer-encoding connection keep-alive proxy-connection proxy-authorization upgrade expect te trailer";
/** How the action names itself to the agent. */
const USER_AGENT = `sandbox-sync/${version}`;
/** The names of the two headers that route a request to a sandbox and to a port in it. */
function routingHeaders(prefix) {
	return {
		id: `${prefix}-Sandbox-Id`,
		port: `${prefix}-Sandbox-Port`
	};
}
/** The vendor's prefix of the routing headers. */
const headerPrefix = field((value, refuse) => {
	const prefix = value === "" ? "Svc" : value;
	const [meant = ""] = /^.*?(?=-+$|-Sandbox-(?:Id|Port)\b)/i.exec(prefix) ?? [];
	if (meant !== "") return refuse(`${quote(value)} is more than the prefix, which is ${quote(meant)}.`, meant);
	return NAME.test(prefix) ? prefix : refuse(`${quote(value)} cannot be part of a header's name.`, "E2b");
});
/** Whether a value says that the step it comes from had none: `jq -r` prints `null`. */
function isMissing(value) {
	return [
		"",
		"null",
		"undefined"
	].includes(value);
}
/** The parts of headers that must never be shown, of those whose names say so. */
function secretsInHeaders(headers) {
	return headers.filter(([name]) => /^(authorization|cookie)$|token|key|secret/i.test(name)).flatMap(([, value]) => [value, value.replace(/^\S+\s+/, "")]);
}
/** Required text that an earlier step wrote as `output`, for a header. A refusal does not repeat it where it `isSecret`. */
function headerText(output, example, isSecret = false) {
	return field((value, refuse) => {
		if (isMissing(value)) {
			const check = `check the id of the step that it comes from, and that the step writes ${output}=… to GITHUB_OUTPUT`;
			return refuse(`is ${value || "empty"}: ${check}${isSecret ? "; GitHub drops masked outputs between jobs" : ""}; workflows of forks get no secrets.`, example);
		}
		if (VALUE.test(value)) return value;
		return refuse(`${isSecret ? "the value given" : quote(value)} cannot be sent in a header: it has a line break or another character outside Latin-1.`, example);
	});
}
/** Extra headers, one `Name: value` a line, empty lines left out. A refusal does not repeat a value: it may be secret. */
const extraHeaders = field((value, refuse, all) => {
	const routing = Object.values(routingHeaders(all["header-prefix"]?.trim() || "Svc"));
	const taken = /* @__PURE__ */ new Set([...RESERVED.split(" "), ...routing.map((name) => name.toLowerCase())]);
	const seen = /* @__PURE__ */ new Set();
	const headers = parseLines(value, (line, number) => {
		if (line === "") return [];
		const fail = (why) => refuse(`line ${number} ${why}.`, "\"X-Metadata-build: 42\"");
		const [name, content] = splitHeader(line) ?? fail("is not of the form Name: value");
		const key = name.toLowerCase();
		if (taken.has(key)) return fail(`sets ${quote(name)}, which the action sets itself`);
		if (seen.has(key)) return fail(`sets ${quote(name)} a second time`);
		seen.add(key);
		return [[name, content]];
	});
	return Object.fromEntries(headers);
}, (headers) => Object.keys(headers).join(", ") || "empty");
/** The name and the value in a line; undefined where it is no header. */
function splitHeader(line) {
	const colon = line.indexOf(":");
	const name = line.slice(0, Math.max(colon, 0)).trim();
	const content = line.slice(colon + 1).trim();
	return NAME.test(name) && VALUE.test(content) ? [name, content] : void 0;
}

// src/inputs/table.ts
const expiration = field((value, refuse) => /^\d{0,19}$/.test(value) ? value : refuse(`${quote(value)} is not a whole number.`, "1767225600"));
const MAX_SHARDS = 256;
const shard = field((value, refuse) => {
	if (value === "") return void 0;
	const [, index, count] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
	if (index !== void 0 && count !== void 0 && 1 <= index && index <= count && count <= MAX_SHARDS) return {
		index,
		count
	};
	return refuse(`${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.`, "2/4");
}, (value) => value === void 0 ? "empty" : `${value.index} of ${value.count}`);
const MAX_CONCURRENCY = 100;
const concurrency = field((value, refuse) => {
	if (value === "" || value === "auto") return "auto";
	const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
	if (number >= 1 && number <= MAX_CONCURRENCY) return number;
	return refuse(`${quote(value)} is neither auto nor a whole number from 1 to ${MAX_CONCURRENCY}.`, "auto");
}, String);
const sharing = wholeNumber(1, 1e3, 1);
const SHARED = 250;
/** How many small files may share a request; a service of E2b's headers serves its packages, which send such requests. */
const filesPerRequest = field((value, refuse, all) => {
	const isSigned = Boolean(all["signature"]?.trim());
	if (value === "" || value === "auto") return !isSigned && /^e2b$/i.test(all["header-prefix"]?.trim() ?? "") ? SHARED : 1;
	const count = sharing.parse(value, refuse, all);
	if (count === 1 || !isSigned) return count;
	return refuse(`${quote(value)} cannot be combined with a signature, which fits a single target path.`, "auto");
});
const reaching = {
	"sandbox-id": headerText("id", "${{ steps.sandbox.outputs.id }}"),
	token: secret(headerText("token", "${{ steps.sandbox.outputs.token }}", true).parse),
	"base-url": baseUrl,
	"allow-insecure-http": flag(false),
	port: wholeNumber(1, 65535, 49983),
	"header-prefix": headerPrefix,
	"stats-path": operationPath("/metrics"),
	headers: extraHeaders,
	timeout: duration(1, "60s")
};
const trying = {
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
	"state-file": text,
	shard,
	concurrency,
	"files-per-request": filesPerRequest,
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
/** Every input of each action.yml. */
const TABLES = {
	sync: {
		...reaching,
		...trying,
		...uploading,
		...measuring,
		...reporting
	},
	upload: {
		...reaching,
		...trying,
		...uploading,
		...reporting
	},
	stats: {
		...reaching,
		...trying,
		...measuring,
		...reporting
	},
	monitor: {
		...reaching,
		...judging,
		"sample-interval": duration(200, "5s"),
		"max-duration": duration(1e3, "6h"),
		...reporting
	},
	"monitor-end": {
		"sandbox-id": text,
		"base-url": text,
		...judging,
		"sample-interval": duration(200, "5s"),
		...reporting
	}
};
/** The task that an entry belongs to. */
function taskOf(entry) {
	return entry === "monitor-end" ? "monitor" : entry;
}
/** The names of an entry's inputs. */
function inputNames(entry) {
	return Object.keys(TABLES[entry]);
}
/** The names of the inputs whose values must never be shown. */
const SECRET_INPUTS = Object.entries(TABLES.sync).filter(([, { isSecret }]) => isSecret).map(([name]) => name);
/** Parses the inputs of an entry. @throws InputError that lists every input that is wrong. */
function parseInputs(entry, raw) {
	return parseFields(TABLES[entry], raw);
}
/** The inputs of an upload's files, as if what is wrong with them were not given. */
function parseSearch(raw) {
	return parseRest({
		...uploading,
		files: readableRules
	}, raw);
}
/** The inputs of an entry as they were understood, an input a line. */
function showInputs(entry, inputs) {
	return showFields(TABLES[entry], inputs);
}

// src/report/report.ts
/** A report of nothing done, to start from. */
const EMPTY_REPORT = {
	schema: 1,
	task: "sync",
	sandboxId: "",
	baseUrl: "",
	dryRun: false,
	mayShare: false,
	cancelled: false,
	share: void 0,
	files: [],
	leftOut: [],
	hidden: [],
	gone: [],
	stats: void 0,
	samples: [],
	gate: NO_GATE,
	durationMs: 0,
	took: {},
	errors: [],
	warnings: []
};
/** The files of a report, counted. */
function totals({ files, leftOut }) {
	const counted = {
		planned: files.length,
		/** Bytes of the planned files, when the plan was made. */
		plannedBytes: 0,
		uploaded: 0,
		/** Files that the sandbox had already, and their bytes. */
		unchanged: 0,
		unchangedBytes: 0,
		failed: 0,
		/** Files of a dry run, and what was left out. */
		skipped: leftOut.length,
		notAttempted: 0,
		/** Bytes of the uploaded files, as they were sent. */
		uploadedBytes: 0
	};
	for (const result of files) {
		const { status, file } = result;
		counted[status === "not-attempted" ? "notAttempted" : status] += 1;
		counted.plannedBytes += file.size;
		if (status === "unchanged") counted.unchangedBytes += file.size;
		if (status === "uploaded") counted.uploadedBytes += result.size;
	}
	return counted;
}
/** Whether the step succeeds: everything planned arrived, or was never meant to, the gate let it pass, nothing else failed. */
function succeeded(report) {
	const { errors, gate, cancelled } = report;
	const { failed, notAttempted } = totals(report);
	return failed + notAttempted + errors.length === 0 && gate.state !== "failed" && !cancelled;
}
/** How a file ended, in words. The only files that are planned and skipped are those of a dry run. */
const STATUS = {
	uploaded: "uploaded",
	unchanged: "unchanged",
	failed: "failed",
	skipped: "would be uploaded",
	"not-attempted": "not attempted"
};
/** Which shard it is: `shard 2 of 4`. */
function shardName({ index, count }) {
	return `shard ${index} of ${count}`;
}
/** Which shard it is, and how much of the plan: `shard 2 of 4: 500 of 2,000 files`. */
function shardLine(share) {
	return `${shardName(share)}: ${formatNumber(share.files)} of ${formatCount(share.planned, "file")}`;
}
/** What stands for the rest of a list that is cut. */
function moreInReport(rest) {
	return `and ${formatNumber(rest)} more; the report file has them all`;
}

// src/text/cut.ts
/** A list of which the first items are shown; where there are more, what `more` makes of their number comes last. */
function firstOf$1(items, limit, { show, more }) {
	const shown = items.slice(0, limit).map((item) => show(item));
	const rest = items.length - limit;
	return rest > 0 ? [...shown, more(rest)] : shown;
}
/** The first items whose sizes are at most `limit` together. What comes after them is not even made. */
function fitting(items, limit, sizeOf) {
	const fit = [];
	let left = limit;
	for (const item of items) {
		left -= sizeOf(item);
		if (left < 0) break;
		fit.push(item);
	}
	return fit;
}

// src/report/figures.ts
/** A metric's figure in units for a reader: `93.2 %`, `512 MiB`, `4`. */
function formatFigure(metric, figure) {
	return FORMATS[metricKind(metric) ?? "plain"](toNumber(figure));
}
const FORMATS = {
	percentage: (figure) => `${formatDecimal(figure)} %`,
	bytes: formatBytes,
	mebibytes: (figure) => formatBytes(figure * 2 ** 20),
	plain: formatDecimal
};
/** A tripped condition, and what tripped it. */
function breachLine(breach, samples) {
	return breach.holds === void 0 ? unjudged(breach) : `${breach.condition.text}: ${breachSentence(breach, samples)}`;
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
/** What tripped, when and for how long: `Memory peaked at 90 % (limit 80 %) at 09:05:00 UTC, too high for 40 s`. */
function breachSentence(breach, samples) {
	const { metric, limit } = breach.condition;
	const subject = SUBJECTS.find(([pattern]) => pattern.test(metric))?.[1] ?? metric;
	if (breach.holds === void 0) return `${subject} cannot be judged`;
	const deciding = decidingOf(breach.condition);
	const peak = `${subject} ${samples.length < 2 || deciding === void 0 ? "was at" : VERBS[deciding]} ${formatFigure(metric, breach.figure)} (limit ${formatFigure(metric, limit)})`;
	return samples.length < 2 || deciding === "mean" || deciding === "last" ? peak : `${peak}${whenOf(breach, samples)}`;
}
function whenOf({ condition, figure }, samples) {
	const each = {
		...condition,
		aggregate: void 0
	};
	const judged = samples.map(({ at, figures }) => ({
		at,
		...judge(each, [figures])
	}));
	const peak = judged.find((one) => one.holds !== void 0 && compare(one.figure, figure) === 0);
	const longest = 10 * ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / samples.length;
	const ms = judged.map(({ at, holds }, index) => {
		const before = judged[index - 1];
		return holds && before?.holds && at - before.at <= longest ? Math.max(at - before.at, 0) : 0;
	}).reduce((sum, length) => sum + length);
	const count = judged.filter(({ holds }) => holds).length;
	const how = {
		"<": ", too low",
		">": ", too high"
	}[condition.operator.charAt(0)] ?? "";
	return ` at ${formatTime(peak?.at ?? 0)}${how} ${ms === 0 ? `in ${formatCount(count, "reading")}` : `for ${formatDuration(ms)}`}`;
}
/** A condition that does not hold, with the figure that was seen. */
function judgementLine(judgement) {
	if (judgement.holds === void 0) return unjudged(judgement);
	const { text, metric } = judgement.condition;
	return `${text} does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}
const MAX_REPORTED = 30;
function unjudged({ condition, samples, missing, reported }) {
	const { text, metric } = condition;
	if (samples === 0) return `${text} cannot be judged: there are no stats`;
	if (missing < samples) return `${text} cannot be judged: ${missing} of ${samples} readings do not report ${metric}`;
	return `${text} cannot be judged: the sandbox does not report ${metric}; it reports ${firstOf$1(reported, MAX_REPORTED, {
		show: (name) => name,
		more: (rest) => `${rest} more`
	}).join(", ") || "nothing"}`;
}

// src/report/verdict.ts
/** What came of the run, in one line. */
function headline(report) {
	const { own, error } = verdict(report);
	return [...own, error].filter((part) => part !== "").join(" ");
}
/**
* What came of a run: in the action's `own` words, a sentence each, and in those of an error, which may hold words from
* elsewhere. Either may be empty.
*/
function verdict(report) {
	const { files, errors, gate, share, cancelled } = report;
	const error = errors[0]?.message ?? "";
	const done = `${whatWasDone(report)}${share === void 0 ? "" : ` (${shardName(share)})`}`;
	const judged = gateSentences(report);
	if (cancelled) return {
		own: [`Cancelled: ${done.charAt(0).toLowerCase()}${done.slice(1)}.`, ...judged],
		error: ""
	};
	const [tripped, rest] = gate.state === "failed" ? [judged, []] : [[], judged];
	if (error !== "" && files.length === 0) return {
		own: tripped,
		error
	};
	const { failed, notAttempted } = totals(report);
	const isOther = error !== "" && failed + notAttempted === 0;
	return {
		own: [
			...tripped,
			isOther ? `${done}, but the step failed:` : `${done}.`,
			...rest
		],
		error
	};
}
/** The sentence on the gate; none where nothing could be read, which an error says. */
function gateSentences({ gate: { state, breaches }, samples }) {
	if (state === "passed") return ["The gate passed."];
	const [first, ...others] = breaches.filter(({ level }) => level === (state === "failed" ? "fail" : "warn"));
	if (first === void 0 || samples.length === 0) return [];
	const more = others.length === 0 ? "" : `, and ${formatCount(others.length, "other condition")} tripped`;
	return [`${breachSentence(first, samples)}${more}, so the gate ${state}.`];
}
function whatWasDone(report) {
	const { task, files, leftOut, errors, dryRun, cancelled, durationMs } = report;
	if (task === "stats" || task === "monitor") return usage(report);
	if (files.length === 0) return nothingPlanned(report);
	const { planned, unchanged, uploaded, failed, notAttempted, ...bytes } = totals(report);
	const due = formatCount(planned - unchanged, "file");
	const [same, left] = [also(unchanged, "unchanged"), also(leftOut.length, "left out")];
	if (planned === unchanged) return `${dryRun ? "Dry run: nothing would be uploaded" : "Nothing was sent"}, ${formatCount(unchanged, "file")} unchanged${left}`;
	if (dryRun) return `Dry run: ${due} (${formatBytes(bytes.plannedBytes - bytes.unchangedBytes)}) would be uploaded${same}${left}; nothing was sent`;
	if (failed + notAttempted + errors.length > 0 || cancelled) {
		const lost = `${also(failed, "failed")}${also(notAttempted, "not attempted")}`;
		return `${formatNumber(uploaded)} of ${due} arrived${lost}${same}`;
	}
	const size = formatBytes(bytes.uploadedBytes);
	return `Uploaded ${formatCount(uploaded, "file")} (${size}) in ${formatDuration(durationMs)}${same}${left}`;
}
function also(count, what) {
	return count === 0 ? "" : `, ${formatNumber(count)} ${what}`;
}
function nothingPlanned({ share }) {
	if (share === void 0 || share.planned === 0) return "There were no files to upload";
	return `None of ${formatCount(share.planned, "file")} belongs to this shard`;
}
const USED = {
	CPU: "cpu_used_pct",
	memory: "mem_used_pct",
	disk: "disk_used_pct"
};
/** What the sandbox uses, or used at most over several samples. */
function usage({ samples, cancelled }) {
	if (samples.length === 0) return cancelled ? "No stats were read yet" : "There are no stats for the sandbox";
	const all = samples.map(({ figures }) => figures);
	const used = Object.entries(USED).flatMap(([name, metric]) => {
		const figures = figuresOf(metric, all);
		return figures === void 0 ? [] : `${name} ${formatFigure(metric, aggregateOf("max", figures))}`;
	});
	const figures = used.length === 0 ? "no CPU, memory or disk usage" : used.join(", ");
	return samples.length === 1 ? `The sandbox reports ${figures}` : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}
/** The lines that belong to the headline: its error's details, and whatever else failed beside single files. */
function furtherLines({ errors }) {
	return errors.flatMap(({ message, details }, index) => index === 0 ? details : [message, ...details]);
}
/** The failed files in plan order, those with the same message together under one of their errors, the largest group first. */
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
/** What to do about a failure; a full disk with the sandbox's figures, where they are known. */
function adviceOn({ kind, hint }, { stats }) {
	const used = stats?.figures.get("disk_used");
	const total = stats?.figures.get("disk_total");
	if (kind !== "disk-full" || used === void 0 || total === void 0) return hint;
	return `${hint} Its root file system uses ${formatBytes(used)} of ${formatBytes(total)}; the target may be on another.`;
}
/** What is reported of an error that kept the step from its work, or the stats from being read. */
function reportedError(error) {
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
	return {
		message: `The inputs have ${lines.length} problems. Nothing was sent.`,
		details: lines
	};
}
/** What kept a step that waited from going on. */
function waitError({ missing, error, waitedMs }) {
	if (error !== void 0 && !error.retryable) return reportedError(error);
	const message = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
	const last = error === void 0 ? [] : [error.message, error.hint];
	return {
		message,
		details: [...missing.map(judgementLine), ...last]
	};
}

// src/text/redact.ts
/** The runner masks secrets in its log alone: what reaches outputs, summary and report loses them where it comes in. */
function redactor(secrets) {
	const forms = secrets.filter((secret) => secret !== "").flatMap(encodings);
	const ordered = [...new Set(forms)].sort((a, b) => b.length - a.length);
	return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, "***"), text);
}
function encodings(secret) {
	const escaped = JSON.stringify(secret).slice(1, -1);
	const percent = encodeURIComponent(secret.toWellFormed());
	const binary = [Buffer.from(secret), Buffer.from(secret, "latin1")].flatMap((bytes) => {
		const [base64, hex] = [bytes.toString("base64"), bytes.toString("hex")];
		return [
			base64,
			base64.replace(/=+$/, ""),
			bytes.toString("base64url"),
			hex,
			hex.toUpperCase()
		];
	});
	const json = [escaped, JSON.stringify(escaped).slice(1, -1)];
	return [
		secret,
		percent,
		percent.replace(/%../g, (code) => code.toLowerCase()),
		...json,
		...binary
	];
}

// src/agent/proxy.ts
/** The proxy that the environment names for an origin, NO_PROXY aside. `http` to this machine goes past any: see base-url. */
function proxyFor(origin, env) {
	const { protocol, hostname } = new URL(origin);
	if (protocol === "http:" && isLoopback(hostname)) return void 0;
	const plain = firstOf(["http_proxy", "HTTP_PROXY"], env);
	return protocol === "https:" ? firstOf(["https_proxy", "HTTPS_PROXY"], env) ?? plain : plain;
}
/** Whether a proxy can be used: an http or https URL whose credentials can be decoded. */
function isUsable({ value }) {
	const { protocol = "", username = "", password = "" } = URL.parse(value) ?? {};
	return /^https?:$/.test(protocol) && decoded(`${username}${password}`) !== void 0;
}
/** How the network is reached, without the values of variables: one may hold a password. */
function networkFacts(origin, env) {
	const proxy = proxyFor(origin, env);
	const usable = proxy === void 0 || isUsable(proxy) ? "" : ", which is not the URL of a proxy";
	const isSet = (...names) => names.some((name) => env[name]) ? "set" : "not set";
	return [
		proxy === void 0 ? "Proxy: none" : `Proxy: from ${proxy.name}${usable}`,
		`NO_PROXY: ${isSet("NO_PROXY", "no_proxy")}`,
		`NODE_EXTRA_CA_CERTS: ${isSet("NODE_EXTRA_CA_CERTS")}`
	].join("\n");
}
/** What is secret in the proxies that the environment names: passwords, and user names that stand alone, decoded as well. */
function proxyCredentials(env) {
	return [
		"http_proxy",
		"https_proxy",
		"HTTP_PROXY",
		"HTTPS_PROXY"
	].flatMap((name) => URL.parse(env[name] ?? "") ?? []).flatMap(({ username, password }) => password === "" ? [username] : [password, `${username}:${password}`]).flatMap((secret) => [secret, decoded(secret) ?? secret]).filter((secret) => secret !== "");
}
/** A part of a URL without its percent-encoding; undefined where that cannot be undone. */
function decoded(part) {
	try {
		return decodeURIComponent(part);
	} catch {
		return;
	}
}
/** The first variable that is set decides; set to nothing, it names no proxy. */
function firstOf(names, env) {
	const name = names.find((each) => env[each] !== void 0);
	const value = name === void 0 ? void 0 : env[name];
	return name === void 0 || !value ? void 0 : {
		name,
		value
	};
}

// src/text/debug.ts
const MAX_OF_A_KIND = 200;
const MAX_FAILURES = 1e3;
const MAX_LINE = 2e3;
/** A debug log that hands over its lines without secrets, each cut to a length, as far as there are not too many of a kind. */
function openDebugLog(write, redact) {
	const counts = /* @__PURE__ */ new Map();
	const limitOf = (kind) => kind.startsWith("failed") ? MAX_FAILURES : MAX_OF_A_KIND;
	const writeLines = (text) => {
		for (const line of redact(text).split("\n")) write(visibleCut(line, MAX_LINE));
	};
	const debug = (kind, text) => {
		const count = (counts.get(kind) ?? 0) + 1;
		counts.set(kind, count);
		if (count <= limitOf(kind)) writeLines(text);
	};
	return {
		debug,
		/** Says how much of each kind was not written. */
		end() {
			for (const [kind, count] of counts) {
				const rest = count - limitOf(kind);
				if (rest > 0) writeLines(`Not shown: ${formatCount(rest, `further ${kind}`)}`);
			}
		}
	};
}

// src/text/exact-json.ts
/** Writes a JSON text anew, strings, names and digits changed. @throws SyntaxError, or RangeError. */
function changeStrings(text, change) {
	const parsed = JSON.parse(text, (_key, value, { source }) => {
		if (typeof value !== "number" || source === void 0) return value;
		return change(source) === source ? JSON.rawJSON(source) : change(source);
	});
	return JSON.stringify(parsed, (_key, value) => {
		if (typeof value === "string") return change(value);
		if (typeof value !== "object" || value === null || Array.isArray(value) || JSON.isRawJSON(value)) return value;
		return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), item]));
	});
}
/** Parses a JSON text; whole numbers come as bigint, exact whatever their size. @throws SyntaxError, or RangeError. */
function parseExactly(text) {
	return JSON.parse(text, (_key, value, { source }) => typeof value === "number" && source !== void 0 && /^-?\d+$/.test(source) ? BigInt(source) : value);
}
/** JSON text of a value in which bigint stands for whole numbers. */
function stringifyExactly(value) {
	return JSON.stringify(value, (_key, item) => typeof item === "bigint" ? JSON.rawJSON(String(item)) : item);
}
/** The fields of a value, none where it is no object: for what has yet to be checked. */
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
/** The fields of a JSON text, none where it is not the text of an object. */
function parseFieldsOf(text) {
	try {
		return fieldsOf(JSON.parse(text));
	} catch {
		return {};
	}
}
/** The fields of an object as text; none where it is no object. */
function textsOf(value) {
	return Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, field]) => [name, String(field)]));
}

// src/github/runner.ts
/** The inputs of the step by name, secrets masked. */
function readInputs(entry) {
	const raw = Object.fromEntries(inputNames(entry).map((name) => [name, getInput(name, { trimWhitespace: false })]));
	for (const secret of [...secretsIn(raw), ...proxyCredentials(process.env)]) if (secret !== "") setSecret(secret);
	return raw;
}
/** The values in the inputs that are secrets. */
function secretsIn(raw) {
	const lines = (raw["headers"] ?? "").split(/\r?\n/).map((line) => splitHeader(line.trim()));
	return [...SECRET_INPUTS.map((name) => (raw[name] ?? "").trim()), ...secretsInHeaders(lines.filter((header) => header !== void 0))].filter((value) => !isMissing(value));
}
/** Refuses inputs that the action does not have, and whose names are close to those it has: a gate could be meant. @throws InputError */
function refuseSlips(entry) {
	const known = inputNames(entry);
	const slips = Object.keys(process.env).flatMap((name) => /^INPUT_(.+)$/.exec(name)?.[1]?.toLowerCase() ?? []).flatMap((name) => {
		const meant = known.includes(name) ? void 0 : nearest(name, known, .5);
		return meant === void 0 ? [] : [{
			input: name,
			message: `is not an input. Did you mean ${meant}?`
		}];
	});
	if (slips.length > 0) throw new InputError(slips);
}
/** The directory that holds the checkout. */
function workspace() {
	return process.env["GITHUB_WORKSPACE"] || process.cwd();
}
/** What a run with a state file is to be warned of: its cache may keep nothing. */
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
const DIRECTORY = "directory";
const KEPT = "inputs";
const MONITOR_PREFIX = "sandbox-sync-monitor-";
/**
* Makes a directory for a monitor, which the job's post step is told of, with what it needs of the inputs: in composite
* actions the runner may hand it those of an outer one. @throws InputError where it cannot be told.
*/
async function newMonitorDirectory(raw) {
	if (!process.env["GITHUB_STATE"]) throw inputError("monitor", "cannot start: GITHUB_STATE is not set.");
	const directory = await mkdtemp(path.join(temporary(), MONITOR_PREFIX));
	saveState(DIRECTORY, directory);
	saveState(KEPT, Object.fromEntries(inputNames("monitor-end").map((name) => [name, raw[name] ?? ""])));
	return directory;
}
/** What the main step kept of its inputs; nothing where that is lost. */
function keptInputs() {
	return textsOf(parseFieldsOf(getState(KEPT)));
}
/** The directory of the monitor that the main step started, if it came to that, and whether it is one of a monitor's. */
function monitorDirectory() {
	const state = getState(DIRECTORY);
	if (state === "") return void 0;
	const directory = path.resolve(state);
	return {
		directory,
		isOwn: path.dirname(directory) === temporary() && path.basename(directory).startsWith(MONITOR_PREFIX)
	};
}
function temporary() {
	return path.resolve(process.env["RUNNER_TEMP"] || tmpdir());
}

// src/github/debug.ts
/** The debug log of a step where step debugging is on. People paste it into bug reports: secrets are taken out. */
function openDebug(raw) {
	if (!isDebug()) return void 0;
	const redact = redactor([
		...secretsIn(raw),
		...headerValues(raw),
		...proxyCredentials(process.env)
	]);
	const log = openDebugLog((line) => debug(harmless(line)), redact);
	log.debug("environment", environment());
	return log;
}
const MIN_HEADER_VALUE = 8;
function headerValues({ headers = "" }) {
	return headers.split("\n").map((line) => line.slice(line.indexOf(":") + 1).trim()).filter((value) => value.length >= MIN_HEADER_VALUE);
}
/** What the step runs on. Of the environment's variables no value is named, since one may hold a password. */
function environment() {
	const { version, platform, arch } = process;
	const memory = `${formatBytes(totalmem())} of memory, ${formatBytes(freemem())} of it free`;
	return [
		`Version: ${USER_AGENT} on Node.js ${version}, ${platform} ${release()} ${arch}`,
		`Runner: ${formatCount(availableParallelism(), "CPU")}, ${memory}`,
		`Workspace: ${workspace()}`
	].join("\n");
}
/** What the process took until now. */
function cost() {
	const peak = formatBytes(process.resourceUsage().maxRSS * 1024);
	return `Took ${formatDuration(performance.now())}, with a memory peak of ${peak}`;
}

// src/github/log.ts
/** One line of the log. */
function logLine(text) {
	info(harmless(text));
}
const MAX_MESSAGE = 4e3;
/** Lines as one annotation shows them. */
function messageOf(lines) {
	const whole = lines.map(harmless).join("\n");
	return whole.length > MAX_MESSAGE ? `${whole.slice(0, MAX_MESSAGE).toWellFormed()}…` : whole;
}
/** Annotations on the run, of several lines each. */
const annotate = {
	error: (lines) => error(messageOf(lines)),
	warning: (lines) => warning(messageOf(lines)),
	notice: (lines) => notice(messageOf(lines))
};
const MAX_LINES$1 = 1e3;
const MAX_CHARACTERS = 131072;
const RANKS = {
	failed: 0,
	"not-attempted": 0,
	uploaded: 1,
	skipped: 1,
	unchanged: 2
};
/** Logs what became of each file, in a folded group. A plan is shown whole; of many results, trouble comes first, what did not change last. */
function logFiles({ files, leftOut, dryRun }) {
	if (files.length + leftOut.length === 0) return;
	const byRank = (one, other) => RANKS[one.status] - RANKS[other.status];
	const lines = dryRun ? files.map(fileLine) : cut(files.toSorted(byRank), fileLine);
	const left = cut(leftOut, ({ path, reason }) => harmless(`left out: ${path} (${reason})`));
	startGroup("Files");
	info([...lines, ...left].join("\n"));
	endGroup();
}
/** The lines of the first items, as many as are not too long together. */
function cut(items, lineOf) {
	const lines = fitting(items.slice(0, MAX_LINES$1).map(lineOf), MAX_CHARACTERS, (line) => line.length);
	const rest = items.length - lines.length;
	return rest > 0 ? [...lines, moreInReport(rest)] : lines;
}
function fileLine(result) {
	const { source, target } = result.file;
	const line = `${STATUS[result.status]}: ${source} → ${"path" in result ? result.path : target}`;
	return harmless(result.status === "failed" ? `${line} (${result.error.message})` : line);
}

// src/github/progress.ts
const INTERVAL_MS = 5e3;
const SLOWER = 1.5;
const MAX_RETRY_LINES = 20;
const NO_MORE_RETRY_LINES = "Further failed attempts are not shown here; the report file has the number for each file.";
/** Logs the plan, the progress now and then, and retries as they happen. `stop` ends it. */
function watchTransfer() {
	const started = performance.now();
	const tally = newTally();
	let size;
	let retries = 0;
	let refused;
	let dueMs = 0;
	const timer = setInterval(() => {
		const elapsedMs = performance.now() - started;
		if (size === void 0 || elapsedMs < dueMs) return;
		dueMs = elapsedMs * SLOWER;
		logLine(progressLine({
			...tally.now(),
			...size,
			elapsedMs
		}));
	}, INTERVAL_MS);
	timer.unref();
	const showRetry = (retry) => {
		retries += 1;
		if (retries <= MAX_RETRY_LINES) logLine(retryLine(retry));
		else if (retries === 21) logLine(NO_MORE_RETRY_LINES);
	};
	return {
		observer: {
			planned(selection, inputs) {
				const { due } = selection;
				size = {
					totalFiles: due.length,
					totalBytes: totalSize(due)
				};
				if (due.length > 0) logLine(announcement(selection, inputs, size.totalBytes));
			},
			waiting: ({ sandboxId, waitTimeout }) => logLine(`Waiting up to ${formatDuration(waitTimeout)} for sandbox ${sandboxId} to be ready`),
			waited: waitLog(),
			event(event) {
				tally.add(event);
				if (event.kind === "retry") showRetry(event);
				if (event.kind === "refused") refused = refusedLine(event.files.length);
				if (event.kind !== "settled" || event.result.status !== "uploaded" || refused === void 0) return;
				annotate.warning([refused]);
				refused = void 0;
			}
		},
		stop: () => clearInterval(timer)
	};
}
const WAIT_INTERVAL_MS = 15e3;
/** Logs every 15 s what a wait waits for, at once what the sandbox does not report at all, and at the end how long it took. */
function waitLog(log = logLine) {
	let dueMs = WAIT_INTERVAL_MS;
	let isFirst = true;
	return ({ held, waitedMs, missing, error }) => {
		const took = formatDuration(waitedMs);
		if (held) return log(`The sandbox was ready after ${took}`);
		const unknown = isFirst ? missing.filter(({ holds }) => holds === void 0) : [];
		isFirst &&= error !== void 0;
		const isDue = waitedMs >= dueMs;
		if (isDue) dueMs = waitedMs + WAIT_INTERVAL_MS;
		const lines = isDue ? [...missing.map(judgementLine), ...error === void 0 ? [] : [error.message]] : unknown.map(judgementLine);
		if (lines.length > 0) log(`Waited ${took}: ${lines.join("; ")}`);
	};
}
function announcement({ due, share, unchanged }, { dryRun, sandboxId, baseUrl }, bytes) {
	const doing = dryRun ? "Planning the upload of" : "Uploading";
	const which = share === void 0 ? "" : `, ${shardLine(share)}`;
	const same = unchanged.size === 0 ? "" : `, ${formatNumber(unchanged.size)} unchanged`;
	return `${doing} ${formatCount(due.length, "file")} (${formatBytes(bytes)}) to sandbox ${sandboxId} at ${baseUrl}${which}${same}`;
}
/** Files, bytes, percent, rate and the time left. */
function progressLine(progress) {
	const { files, failed, totalFiles, totalBytes, elapsedMs } = progress;
	const sent = Math.min(progress.bytes, totalBytes);
	const share = totalBytes === 0 ? files / Math.max(totalFiles, 1) : sent / totalBytes;
	const over = totalBytes === 0 ? share : Math.min((sent + progress.failedBytes) / totalBytes, 1);
	const left = share > 0 ? `, ${formatDuration(elapsedMs * (1 - over) / over)} left` : "";
	return `${`${formatNumber(files)} of ${formatCount(totalFiles, "file")}${failed > 0 ? `, ${formatNumber(failed)} failed` : ""}`}, ${formatBytes(sent)} of ${formatBytes(totalBytes)} (${Math.floor(share * 100)} %), ${formatRate(sent, elapsedMs)}${left}`;
}
/** Adds up what happens; what an attempt sent that failed is taken off again. */
function newTally() {
	const onTheWay = /* @__PURE__ */ new Map();
	const done = {
		files: 0,
		failed: 0,
		failedBytes: 0,
		bytes: 0
	};
	return {
		add(event) {
			if (event.kind === "sent") onTheWay.set(event.file, (onTheWay.get(event.file) ?? 0) + event.bytes);
			else if (event.kind !== "settled") for (const file of event.files) onTheWay.delete(file);
			else {
				onTheWay.delete(event.result.file);
				if (event.result.status === "failed") {
					done.failed += 1;
					done.failedBytes += event.result.file.size;
				}
				if (event.result.status !== "uploaded") return;
				done.files += 1;
				done.bytes += event.result.size;
			}
		},
		now: () => ({
			...done,
			bytes: [...onTheWay.values()].reduce((sum, bytes) => sum + bytes, done.bytes)
		})
	};
}
function retryLine({ files, retry }) {
	const { attempt, delayMs, error } = retry;
	const [first, ...others] = files;
	const more = others.length === 0 ? "" : ` and ${formatNumber(others.length)} more`;
	return `Attempt ${attempt} for ${first?.source ?? "the stats"}${more} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}
function refusedLine(count) {
	return `The agent did not store all ${formatNumber(count)} files of one request. From now on, each is sent alone.`;
}

// src/agent/file.ts
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** The bytes of a file that still goes out in one piece, in a fraction of a stream's time; longer ones go in such chunks. */
const BUFFER_BYTES = 262144;
/** Windows numbers files beyond 2^53. */
const EXACTLY = { bigint: true };
/**
* Checks that what was opened is a regular file and is what its path names, and returns its size in bytes. The flags guard
* the last part of the path alone: a directory above it could have been swapped for a link that leads to a secret.
* @throws AgentError `file-unreadable` or `file-changed`, or the system's own error where the path is gone.
*/
function checkOpened(path, opened) {
	if (!opened.isFile()) throw new AgentError("file-unreadable", `${path} is not a regular file any more.`);
	if (realpathSync.native(path) !== path) throw new AgentError("file-unreadable", `${path} leads through a link now, which it did not before.`);
	if (!isSame(lstatSync(path, EXACTLY), opened)) throw new AgentError("file-changed", `${path} was replaced while it was opened.`);
	return Number(opened.size);
}
/** Checks that a file is as it was opened when all of it was read. @throws AgentError `file-changed` */
function checkRead(path, opened, read) {
	if (read.size === opened.size && read.mtimeNs === opened.mtimeNs) return;
	throw new AgentError("file-changed", `${path} changed while it was read.`);
}
function isSame(named, opened) {
	return named.ino === opened.ino && (named.dev === opened.dev || process.platform === "win32");
}
/** Reads a file into a buffer, with calls that wait: for small ones they cost least. Undefined if not all fits or is readable. */
function readSmallFile(path, buffer, { offset, room }) {
	let descriptor;
	try {
		descriptor = openSync(path, READ_FLAGS);
		const opened = fstatSync(descriptor, EXACTLY);
		const size = checkOpened(path, opened);
		if (size > room) return void 0;
		let total = 0;
		while (total < size) {
			const read = readSync(descriptor, buffer, offset + total, size - total, null);
			if (read === 0) break;
			total += read;
		}
		checkRead(path, opened, fstatSync(descriptor, EXACTLY));
		return size === 0 && room > 0 && readSync(descriptor, buffer, offset, 1, null) > 0 ? void 0 : total;
	} catch (error) {
		if (isUnreadable(error)) return void 0;
		throw error;
	} finally {
		if (descriptor !== void 0) closeSync(descriptor);
	}
}
const RENAMES = 5;
const PAUSE_MS = 50;
/** Renames a file, again where Windows says that somebody, such as a virus scanner, still looks at it. */
function renameFile(from, to) {
	for (let left = RENAMES;; left -= 1) try {
		renameSync(from, to);
		return;
	} catch (error) {
		if (left === 1 || ![
			"EPERM",
			"EBUSY",
			"EACCES"
		].includes(systemCode(error) ?? "")) throw error;
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
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

// src/upload/sources.ts
const SYMBOLIC_LINK = "a symbolic link";
const BROKEN_LINK = "a broken link";
/** That of a pipe, a socket or a device. */
const NOT_REGULAR = "not a regular file";
/** That of a hidden file that no line takes by itself. */
const ALL_HIDDEN = "include-hidden-files: true includes it";
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
const TURN = 1e4;
/** Parts what a search found into files and what is left out. @throws InputError where a link leads out of the workspace. */
async function sortOut(root, paths, { workspace, followSymlinks, includeHiddenFiles }) {
	const files = [];
	const leftOut = [];
	let resolve;
	for (const [index, file] of paths.entries()) {
		if (index % TURN === 9999) await setImmediate();
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
			const { real, isHidden } = resolve(file, isLink || relative === "");
			if (isHidden && !includeHiddenFiles) leftOut.push({
				path: file,
				reason: "a link to something hidden"
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
	return (file, mayDiffer) => {
		const directory = realPath(path.dirname(file));
		if (!within(directory)) throw leadsOut(linkOf(file, searched, within), directory);
		const own = path.join(directory, path.basename(file));
		const real = mayDiffer ? realpathSync.native(own) : own;
		if (!within(real)) throw leadsOut(file, real);
		const isElsewhere = real.toLowerCase() !== path.join(place, pathWithin(root, file) ?? "").toLowerCase();
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

// src/report/notices.ts
/** A sentence on the files that were left out for their names, if there are any. */
function hiddenLine({ hidden }) {
	if (hidden[0] === void 0) return [];
	const were = `${formatCount(hidden.length, "hidden file")} ${hidden.length === 1 ? "was" : "were"} left out`;
	const { path, reason } = hidden.find((each) => each.reason !== "include-hidden-files: true includes it") ?? hidden[0];
	return [`${were}, such as ${quote(path)}: ${reason}.`];
}
const ARCHIVE = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml";
const MAX_NAMES$1 = 10;
/** What is to be known of the files in the sandbox, though nothing failed. */
function notices(report) {
	const { files, gone } = report;
	const programs = files.filter(({ status, file }) => file.isExecutable && status !== "unchanged");
	const [program] = programs;
	const why = "Uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive:";
	const places = firstOf$1(gone, MAX_NAMES$1, {
		show: quote,
		more: moreInReport
	}).join(", ");
	return [
		...program === void 0 ? [] : [`${are(programs, "file")} executable, such as ${quote(program.file.source)}. ${why} ${ARCHIVE}`],
		...gone.length === 0 ? [] : [`${are(gone, "file")} no longer in the build but still in the sandbox: ${places}.`],
		...waits(report)
	];
}
const MANY = 100;
const LONG_MS = 50;
const SLOW = 4 * 2 ** 20;
/** Where many small files went alone, most of them took longer than the bytes would, and the line had room. */
function waits({ files, mayShare, durationMs }) {
	const small = files.flatMap((each) => each.status === "uploaded" && each.size <= 262144 ? [each] : []);
	const isIdle = (small.map((each) => each.durationMs).sort((a, b) => a - b)[small.length >> 1] ?? 0) >= LONG_MS && totalSize(small) / durationMs < SLOW / 1e3;
	if (!mayShare || small.length < MANY || !isIdle) return [];
	return [`${`${formatCount(small.length, "small file")} went out one per request, and most of the time was spent waiting`}. If the service accepts several files per request, files-per-request: ${MANY} is several times as fast.`];
}
function are(items, noun) {
	return `${formatCount(items.length, noun)} ${items.length === 1 ? "is" : "are"}`;
}

// src/report/outputs.ts
const MAX_JSON_BYTES = 262144;
/** The outputs that a task has beside the report file, by name, and a notice for each that is left empty for its size. */
function outputsOf(report, aggregates) {
	const { task } = report;
	const drafts = {
		...task === "sync" || task === "upload" ? uploadOutputs(report) : {},
		...task === "upload" ? {} : {
			...statsOutputs(report),
			...gateOutputs(report, aggregates)
		}
	};
	const entries = Object.entries(drafts);
	return {
		outputs: Object.fromEntries(entries.map(([name, value]) => [name, value ?? ""])),
		notices: entries.filter(([, value]) => value === void 0).map(([name]) => tooLong(name))
	};
}
function uploadOutputs(report) {
	const { uploaded, unchanged, failed, skipped, uploadedBytes } = totals(report);
	return {
		"uploaded-count": String(uploaded),
		"unchanged-count": String(unchanged),
		"failed-count": String(failed),
		"skipped-count": String(skipped),
		"hidden-count": String(report.hidden.length),
		"uploaded-bytes": String(uploadedBytes),
		uploaded: uploadedList(report)
	};
}
/** Each empty where it was not reported. */
function statsOutputs({ stats }) {
	const figures = Object.keys(METRICS).map((metric) => [metric.replaceAll("_", "-"), figureText(metric, stats?.figures.get(metric))]);
	return {
		...Object.fromEntries(figures),
		stats: unlessTooLong(stats?.json ?? "")
	};
}
/** The gate's state, what tripped, and each metric's aggregates over the samples. */
function gateOutputs({ gate }, aggregates) {
	return {
		gate: gate.state,
		breaches: unlessTooLong(stringifyExactly(gate.breaches.map(breachEntry))),
		aggregates: unlessTooLong(stringifyExactly(aggregates))
	};
}
/** One figure of each kind for every metric that any sample reports. Takes a while for thousands of samples: once a run. */
function aggregatesOf(samples) {
	const byMetric = /* @__PURE__ */ new Map();
	for (const { figures } of samples) for (const [metric, figure] of figures) {
		const before = byMetric.get(metric);
		if (before === void 0) byMetric.set(metric, [exactly(figure)]);
		else before.push(exactly(figure));
	}
	const aggregate = (figures) => AGGREGATES.map((kind) => [kind, toFigure(aggregateOf(kind, figures))]);
	return Object.fromEntries([...byMetric].map(([metric, figures]) => [metric, Object.fromEntries(aggregate(figures))]));
}
const FILES_PER_PIECE = 500;
/** The JSON text of the file that the output `report` names, in pieces: all of it at once would take much memory. */
function* reportJson(report, aggregates) {
	const { schema, task, files, stats, samples, gate, ...rest } = report;
	const document = {
		schema,
		task,
		succeeded: succeeded(report),
		headline: headline(report),
		totals: totals(report),
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
	yield `${stringifyExactly(document).slice(0, -1)},\n"stats": ${stats?.json ?? "null"},\n"files": [`;
	for (let start = 0; start < files.length; start += FILES_PER_PIECE) {
		const lines = files.slice(start, start + FILES_PER_PIECE).map((result) => `\n${JSON.stringify(fileEntry(result, report))}`);
		yield `${start === 0 ? "" : ","}${lines.join(",")}`;
	}
	yield "\n]\n}\n";
}
function tooLong(output) {
	return `The output ${output} is empty: it would exceed 256 KiB. The file named by the output report has everything.`;
}
function unlessTooLong(json) {
	return Buffer.byteLength(json) > MAX_JSON_BYTES ? void 0 : json;
}
/** The uploaded files as JSON; undefined as soon as it is too long. */
function uploadedList({ files }) {
	const uploaded = files.filter((result) => result.status === "uploaded");
	const entries = fitting(uploaded.values().map(({ file: { source }, path, size }) => JSON.stringify({
		source,
		path,
		size
	})), 262143, (entry) => Buffer.byteLength(entry) + 1);
	return entries.length < uploaded.length ? void 0 : `[${entries.join(",")}]`;
}
function figureText(metric, figure) {
	if (figure === void 0) return "";
	return (metric === "mem_used_pct" || metric === "disk_used_pct") && typeof figure === "number" ? figure.toFixed(2) : String(figure);
}
/** The figure is null where the metric was not reported. */
function breachEntry(breach) {
	const { level, condition } = breach;
	const { text, metric, limit } = condition;
	return {
		level,
		condition: text,
		metric,
		figure: breach.holds === void 0 ? null : toFigure(breach.figure),
		limit: toFigure(limit)
	};
}
function fileEntry({ file, ...outcome }, report) {
	const { source, target, size } = file;
	if (outcome.status !== "failed") return {
		source,
		target,
		size,
		...outcome
	};
	const { kind, status, message } = outcome.error;
	const error = {
		kind,
		status,
		message,
		hint: adviceOn(outcome.error, report)
	};
	return {
		source,
		target,
		size,
		...outcome,
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
/** HTML from a template, what is put in escaped. As blocks without empty lines it is no Markdown: no text becomes markup. */
function html(parts, ...values) {
	return { html: parts.flatMap((part, index) => [part, toHtml(values[index])]).join("") };
}
/** Pieces one after the other. */
function concat(pieces) {
	return { html: pieces.map((piece) => piece.html).join("") };
}
/** Text that is shown to the letter: within `code`, mentions and emoji names do not apply either. */
function code(text) {
	return html`<code>${text}</code>`;
}
const PLAIN = String.raw`(?:[A-Za-z]+(?:['-][A-Za-z]+)*|\d[\d,.:]*|%)`;
const END = String.raw`[.,:;?!)]*(?:\s|$)`;
const ODD = String.raw`(?:"(?:\\.|[^"\\])*"?|(?<![^\s(])(?!${PLAIN}${END})[^\s"(]\S*?(?=${END}))`;
const ODD_RUN = new RegExp(`(${ODD}(?: ${ODD})*(?:(?<=[<>=]) [\\d.]*\\d)?)`);
/** A message: its plain words as they are, and all else as code, what is quoted whole. */
function prose(text) {
	return concat(visibleCut(text, MAX_TEXT).split(ODD_RUN).map((piece, index) => ({ html: index % 2 === 0 ? escaped(piece) : `<code>${escaped(piece)}</code>` })));
}
/** A table of a heading row and rows, without columns that are empty. Text is a figure and stands right, HTML stands left. */
function table(headings, rows) {
	const columns = [...headings.keys()].filter((column) => rows.some((row) => row[column] !== ""));
	const isText = (column) => rows.some((row) => typeof row[column] === "object");
	const cell = (column, value = "") => isText(column) ? html`<td>${value}</td>` : html`<td align="right">${value}</td>`;
	const head = columns.map((column) => html`<th align="${isText(column) ? "left" : "right"}">${headings[column] ?? ""}</th>`);
	const body = rows.map((row) => html`<tr>${concat(columns.map((column) => cell(column, row[column])))}</tr>\n`);
	return html`<table>\n<tr>${concat(head)}</tr>\n${concat(body)}</table>`;
}
function toHtml(value) {
	if (value === void 0) return "";
	return typeof value === "object" ? value.html : escaped(visibleCut(String(value), MAX_TEXT));
}
function escaped(text) {
	return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}

// src/report/charts.ts
/** Fewer readings say no more than their figures. */
const MIN_READINGS = 10;
const MAX_POINTS = 60;
const MAX_PERCENT = 1e3;
const MAX_LIMITS = 8;
const PLOTS = [
	{
		kind: "line",
		name: "🟦 CPU",
		colour: "#388bfd",
		metric: "cpu_used_pct",
		part: void 0
	},
	{
		kind: "line",
		name: "🟪 memory",
		colour: "#a371f7",
		metric: "mem_used_pct",
		part: "mem"
	},
	{
		kind: "line",
		name: "🟩 disk",
		colour: "#2da44e",
		metric: "disk_used_pct",
		part: "disk"
	}
];
const LIMITS = [{
	kind: "line",
	name: "🟥 limits of fail-if",
	colour: "#e5484d",
	level: "failIf"
}, {
	kind: "line",
	name: "🟨 limits of warn-if",
	colour: "#bf8700",
	level: "warnIf"
}];
const GAPS = {
	kind: "bar",
	name: "grey: no readings",
	colour: "#8c959f"
};
/** A Mermaid chart of CPU, memory and disk over time, with the limits of the gate, below its legend. It holds nothing but numbers. */
function timeChart(samples, gate) {
	const [first, last] = [samples[0], samples.at(-1)];
	if (samples.length < 10 || first === void 0 || last === void 0) return [];
	const size = Math.min(MAX_POINTS, samples.length);
	const lines = PLOTS.map((plot) => ({
		...plot,
		points: overTime(plot.metric, samples, size)
	})).filter(({ points }) => points.some((point) => point !== void 0));
	if (lines.length === 0) return [];
	const limits = LIMITS.flatMap(({ level, ...look }) => limitsOf(gate[level], last.figures).map((limit) => ({
		...look,
		points: Array(size).fill(limit)
	})));
	const shown = [...lines, ...limits].flatMap(({ points }) => bridged(points));
	const [low, high] = [Math.min(0, Math.floor(Math.min(...shown))), Math.max(100, Math.ceil(Math.max(...shown)))];
	const gaps = Array.from({ length: size }, (_, index) => lines.some(({ points }) => isGap(points, index)));
	const bars = gaps.includes(true) ? [{
		...GAPS,
		points: gaps.map((gap) => gap ? high : 2 * low - high)
	}] : [];
	const series = [
		...lines,
		...bars,
		...limits
	];
	const legend = [...new Set(series.map(({ name }) => name))].join(" · ");
	const span = `${formatTime(first.at)} to ${formatTime(last.at)}, ${formatDuration(Math.max(last.at - first.at, 0))}`;
	return [html`<p>In percent: ${legend}</p>`, { html: mermaid(series, `y-axis ${low} --> ${high}`, span) }];
}
function mermaid(series, axis, span) {
	const style = {
		xyChart: {
			width: 800,
			height: 280,
			xAxis: {
				showLabel: false,
				showTick: false
			}
		},
		themeVariables: { xyChart: {
			backgroundColor: "transparent",
			plotColorPalette: series.map(({ colour }) => colour).join(", ")
		} }
	};
	const list = (numbers) => `[${numbers.join(", ")}]`;
	return [
		"```mermaid",
		...[
			`%%{init: ${JSON.stringify(style)}}%%`,
			"xychart-beta",
			`  x-axis "${span}" ${list([...series[0]?.points.keys() ?? []])}`,
			`  ${axis}`,
			...series.map(({ kind, points }) => `  ${kind} ${list(bridged(points).map((number) => number.toFixed(2)))}`)
		],
		"```"
	].join("\n");
}
/** Values of a metric at even distances in time: the highest where several fall together, undefined where none does. */
function overTime(metric, samples, size) {
	const start = samples[0]?.at ?? 0;
	const length = Math.max((samples.at(-1)?.at ?? 0) - start, 1);
	const grid = Array.from({ length: size });
	for (const { at, figures } of samples) {
		const figure = figures.get(metric);
		if (figure === void 0) continue;
		const value = clamp(Number(figure), -1e3, MAX_PERCENT);
		const place = clamp(Math.round((at - start) / length * (size - 1)), 0, size - 1);
		grid[place] = Math.max(grid[place] ?? value, value);
	}
	return grid;
}
/** Whether nothing is known at two places or more; one alone comes of readings that are not quite regular. */
function isGap(points, index) {
	const isMissing = (at) => at in points && points[at] === void 0;
	return isMissing(index) && (isMissing(index - 1) || isMissing(index + 1));
}
/** The points, with the one before where there is none, or the first. */
function bridged(points) {
	let before = points.find((point) => point !== void 0) ?? 0;
	return points.map((point) => {
		before = point ?? before;
		return before;
	});
}
function clamp(value, low, high) {
	return Math.min(Math.max(value, low), high);
}
/** The conditions' limits in percent, each once; those of bytes are parts of the total of the last sample. */
function limitsOf(conditions, last) {
	const limits = PLOTS.flatMap(({ metric, part }) => {
		const total = part === void 0 ? NaN : Number(last.get(`${part}_total`));
		const percent = (bytes) => 100 * bytes / total;
		return conditions.flatMap((condition) => {
			const limit = toNumber(condition.limit);
			if (condition.metric === metric) return limit;
			if (condition.metric === `${part}_used`) return percent(limit);
			if (condition.metric === `${part}_used_mib`) return percent(limit * 2 ** 20);
			return condition.metric === `${part}_free` ? 100 - percent(limit) : [];
		});
	});
	return [...new Set(limits)].filter((limit) => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}

// src/report/stats-section.ts
/** What the summary says of the sandbox: its figures and what was judged, their course, and the size that would have done. */
function statsSection(report) {
	return [
		...statsTable(report),
		...timeChart(report.samples, report.gate),
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
	const all = samples.map(({ figures }) => figures);
	const figure = (metric, aggregate) => {
		const figures = figuresOf(metric, all);
		return figures === void 0 ? "" : formatFigure(metric, aggregateOf(aggregate, figures));
	};
	const kinds = samples.length > 1 ? [
		"max",
		"mean",
		"last"
	] : ["last"];
	const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
	const subjectOf = ({ metric }) => /^(cpu|mem|disk)_/.exec(metric)?.[1] ?? metric;
	const rows = [.../* @__PURE__ */ new Set([...RESOURCES.keys(), ...conditions.map(subjectOf)])].flatMap((subject) => {
		const [peak = "", mean = "", last = ""] = kinds.map((kind) => {
			const [used, share, own] = [
				`${subject}_used`,
				`${subject}_used_pct`,
				subject
			].map((name) => figure(name, kind));
			return used && share ? `${used} (${share})` : used || share || own || "";
		});
		const cores = figure("cpu_count", "last");
		const total = subject === "cpu" ? cores && formatCount(Number(cores), "core") : figure(`${subject}_total`, "last");
		const { mark, lines } = marked(gate, conditions.filter((each) => subjectOf(each) === subject));
		if (peak === "" && ["", "0 B"].includes(total) && lines === "") return [];
		return [[
			html`${mark}${RESOURCES.get(subject) ?? code(subject)}`,
			peak || "not reported",
			mean,
			last,
			total,
			lines
		]];
	});
	const levels = [...gate.failIf.length > 0 ? ["fail-if"] : [], ...gate.warnIf.length > 0 ? ["warn-if"] : []];
	const headings = [
		"",
		samples.length > 1 ? "Peak" : "Now",
		"Mean",
		"Last",
		"Total",
		levels.join(" / ")
	];
	return samples.length === 0 || rows.length === 0 ? [] : [table(headings, rows)];
}
const MARKS = {
	fail: "❌ ",
	warn: "⚠️ ",
	pass: "✅ "
};
/** Conditions with what became of each, and the mark of the worst. */
function marked({ breaches }, conditions) {
	const levels = conditions.map((condition) => breaches.find((each) => each.condition === condition)?.level ?? "pass");
	const worst = ["fail", "warn"].find((level) => levels.includes(level));
	const lines = conditions.map(({ text }, index) => html`${MARKS[levels[index] ?? "pass"]}${code(text)}<br>`);
	return {
		mark: worst === void 0 ? "" : MARKS[worst],
		lines: lines.length === 0 ? "" : concat(lines)
	};
}
/** The rule is in docs/summary.md. Of a sandbox that was not seen all the time, nobody can say. */
function sizeHint({ task, samples, errors, cancelled }) {
	const all = samples.map(({ figures }) => figures);
	const used = figuresOf("mem_used", all);
	const total = Number(all.at(-1)?.get("mem_total") ?? 0);
	const isSeen = samples.length >= 10 && errors.length === 0 && !cancelled;
	if (task !== "monitor" || !isSeen || used === void 0) return [];
	const peak = toNumber(aggregateOf("max", used));
	const size = sizeFor(peak);
	const most = `Peak ${formatBytes(peak)} of ${formatBytes(total)}`;
	return size >= total ? [] : [html`<p>${most}: a sandbox with ${formatBytes(size)} would have done.</p>`];
}
/** The smallest of 512 MiB, 768 MiB, 1 GiB, 1.5 GiB, 2 GiB and so on that holds a peak and a quarter more, in bytes. */
function sizeFor(peak) {
	const needed = Math.max(peak * 1.25, 2 ** 29);
	const power = 2 ** Math.ceil(Math.log2(needed));
	return needed <= power * .75 ? power * .75 : power;
}

// src/report/summary.ts
const MAX_ROWS = 10;
const MAX_LINES = 30;
const DOCS = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs";
/** The job summary: the verdict, what failed, the stats, the upload, the files. Blocks of HTML, one a paragraph. */
function summary(report) {
	const { own, error } = verdict(report);
	const [title = "Failed", ...others] = own;
	const mark = succeeded(report) ? "✅" : report.cancelled ? "⛔" : "❌";
	const left = report.leftOut.map(({ path: place, reason }) => `${quote(place)}: ${reason}`);
	const unjudged = report.gate.breaches.filter(({ holds }) => holds === void 0 && report.samples.length > 0);
	return [
		html`<h3>${mark} Sandbox Sync: ${title}</h3>`,
		...[...others, error].filter((line) => line !== "").map((line) => html`<p>${prose(line)}</p>`),
		...failureTable(report),
		...list([...furtherLines(report), ...unjudged.map((breach) => breachLine(breach, report.samples))]),
		...statsSection(report),
		...uploadTable(report),
		...list([
			...hiddenLine(report),
			...notices(report),
			...report.warnings
		]),
		...left.length === 0 ? [] : [html`<h4>What was left out</h4>`, ...list(left)],
		...fileTables(report),
		lastLine(report)
	].map((block) => `${block.html}\n\n`).join("");
}
function list(lines) {
	const items = firstOf$1(lines, MAX_LINES, {
		show: prose,
		more: (rest) => html`${moreInReport(rest)}`
	});
	return lines.length === 0 ? [] : [html`<ul>${concat(items.map((item) => html`\n<li>${item}</li>`))}\n</ul>`];
}
function lastLine({ sandboxId, baseUrl }) {
	const where = sandboxId === "" ? "" : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
	const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
	return html`<p>${where}<a href="${DOCS}/summary.md">How to read this</a> · ${messages}</p>`;
}
function uploadTable(report) {
	if (report.files.length === 0 || report.dryRun) return [];
	const { uploaded, unchanged, failed, skipped, notAttempted, uploadedBytes } = totals(report);
	const { durationMs, took } = report;
	const retries = report.files.reduce((sum, file) => sum + ("attempts" in file ? file.attempts - 1 : 0), 0);
	const sent = uploaded === 0 ? ["", ""] : [formatBytes(uploadedBytes), formatRate(uploadedBytes, durationMs)];
	const figures = [
		uploaded,
		unchanged,
		failed,
		notAttempted,
		skipped,
		retries
	].map((count) => count === 0 ? "" : formatNumber(count));
	const times = [
		took.search,
		took.wait,
		durationMs,
		took.stats
	].map((ms) => ms ? formatDuration(ms) : "");
	return [table([
		...[
			"Uploaded",
			"Unchanged",
			"Failed",
			"Not attempted",
			"Skipped",
			"Retries",
			"Size",
			"Rate"
		],
		"Searching",
		"Waiting",
		"Uploading",
		"Reading stats"
	], [[
		...figures,
		...sent,
		...times
	]])];
}
function failureTable(report) {
	const groups = failureGroups(report);
	if (groups.length === 0) return [];
	const rows = groups.slice(0, MAX_ROWS).map(({ error, sources }) => {
		const files = firstOf$1(sources, MAX_ROWS, {
			show: (source) => html`${code(source)}<br>`,
			more: (rest) => html`${moreInReport(rest)}`
		});
		return [html`${prose(error.message)}<br>${prose(adviceOn(error, report))}`, concat(files)];
	});
	return [html`<h4>What failed</h4>`, table(["Why", "Files"], rows)];
}
/** The files that went over, or would: their folders, the largest and the slowest; the report file has each. */
function fileTables({ files }) {
	const moved = files.filter(({ status }) => status === "uploaded" || status === "skipped");
	if (moved.length === 0) return [];
	const folders = [...Map.groupBy(moved, ({ file }) => path.posix.dirname(file.source))].map(([name, own]) => ({
		name,
		count: own.length,
		bytes: own.reduce((sum, { file }) => sum + file.size, 0)
	})).sort((one, other) => other.bytes - one.bytes);
	const folderRows = firstOf$1(folders, MAX_ROWS, {
		show: ({ name, count, bytes }) => [
			code(name),
			formatNumber(count),
			formatBytes(bytes)
		],
		more: (rest) => [html`${moreInReport(rest)}`]
	});
	const most = (heading, measure) => {
		const first = moved.toSorted((one, other) => measure(other) - measure(one)).slice(0, MAX_ROWS);
		return table([
			heading,
			"In the sandbox",
			"Size",
			"Time"
		], first.map(fileRow));
	};
	const tables = [table([
		"Folder",
		"Files",
		"Size"
	], folderRows), most("Largest", ({ file }) => file.size)];
	if (moved.length > MAX_ROWS) tables.push(most("Slowest", (result) => "durationMs" in result ? result.durationMs : 0));
	return [html`<details><summary>${formatCount(moved.length, "file")}: folders, largest, slowest</summary>\n${concat(tables)}\n</details>`];
}
function fileRow({ file: { source, target, size }, ...result }) {
	const time = "durationMs" in result ? formatDuration(result.durationMs) : "";
	return [
		code(source),
		code("path" in result ? result.path : target),
		formatBytes(size),
		time
	];
}

// src/github/publish.ts
const MAX_GROUPS = 7;
const MAX_NAMES = 10;
/** Writes outputs, then the summary, then the verdict: always all three, whatever became of the ones before. */
async function publish(report, withSummary, debug) {
	logFiles(report);
	const problem = await writeOutputs(report, debug);
	if (withSummary) await writeSummary(report, debug);
	const warnings = {
		show: (warning) => warning,
		more: (rest) => `And ${rest} more.`
	};
	for (const warning of firstOf$1(report.warnings, MAX_GROUPS, warnings)) annotate.warning([warning]);
	for (const line of notices(report)) annotate.notice([line]);
	annotateFailures(report);
	annotateBreaches(report);
	const verdict = [headline(report), ...furtherLines(report)];
	if (!succeeded(report)) setFailed(messageOf([...verdict, ...problem]));
	else if (problem.length > 0) setFailed(messageOf([...problem, ...verdict]));
	else logLine([...verdict, ...hiddenLine(report)].join(" "));
}
/** A sentence on what kept the outputs from being written, if anything did. */
async function writeOutputs(report, debug) {
	try {
		const aggregates = aggregatesOf(report.samples);
		const { outputs, notices: tooLong } = outputsOf(report, aggregates);
		for (const line of tooLong) annotate.notice([line]);
		const file = await writeReport(report, aggregates);
		if (!process.env["GITHUB_OUTPUT"]) throw new Error("GITHUB_OUTPUT is not set");
		const entries = Object.entries({
			report: file,
			...outputs
		});
		for (const [name, value] of entries) setOutput(name, value);
		const lengths = entries.map(([name, { length }]) => `${name} ${formatNumber(length)}`);
		debug?.("outputs", `Outputs, with their lengths in characters: ${lengths.join(", ")}`);
		debug?.("outputs", `Report: ${file}`);
		return [];
	} catch (error) {
		return [`The step's outputs could not be written: ${reasonOf(error)}.`];
	}
}
/** The report file's path; empty, with a warning, where it cannot be written. */
async function writeReport(report, aggregates) {
	try {
		const temp = process.env["RUNNER_TEMP"];
		if (!temp) throw new Error("RUNNER_TEMP is not set");
		const file = path.join(mkdtempSync(path.join(temp, "sandbox-sync-")), "report.json");
		await writeFile(file, reportJson(report, aggregates), {
			flag: "wx",
			mode: 384
		});
		return file;
	} catch (error) {
		annotate.warning([`The report file could not be written: ${reasonOf(error)}.`]);
		return "";
	}
}
async function writeSummary(report, debug) {
	try {
		const text = summary(report);
		await summary$1.addRaw(text).write();
		debug?.("summary", `Summary: ${formatCount(Buffer.byteLength(text), "byte")}`);
	} catch (error) {
		annotate.warning([`The job summary could not be written: ${reasonOf(error)}.`]);
	}
}
/** One annotation for each kind of failure; those beyond what is shown are counted in one more. */
function annotateFailures(report) {
	const groups = failureGroups(report).filter(({ error }) => error.kind !== "cancelled");
	for (const { error, sources } of groups.slice(0, MAX_GROUPS)) {
		const names = firstOf$1(sources, MAX_NAMES, {
			show: (source) => `- ${source}`,
			more: (rest) => `- and ${formatNumber(rest)} more`
		});
		annotate.error([
			error.message,
			adviceOn(error, report),
			...names
		]);
	}
	const others = groups.slice(MAX_GROUPS).flatMap(({ sources }) => sources);
	if (others.length === 0) return;
	annotate.error([`${formatCount(others.length, "more file")} failed for other reasons; the report file lists each.`]);
}
/** One annotation for each level. Where nothing could be read, the verdict says why, and a list of conditions would not. */
function annotateBreaches({ gate, samples }) {
	if (samples.length === 0) return;
	for (const [level, write] of [["fail", annotate.error], ["warn", annotate.warning]]) {
		const lines = gate.breaches.filter((breach) => breach.level === level).map((breach) => breachLine(breach, samples));
		if (lines.length > 0) write([`${formatCount(lines.length, "condition")} of ${level}-if tripped:`, ...lines]);
	}
}
/** What an error says, without a full stop of its own. */
function reasonOf(error) {
	return (error instanceof Error ? error.message : String(error)).replace(/\.+$/, "");
}

// src/github/step.ts
/** Runs a step of the workflow to its end: inputs read, secrets masked, a report published whatever happens. */
async function step(entry, run, { given, check } = {}) {
	process.stdout.on("error", () => {});
	const raw = given ?? readInputs(entry);
	const log = openDebug(raw);
	const debug = log?.debug;
	const cancel = cancelSignal();
	const { observer, stop } = watchTransfer();
	const running = async () => {
		const time = {
			clock: () => performance.now(),
			now: Date.now,
			sleep,
			random: Math.random
		};
		const places = {
			workspace: workspace(),
			cacheWarnings: cacheWarnings()
		};
		const surroundings = {
			...time,
			...places,
			cancel,
			debug,
			observer
		};
		const naming = Promise.try(() => given === void 0 ? refuseSlips(entry) : void 0);
		const inputs = await parse(entry, raw, naming, async () => check?.(raw, surroundings));
		const shown = showInputs(entry, inputs).map((line) => `Input ${line}`);
		debug?.("inputs", shown.join("\n"));
		return run(inputs, surroundings, raw);
	};
	const report = await running().catch((error) => failedReport(entry, raw, error));
	stop();
	log?.end();
	const withSummary = !/^\s*false\s*$/i.test(raw["summary"] ?? "");
	if (report !== void 0) await publish(report, withSummary, debug);
	debug?.("cost", cost());
	if (cancel.aborted && taskOf(entry) !== "monitor") process.stdout.write("", () => process.exit());
}
const MIN_SECRET = 8;
/** Refuses inputs that hold a secret of another: what quotes, cuts or shows them would show it. @throws InputError */
function refuseStrays(raw) {
	const redact = redactor(secretsIn(raw).filter(({ length }) => length >= MIN_SECRET));
	const strays = Object.entries(raw).filter(([name]) => name !== "headers" && !SECRET_INPUTS.includes(name)).filter(([, value]) => redact(value) !== value);
	const message = "contains the token or the signature, which belongs only in its own input.";
	if (strays.length > 0) throw new InputError(strays.map(([input]) => ({
		input,
		message
	})));
}
/** The inputs of an entry. @throws InputError that holds all that is wrong with them, also with the files that they name. */
async function parse(entry, raw, naming, checkMore) {
	refuseStrays(raw);
	const parsing = Promise.try(() => parseInputs(entry, raw));
	const [inputs] = await allOf([parsing, naming]).catch(() => allOf([
		parsing,
		naming,
		checkMore()
	]));
	return inputs;
}
/** What kept a run from its work: wrong input, or a bug. */
function failedReport(entry, raw, error) {
	const redact = redactor(secretsIn(raw));
	const { message, details } = error instanceof InputError ? reportedError(error) : bug(error);
	const errors = [{
		message: redact(message),
		details: details.map(redact)
	}];
	const gate = raw["fail-if"]?.trim() ? {
		...NO_GATE,
		state: "failed"
	} : NO_GATE;
	return {
		...EMPTY_REPORT,
		task: taskOf(entry),
		gate,
		errors
	};
}
function bug(error) {
	return {
		message: "Sandbox Sync itself failed. This is a bug; please report it.",
		details: (error instanceof Error ? error.stack ?? error.message : String(error)).split("\n")
	};
}

// src/stats/decode.ts
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_FIGURES = 256;
const MAX_NAME = 100;
const LONG = 10n ** 40n;
const LEFT_OUT = `Some of the sandbox's figures are left out: beyond the standard ones, ${MAX_FIGURES} are kept, with names of up to ${MAX_NAME} characters and numbers of up to 40 digits.`;
/** Reads the agent's figures from a JSON object's text, and what follows from them, those `judged` before others. */
function decodeStats(json, judged = /* @__PURE__ */ new Set()) {
	const body = fieldsOf(parseExactly(json));
	const figures = /* @__PURE__ */ new Map();
	const others = [];
	const warnings = [];
	for (const [name, value] of Object.entries(body)) {
		const figure = figureIn(name, value);
		if (!Object.hasOwn(CONTRACT, name) && !judged.has(name)) {
			if (figure !== void 0) others.push([name, figure]);
		} else if (figure !== void 0 && isShort(figure)) figures.set(name, figure);
		else if (value !== null) warnings.push(`The sandbox's ${name} cannot be used: it is not a valid number.`);
	}
	const kept = others.filter(([name, figure]) => name.length <= MAX_NAME && isShort(figure)).slice(0, MAX_FIGURES);
	if (kept.length < others.length) warnings.push(LEFT_OUT);
	for (const [name, figure] of fromMebibytes(body, figures)) figures.set(name, figure);
	for (const name of ["mem", "disk"].filter((each) => figures.get(`${each}_total`) === 0n)) figures.delete(`${name}_used`);
	return {
		figures: new Map([
			...figures,
			...kept,
			...derive(figures)
		]),
		json,
		warnings
	};
}
function isShort(figure) {
	return typeof figure === "number" || -LONG < figure && figure < LONG;
}
/** The number that a field holds, if it is one of its kind. */
function figureIn(name, value) {
	if (typeof value !== "bigint" && !(typeof value === "number" && Number.isFinite(value))) return void 0;
	if (!Object.hasOwn(CONTRACT, name)) return value;
	if (metricKind(name) !== "percentage") return toWhole(value);
	const percentage = Number(value);
	return Number.isFinite(percentage) && percentage >= 0 ? percentage : void 0;
}
/** A non-negative int64; `4.0` and `4e9` are whole numbers too. */
function toWhole(number) {
	const whole = Number.isSafeInteger(number) ? BigInt(number) : number;
	return typeof whole === "bigint" && whole >= 0n && whole <= MAX_INT64 ? whole : void 0;
}
/** The memory in bytes, of a service that reports it in MiB alone. What is there and no number is not made up for. */
function fromMebibytes(body, figures) {
	const [used, total] = [figures.get("mem_used_mib"), figures.get("mem_total_mib")];
	if (["mem_used", "mem_total"].some((name) => body[name] != null) || typeof used !== "bigint" || typeof total !== "bigint") return [];
	return [["mem_used", used * 2n ** 20n], ["mem_total", total * 2n ** 20n]];
}
/** Free and used shares, where both parts are reported. */
function derive(figures) {
	return ["mem", "disk"].flatMap((name) => {
		const [used, total] = [figures.get(`${name}_used`), figures.get(`${name}_total`)];
		if (typeof used !== "bigint" || typeof total !== "bigint") return [];
		return [[`${name}_used_pct`, percentage(used, total)], [`${name}_free`, total - used]];
	});
}
/** Percent with two decimals, rounded half up, computed without a float until the end. */
function percentage(used, total) {
	return Number((used * 20000n + total) / (total * 2n)) / 100;
}

export { isGated as $, redactor as A, routingHeaders as B, changeStrings as C, networkFacts as D, isUsable as E, firstOf$1 as F, formatTime as G, formatCount as H, fitting as I, visibleCut as J, totalSize as K, EMPTY_REPORT as L, waitError as M, formatFigure as N, proxyCredentials as O, judgementLine as P, gateOf as Q, parseSearch as R, newMonitorDirectory as S, parseFieldsOf as T, formatDuration as U, secretsInHeaders as V, formatNumber as W, allOf as X, InputError as Y, inputError as Z, renameFile as _, NOT_REGULAR as a, keptInputs as b, sortOut as c, EXACTLY as d, judge as et, READ_FLAGS as f, readSmallFile as g, isUnreadable as h, BROKEN_LINK as i, AgentError as it, reportedError as j, proxyFor as k, toPosix as l, checkRead as m, step as n, exactly as nt, pathWithin as o, checkOpened as p, quote as q, ALL_HIDDEN as r, withRetries as rt, realPaths as s, decodeStats as t, metricsOf as tt, BUFFER_BYTES as u, systemCode as v, fieldsOf as w, monitorDirectory as x, logLine as y, USER_AGENT as z };