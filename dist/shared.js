import { t as require_undici } from "./undici.js";
import { a as getState, c as notice, d as setOutput, f as setSecret, h as summary$1, i as getInput, l as saveState, m as warning, n as endGroup, o as info, p as startGroup, r as error, s as isDebug, t as debug, u as setFailed } from "./core.js";
import { setImmediate, setTimeout as setTimeout$1 } from "node:timers/promises";
import { once } from "node:events";
import { hash, randomUUID } from "node:crypto";
import path, { posix } from "node:path";
import { appendFileSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";

// package.json
var version = "1.0.0";

// src/text/escape.ts
var import_undici = require_undici();
const INVISIBLE = /(?!\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;
/** Escapes invisible characters, such as `\n` or `\u{202e}`, to keep untrusted text on one line. */
function escapeInvisible(text) {
	return text.replace(INVISIBLE, escapeCharacter);
}
/** Cuts after `limit` characters and adds `…`, without splitting a surrogate pair. */
function truncate(text, limit) {
	return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`;
}
const MAX_QUOTED = 100;
/** Quotes a value as JSON, cut after 100 characters; Windows paths keep single backslashes. */
function quote(value) {
	return JSON.stringify(truncate(value, 100)).replaceAll("\\\\", "\\");
}
/** Wraps text in backticks, which the summary shows as code. */
function inlineCode(text) {
	return `\`${text.replaceAll("`", "'")}\``;
}
/**
* Escapes invisible characters, and what the runner would treat as a command: a leading `::` and
* every `##[`.
*/
function escapeCommands(text) {
	return escapeInvisible(text).replace(/^\s*::/, "\\$&").replaceAll("##[", "##\\[");
}
const COLOR = "\x1B\\[[\\d;:]*m";
const NOT_IN_OUTPUT = new RegExp(`(?!${COLOR}|[\\t\\n])(?:${INVISIBLE.source})`, "gu");
const MAX_OUTPUT_LINE = 16384;
const LONG_LINE = new RegExp(`^[^\\n]{${MAX_OUTPUT_LINE}}[^\\n]+`, "gm");
/** Like `escapeCommands`, but keeps lines, tabs and colors, and cuts lines at 16,384 characters. */
function escapeOutput(lines) {
	return lines.replace(LONG_LINE, (line) => truncate(line, MAX_OUTPUT_LINE)).replace(NOT_IN_OUTPUT, escapeCharacter).replace(/^[^\S\n]*::/gm, "\\$&").replaceAll("##[", "##\\[");
}
function removeColors(text) {
	return text.replace(new RegExp(COLOR, "gu"), "");
}
function escapeCharacter(character) {
	if (character === "\n") return "\\n";
	if (character === "\r") return "\\r";
	if (character === "	") return "\\t";
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

// src/inputs/input-error.ts
var InputError = class extends Error {
	problems;
	constructor(problems) {
		super(problems.map(describeProblem).join("\n"));
		this.name = "InputError";
		this.problems = problems;
	}
};
function inputError(input, message, example) {
	const suggestion = example === void 0 ? "" : ` Example: ${input}: ${example}`;
	return new InputError([{
		input,
		message: message + suggestion
	}]);
}
function describeProblem({ input, message }) {
	return `${input}: ${message}`;
}
/**
* Parses every item and collects the problems of all InputErrors. `placeOf` returns a prefix for
* their messages, such as `line 3: `.
*/
function tryAll(items, parse, placeOf = () => "") {
	const problems = [];
	const parsed = [];
	for (const item of items) try {
		parsed.push(parse(item));
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		const place = placeOf(item);
		problems.push(...error.problems.map((each) => ({
			...each,
			message: place + each.message
		})));
	}
	return {
		parsed,
		problems
	};
}

// src/inputs/mistakes.ts
const EMPTY = [/^(null|undefined)?$/, "is empty or null. Check the name of the secret or variable that it comes from, or the `id` of the step and the name of its output. GitHub passes no masked outputs to other jobs, and no secrets to workflows of forks and Dependabot."];
const QUOTED = [/^(["'`]).*\1$/s, "is in quotation marks. Remove them."];
const VARIABLE_MESSAGE = "contains a variable that is not expanded here. Use an expression, such as `${{ env.NAME }}`.";
const IN_ANY_VALUE = [QUOTED, [/\$\{\{|^\$([A-Z_][A-Z\d_]*|env:\w+|\{\w+\}|\(.*\))(?=[\\/]|$)/s, VARIABLE_MESSAGE]];
const VARIABLE_IN_TARGET = [/\$([A-Z_]{2}|env:|[{(])|\{\{.*\}\}/, VARIABLE_MESSAGE];
const IN_CREDENTIALS = [EMPTY, ...IN_ANY_VALUE];
const UNSENDABLE = [/[^\t\x20-\x7e\x80-\xff]/, "has a line break or another character that a header cannot carry."];
const COMMENT = [/\s#/, "has a # in it. Write each comment on a line of its own."];
const IN_TARGETS = [
	QUOTED,
	VARIABLE_IN_TARGET,
	COMMENT
];
const BAD_ARROW = "has a ->, => or colon in it. In front of a target, write => with a space on each side.";
const SEPARATES_NOTHING = "has a comma or a space, which separates nothing. Write each pattern on its own line.";
const IN_PATTERNS = [
	...IN_ANY_VALUE,
	[/[^\\/]\*\*|\*\*[^\\/\s,]/, "has a ** beside other characters, so it matches no folders. Write it alone between slashes, such as src/**/*.js; in front of a target, write => with a space on each side."],
	[/[*?[].*[\\/]\.\.([\\/]|$)/, "has a .. after a wildcard."]
];
const IN_UNMATCHED = [
	[path.sep === "/" ? /\\/ : /(?!)/, "has a backslash, which does not separate folders on this runner. Write a slash."],
	[/\{[^{}]*,[^{}]*\}|[+@?!]\(/, "has braces or parentheses, which have no meaning in patterns. Write a line for each name."],
	COMMENT
];
/** Maps each kind of value to the mistakes to look for, in this order. */
const MISTAKES = {
	"sandbox-id": [
		...IN_CREDENTIALS,
		[/^[a-z]+:\/\/|^[\w-]+(\.[\w-]+)+\.[a-z]{2,}(:\d+)?$/i, "is a URL or a host name. Give only the ID."],
		[/[^\w.-]|^\W*$|.{201}/s, "is not an ID: it may have letters, digits, dots, - and _."]
	],
	token: [
		...IN_CREDENTIALS,
		[/^(sk_)?e2b_/i, "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox."],
		[/[ \t{}]/, "has a space or a brace, which no token has. Give the token alone, without Bearer, or the secret as `${{ secrets.NAME }}`."],
		UNSENDABLE
	],
	"api-key": [...IN_CREDENTIALS, UNSENDABLE],
	"header-name": [[/[^!#$%&'*+\-.^_`|~\dA-Za-z]|^$/, "cannot be part of a header's name."]],
	"header-value": [UNSENDABLE],
	script: [[/^$/, "is required: the commands to run."]],
	url: [
		[/^$/, "is required: the URL of the service."],
		...IN_ANY_VALUE,
		[/[{}$]/, "has an unknown placeholder. Write an expression, such as `${{ env.NAME }}`; only base-url may have {sandbox-id} and {port}."]
	],
	"url-path": [[/^(?!\/)|[\s?#]/, "is not a plain URL path that begins with a slash."]],
	"unix-time": [[/\D/, "is not a Unix time in whole seconds."]],
	pattern: IN_PATTERNS,
	exclude: [
		[/^(!|$)/, "is not a pattern."],
		[/\s=>|=>\s/, "has a =>. A line with ! has no target."],
		[/,[\s!]/, SEPARATES_NOTHING],
		...IN_UNMATCHED,
		...IN_PATTERNS
	],
	"unmatched-pattern": [
		...IN_UNMATCHED,
		[/[-=]>|^[^:]{2,}:(?!\/\/)\S/, BAD_ARROW],
		[/,|\*\s|^-\s/, SEPARATES_NOTHING]
	],
	target: [
		[/^(home\/|~|\$HOME\b|\$\{HOME\})/, "starts below the user's home already. Write the path from there, or a full one such as /home/user/app."],
		...IN_TARGETS,
		[/(^|\/)\.\.(\/|$)|[\\*\n]|^[a-z][a-z\d+.-]*:\//i, "is not a plain POSIX path without .., such as /srv/app."]
	],
	"file-to-download": [
		...IN_ANY_VALUE,
		COMMENT,
		[/\s[-=]>|[-=]>\s/, BAD_ARROW],
		[/\*|\/$/, "is not the path of one file. Name each file."]
	],
	"local-path": [...IN_TARGETS, [/^~?[/\\]|(^|[/\\])\.{1,2}([/\\]|$)|[/\\]$|^[a-z]:/i, "is not the relative path of a file inside working-directory."]]
};
/** The log masks the values of these inputs, and messages never quote them. */
const SECRET_INPUTS = [
	"token",
	"signature",
	"api-key"
];
function findMistake(kind, value) {
	return MISTAKES[kind].find(([pattern]) => pattern.test(value))?.[1];
}
/** @throws InputError if the value has a mistake of its kind; `label` names it in the message */
function rejectMistakes(kind, value, input, example, label = value === "" || SECRET_INPUTS.includes(input) ? "" : quote(value)) {
	const mistake = findMistake(kind, value);
	if (mistake !== void 0) throw inputError(input, `${label} ${mistake}`.trimStart(), example);
}
/** Returns a parser that rejects mistakes of a kind and replaces an empty value with `fallback`. */
function checkedText(kind, example, fallback = "") {
	return (value, input) => {
		const text = value || fallback;
		rejectMistakes(kind, text, input, example);
		return text;
	};
}

// src/inputs/parsers.ts
const anyText = (value) => value;
/** Parses a boolean of YAML 1.2's core schema, as `getBooleanInput` of @actions/core does. */
function flag(fallback) {
	return (value, input) => {
		if (value === "") return fallback;
		if (/^(true|True|TRUE)$/.test(value)) return true;
		if (/^(false|False|FALSE)$/.test(value)) return false;
		const isYes = /^(true|yes|y|on|1)$/i.test(value);
		throw inputError(input, `${quote(value)} is neither true nor false.`, String(isYes));
	};
}
function choice(first, ...others) {
	const words = [first, ...others];
	return (value, input) => {
		const word = value === "" ? first : words.find((candidate) => candidate === value);
		if (word !== void 0) return word;
		throw inputError(input, `${quote(value)} is not one of ${words.join(", ")}.`, first);
	};
}
function wholeNumber(min, max, fallback) {
	return (value, input) => {
		if (value === "" || value === fallback) return fallback;
		const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
		if (number >= min && number <= max) return number;
		const message = `${quote(value)} is not a whole number from ${min} to ${max}.`;
		throw inputError(input, message, String(fallback));
	};
}
const DEFAULT_CONCURRENCY = 24;
const concurrency = (value, input) => wholeNumber(1, 100, DEFAULT_CONCURRENCY)(value === "auto" ? "" : value, input);
const MILLISECONDS = new Map(Object.entries({
	ms: 1,
	s: 1e3,
	m: 6e4,
	h: 36e5
}));
const MAX_DURATION_MS = 864e5;
/** Parses a duration such as `500ms`, `30s`, `5m` or `2h`, from `min` ms to 24 h, to ms. */
function duration(min, fallback) {
	return (value, input) => {
		const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(value || fallback) ?? [];
		const ms = Math.round(Number(number) * (MILLISECONDS.get(unit) ?? NaN));
		if (ms >= min && ms <= MAX_DURATION_MS) return ms;
		const message = `${quote(value)} is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`;
		throw inputError(input, message, fallback);
	};
}
const BYTES = {
	B: 1,
	kB: 1e3,
	MB: 1e6,
	GB: 1e9,
	TB: 0xe8d4a51000,
	KiB: 1024,
	MiB: 2 ** 20,
	GiB: 2 ** 30,
	TiB: 2 ** 40
};
const BYTE_UNITS$1 = Object.keys(BYTES);
function findUnit(units, written) {
	return units.find((unit) => unit.toLowerCase() === written.toLowerCase());
}
/** Parses bytes, or a number with a unit such as `512MiB`. */
function byteSize(fallback) {
	return (value, input) => {
		const [, number, suffix = ""] = /^(\d{1,15}(?:\.\d{1,3})?)\s*(\w*)$/.exec(value || fallback) ?? [];
		const unit = findUnit(BYTE_UNITS$1, suffix || "B") ?? "";
		const bytes = Math.round(Number(number) * (BYTES[unit] ?? NaN));
		if (bytes >= 1) return bytes;
		const message = `${quote(value)} is not a size: write bytes, or a number with ${BYTE_UNITS$1.join(", ")}.`;
		throw inputError(input, message, fallback);
	};
}
const MAX_SHARDS = 256;
const shard = (value, input) => {
	if (value === "") return void 0;
	const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
	if (1 <= index && index <= count && count <= MAX_SHARDS) return {
		index,
		count
	};
	const message = `${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.`;
	throw inputError(input, message, "2/4");
};
/** Parses one `KEY=value` per line. Messages omit values, which may be secret. */
const keyValues = (value, input) => {
	const pairs = parseLines(value, (line) => {
		const [, key, content = ""] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
		if (key !== void 0) return [key, content];
		throw inputError(input, "this is not of the form KEY=value.", "\"SUITE=api\"");
	});
	return Object.fromEntries(pairs);
};
/** Parses all lines except blank ones and comments. @throws InputError with every line's problem */
function parseLines(value, parse) {
	const lines = value.split(/\r?\n/).map((line, index) => ({
		line: line.trim(),
		place: `line ${index + 1}: `
	})).filter(({ line }) => line !== "" && !line.startsWith("#"));
	const { parsed, problems } = tryAll(lines, ({ line }) => parse(line), ({ place }) => place);
	if (problems.length > 0) throw new InputError(problems);
	return parsed;
}

// src/inputs/connection.ts
const DEFAULT_PORT = 49983;
const BASE_URL_EXAMPLE = "https://sandbox.example.com";
const baseUrl = (value) => parseUrl(value, "base-url", BASE_URL_EXAMPLE);
const API_URL_EXAMPLE = "https://api.e2b.app";
const apiUrl = (value) => {
	const url = parseUrl(value, "api-url", API_URL_EXAMPLE);
	if (!isUnencrypted(url)) return url;
	const message = `${quote(value)} would send secrets unencrypted. Use https.`;
	throw inputError("api-url", message, API_URL_EXAMPLE);
};
function parseUrl(value, input, example) {
	if (value.includes("@")) throw inputError(input, "must not contain credentials or an @: secrets have their own inputs.", example);
	rejectMistakes("url", value, input, example);
	const url = /^https?:\/\/[^\\/\s?#][^\\\s?#]*$/i.test(value) ? URL.parse(value) : null;
	if (url !== null) return url.href.replace(/\/+$/, "");
	throw inputError(input, `${quote(value)} is not a URL that begins with https:// and has no query or fragment.`, example);
}
function isUnencrypted(url) {
	const { protocol, hostname } = new URL(url);
	return protocol !== "https:" && !isLoopback(hostname);
}
function isLoopback(hostname) {
	return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
const sandboxId = checkedText("sandbox-id", "${{ steps.sandbox.outputs.id }}");
const existingSandboxId = (value, input) => value === "" ? value : sandboxId(value, input);
function isSandboxId(id) {
	return findMistake("sandbox-id", id) === void 0;
}
const RESERVED = /^(accept|user-agent|content-(type|length|encoding)|connection|keep-alive|upgrade|expect|transfer-encoding|proxy-authorization|x-access-token)$/i;
const HEADER_EXAMPLE = "\"X-Metadata-build: 42\"";
/** Parses one header per line. Messages omit values, which may be secret. */
const headers = (value, input) => {
	const lines = parseLines(value, (line) => {
		const header = splitHeader(line);
		if (header === void 0) throw inputError(input, "this is not of the form Name: value.", HEADER_EXAMPLE);
		const [name] = header;
		if (!RESERVED.test(name)) return header;
		const message = `the action itself sets ${quote(name)}. Remove the line.`;
		throw inputError(input, message, HEADER_EXAMPLE);
	});
	return Object.fromEntries(lines);
};
function splitHeader(line) {
	const [, name = "", value = ""] = /^([^:]*?)\s*:\s*(.*)$/s.exec(line) ?? [];
	return !findMistake("header-name", name) && !findMistake("header-value", value) ? [name, value] : void 0;
}
function secretsIn(raw) {
	const inputs = SECRET_INPUTS.map((name) => (raw[name] ?? "").trim());
	const headers = (raw["headers"] ?? "").split("\n").flatMap(secretsInHeader);
	return [...inputs, ...headers].filter((secret) => ![
		"",
		"null",
		"undefined"
	].includes(secret));
}
function isSecretHeader(name) {
	return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}
const MIN_LENGTH = 8;
function secretsInHeader(line) {
	const [name = "", content = ""] = splitHeader(line.trim()) ?? [];
	if (!isSecretHeader(name)) return [];
	return [content, content.replace(/^\S+\s+/, "")].filter((secret) => secret.length >= MIN_LENGTH);
}

// src/text/format.ts
const BYTE_UNITS = [
	"B",
	"KiB",
	"MiB",
	"GiB",
	"TiB",
	"PiB",
	"EiB"
];
/** Formats bytes in units of 1024 with at most one decimal: `512 B`, `3.4 MiB`, `12 GiB`. */
function formatBytes(bytes) {
	const last = BYTE_UNITS.length - 1;
	let step = 0;
	while (step < last && Math.abs(bytes) / 1024 ** step >= 999.95) step += 1;
	return `${formatDecimal(bytes / 1024 ** step, 1)} ${BYTE_UNITS[step]}`;
}
/** Formats a duration: `80 ms`, `3.4 s`, `5 min`, `2 min 5 s`, `1 h 12 min`. */
function formatDuration(ms) {
	if (Math.round(ms) < 1e3) return `${Math.round(ms)} ms`;
	const seconds = Math.round(ms / 1e3);
	if (seconds < 60) return `${formatDecimal(ms / 1e3, 1)} s`;
	return seconds < 3600 ? formatSixtieths(seconds, "min", "s") : formatSixtieths(Math.floor(seconds / 60), "h", "min");
}
function formatSixtieths(count, large, small) {
	const remainder = count % 60 === 0 ? "" : ` ${count % 60} ${small}`;
	return `${Math.floor(count / 60)} ${large}${remainder}`;
}
function formatRate(bytes, ms) {
	return `${formatBytes(bytes * 1e3 / Math.max(ms, 1))}/s`;
}
/** Formats Unix milliseconds as a time of day: `09:05:00 UTC`. */
function formatTime(ms) {
	return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}
/** Formats an integer (`12,000`) without `toLocaleString`, whose first call takes 12 ms. */
function formatNumber(count) {
	return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
function formatCount(count, noun) {
	return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
function formatDecimal(value, decimals) {
	return String(Number(value.toFixed(decimals)));
}
function totalSize(files) {
	return files.reduce((sum, { size }) => sum + size, 0);
}
/** Keeps the first `limit` items; `more` turns the number of others into a last item. */
function limitList(items, limit, more) {
	if (items.length <= limit) return items;
	return [...items.slice(0, limit), more(items.length - limit)];
}
function moreInReport(count) {
	return `and ${formatNumber(count)} more; the report file has them all`;
}
/** Lists at most `limit` names: `a, b`, `a, b, and 3 more`; or `a and 4 more` with a limit of 1. */
function listSome(names, limit = 10) {
	const more = (count) => `and ${formatNumber(count)} more`;
	return limitList(names, limit, more).join(limit === 1 ? " " : ", ");
}

// src/text/errors.ts
function systemCode(error) {
	if (!(error instanceof Error) || !("code" in error)) return void 0;
	return typeof error.code === "string" ? error.code : void 0;
}
function errorText(error) {
	return error instanceof Error ? error.message : String(error);
}

// src/agent/failure.ts
var AgentError = class extends Error {
	name = "AgentError";
	kind;
	status;
	retryAfterMs;
	hint;
	/** True if the request certainly had no effect: it was never sent, or was refused. */
	hadNoEffect;
	/** Also sets `hadNoEffect` for refusals, which it recognizes by kind and status. */
	constructor(kind, message, details = {}) {
		super(message);
		const { status, retryAfterMs, hint, hadNoEffect = false } = details;
		this.kind = kind;
		this.status = status;
		this.retryAfterMs = retryAfterMs;
		this.hint = hint ?? GENERAL_HINTS[kind];
		this.hadNoEffect = hadNoEffect || isRefusal(kind, status);
	}
	get isRetryable() {
		return RETRYABLE.includes(this.kind);
	}
};
const GENERAL_HINTS = {
	unauthorized: "Check token (the sandbox's access token, not an API key), username and base-url.",
	forbidden: "Check that the token may use this sandbox, and that the sandbox may resume.",
	"sandbox-not-found": "Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job.",
	"not-found": "Check base-url: the service has no such operation there.",
	"no-such-file": "Check the path, and that an earlier step has written the file. If it may be missing, set if-no-file-found.",
	rejected: "The agent does not take this request. Check header-prefix, sandbox-id and port.",
	"too-large": "A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way.",
	busy: "The sandbox or its host is busy, or still starting. Run the job again.",
	server: "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
	"disk-full": "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk.",
	unreachable: "Check base-url, and that this runner can reach its host. If it needs a proxy, set HTTPS_PROXY.",
	connection: "The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If base-url begins with http://, the port may want https://.",
	"bad-answer": "Check that base-url and the paths lead to the in-sandbox agent.",
	"file-changed": "Check that the runner may read the file, and upload once nothing writes it any more.",
	"not-written": "Check that the runner may write the target, and that its disk is not full.",
	cancelled: "The job was cancelled."
};
const RETRYABLE = [
	"busy",
	"server",
	"connection",
	"unreachable"
];
function isRefusal(kind, status = 0) {
	if (kind === "rejected" || kind === "sandbox-not-found") return true;
	return status >= 300 && status < 500 && status !== 408;
}
function isFatal({ kind }) {
	return FATAL.includes(kind);
}
const FATAL = [
	"unauthorized",
	"forbidden",
	"sandbox-not-found",
	"disk-full",
	"unreachable",
	"cancelled"
];
const MAX_EXCERPT = 300;
/** Returns the start of a third party's text, on one line and without secrets. */
function excerpt(text, redact, limit = MAX_EXCERPT) {
	return truncate(redact(text).replace(/\s+/g, " ").trim(), limit);
}
/** Wraps network errors of undici and Node in an AgentError, and returns all others unchanged. */
function networkFailure(error, label, redact, proxyVariables = []) {
	if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error)) return error;
	const code = codeOf(error);
	if (code === void 0) return error;
	const rule = NETWORK_RULES.find((each) => (each.code?.test(code) ?? true) && (each.message?.test(error.message) ?? true));
	if (rule === void 0 && code === "UND_ERR_INVALID_ARG") return error;
	const { phase, words = messageOf(error), hint } = rule ?? { phase: "request" };
	const text = excerpt(words, redact);
	const detail = text.includes(code) ? text : `${text} (${code})`;
	const hadNoEffect = phase !== "request";
	const kind = hadNoEffect ? "unreachable" : "connection";
	const proxy = proxyVariables.join(", ");
	return new AgentError(kind, `${label} failed: ${detail}.`, {
		hint: proxy && proxyHint(phase, detail, proxy) || hint,
		hadNoEffect
	});
}
const NOT_TLS = "ERR_SSL_WRONG_VERSION_NUMBER";
const CHECK_PORT = "Check the port in base-url. If there is no https, write http://; for another machine, set allow-insecure-http: true as well.";
const NETWORK_RULES = [
	{
		message: /^(read|write) E(HOST|NET)UNREACH/,
		phase: "request"
	},
	{
		message: /^(Secure )?Proxy /i,
		phase: "connection"
	},
	{
		code: /^ECONNREFUSED$/,
		phase: "connection",
		hint: "Nothing accepts connections there. Check the host and port of base-url, and that the service is up."
	},
	{
		code: /^(ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5))/,
		phase: "connection"
	},
	{
		code: RegExp(NOT_TLS),
		phase: "handshake",
		words: "the port speaks http, not https",
		hint: CHECK_PORT
	},
	{
		code: /CERT|^(UNABLE_TO_|HOSTNAME_MISMATCH)/,
		phase: "handshake",
		hint: "Check base-url. For a certificate of a private CA, NODE_EXTRA_CA_CERTS must name the file of the CA, which must exist where the step runs."
	},
	{
		code: /^EPROTO|_TLS_|_SSL_/,
		phase: "handshake"
	}
];
function proxyHint(phase, detail, variables) {
	if (detail.includes(NOT_TLS)) return `${CHECK_PORT} The URL of the proxy in ${variables} usually begins with http://, too.`;
	if (phase !== "connection") return "";
	if (/\b407\b/.test(detail)) return `The proxy in ${variables} requires a valid user and password. Write them into its URL, as in http://user:password@host:port.`;
	return `Check the proxy in ${variables}: is it up, and may it reach the host? If NO_PROXY exempts the host, check base-url, and that the service is up.`;
}
function codeOf(error) {
	return systemCode(error) ?? (error.name === "HTTPParserError" ? error.name : void 0) ?? (error.cause instanceof Error ? codeOf(error.cause) : void 0);
}
function messageOf(error) {
	if (!(error instanceof AggregateError)) return error.message.replace(/; if the root CA .*/, "");
	return error.errors.map(errorText).join("; ");
}

// src/agent/dispatcher.ts
const MAX_CONNECT_MS = 1e4;
/** @throws InputError for a bad proxy URL */
function openDispatcher(baseUrl, timeoutMs) {
	const options = {
		allowH2: false,
		connectTimeout: Math.min(timeoutMs, MAX_CONNECT_MS)
	};
	if (bypassesProxy(baseUrl)) return new import_undici.Agent(options);
	try {
		return new import_undici.EnvHttpProxyAgent(options);
	} catch {
		throw inputError(proxyVariables(baseUrl).join(", "), "not the URL of an http, https or socks5 proxy.", "http://host:3128");
	}
}
function bypassesProxy(url) {
	const { protocol, hostname } = new URL(url);
	return protocol === "http:" && isLoopback(hostname);
}
/**
* Returns the names of the proxy variables that are set, or [] for http to loopback. Do not show
* their values, which may contain passwords.
*/
function proxyVariables(baseUrl) {
	if (bypassesProxy(baseUrl)) return [];
	return Object.keys(process.env).filter((name) => /^https?_proxy$/i.test(name)).filter((name) => process.env[name]).sort();
}
async function sendRequest(dispatcher, url, body, options) {
	const response = await (0, import_undici.request)(url, {
		...options,
		dispatcher,
		body: body ?? null,
		headersTimeout: 0,
		bodyTimeout: 0
	});
	return {
		status: response.statusCode,
		headers: response.headers,
		body: response.body
	};
}
const MAX_ANSWER_BYTES = 4194304;
/** @throws AgentError if the body is longer than 4 MiB */
async function readAnswer({ body, ...answer }) {
	const read = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > MAX_ANSWER_BYTES) {
			const { label, status } = answer;
			const message = `${label} answered ${status} with more than ${formatBytes(MAX_ANSWER_BYTES)}.`;
			throw new AgentError("bad-answer", message, { status });
		}
		read.push(chunk);
	}
	return {
		...answer,
		body: new TextDecoder().decode(Buffer.concat(read))
	};
}

// src/text/json.ts
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
function isJson(text) {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
function parseFields(text) {
	try {
		return fieldsOf(JSON.parse(text));
	} catch {
		return {};
	}
}
function stringFieldsOf(value) {
	const fields = Object.entries(fieldsOf(value));
	return Object.fromEntries(fields.map(([name, field]) => [name, String(field)]));
}

// src/text/redact.ts
function redactor(secrets) {
	const starts = secrets.map((secret) => secret.slice(0, 100));
	const forms = [...secrets, ...starts].filter((secret) => secret !== "").flatMap(encodingsOf);
	const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
	return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, "***"), text);
}
function encodingsOf(secret) {
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret.toWellFormed())
	];
}
/**
* Redacts secrets in all strings and keys of a JSON text, however they are escaped. Leaves numbers
* as they are, even if they contain a secret made of digits. Returns '' if the text is not JSON.
*/
function redactJson(text, redact) {
	if (!isJson(text)) return "";
	return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (literal) => JSON.stringify(redact(String(JSON.parse(literal)))));
}

// src/agent/response.ts
/** Parses an answer without redacting it. @throws AgentError if it is not JSON */
function parseAnswer(answer) {
	try {
		return JSON.parse(answer.body);
	} catch {
		throw badAnswer(answer, "it is not JSON");
	}
}
/** Builds the error for an accepted answer with an unusable body. `why` ends the message. */
function badAnswer(answer, why) {
	const { label, status } = answer;
	const message = `${label} answered ${status} with an unusable answer: ${why}.`;
	const hadNoEffect = isFromProxy(answer) && status !== 201;
	return new AgentError("bad-answer", message, {
		status,
		hadNoEffect
	});
}
/** Returns true if the body is neither JSON nor empty, as if a proxy or a website had answered. */
function isFromProxy({ body }) {
	return body.trim() !== "" && !isJson(body);
}
/** Converts an unsuccessful answer to an AgentError; `now` is Unix time in milliseconds. */
function statusFailure(answer, redact, now, hints = {}) {
	const { status, headers, body } = answer;
	if (status >= 300 && status < 400) return redirectFailure(answer, redact);
	const message = messageIn(body, redact);
	const matched = excerpt(message, redact, MAX_MATCHED);
	const rule = STATUS_RULES.find((each) => each.statuses.includes(status) && (each.message?.test(matched) ?? true));
	const kind = rule?.kind ?? kindOfClass(status);
	const words = excerpt(message, redact);
	const quoted = words === "" ? "" : ` It said: ${JSON.stringify(words)}.`;
	const [retryAfter] = [headers["retry-after"]].flat();
	return new AgentError(kind, `${describeStatus(answer)}${quoted}`, {
		status,
		retryAfterMs: parseRetryAfter(retryAfter, now),
		hint: rule?.hint ?? hints[kind],
		hadNoEffect: parseFields(body)["error_code"] === "sandbox_create_failed"
	});
}
const MAX_MATCHED = 5e3;
const STATUS_RULES = [
	{
		statuses: [404],
		message: /^path '.*' does not exist$/,
		kind: "no-such-file"
	},
	{
		statuses: [400],
		message: /^path '.*' is a directory$/,
		kind: "rejected",
		hint: "Only files can be downloaded. Pack the folder into an archive in the sandbox, and download that."
	},
	{
		statuses: [404, 502],
		message: /\bsandbox(?: id)?(?: \S*[\d"'`]\S*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
		kind: "sandbox-not-found"
	},
	{
		statuses: [400, 401],
		message: /\busername (?:is required|not provided)|\b(?:unknown|invalid) user|\blooking up user|\buser:? \S+ (?:was )?not found/i,
		kind: "unauthorized",
		hint: "Set username: user, or another user of the sandbox."
	},
	{
		statuses: [429],
		message: /\bsandbox limit\b|\bconcurrent (?:\w+ )?sandboxes\b/i,
		kind: "busy",
		hint: "The sandbox cannot resume: the account already runs as many as it may. Delete some, or raise its limit."
	},
	{
		statuses: [400, 500],
		message: /\bis a directory\b|\bpath is a file\b|\bnot a directory\b/i,
		kind: "rejected",
		hint: "Choose another target, or remove in the sandbox what is in the way."
	},
	{
		statuses: [400],
		message: /\binvalid host\b/i,
		kind: "rejected",
		hint: "Check base-url and header-prefix: they lead to no sandbox. At E2B, base-url is https://{port}-{sandbox-id}.e2b.app."
	},
	{
		statuses: [401],
		kind: "unauthorized"
	},
	{
		statuses: [403],
		kind: "forbidden"
	},
	{
		statuses: [404, 405],
		kind: "not-found"
	},
	{
		statuses: [410],
		kind: "sandbox-not-found"
	},
	{
		statuses: [413],
		kind: "too-large"
	},
	{
		statuses: [
			408,
			409,
			425,
			429,
			503
		],
		kind: "busy"
	},
	{
		statuses: [501, 505],
		kind: "rejected"
	},
	{
		statuses: [507],
		kind: "disk-full"
	}
];
function kindOfClass(status) {
	if (status < 300) return "bad-answer";
	return status < 500 ? "rejected" : "server";
}
const { STATUS_CODES } = process.getBuiltinModule("node:http");
function describeStatus({ label, status }) {
	const phrase = STATUS_CODES[status];
	return `${label} answered ${status}${phrase === void 0 ? "" : ` ${phrase}`}.`;
}
function redirectFailure(answer, redact) {
	const [location = ""] = [answer.headers["location"]].flat();
	const origin = /^https?:/i.test(location) ? URL.parse(redact(location))?.origin : void 0;
	const leadsTo = origin === void 0 ? "" : ` It leads to ${excerpt(origin, redact)}.`;
	const message = `${describeStatus(answer)}${leadsTo} Redirects are not followed.`;
	return new AgentError("not-found", message, {
		status: answer.status,
		hint: "Change base-url: it must lead to the agent without a redirect."
	});
}
function messageIn(text, redact) {
	if (/^\s*</.test(text)) return /<title>([^<&]*)<\/title>/i.exec(text)?.[1] ?? "";
	const json = redactJson(text, redact);
	if (json === "") return text;
	const body = JSON.parse(json);
	const { message, error } = fieldsOf(body);
	return [
		body,
		message,
		error
	].find((each) => typeof each === "string") ?? json;
}
const MAX_RETRY_AFTER_MS = 6e4;
/**
* Parses a Retry-After header (RFC 9110, section 10.2.3) to milliseconds, at most a minute. Returns
* undefined if it is missing, invalid or not in the future.
*/
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : void 0;
}

// src/agent/client.ts
const USER_AGENT = `sandbox-sync/${version}`;
function postJson(path, message) {
	const bytes = Buffer.from(JSON.stringify(message));
	return {
		method: "POST",
		path,
		headers: {
			"Content-Type": "application/json",
			"Content-Length": String(bytes.length)
		},
		body: [bytes]
	};
}
/**
* Opens a client for a sandbox's agent, to be declared with `await using`.
* @throws InputError for a bad proxy URL
*/
function openAgent(connection, options) {
	const { token, sandboxId, port, headerPrefix } = connection;
	const headers = {
		...connection.headers,
		"X-Access-Token": token,
		[`${headerPrefix}-Sandbox-Id`]: sandboxId,
		[`${headerPrefix}-Sandbox-Port`]: String(port)
	};
	return openClient({
		...connection,
		headers
	}, options);
}
/** Opens a client, to be declared with `await using`. @throws InputError for a bad proxy URL */
function openClient(endpoint, options) {
	const { baseUrl, timeout } = endpoint;
	const dispatcher = openDispatcher(baseUrl, timeout);
	const headers = {
		...endpoint.headers,
		Accept: "application/json",
		"User-Agent": USER_AGENT
	};
	const transport = {
		...options,
		baseUrl,
		timeout,
		headers,
		dispatcher
	};
	return {
		send: (request) => exchange(request, transport, readAnswer),
		receive: (request, read) => exchange({
			...request,
			isStreamed: true
		}, transport, read),
		redact: options.redact,
		[Symbol.asyncDispose]: () => dispatcher.destroy()
	};
}
const SUCCESS = [
	200,
	201,
	204
];
async function exchange(request, transport, read) {
	const { method, path, headers, body, onSent, accepts = [], hints, isStreamed = false } = request;
	const { baseUrl, timeout, dispatcher, cancel, redact, now } = transport;
	const label = `${method} ${baseUrl}${path.replace(/\?.*/s, "")}`;
	let isSent = body === void 0;
	const idle = idleTimeout(timeout, () => stallError(label, isSent));
	async function* sendBody(chunks) {
		yield* restartOnChunk(chunks, idle, onSent);
		isSent = true;
	}
	const sendAndRead = async () => {
		const answer = {
			...await sendRequest(dispatcher, `${baseUrl}${path}`, body && sendBody(body), {
				method,
				headers: {
					...transport.headers,
					...headers
				},
				signal: idle.signal
			}),
			label
		};
		if (![...SUCCESS, ...accepts].includes(answer.status)) throw statusFailure(await readAnswer(answer), redact, now(), hints);
		const chunks = isStreamed ? restartOnChunk(answer.body, idle) : answer.body;
		const result = await read({
			...answer,
			body: chunks
		});
		if (isSent) return result;
		const message = `${label} answered ${answer.status} before everything was sent.`;
		throw new AgentError("connection", message);
	};
	const cancelled = `${label} was cancelled.`;
	if (cancel.aborted) throw new AgentError("cancelled", cancelled, { hadNoEffect: true });
	const onCancel = () => idle.end(new AgentError("cancelled", cancelled));
	cancel.addEventListener("abort", onCancel);
	try {
		idle.restart();
		return await Promise.race([idle.ended, sendAndRead()]);
	} catch (error) {
		idle.end(error);
		throw networkFailure(error, label, redact, proxyVariables(baseUrl));
	} finally {
		idle.stop();
		cancel.removeEventListener("abort", onCancel);
		await setImmediate();
	}
}
function stallError(label, isSent) {
	return new AgentError("connection", `${label} failed: ${isSent ? "the answer did not end" : "nothing more could be sent"} within timeout.`);
}
/** Rejects `ended` and aborts `signal` on `end`, or `ms` milliseconds after the last `restart`. */
function idleTimeout(ms, expire) {
	const { promise: ended, reject } = Promise.withResolvers();
	const aborter = new AbortController();
	const end = (error) => {
		reject(error);
		aborter.abort(error);
	};
	let timer;
	const stop = () => clearTimeout(timer);
	const restart = () => {
		stop();
		timer = setTimeout(() => end(expire()), ms);
	};
	return {
		ended,
		signal: aborter.signal,
		end,
		restart,
		stop
	};
}
async function* restartOnChunk(chunks, { signal, restart }, onTaken) {
	for await (const chunk of chunks) {
		yield chunk;
		if (signal.aborted) return;
		restart();
		onTaken?.(chunk.length);
	}
}

// src/agent/retry.ts
async function withRetries(request, { retries, random, sleep, stop, onRetry, isRepeatable = () => true }) {
	let failure;
	for (let attempt = 1;; attempt += 1) try {
		return {
			attempts: attempt,
			value: await request()
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		if (error.kind === "cancelled" && error.hadNoEffect && failure !== void 0) return failure;
		failure = {
			attempts: attempt,
			error
		};
		if (attempt > retries || !error.isRetryable || !isRepeatable(error) || stop.aborted) return failure;
		const delayMs = backoff(attempt, random, error.retryAfterMs);
		onRetry({
			attempt,
			error,
			delayMs
		});
		if (!await sleep(delayMs, stop)) return failure;
	}
}
function describeRetry(name, { attempt, error, delayMs }) {
	return `Attempt ${attempt} for ${name} failed, next in ${formatDuration(delayMs)}: ${error.message}`;
}
const BASE_MS = 1e3;
const CAP_MS = 3e4;
/**
* Returns a delay in milliseconds: half of an exponential backoff, or `retryAfterMs` if that is
* longer, plus random jitter of up to the same half. Four retries wait at least 7.5 s in total.
*/
function backoff(attempt, random, retryAfterMs = 0) {
	const half = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) / 2;
	return Math.round(Math.max(half, retryAfterMs) + random() * half);
}
function sleep(ms, stop) {
	return setTimeout$1(ms, true, { signal: stop }).catch(() => false);
}

// src/gate/metrics.ts
/**
* Known metrics. Each has an output with hyphens in its name, such as `mem-used`, which is only
* rounded if `decimals` is set.
*/
const METRICS = {
	ts: { unit: "plain" },
	cpu_count: { unit: "plain" },
	cpu_used_pct: { unit: "percentage" },
	mem_total: { unit: "bytes" },
	mem_used: { unit: "bytes" },
	mem_cache: { unit: "bytes" },
	mem_total_mib: { unit: "mebibytes" },
	mem_used_mib: { unit: "mebibytes" },
	disk_total: { unit: "bytes" },
	disk_used: { unit: "bytes" },
	mem_used_pct: {
		unit: "percentage",
		decimals: 2
	},
	mem_free: { unit: "bytes" },
	disk_used_pct: {
		unit: "percentage",
		decimals: 2
	},
	disk_free: { unit: "bytes" }
};
/** Returns undefined for custom metrics whose name does not end in `_mib`. */
function unitOf(metric) {
	if (Object.hasOwn(METRICS, metric)) return METRICS[metric]?.unit;
	return metric.endsWith("_mib") ? "mebibytes" : void 0;
}
/** Each function expects at least one figure, oldest first. */
const AGGREGATES = {
	last: (figures) => figures.at(-1) ?? NaN,
	min: (figures) => figures.reduce((low, figure) => Math.min(low, figure)),
	max: (figures) => figures.reduce((high, figure) => Math.max(high, figure)),
	mean: (figures) => figures.reduce((sum, figure) => sum + figure) / figures.length,
	p50: (figures) => percentile(50, figures),
	p95: (figures) => percentile(95, figures)
};
const AGGREGATE_NAMES = Object.keys(AGGREGATES).filter(isAggregate);
function isAggregate(name) {
	return Object.hasOwn(AGGREGATES, name);
}
/** Uses the nearest rank: the smallest figure that is at least as large as `percent` % of all. */
function percentile(percent, figures) {
	const rank = Math.ceil(percent * figures.length / 100);
	return Float64Array.from(figures).sort()[rank - 1] ?? NaN;
}
function figuresOf(metric, samples) {
	return samples.flatMap(({ figures }) => figures.get(metric) ?? []);
}
function aggregateOf(aggregate, metric, samples) {
	const figures = figuresOf(metric, samples);
	return figures.length === 0 ? void 0 : AGGREGATES[aggregate](figures);
}

// src/gate/judge.ts
const OPERATORS = [
	">",
	">=",
	"<",
	"<=",
	"==",
	"!="
];
/** Judges all conditions. If samples are missing (`isIncomplete`), the gate cannot pass. */
function judgeGate({ failIf, warnIf }, samples, isIncomplete = false) {
	const judgeAs = (level, conditions) => conditions.map((each) => ({
		...judge(each, samples, isIncomplete),
		level
	}));
	const judgements = [...judgeAs("fail", failIf), ...judgeAs("warn", warnIf)];
	return {
		state: stateOf(judgements),
		judgements
	};
}
function stateOf(judgements) {
	if (judgements.length === 0) return "none";
	const [worst] = breachesOf(judgements);
	if (worst === void 0) return "passed";
	return worst.level === "fail" ? "failed" : "warned";
}
/** Returns the conditions that tripped or cannot be judged. */
function breachesOf(judgements) {
	return judgements.filter(({ holds }) => holds !== false);
}
/**
* Judges a condition over samples (oldest first). It cannot be judged without samples, if a sample
* lacks the metric, or if samples are missing (`isIncomplete`) and the others do not trip it.
*/
function judge(condition, samples, isIncomplete = false) {
	const { metric, aggregate = "last", operator, limit } = condition;
	const why = whyNotJudged(metric, samples);
	if (why !== void 0) return {
		condition,
		holds: void 0,
		why
	};
	const figures = figuresOf(metric, samples);
	const figure = AGGREGATES[aggregate](figures);
	const tripping = (condition.aggregate === void 0 ? mostExtreme(operator, figures) : [figure]).find((candidate) => COMPARE[operator](candidate, limit));
	if (tripping !== void 0) return {
		condition,
		holds: true,
		figure: tripping
	};
	if (isIncomplete) return {
		condition,
		holds: void 0,
		why: "samples are missing"
	};
	return {
		condition,
		holds: false,
		figure
	};
}
function whyNotJudged(metric, samples) {
	if (samples.length === 0) return "there are no stats";
	const lacking = samples.filter(({ figures }) => !figures.has(metric));
	const [first] = lacking;
	if (first === void 0) return void 0;
	if (lacking.length < samples.length) return `${formatNumber(lacking.length)} of ${formatCount(samples.length, "sample")} do not report ${inlineCode(metric)}`;
	return `the sandbox does not report ${inlineCode(metric)}; it reports ${namesIn(first, metric)}`;
}
const COMPARE = {
	">": (figure, limit) => figure > limit,
	">=": (figure, limit) => figure >= limit,
	"<": (figure, limit) => figure < limit,
	"<=": (figure, limit) => figure <= limit,
	"==": (figure, limit) => figure === limit,
	"!=": (figure, limit) => figure !== limit
};
function mostExtreme(operator, figures) {
	if (operator.startsWith(">")) return [AGGREGATES.max(figures)];
	return operator.startsWith("<") ? [AGGREGATES.min(figures)] : figures;
}
const MAX_REPORTED = 30;
/** Lists a sample's metrics, beginning with the one that `wanted` misspells with hyphens. */
function namesIn({ figures }, wanted) {
	const metric = wanted.replaceAll("-", "_");
	const others = [...figures.keys()].filter((name) => name !== metric).sort();
	const names = figures.has(metric) ? [metric, ...others] : others;
	return listSome(names.map(inlineCode), MAX_REPORTED) || "nothing";
}

// src/inputs/conditions.ts
const conditions = (value, input) => parseLines(value, (line) => parseCondition(line, input, "mem_used_pct > 90"));
/**
* Parses the conditions to wait for. `ready` adds none, since any stats will do. Returns undefined
* if there are no lines: do not wait.
*/
const waitConditions = (value, input) => {
	const lines = parseLines(value, (line) => /^ready$/i.test(line) ? "ready" : parseCondition(line, input, "ready"));
	return lines.length > 0 ? lines.filter((line) => line !== "ready") : void 0;
};
const CONDITION_PATTERN = /^([\p{L}_][\p{L}\p{N}_.:/-]*(?:\s+\.\w+)?)?\s*([<>=!~&|]*)\s*([-+.\d]*(?:[eE][-+]?\d+)?)\s*(.*)$/su;
/** Parses `metric[.aggregate] operator number[unit]`. @throws InputError */
function parseCondition(line, input, example) {
	const problem = (why) => inputError(input, `${quote(line)}: ${why}.`, example);
	const [, start = "", sign = "", number = "", suffix = ""] = CONDITION_PATTERN.exec(line) ?? [];
	const name = start.replace(/\s+/, "");
	if (name === "") throw problem("it must begin with a metric, such as mem_used_pct");
	const [metric, aggregate] = splitName(name);
	if (aggregate !== void 0 && !isAggregate(aggregate)) throw problem(`"${aggregate}" is not one of the aggregates ${AGGREGATE_NAMES.join(", ")}`);
	const operator = OPERATORS.find((each) => each === sign);
	if (operator === void 0) {
		const found = insteadOf(sign || number || suffix);
		throw problem(`one of ${OPERATORS.join(" ")} was expected${found}`);
	}
	if (number + suffix === "") throw problem(`nothing follows ${sign}, perhaps because an expression is empty`);
	if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(number)) throw problem(`a number such as 90 or 1.5 was expected${insteadOf(number || suffix)}`);
	const metricUnit = unitOf(metric);
	const unit = findUnit(UNITS[metricUnit ?? "unknown"], suffix);
	if (unit === void 0) throw problem(explainUnit(suffix, metric));
	const limit = toMetricUnit(Number(number), unit, metricUnit);
	if (metricUnit === "percentage") {
		const mistake = findPercentageMistake(limit, number + unit);
		if (mistake !== void 0) throw problem(mistake);
	}
	return {
		text: `${name} ${sign} ${number}${unit}`,
		metric,
		aggregate,
		operator,
		limit
	};
}
function insteadOf(written) {
	return written === "" ? "" : `, not ${written}`;
}
/** Splits at the last dot, unless it is part of a custom metric's name, such as `gpu.0`. */
function splitName(name) {
	const [, metric = "", aggregate = ""] = /^(.+)\.(.*)$/.exec(name) ?? [];
	return isAggregate(aggregate) || unitOf(metric) !== void 0 ? [metric, aggregate] : [name];
}
const UNITS = {
	percentage: ["%", ""],
	bytes: BYTE_UNITS$1,
	mebibytes: [...BYTE_UNITS$1, ""],
	plain: [""],
	unknown: [
		"%",
		...BYTE_UNITS$1,
		""
	]
};
function explainUnit(suffix, metric) {
	if (/[<>=#]/.test(suffix)) return "write one condition or comment per line, which in fail-if and warn-if means \"or\"; in YAML, the list begins with |";
	if (suffix === "") return `${metric} is in bytes and needs a unit, such as 512MiB`;
	const units = UNITS[unitOf(metric) ?? "unknown"].map((each) => each || "no unit").join(" or ");
	const [, resource] = /^(mem|disk)_/.exec(metric) ?? [];
	return `${suffix} is not a unit of ${metric}: write ${units}${suffix === "%" && resource ? `, or use ${resource}_used_pct` : ""}`;
}
function toMetricUnit(amount, unit, metricUnit) {
	const factor = BYTES[unit];
	if (factor === void 0) return amount;
	const bytes = Math.round(amount * factor);
	return metricUnit === "mebibytes" ? bytes / 2 ** 20 : bytes;
}
function findPercentageMistake(limit, written) {
	if (limit < 0 || limit > 100) return `${written} is not a percentage from 0 to 100`;
	if (limit === 0 || limit >= 1 || written.endsWith("%")) return void 0;
	return `write ${Number((limit * 100).toPrecision(15))}, or ${written}% if you mean it`;
}

// src/inputs/files.ts
const EXAMPLE = "dist/**";
const TARGET_EXAMPLE = `${EXAMPLE} => app`;
const DOWNLOAD_EXAMPLE = "app/reports/junit.xml => reports/junit.xml";
/** Parses `pattern`, `pattern => target`, `!pattern`, `#` comments and blank lines. */
function fileRules(value) {
	const lines = parseLines(value, (line) => line.startsWith("!") ? { exclude: parseExclude(line) } : parsePattern(line));
	const patterns = lines.filter((line) => "pattern" in line);
	const excludes = lines.flatMap((line) => "exclude" in line ? [line.exclude] : []);
	if (patterns.length > 0) return {
		patterns,
		excludes
	};
	throw inputError("files", `is required: at least one line must say what to upload.${value === "" ? " In YAML, quote a value that begins with ! or *." : ""}`, EXAMPLE);
}
function parseExclude(line) {
	const exclude = line.slice(1).trim();
	rejectMistakes("exclude", exclude, "files", EXAMPLE, quote(line));
	return exclude;
}
function parsePattern(line) {
	const [pattern, target] = splitAtArrow(line, "pattern => target", TARGET_EXAMPLE);
	rejectMistakes("pattern", pattern, "files", EXAMPLE);
	if (target !== void 0) rejectTarget("target", target, TARGET_EXAMPLE);
	return {
		pattern,
		target
	};
}
function rejectTarget(kind, target, example) {
	const label = `the target ${quote(target)}`;
	rejectMistakes(kind, target, "files", example, label);
}
/** Parses `path`, `path => target`, `#` comments and blank lines. */
function downloadLines(value) {
	const lines = parseLines(value, parseDownloadLine);
	const required = "is required: at least one line must say what to download.";
	if (lines.length === 0) throw inputError("files", required, DOWNLOAD_EXAMPLE);
	const keys = lines.map(({ target }) => `${target.toLowerCase()}/`);
	const conflicting = keys.map((key) => lines.filter((_, index) => keys[index]?.startsWith(key))).find(({ length }) => length > 1);
	if (conflicting === void 0) return lines;
	const message = `two targets are the same, or one is inside the other: ${listSome(conflicting.map(({ path, target }) => `${quote(path)} to ${quote(target)}`))}.`;
	throw inputError("files", message, DOWNLOAD_EXAMPLE);
}
function parseDownloadLine(line) {
	const [path, given] = splitAtArrow(line, "path => target", DOWNLOAD_EXAMPLE);
	rejectMistakes("file-to-download", path, "files", DOWNLOAD_EXAMPLE);
	const target = posix.normalize(given ?? posix.basename(path));
	rejectTarget("local-path", target, DOWNLOAD_EXAMPLE);
	return {
		path,
		target
	};
}
/** Splits a line at ` => `. The spaces are required, since names may contain an arrow. */
function splitAtArrow(line, form, example) {
	const [source = "", target, ...others] = line.split(/(?:^|\s+)=>(?:\s+|$)/);
	if (source !== "" && target !== "" && others.length === 0) return [source, target];
	throw inputError("files", `${quote(line)} is not of the form ${form}.`, example);
}

// src/inputs/rules.ts
/**
* Fills in the job's sandbox, unless the step sets a token or base URL.
* @throws InputError if no single sandbox matches, or the step sets only part of a connection
*/
function withJobSandbox(raw, sandboxes) {
	const isSet = (name) => (raw[name] ?? "").trim() !== "";
	const explicit = ["token", "base-url"].filter(isSet);
	if (explicit.length > 0) {
		const missing = [
			"sandbox-id",
			"token",
			"base-url"
		].filter((name) => !isSet(name));
		const [first] = missing;
		if (first === void 0 || sandboxes.length === 0) return raw;
		const message = `is empty. Remove ${explicit.join(" and ")} to use the sandbox of this job, or set ${missing.join(" and ")} too.`;
		throw inputError(first, message);
	}
	const wanted = (raw["sandbox-id"] ?? "").trim();
	const [only, ...others] = sandboxes.filter(({ id }) => wanted === "" || id === wanted);
	if (only === void 0 || others.length > 0) throw inputError("sandbox-id", explainChoice(wanted, sandboxes));
	const { id, token, baseUrl } = only;
	const prefix = "E2b";
	return {
		...raw,
		"sandbox-id": id,
		token,
		"base-url": baseUrl,
		"header-prefix": prefix
	};
}
function explainChoice(wanted, sandboxes) {
	if (sandboxes.length === 0) return "no earlier step of this job has left a sandbox. Use sandbox-sync/sandbox-sync/sandbox in one, or set sandbox-id, token and base-url here.";
	const ids = listSome(sandboxes.map(({ id }) => quote(id)));
	return wanted === "" ? `is empty. Say which sandbox, such as \${{ steps.sandbox.outputs.id }}; this job has ${ids}.` : `${quote(wanted)} is not a sandbox of this job. Set token and base-url too, or use one that this job has: ${ids}.`;
}
/**
* Fills in the placeholders of `base-url`. Replaces an invalid ID or port with a valid one, so that
* the error is reported for that input only, not for `base-url` as well.
*/
function fillPlaceholders(raw) {
	const { "base-url": template = "", "sandbox-id": id = "", port = "" } = raw;
	const url = template.replaceAll("{sandbox-id}", isSandboxId(id.trim()) ? id.trim() : "id").replaceAll("{port}", /^\s*\d+\s*$/.test(port) ? port.trim() : String(DEFAULT_PORT));
	return {
		...raw,
		"base-url": url
	};
}
/** Each rule throws an InputError if inputs conflict. It passes if one of them is undefined. */
const CROSS_INPUT_RULES = [
	checkHttpIsAllowed,
	checkTemplateOrSandboxId,
	checkUserOfCommand
];
function checkHttpIsAllowed({ baseUrl, allowInsecureHttp }) {
	if (baseUrl === void 0 || allowInsecureHttp !== false || !isUnencrypted(baseUrl)) return;
	const message = `${quote(baseUrl)} would send secrets unencrypted. Use https, or set allow-insecure-http: true.`;
	throw inputError("base-url", message, BASE_URL_EXAMPLE);
}
function checkTemplateOrSandboxId({ template, sandboxId }) {
	if (template === void 0 || sandboxId === void 0) return;
	if (template === "" !== (sandboxId === "")) return;
	const message = `is ${quote(sandboxId)}, and template is ${quote(template)}. Set template to create a sandbox, or sandbox-id to connect to one, and leave the other empty. An unset variable is empty, so check the names in expressions.`;
	throw inputError("sandbox-id", message);
}
function checkUserOfCommand({ run, username = "", headers = {} }) {
	const isSet = Object.keys(headers).some((name) => /^authorization$/i.test(name));
	if (run === void 0 || username === "" || !isSet) return;
	const message = `${quote(username)} would replace the header Authorization. Remove one of them.`;
	throw inputError("username", message);
}

// src/inputs/inputs.ts
const connectionInputs = {
	"sandbox-id": sandboxId,
	token: checkedText("token", "${{ steps.sandbox.outputs.token }}"),
	"base-url": baseUrl,
	"allow-insecure-http": flag(false),
	port: wholeNumber(1, 65535, DEFAULT_PORT),
	"header-prefix": checkedText("header-name", "E2b", "Svc"),
	headers,
	timeout: duration(1, "60s")
};
const retries = wholeNumber(0, 10, 4);
const statsPath = checkedText("url-path", "/metrics", "/metrics");
const summary = flag(true);
const uploadInputs = {
	"upload-path": checkedText("url-path", "/files", "/files"),
	files: fileRules,
	target: checkedText("target", "app"),
	"working-directory": anyText,
	username: anyText,
	signature: anyText,
	"signature-expiration": checkedText("unix-time", "1798761600"),
	"if-no-files-found": choice("error", "warn", "ignore"),
	"include-hidden-files": flag(false),
	"follow-symlinks": flag(void 0),
	"state-file": anyText,
	shard,
	concurrency,
	"files-per-request": wholeNumber(1, 1e3, "auto"),
	checksums: flag(false),
	"dry-run": flag(false)
};
const downloadInputs = {
	files: downloadLines,
	"working-directory": anyText,
	"max-bytes": byteSize("1GiB"),
	username: anyText,
	"if-no-file-found": choice("error", "warn", "ignore"),
	concurrency
};
const gateInputs = {
	"fail-if": conditions,
	"warn-if": conditions
};
const statsInputs = {
	"stats-path": statsPath,
	...gateInputs,
	"wait-until": waitConditions,
	"wait-timeout": duration(1, "5m"),
	samples: wholeNumber(1, 1e3, 1),
	"sample-interval": duration(200, "1s")
};
const monitorInputs = {
	...gateInputs,
	"sample-interval": duration(200, "5s"),
	name: anyText,
	summary
};
const runInputs = {
	run: checkedText("script", "npm ci && npm test"),
	"working-directory": anyText,
	env: keyValues,
	username: anyText,
	"max-duration": duration(1e3, "1h"),
	...monitorInputs,
	"sample-interval": duration(200, "1s")
};
const apiInputs = {
	"api-url": apiUrl,
	"api-key": checkedText("api-key", "${{ secrets.E2B_API_KEY }}"),
	headers,
	retries,
	timeout: duration(1, "60s")
};
/** Maps each action, and each post step with saved inputs, to the parsers of its inputs. */
const INPUTS = {
	sync: {
		...connectionInputs,
		retries,
		...uploadInputs,
		...statsInputs,
		summary
	},
	upload: {
		...connectionInputs,
		retries,
		...uploadInputs,
		summary
	},
	download: {
		...connectionInputs,
		retries,
		...downloadInputs,
		summary
	},
	stats: {
		...connectionInputs,
		retries,
		...statsInputs,
		summary
	},
	monitor: {
		...connectionInputs,
		"stats-path": statsPath,
		...monitorInputs,
		"max-duration": duration(1e3, "6h")
	},
	"monitor-stop": {
		monitor: anyText,
		summary
	},
	run: {
		...connectionInputs,
		...runInputs
	},
	"monitor-end": {
		"sandbox-id": anyText,
		"base-url": anyText,
		...monitorInputs
	},
	sandbox: {
		...apiInputs,
		template: anyText,
		lifetime: duration(1e3, "15m"),
		metadata: keyValues,
		env: keyValues,
		"sandbox-id": existingSandboxId,
		delete: flag(void 0)
	},
	"sandbox-end": apiInputs
};
function inputNames(entry) {
	return Object.keys(INPUTS[entry]);
}
/**
* Parses each input, then applies the rules that compare inputs.
* @throws InputError with the problems of all inputs and rules
*/
function parseInputs(entry, raw) {
	const filled = fillPlaceholders(raw);
	const { parsed, problems } = tryAll(Object.entries(INPUTS[entry]), ([name, parse]) => [camelCase(name), parse((filled[name] ?? "").trim(), name)]);
	const inputs = Object.fromEntries(parsed);
	problems.push(...tryAll(CROSS_INPUT_RULES, (rule) => rule(inputs)).problems);
	if (problems.length > 0) throw new InputError(problems);
	return inputs;
}
function camelCase(name) {
	return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}

// src/report/reason.ts
/** Returns a line whose backticks mark code. Quote file names in it with `inlineCode`. */
function withMarkup(text) {
	return {
		text,
		hasMarkup: true
	};
}
function reasonLines(reason) {
	return reason.map(({ text }) => text);
}
function fullReason({ title, reason }) {
	return title === void 0 ? reason : [withMarkup(title), ...reason];
}
function toReportedError(error) {
	if (error instanceof AgentError) {
		const advice = error.kind === "cancelled" ? [] : [withMarkup(error.hint)];
		return { reason: [{ text: error.message }, ...advice] };
	}
	if (error instanceof InputError) return describeProblems(error);
	if (error instanceof Error && "syscall" in error) return { reason: [{ text: `${error.message}.` }] };
	return describeBug(error);
}
function describeProblems({ problems }) {
	const reason = problems.map((each) => ({ text: describeProblem(each) }));
	if (problems.length === 1) return { reason };
	const count = new Set(problems.map(({ input }) => input)).size;
	return {
		title: `${formatCount(count, "input")} ${count === 1 ? "is" : "are"} invalid.`,
		reason
	};
}
function describeBug(error) {
	return {
		title: "Sandbox Sync itself failed. This is a bug; please report it.",
		reason: (error instanceof Error ? error.stack ?? error.message : String(error)).split("\n").map((text) => ({ text }))
	};
}

// src/report/html.ts
const MAX_TEXT = 300;
const ENTITIES = new Map(Object.entries({
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	"\"": "&quot;",
	"'": "&#39;"
}));
/**
* Escapes strings for HTML. Markdown needs no escaping, since HTML blocks only end at a blank line
* (CommonMark 4.6).
*/
function html(parts, ...values) {
	return { html: String.raw({ raw: parts }, ...values.map(toHtml)) };
}
function concat(pieces, separator = "") {
	return { html: pieces.map((piece) => piece.html).join(separator) };
}
/** Renders text as code, where GitHub expands no mentions or emoji names. */
function code(text) {
	return html`<code>${text}</code>`;
}
/** Renders trusted text, with code in backticks. Use `code` for third-party text. */
function prose(text) {
	return concat(text.split("`").map((piece, index) => index % 2 === 0 ? html`${piece}` : code(piece)));
}
function unbroken(figure) {
	return { html: toHtml(figure).replaceAll(" ", "&nbsp;") };
}
const MAX_ITEMS = 30;
function shortList(items) {
	if (items.length === 0) return [];
	return [html`<ul>${concat(shorten(items).map((item) => html`\n<li>${item}</li>`))}\n</ul>`];
}
/** Keeps the first 30 items and adds one that counts the others. */
function shorten(items) {
	return limitList(items, 30, (count) => html`${moreInReport(count)}`);
}
function folded(title, items) {
	return shortList(items).map((list) => html`<details><summary>${title}</summary>\n${list}\n</details>`);
}
function toHtml(value) {
	if (typeof value !== "string") return value.html;
	return cutMiddle(escapeInvisible(value)).replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}
function cutMiddle(text) {
	if (text.length <= MAX_TEXT) return text;
	const end = text.slice(-150).replace(/^[\udc00-\udfff]/, "");
	return `${truncate(text, MAX_TEXT / 2)}${end}`;
}

// src/report/transfer-lines.ts
/** Returns `warning` for a transfer of no files if the report has a warning, which explains it. */
function levelOf({ failed, notAttempted }, hasNothing, { warnings }) {
	if (failed + notAttempted > 0) return "failure";
	return hasNothing && warnings.length > 0 ? "warning" : "success";
}
function explainFailedFiles(files, { errors, cancelled }) {
	const failuresToReport = files.filter((file) => file.status === "failed").filter(({ error }) => error.kind !== "cancelled");
	const largestFirst = [...Map.groupBy(failuresToReport, ({ error }) => `${error.status} ${error.hint}`).values()].sort((one, other) => other.length - one.length);
	const unattempted = errors.length > 0 || cancelled ? [] : files.filter((file) => file.status === "not-attempted");
	const reasons = new Set(unattempted.map(({ reason }) => `Not attempted: ${reason}`));
	return {
		fileFailures: largestFirst.map(describeGroup),
		reasons: Array.from(reasons, (text) => [{ text }])
	};
}
/** Describes files that failed for the same reason, with the message of the first. */
function describeGroup(group) {
	const { message = "", hint = "" } = group[0]?.error ?? {};
	const names = group.map((result) => "file" in result ? result.file.source : result.path);
	const count = group.length === 1 ? "" : `${formatCount(group.length, "file")}: `;
	return [
		{ text: message },
		withMarkup(hint),
		withMarkup(`${count}${listSome(names.map(inlineCode))}`)
	];
}
const STATUS_WORDS = {
	failed: "failed",
	"not-attempted": "not attempted",
	missing: "missing",
	downloaded: "downloaded",
	uploaded: "uploaded",
	skipped: "would be uploaded",
	unchanged: "unchanged"
};
/** Returns a log line for each file, grouped by status, failures first. */
function listFiles(files, describe) {
	return Object.entries(STATUS_WORDS).flatMap(([status, word]) => files.filter((file) => file.status === status).map((file) => `${word}: ${describe(file)}`));
}
const MAX_LOGGED = 1e3;
function limitLines(lines) {
	return limitList(lines, MAX_LOGGED, moreInReport);
}
function describeSpeed(count, bytes, { retries, durationMs }) {
	if (count === 0) return [];
	const rate = durationMs < 1e3 ? "" : `, ${formatRate(bytes, durationMs)}`;
	const repeated = listCounts({ [retries === 1 ? "retry" : "retries"]: retries });
	return [`${formatCount(count, "file")}, ${formatBytes(bytes)}${rate}${repeated}`];
}
/** Returns a headline such as `Uploaded 2 files in 3 s` or `Uploaded 2 of 3 files, 1 failed`. */
function describeDone(verb, done, wanted, durationMs, others) {
	const files = formatCount(wanted, "file");
	return done === wanted ? `${verb} ${files} in ${formatDuration(durationMs)}${others}` : `${verb} ${formatNumber(done)} of ${files}${others}`;
}
/** Lists counts other than 0: `, 1 failed, 2 unchanged`. */
function listCounts(counts) {
	return Object.entries(counts).filter(([, count]) => count > 0).map(([what, count]) => `, ${formatNumber(count)} ${what}`).join("");
}

// src/report/upload-section.ts
const EMPTY_UPLOAD = {
	dryRun: false,
	shard: void 0,
	files: [],
	skipped: [],
	digest: "",
	orphaned: [],
	retries: 0,
	durationMs: 0
};
function viewUpload(section, report) {
	const { files, skipped, digest, shard } = section;
	const totals = countFiles$1(section);
	const suffix = shard === void 0 ? "" : ` (shard ${shard.index} of ${shard.count})`;
	return {
		level: levelOf(totals, files.length === 0 && !shard?.planned, report),
		headline: `${describeUpload(section, totals, report)}${suffix}`,
		...explainFailedFiles(files, report),
		notices: [...modesNotice(section), ...orphansNotice(section)],
		fileLines: listLines(section),
		logLines: [...describeSpeed(totals.uploaded, totals.uploadedBytes, section), ...digest === "" ? [] : [`Digest: ${digest}`]],
		outputs: {
			"uploaded-count": String(totals.uploaded),
			"unchanged-count": String(totals.unchanged),
			"failed-count": String(totals.failed),
			"skipped-count": String(totals.skipped),
			"uploaded-bytes": String(totals.uploadedBytes),
			digest
		},
		checksums: checksumsOf(files),
		blocks: folded(`${formatNumber(skipped.length)} skipped`, skipped.map((entry) => html`${code(entry.path)}: ${entry.reason}`)),
		json: {
			totals,
			...section,
			files: files.map(({ file: { source, target, size }, ...result }) => {
				return {
					source,
					target,
					size,
					...result
				};
			})
		}
	};
}
function countFiles$1({ files, skipped }) {
	const filesWith = (wanted) => files.filter(({ status }) => status === wanted).map(({ file }) => file);
	const [uploaded, unchanged] = [filesWith("uploaded"), filesWith("unchanged")];
	return {
		planned: files.length,
		plannedBytes: totalSize(files.map(({ file }) => file)),
		uploaded: uploaded.length,
		uploadedBytes: totalSize(uploaded),
		unchanged: unchanged.length,
		unchangedBytes: totalSize(unchanged),
		failed: filesWith("failed").length,
		skipped: filesWith("skipped").length + skipped.length,
		notAttempted: filesWith("not-attempted").length
	};
}
function describeUpload({ dryRun, durationMs, skipped }, totals, { errors, cancelled }) {
	const { planned, unchanged, uploaded, failed, notAttempted } = totals;
	if (planned === 0) return errors.length > 0 || cancelled ? "Nothing was sent" : "There were no files to upload";
	const unsent = listCounts({
		unchanged,
		skipped: skipped.length
	});
	if (dryRun) {
		const size = formatBytes(totals.plannedBytes - totals.unchangedBytes);
		return `Dry run: ${formatCount(planned - unchanged, "file")} (${size}) would be uploaded${unsent}`;
	}
	if (uploaded + failed === 0) return `Nothing was sent${unsent}`;
	const others = `${listCounts({
		failed,
		"not attempted": notAttempted
	})}${unsent}`;
	return describeDone("Uploaded", uploaded, planned - unchanged, durationMs, others);
}
function listLines({ files, skipped, dryRun }) {
	const lines = listFiles(files, (result) => {
		const { source, target } = result.file;
		return `${source} → ${"path" in result ? result.path : target}`;
	});
	const skippedLines = skipped.map(({ path: source, reason }) => `skipped: ${source} (${reason})`);
	return [...dryRun ? lines : limitLines(lines), ...limitLines(skippedLines)];
}
/** Lists checksums of stored files like `sha256sum`, with the paths that the agent returned. */
function checksumsOf(files) {
	return files.flatMap((result) => "path" in result ? checksumLine(result.sha256, result.path) : []).join("");
}
/**
* Hashes the sorted checksum lines of all targets. Returns '' if there are no files, or if one
* failed or was not hashed: only a complete build has a digest.
*/
function digestOf(files) {
	const lines = files.flatMap((result) => "sha256" in result ? checksumLine(result.sha256, result.file.target) : []);
	if (lines.length === 0 || lines.length < files.length) return "";
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
const ARCHIVE = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml";
function modesNotice({ files }) {
	const programs = files.filter(({ status, file }) => file.isExecutable && status !== "unchanged");
	const [program] = programs;
	if (program === void 0) return [];
	return [`${formatCount(programs.length, "executable file")}, such as ${inlineCode(program.file.source)}: uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, set them in a step with the action \`run\`, such as \`run: chmod +x app/server\`, or send an archive: ${ARCHIVE}`];
}
function orphansNotice({ orphaned }) {
	if (orphaned.length === 0) return [];
	return [`Still in the sandbox, but no longer in the build: ${listSome(orphaned.map(inlineCode))}`];
}

// src/report/report.ts
function reportOf(task, { sandboxId, baseUrl }, { aborted: cancelled }, result) {
	return {
		task,
		name: "",
		sandboxId,
		baseUrl,
		cancelled,
		errors: [],
		warnings: [],
		...result
	};
}
/** Reports a task that threw an error. Nothing was judged, so a gate with `fail-if` fails. */
function failedReport(task, error, { hasFailIf, ...info }) {
	const measured = {
		samples: [],
		gate: {
			state: hasFailIf ? "failed" : "none",
			judgements: []
		}
	};
	const upload = EMPTY_UPLOAD;
	const sections = {
		sync: {
			upload,
			measured
		},
		upload: { upload },
		download: { download: {
			files: [],
			retries: 0,
			durationMs: 0
		} },
		stats: { measured },
		monitor: { measured },
		run: {
			command: {
				title: "",
				exitCode: void 0,
				status: "",
				durationMs: 0,
				lastLines: []
			},
			measured
		}
	};
	const unknown = {
		sandboxId: "",
		baseUrl: ""
	};
	return {
		task,
		...info,
		...unknown,
		errors: [error],
		warnings: [],
		...sections[task]
	};
}
/**
* Redacts what users typed, such as a token in the wrong input or in a file name. Skips the samples,
* whose text is already redacted, and numbers, which may happen to contain the digits of a secret.
*/
function redactReport({ measured, ...others }, redact) {
	const copy = JSON.parse(JSON.stringify(others), (name, value) => typeof value === "string" && !UNREDACTED.includes(name) ? redact(value) : value);
	if (measured === void 0) return copy;
	return {
		...copy,
		measured: {
			...measured,
			gate: redactGate(measured.gate, redact)
		}
	};
}
const UNREDACTED = [
	"task",
	"status",
	"kind",
	"digest",
	"sha256"
];
function redactGate(gate, redact) {
	const judgements = gate.judgements.map((judgement) => {
		const { text, metric } = judgement.condition;
		const name = unitOf(metric) === void 0 ? redact(metric) : metric;
		const condition = {
			...judgement.condition,
			text: redact(text),
			metric: name
		};
		if (judgement.holds !== void 0) return {
			...judgement,
			condition
		};
		return {
			...judgement,
			condition,
			why: redact(judgement.why)
		};
	});
	return {
		...gate,
		judgements
	};
}

// src/github/runner.ts
/** Reads the step's inputs, masking secrets before anything can be logged. */
function readInputs(entry) {
	const names = inputNames(entry);
	const raw = Object.fromEntries(names.map((name) => [name, getInput(name, { trimWhitespace: false })]));
	for (const secret of secretsIn(raw)) setSecret(secret);
	return raw;
}
function workspace() {
	return process.env["GITHUB_WORKSPACE"] || process.cwd();
}
const SIGNALS = [
	"SIGINT",
	"SIGTERM",
	"SIGBREAK"
];
const GRACE_MS = {
	SIGINT: 8500,
	SIGTERM: 2e3,
	SIGBREAK: 2e3
};
function cancelSignals() {
	const cancel = new AbortController();
	const killImminent = new AbortController();
	for (const signal of SIGNALS) process.on(signal, () => {
		cancel.abort("the job was cancelled");
		setTimeout(() => killImminent.abort(), GRACE_MS[signal]).unref();
	});
	return {
		cancel: cancel.signal,
		killImminent: killImminent.signal
	};
}
function tempDirectory() {
	return path.resolve(process.env["RUNNER_TEMP"] || tmpdir());
}

// src/github/job-state.ts
function jobMetadata() {
	const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_JOB } = process.env;
	return {
		"github-repository": GITHUB_REPOSITORY ?? "",
		"github-run-id": GITHUB_RUN_ID ?? "",
		"github-job": GITHUB_JOB ?? "",
		"sandbox-sync-id": randomUUID()
	};
}
function saveDeletion({ id, endsAt }, raw) {
	const names = inputNames("sandbox-end").filter((name) => name !== "api-key");
	const inputs = Object.fromEntries(names.map((name) => [name, raw[name] ?? ""]));
	saveState("sandbox", {
		id,
		endsAt,
		inputs
	});
}
function loadDeletion() {
	const { id, endsAt, inputs } = parseFields(getState("sandbox"));
	if (typeof id !== "string" || typeof endsAt !== "number") return void 0;
	return {
		sandbox: {
			id,
			endsAt
		},
		inputs: {
			...readInputs("sandbox-end"),
			...stringFieldsOf(inputs)
		}
	};
}
const SANDBOX_PREFIX = "sandbox-sync-sandbox-";
/** Masks the token and sets the outputs. If the URL is known, saves the sandbox for later steps. */
function publishSandbox(sandbox) {
	const { id, token, domain = "", baseUrl, endsAt } = sandbox;
	setSecret(token);
	const outputs = {
		id,
		token,
		domain,
		"base-url": baseUrl.replace("{port}", String(DEFAULT_PORT)).replace("{sandbox-id}", id),
		"header-prefix": "E2b"
	};
	for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
	if (baseUrl === "") return;
	const file = path.join(tempDirectory(), `${SANDBOX_PREFIX}${id}.json`);
	saveState("job-sandbox", file);
	writeFileSync(file, JSON.stringify({
		id,
		token,
		baseUrl,
		endsAt
	}), { mode: 384 });
}
/** Loads the sandboxes that earlier steps of this job saved, and masks their tokens. */
function loadJobSandboxes() {
	const sandboxes = filesInTemp(SANDBOX_PREFIX).flatMap((file) => {
		const { id, token, baseUrl, endsAt } = stringFieldsOf(parseFields(readFileSync(file, "utf8")));
		return id && token && baseUrl ? [{
			id,
			token,
			baseUrl,
			endsAt: Number(endsAt)
		}] : [];
	});
	for (const { token } of sandboxes) setSecret(token);
	return sandboxes;
}
function removeJobSandbox() {
	const file = getState("job-sandbox");
	if (file !== "") rmSync(file, { force: true });
}
const MONITOR_PREFIX = "sandbox-sync-monitor-";
function createMonitorDirectory() {
	const directory = mkdtempSync(path.join(tempDirectory(), MONITOR_PREFIX));
	saveState("directory", directory);
	setOutput("monitor", path.basename(directory));
	return directory;
}
function loadMonitorDirectory() {
	return getState("directory") || void 0;
}
function findMonitorDirectories() {
	return filesInTemp(MONITOR_PREFIX);
}
function filesInTemp(prefix) {
	const directory = tempDirectory();
	return readdirSync(directory).filter((name) => name.startsWith(prefix)).sort().map((name) => path.join(directory, name));
}

// src/github/log.ts
const MAX_ANNOTATION_LENGTH = 4e3;
/** Opens a log that redacts secrets and escapes workflow commands in every line. */
function openLog(redact) {
	const clean = (line) => escapeCommands(redact(line));
	const toMessage = (lines) => truncate(lines.map(clean).join("\n"), MAX_ANNOTATION_LENGTH);
	return {
		line: (text) => info(clean(text)),
		output: logOutput(redact),
		debug(text) {
			if (!isDebug()) return;
			for (const line of text.split("\n")) debug(clean(line));
		},
		group(title, lines) {
			startGroup(title);
			info(lines.map(clean).join("\n"));
			endGroup();
		},
		notice: (text) => notice(toMessage([text])),
		warning: (text) => warning(toMessage([text])),
		error: (lines) => error(toMessage(lines)),
		fail: (lines) => setFailed(toMessage(lines))
	};
}
const MAX_OUTPUT_LENGTH = 16777216;
function logOutput(redact) {
	let left = MAX_OUTPUT_LENGTH;
	return (lines) => {
		if (left <= 0) return;
		const text = escapeOutput(redact(lines)).slice(0, left);
		left -= text.length;
		info(text.replace(/\n$/, ""));
		if (left <= 0) info("The rest of the output is not shown, since the log is limited to 16 MiB.");
	};
}

// src/report/command-section.ts
function viewCommand(section, report) {
	const { title, exitCode, status, durationMs, lastLines } = section;
	return {
		level: exitCode === 0 ? "success" : "failure",
		headline: section.isExplained ? "" : headlineOf(section, report),
		outputs: {
			"exit-code": exitCode === void 0 ? "" : String(exitCode),
			"duration-ms": String(durationMs)
		},
		blocks: outputBlocks(lastLines),
		json: { command: {
			title,
			exitCode: exitCode ?? null,
			status,
			durationMs,
			lastLines
		} }
	};
}
function headlineOf({ title, exitCode, durationMs }, { cancelled }) {
	const name = formatCommand(title);
	const after = `after ${formatDuration(durationMs)}`;
	if (exitCode === 0) return `${name} exited with 0 ${after}`;
	return cancelled && durationMs > 0 ? `${name} was stopped ${after}` : "Nothing was run";
}
function outputBlocks(lastLines) {
	if (lastLines.length === 0) return [];
	const lines = lastLines.map((line) => html`${line.replaceAll("	", "    ")}`);
	return [html`<p>Last lines of the output:</p>`, html`<pre>${concat(lines, "\n")}</pre>`];
}
const MAX_TITLE = 60;
function formatCommand(title) {
	return inlineCode(truncate(title, MAX_TITLE));
}
/**
* Explains why a command failed; returns [] if it succeeded. If the job was cancelled, only reports
* a command that may still be running.
*/
function explainFailure({ title: command, durationMs }, end, stoppedBy) {
	const duration = formatDuration(durationMs);
	const fail = (how, reason = []) => [{
		title: `${formatCommand(command)} ${how}`,
		reason
	}];
	if (end.kind === "lost") {
		const how = `was not seen to end within ${duration}. It may still be running.`;
		return stoppedBy === "cancellation" ? fail(how) : fail(how, whyUnseen(end.error));
	}
	if (stoppedBy === "cancellation") return [];
	if (end.kind === "not-started") return fail("was not started.", whyUnseen(end.error));
	const { exitCode, status } = end;
	if (stoppedBy === "max-duration") return fail(`was stopped by max-duration after ${duration}.`);
	if (exitCode === void 0) return fail(`ended after ${duration}, but the agent did not say with which exit code.`);
	if (exitCode === 0) return [];
	if (exitCode !== -1) return fail(`exited with ${exitCode} after ${duration}.`, adviceOn(exitCode));
	const advice = status === "signal: killed" ? adviceOn(137) : [];
	return fail(`was ended after ${duration} (${inlineCode(status)}).`, advice);
}
const ADVICE = {
	126: "A file is not executable. Uploads carry no modes, so run `chmod +x` first.",
	127: "A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.",
	137: "Something killed it, perhaps because the memory was full. Compare the peak of the memory with its size.",
	141: "A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first."
};
function adviceOn(exitCode) {
	const advice = ADVICE[exitCode];
	return advice === void 0 ? [] : [withMarkup(advice)];
}
function whyUnseen({ kind, message, hint }) {
	return kind === "cancelled" ? [{ text: "max-duration was over, but the sandbox did not stop it." }] : [{ text: message }, withMarkup(hint)];
}

// src/report/download-section.ts
function viewDownload(section, report) {
	const { files, durationMs } = section;
	const totals = countFiles(files);
	const { planned, downloaded, missing, failed, notAttempted } = totals;
	const others = listCounts({
		failed,
		missing,
		"not attempted": notAttempted
	});
	return {
		level: levelOf(totals, downloaded === 0, report),
		headline: planned === 0 ? "Nothing was downloaded" : describeDone("Downloaded", downloaded, planned, durationMs, others),
		...explainFailedFiles(files, report),
		fileLines: limitLines(listFiles(files, describeFile)),
		logLines: describeSpeed(downloaded, totals.downloadedBytes, section),
		outputs: {
			"downloaded-count": String(downloaded),
			"failed-count": String(failed)
		},
		json: { download: {
			totals,
			...section
		} }
	};
}
function countFiles(files) {
	const count = (wanted) => files.filter(({ status }) => status === wanted).length;
	return {
		planned: files.length,
		downloaded: count("downloaded"),
		missing: count("missing"),
		failed: count("failed"),
		notAttempted: count("not-attempted"),
		downloadedBytes: files.reduce((sum, file) => sum + ("size" in file ? file.size : 0), 0)
	};
}
function describeFile(file) {
	const places = `${file.path} → ${file.target}`;
	return file.status === "downloaded" ? `${places} (${formatBytes(file.size)})` : places;
}

// src/report/figures.ts
/** Formats a figure in its metric's unit: `93.2 %`, `512 MiB`, `4`. */
function formatFigure(metric, figure) {
	return FORMATS[unitOf(metric) ?? "plain"](figure);
}
const FORMATS = {
	percentage: (figure) => `${formatDecimal(figure, 1)} %`,
	bytes: formatBytes,
	mebibytes: (figure) => formatBytes(figure * 2 ** 20),
	plain: (figure) => formatDecimal(figure, 2)
};
/** Formats a judged figure, unrounded if rounding would make it look equal to the limit. */
function formatJudged({ metric, limit }, figure) {
	const text = formatFigure(metric, figure);
	if (figure === limit || text !== formatFigure(metric, limit)) return text;
	return `${figure}${EXACT_UNITS[unitOf(metric) ?? "plain"]}`;
}
const EXACT_UNITS = {
	percentage: " %",
	bytes: " B",
	mebibytes: " MiB",
	plain: ""
};
function judgementLine(judgement) {
	const { condition } = judgement;
	const { text } = condition;
	if (judgement.holds === void 0) return `\`${text}\` cannot be judged: ${judgement.why}`;
	return `\`${text}\` ${judgement.holds ? "tripped:" : "does not hold: it was"} ${formatJudged(condition, judgement.figure)}`;
}
const RESOURCES = [
	{
		name: "CPU",
		used: ["cpu_used_pct"],
		total: "cpu_count",
		free: ""
	},
	{
		name: "memory",
		used: ["mem_used", "mem_used_pct"],
		total: "mem_total",
		free: "mem_free"
	},
	{
		name: "disk",
		used: ["disk_used", "disk_used_pct"],
		total: "disk_total",
		free: "disk_free"
	}
];
/** Returns the resource of a metric. An unknown metric is its own resource. */
function resourceOf(metric) {
	const inBytes = metric.replace(/_mib$/, "");
	return RESOURCES.find(({ used, free }) => used.includes(inBytes) || free === metric) ?? {
		name: inlineCode(metric),
		used: [metric],
		total: "",
		free: ""
	};
}
function formatMetric(metric) {
	const { name, free } = resourceOf(metric);
	return metric === free ? `free ${name}` : name;
}
function describeUsage(samples) {
	const figures = RESOURCES.flatMap((resource) => formatPeaks(resource, samples).slice(-1).map((peak) => `${resource.name} ${peak}`)).join(", ") || "no CPU, memory or disk usage";
	return samples.length === 1 ? `The sandbox reports ${figures}` : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}
function formatPeaks({ used }, samples) {
	return used.flatMap((metric) => {
		const figure = aggregateOf("max", metric, samples);
		return figure === void 0 ? [] : formatFigure(metric, figure);
	});
}
function figuresTable({ samples, gate }) {
	const judgements = gate.judgements.slice(0, 30);
	const metrics = new Set(judgements.map(({ condition }) => condition.metric));
	const rows = [.../* @__PURE__ */ new Set([...RESOURCES, ...[...metrics].map(resourceOf)])].flatMap((resource) => describeResource(resource, judgements, samples));
	if (samples.length === 0 || rows.length === 0) return [];
	const headings = [
		"",
		samples.length > 1 ? "Peak" : "Now",
		"Trips if"
	];
	const columns = judgements.length === 0 ? 2 : 3;
	const head = tableRow("th", headings.slice(0, columns));
	const body = rows.map((cells) => tableRow("td", cells.slice(0, columns)));
	return [html`<table>\n${concat([head, ...body])}</table>`];
}
function tableRow(tag, cells) {
	const aligned = cells.map((cell, column) => html`<${tag} align="${column === 0 ? "left" : "right"}">${cell}</${tag}>`);
	return html`<tr>${concat(aligned)}</tr>\n`;
}
/** Returns the cells of a row, or no row if the resource is neither reported nor judged. */
function describeResource(resource, judgements, samples) {
	const [first, second] = formatPeaks(resource, samples).map(unbroken);
	const conditions = judgements.filter(({ condition }) => resourceOf(condition.metric).name === resource.name).map(describeCondition);
	if (first === void 0 && conditions.length === 0) return [];
	const peak = html`${first ?? "not reported"}${second === void 0 ? "" : html` (${second})`}`;
	return [[
		formatResource(resource, samples),
		peak,
		concat(conditions, "<br>")
	]];
}
function formatResource({ name, total }, samples) {
	const heading = prose(`${name.charAt(0).toUpperCase()}${name.slice(1)}`);
	const figure = aggregateOf("last", total, samples);
	if (!figure) return heading;
	const size = total === "cpu_count" ? formatCount(figure, "core") : formatFigure(total, figure);
	return html`${heading} (${unbroken(size)})`;
}
const BREACH_MARKS = {
	fail: "❌",
	warn: "⚠️"
};
/** Returns a cell such as `❌ > 90 %`, `✅ mean > 80 % (45.1 %)` or `> 90 % (not judged)`. */
function describeCondition(judgement) {
	const { metric, aggregate, operator, limit } = judgement.condition;
	const prefix = aggregate === void 0 ? "" : `${aggregate} `;
	const comparison = unbroken(`${prefix}${operator} ${formatFigure(metric, limit)}`);
	const condition = html`${comparison}${metric === resourceOf(metric).free ? " free" : ""}`;
	if (judgement.holds === void 0) return html`${condition} (not judged)`;
	const mark = judgement.holds ? BREACH_MARKS[judgement.level] : "✅";
	const figure = aggregate === void 0 ? "" : ` (${formatJudged(judgement.condition, judgement.figure)})`;
	return html`${mark}&nbsp;${condition}${figure}`;
}

// src/report/chart.ts
const MIN_SAMPLES = 10;
const MAX_POINTS = 60;
const GAP_POINTS = 2.5;
const MAX_CHARTS = 4;
const PLOTS = [
	{
		name: "🟦 CPU",
		color: "#388bfd",
		metric: "cpu_used_pct"
	},
	{
		name: "🟪 memory",
		color: "#a371f7",
		metric: "mem_used_pct"
	},
	{
		name: "🟩 disk",
		color: "#2da44e",
		metric: "disk_used_pct"
	}
];
function drawCharts({ samples, gate }) {
	const stretches = splitAtGaps(samples).filter((stretch) => stretch.length >= MIN_SAMPLES);
	const drawn = stretches.slice(0, MAX_CHARTS).map(pointsOf);
	const plots = plotsOf(drawn.flat(), gate);
	if (drawn.length === 0 || plots.length === 0) return [];
	const notes = [
		...plots.map(({ legend }) => legend),
		...drawn.length > 1 ? ["a chart for each time without a gap"] : [],
		...stretches.length > MAX_CHARTS ? [moreInReport(stretches.length - MAX_CHARTS)] : []
	];
	const charts = drawn.map((points) => drawChart(points, plots));
	return [html`<p>In percent: ${notes.join(" · ")}</p>`, ...charts];
}
function plotsOf(points, { judgements }) {
	return PLOTS.filter(({ metric }) => pointPeaks(metric, points).length === points.length).map(({ name, color, metric }) => {
		const conditions = judgements.map(({ condition }) => condition).filter((each) => each.metric === metric && each.aggregate === void 0);
		const limits = [...new Set(conditions.map(({ limit }) => limit))];
		const figures = limits.map((limit) => formatFigure(metric, limit)).join(", ");
		return {
			legend: figures === "" ? name : `${name} (level line: limit ${figures})`,
			color,
			metric,
			limits
		};
	});
}
function splitAtGaps(samples) {
	const times = samples.map(({ at }) => at);
	const intervals = times.slice(1).map((at, index) => at - (times[index] ?? at));
	const median = intervals.toSorted((one, other) => one - other)[intervals.length >> 1] ?? 0;
	const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
	const longest = GAP_POINTS * Math.max(median, span / MAX_POINTS);
	const stretches = [[]];
	for (const [index, sample] of samples.entries()) {
		if ((intervals[index - 1] ?? 0) > longest) stretches.push([]);
		stretches.at(-1)?.push(sample);
	}
	return stretches;
}
function pointsOf(samples) {
	const perPoint = Math.ceil(samples.length / MAX_POINTS);
	return [...Map.groupBy(samples, (_, index) => Math.floor(index / perPoint)).values()];
}
/** Returns the highest figure of each point that has the metric. */
function pointPeaks(metric, points) {
	return points.flatMap((point) => aggregateOf("max", metric, point) ?? []);
}
function drawChart(points, plots) {
	const times = points.flat().map(({ at }) => at);
	const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
	const series = [...plots.map(({ color, metric }) => ({
		color,
		figures: pointPeaks(metric, points)
	})), ...plots.flatMap(({ color, limits }) => limits.map((limit) => ({
		color,
		figures: points.map(() => limit)
	})))];
	const top = Math.max(100, ...series.flatMap(({ figures }) => figures));
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
	return { html: [
		"```mermaid",
		`%%{init: ${JSON.stringify(style)}}%%`,
		"xychart-beta",
		"  accTitle: CPU, memory and disk over time",
		`  accDescr: From ${formatTime(from)} to ${formatTime(to)}, in percent`,
		`  ${timeAxis(from, to)}`,
		`  y-axis 0 --> ${Math.ceil(top)}`,
		...series.map(({ figures }) => `  line [${figures.map((each) => each.toFixed(2)).join(", ")}]`),
		"```"
	].join("\n") };
}
function timeAxis(from, to) {
	const unit = [{
		name: "hours",
		ms: 36e5
	}, {
		name: "minutes",
		ms: 6e4
	}].find(({ ms }) => to - from >= 2 * ms) ?? {
		name: "seconds",
		ms: 1e3
	};
	return `x-axis "${unit.name} since ${formatTime(from)}" 0 --> ${((to - from) / unit.ms).toFixed(2)}`;
}

// src/report/stats-section.ts
const NOT_MEASURED = {
	samples: [],
	gate: {
		state: "none",
		judgements: []
	}
};
function viewMeasured(section, report) {
	const { samples, gate, monitored } = section;
	const last = samples.at(-1);
	const aggregates = aggregatesOf(section);
	const breaches = breachesOf(gate.judgements);
	const breachesToReport = samples.length === 0 ? [] : breaches;
	const linesFor = (level) => breachesToReport.filter((breach) => breach.level === level).map((breach) => withMarkup(describeBreach(breach, samples)));
	const entries = breaches.map(breachEntry);
	return {
		level: LEVELS[gate.state],
		...describeSamples(section, breachesToReport, report),
		reasons: linesFor("fail").map((line) => [line]),
		warnings: linesFor("warn"),
		outputs: {
			...figureOutputs(last),
			stats: last?.json ?? "",
			gate: gate.state,
			breaches: JSON.stringify(entries),
			aggregates: JSON.stringify(aggregates)
		},
		blocks: [...figuresTable(section), ...drawCharts(section)],
		json: {
			monitored,
			gate: {
				state: gate.state,
				breaches: entries
			},
			figures: last === void 0 ? null : Object.fromEntries(last.figures),
			aggregates,
			samples: samples.map(({ at, figures }) => ({
				at,
				figures: Object.fromEntries(figures)
			})),
			stats: last === void 0 ? null : parseFields(last.json)
		}
	};
}
const LEVELS = {
	passed: "success",
	none: "success",
	warned: "warning",
	failed: "failure"
};
/** Describes the samples and the gate, such as `The gate failed: memory 93 % > 90 %.` */
function describeSamples({ samples, gate: { state } }, breaches, { errors, cancelled }) {
	if (samples.length === 0) return { headline: errors.some(({ title }) => title !== void 0) ? "" : "No stats were read" };
	const usage = describeUsage(samples);
	const decisive = breaches.filter(({ level }) => level === breaches[0]?.level);
	const tripped = decisive.filter(({ holds }) => holds);
	if (cancelled && tripped.length === 0) return { headline: usage };
	const named = tripped.length > 0 || errors.length > 0 ? tripped : decisive;
	return {
		headline: cancelled || breaches.length === 0 ? usage : "",
		gateSentence: gateSentence(state, named)
	};
}
const MAX_BREACHES = 3;
function gateSentence(state, breaches) {
	if (state === "none") return "";
	const names = listSome(breaches.map(formatBreach), MAX_BREACHES);
	return names === "" ? `The gate ${state}.` : `The gate ${state}: ${names}.`;
}
/** Describes a breach in a few words, such as `memory 93 % > 90 %`. */
function formatBreach(breach) {
	const { condition } = breach;
	const { text, metric, aggregate, operator, limit } = condition;
	if (breach.holds === void 0) return `\`${text}\` cannot be judged`;
	const comparison = `${formatJudged(condition, breach.figure)} ${operator} ${formatFigure(metric, limit)}`;
	return [
		formatMetric(metric),
		aggregate ?? [],
		comparison
	].flat().join(" ");
}
function describeBreach(breach, samples) {
	const line = judgementLine(breach);
	const { condition } = breach;
	if (breach.holds === void 0 || samples.length < 2) return line;
	const allSamples = formatCount(samples.length, "sample");
	if (condition.aggregate !== void 0) return `${line} over ${allSamples}`;
	const first = samples.find(({ figures }) => figures.get(condition.metric) === breach.figure);
	const count = samples.filter((sample) => judge(condition, [sample]).holds).length;
	return `${line} at ${formatTime(first?.at ?? 0)}, in ${formatNumber(count)} of ${allSamples}`;
}
function figureOutputs(sample) {
	const figures = Object.entries(METRICS).map(([metric, { decimals }]) => {
		const figure = sample?.figures.get(metric);
		const text = decimals === void 0 ? String(figure) : figure?.toFixed(decimals);
		return [metric.replaceAll("_", "-"), figure === void 0 ? "" : text];
	});
	return Object.fromEntries(figures);
}
function aggregatesOf({ gate, samples }) {
	const judged = gate.judgements.map(({ condition }) => condition.metric);
	const aggregates = [.../* @__PURE__ */ new Set([...Object.keys(METRICS), ...judged])].map((metric) => {
		const entries = AGGREGATE_NAMES.map((name) => [name, aggregateOf(name, metric, samples)]);
		return [metric, Object.fromEntries(entries)];
	});
	return Object.fromEntries(aggregates.filter(([, { last }]) => last !== void 0));
}
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

// src/report/verdict.ts
function verdictOf(report) {
	const views = viewsOf(report);
	return {
		level: verdictLevel(report, views),
		title: titleOf(report, views),
		titleHasCause: report.cancelled || report.errors.every(({ title }) => title !== void 0),
		reasons: [...report.errors.map(({ reason }) => reason).filter(({ length }) => length > 0), ...views.flatMap(({ reasons = [] }) => reasons)],
		fileFailures: views.flatMap(({ fileFailures = [] }) => fileFailures),
		warnings: [...views.flatMap(({ warnings = [] }) => warnings), ...report.warnings.map((text) => ({ text }))],
		notices: views.flatMap(({ notices = [] }) => notices),
		fileLines: views.flatMap(({ fileLines = [] }) => fileLines),
		logLines: views.flatMap(({ logLines = [] }) => logLines),
		outputs: Object.assign({}, ...views.map(({ outputs }) => outputs)),
		checksums: views.find(({ checksums }) => checksums !== void 0)?.checksums,
		blocks: views.toReversed().flatMap(({ blocks = [] }) => blocks),
		json: Object.assign({}, ...views.map(({ json }) => json))
	};
}
function succeeded({ level }) {
	return level === "success" || level === "warning";
}
function viewsOf(report) {
	const { command, upload, measured, download } = report;
	return [
		command && viewCommand(command, report),
		upload && viewUpload(upload, report),
		measured && viewMeasured(measured, report),
		download && viewDownload(download, report)
	].filter((view) => view !== void 0);
}
function verdictLevel({ cancelled, errors }, views) {
	if (cancelled) return "cancelled";
	const levels = views.map(({ level }) => level);
	if (errors.length > 0 || levels.includes("failure")) return "failure";
	return levels.includes("warning") ? "warning" : "success";
}
function titleOf({ cancelled, errors }, views) {
	const headline = views[0]?.headline ?? "";
	const done = headline === "" ? "" : `${headline}.`;
	const judged = views.find(({ gateSentence }) => gateSentence !== void 0);
	const gateSentence = judged?.gateSentence ?? "";
	return [
		cancelled ? "Cancelled." : "",
		...new Set(errors.map(({ title = "" }) => title)),
		...judged?.level === "success" ? [done, gateSentence] : [gateSentence, done]
	].filter((sentence) => sentence !== "").join(" ");
}
const REPORT_SCHEMA_URL = "https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json";
function reportJson(report, verdict) {
	const { task, name, sandboxId, baseUrl, cancelled, errors, warnings } = report;
	const document = {
		$schema: REPORT_SCHEMA_URL,
		task,
		succeeded: succeeded(verdict),
		headline: verdict.title,
		name,
		sandboxId,
		baseUrl,
		cancelled,
		errors: errors.map((error) => {
			const [message = "", ...details] = reasonLines(fullReason(error));
			return {
				message,
				details
			};
		}),
		warnings,
		...verdict.json
	};
	return `${JSON.stringify(document)}\n`;
}
const DOCS = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs";
const LEVEL_MARKS = {
	success: "✅",
	warning: "⚠️",
	failure: "❌",
	cancelled: "⛔"
};
function summaryOf(report, verdict) {
	const { level, title, reasons, fileFailures, warnings, notices, logLines, blocks } = verdict;
	const mark = LEVEL_MARKS[level];
	return [
		html`<h3>${mark} Sandbox Sync${formatNames(report)}: ${prose(title)}</h3>`,
		...shortList([...[...fileFailures, ...reasons].map((each) => html`${mark} ${renderReason(each)}`), ...warnings.map((each) => html`⚠️ ${renderLine(each)}`)]),
		...logLines.map((line) => html`<p>${line}</p>`),
		...blocks,
		...folded(formatCount(notices.length, "notice"), notices.map(prose)),
		footer(report)
	].map((block) => `${block.html}\n\n`).join("");
}
function renderReason(reason) {
	return concat(shorten(reason.map(renderLine)), "<br>");
}
function renderLine({ text, hasMarkup }) {
	return hasMarkup ? prose(text) : code(text.replaceAll("`", ""));
}
function formatNames({ name, sandboxId }) {
	const names = [name, sandboxId].filter((text) => text !== "").map(code);
	return names.length === 0 ? html`` : html` (${concat(names, ", ")})`;
}
function footer({ sandboxId, baseUrl }) {
	const sandbox = sandboxId === "" ? html`` : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
	const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
	return html`<p>${sandbox}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}

// src/github/publish.ts
/** Writes the outputs, the summary and the verdict, even if one of them fails. */
async function publish(unredacted, { log, redact, withSummary }) {
	const report = redactReport(unredacted, redact);
	const verdict = verdictOf(report);
	if (verdict.fileLines.length > 0) log.group("Files", verdict.fileLines);
	const problems = writeOutputs(report, verdict, log);
	if (withSummary) await writeSummary(report, verdict, log);
	logVerdict(report, verdict, problems, log);
}
function writeOutputs(report, verdict, log) {
	try {
		const outputs = {
			...writeFiles(report, verdict, log),
			...verdict.outputs
		};
		for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
		return [];
	} catch (error) {
		return [`The step's outputs could not be written: ${errorText(error)}.`];
	}
}
/** Writes the report and checksums. Returns their paths by output; '' for a file not written. */
function writeFiles(report, verdict, log) {
	const { checksums } = verdict;
	try {
		const folder = mkdtempSync(path.join(tempDirectory(), "sandbox-sync-"));
		const write = (name, text) => {
			const file = path.join(folder, name);
			writeFileSync(file, text, { mode: 384 });
			return file;
		};
		const paths = { report: write("report.json", reportJson(report, verdict)) };
		if (checksums === void 0) return paths;
		return {
			...paths,
			checksums: checksums && write("checksums.txt", checksums)
		};
	} catch (error) {
		log.warning(`The report file could not be written: ${errorText(error)}.`);
		return { report: "" };
	}
}
async function writeSummary(report, verdict, log) {
	try {
		await summary$1.addRaw(summaryOf(report, verdict)).write();
	} catch (error) {
		log.warning(`The job summary could not be written: ${errorText(error)}.`);
	}
}
const MAX_ANNOTATIONS = 9;
function logVerdict({ name }, verdict, problems, log) {
	const { title, titleHasCause, reasons, fileFailures, warnings, notices, logLines } = verdict;
	const prefix = name === "" ? "" : `${name}: `;
	const withName = ([first = "", ...others]) => [`${prefix}${first}`, ...others];
	for (const line of logLines) log.line(line);
	for (const { text } of warnings.slice(0, MAX_ANNOTATIONS)) log.warning(`${prefix}${text}`);
	for (const text of notices) log.notice(`${prefix}${text}`);
	for (const failure of fileFailures.slice(0, MAX_ANNOTATIONS)) log.error(withName(reasonLines(failure)));
	const causes = reasons.flatMap(reasonLines);
	const ending = titleHasCause ? [title, ...causes] : [...causes, title];
	const texts = withName([...problems, ...ending]);
	if (succeeded(verdict) && problems.length === 0) log.line(texts.join(" "));
	else log.fail(texts);
}

// src/github/step.ts
/** Runs a step. Logs a failure as an error, or as a warning that begins with `failureWarning`. */
async function runStep(entry, handler, savedInputs, failureWarning) {
	const { context, parse } = await openStep(entry, savedInputs);
	try {
		const { inputs, raw } = await parse();
		await handler(inputs, context, raw);
	} catch (error) {
		const lines = reasonLines(fullReason(toReportedError(error)));
		if (failureWarning === void 0) context.log.fail(lines);
		else context.log.warning([failureWarning, ...lines].join(" "));
	}
}
/** Runs a step and publishes its report, even if the handler throws. */
async function runReportingStep(entry, handler, savedInputs) {
	const { context, raw, parse } = await openStep(entry, savedInputs);
	const { cancel, redact, log } = context;
	let report;
	try {
		const parsed = await parse();
		report = await handler(parsed.inputs, context, parsed.raw);
	} catch (error) {
		report = failedReport(taskOf(entry), toReportedError(error), {
			name: raw["name"]?.trim() ?? "",
			cancelled: cancel.aborted,
			hasFailIf: entry === "monitor-stop" || Boolean(raw["fail-if"]?.trim())
		});
	}
	if (report !== void 0) {
		const withSummary = !/^\s*false\s*$/i.test(raw["summary"] ?? "");
		await publish(report, {
			log,
			redact,
			withSummary
		});
	}
	if (cancel.aborted) process.stdout.write("", () => process.exit());
}
function taskOf(entry) {
	return entry === "monitor-stop" || entry === "monitor-end" ? "monitor" : entry;
}
const UNLOGGED = [
	"headers",
	"env",
	"base-url",
	"api-url"
];
async function openStep(entry, savedInputs) {
	process.stdout.on("error", () => {});
	const raw = savedInputs ?? readInputs(entry);
	const usesSandbox = inputNames(entry).includes("token");
	const loading = Promise.try(() => usesSandbox ? loadJobSandboxes() : []);
	const sandboxes = await loading.catch(() => []);
	const redact = redactor([...secretsIn(raw), ...sandboxes.map(({ token }) => token)]);
	const log = openLog(redact);
	log.debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
	const loggable = Object.entries(raw).filter(([name]) => !UNLOGGED.includes(name));
	log.debug(`Inputs: ${JSON.stringify(Object.fromEntries(loggable), void 0, 2)}`);
	const context = {
		workspace: workspace(),
		...cancelSignals(),
		clock: () => performance.now(),
		now: Date.now,
		sleep,
		random: Math.random,
		redact,
		sandboxes,
		log
	};
	/** Fills in the job's sandbox and returns the inputs, parsed and raw. @throws InputError */
	async function parse() {
		const filled = usesSandbox ? withJobSandbox(raw, await loading) : raw;
		return {
			inputs: parseInputs(entry, filled),
			raw: filled
		};
	}
	return {
		context,
		raw,
		parse
	};
}

// src/stats/sample.ts
const MAX_LENGTH = 131072;
/** @throws AgentError if the request fails or the answer is unusable */
async function readStats(client, statsPath) {
	const request = {
		method: "GET",
		path: statsPath,
		headers: { "Cache-Control": "no-cache" },
		hints: HINTS$1
	};
	const answer = await client.send(request);
	if (answer.body.length > MAX_LENGTH) throw badAnswer(answer, "it is longer than 128 KiB");
	const stats = decodeStats(redactJson(answer.body, client.redact));
	if (stats === void 0) throw badAnswer(answer, "it is not a JSON object");
	return stats;
}
const HINTS$1 = { "not-found": "Check base-url and stats-path, which is added to it: the service has no such operation there. If it has no stats, use the actions `upload`, `download`, and `run` without conditions." };
function decodeStats(json) {
	try {
		const value = JSON.parse(json);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return void 0;
		return {
			figures: addDerived(numbersIn(value)),
			json: JSON.stringify(value)
		};
	} catch {
		return;
	}
}
function numbersIn(fields) {
	const numbers = Object.entries(fields).flatMap(([name, value]) => typeof value === "number" && Number.isFinite(value) ? [[name, value]] : []);
	return new Map(numbers);
}
const FIGURES_OF_TOTAL = {
	mem_total: [
		"mem_total",
		"mem_used",
		"mem_used_pct",
		"mem_free"
	],
	mem_total_mib: ["mem_total_mib", "mem_used_mib"],
	disk_total: [
		"disk_total",
		"disk_used",
		"disk_used_pct",
		"disk_free"
	]
};
function addDerived(sent) {
	const figures = new Map(sent);
	for (const [total, names] of Object.entries(FIGURES_OF_TOTAL)) if (sent.get(total) === 0) for (const name of names) figures.delete(name);
	for (const name of ["mem_total", "mem_used"]) {
		const bytes = figures.get(name);
		const mebibytes = figures.get(`${name}_mib`);
		if (bytes === void 0 && mebibytes !== void 0) figures.set(name, mebibytes * 2 ** 20);
		if (mebibytes === void 0 && bytes !== void 0) figures.set(`${name}_mib`, Math.floor(bytes / 2 ** 20));
	}
	for (const name of ["mem", "disk"]) {
		const total = figures.get(`${name}_total`);
		const used = figures.get(`${name}_used`);
		if (total === void 0 || used === void 0) continue;
		figures.set(`${name}_used_pct`, Math.round(used / total * 1e4) / 100);
		figures.set(`${name}_free`, total - used);
	}
	return new Map([...figures].filter(([, figure]) => Number.isFinite(figure)));
}

// src/tasks/measure.ts
/** Failed requests go into the report instead of being thrown. */
async function stats(inputs, context) {
	await using client = openAgent(inputs, context);
	const error = await waitForSandbox(inputs, client, context);
	const result = error ? reportUnmeasured(inputs, error) : await measure(inputs, client, context);
	return reportOf("stats", inputs, context.cancel, result);
}
const WAIT_LOG_INTERVAL_MS = 15e3;
/**
* Waits until one sample meets `wait-until`, if that is set. Returns an error if it takes too long
* or a failure cannot be retried, unless the job is cancelled.
*/
async function waitForSandbox(inputs, client, context) {
	const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval } = inputs;
	const { cancel, clock, sleep, log } = context;
	if (conditions === void 0 || cancel.aborted) return void 0;
	log.line(`Waiting up to ${formatDuration(timeoutMs)} for the sandbox`);
	const startedAt = clock();
	let nextLogMs = WAIT_LOG_INTERVAL_MS;
	let unmet = [];
	for (;;) {
		const outcome = await readStatsWithRetries({
			...inputs,
			retries: 0
		}, client, context);
		const waitedMs = clock() - startedAt;
		const error = "error" in outcome ? outcome.error : void 0;
		if ("value" in outcome) unmet = findUnmet(conditions, outcome.value).map(judgementLine);
		if (error === void 0 && unmet.length === 0) {
			log.line(`The sandbox was ready after ${formatDuration(waitedMs)}`);
			return;
		}
		const leftMs = timeoutMs - waitedMs;
		if (leftMs <= 0 || error?.isRetryable === false || !await sleep(Math.min(sampleInterval, leftMs), cancel)) return cancel.aborted ? void 0 : waitError(waitedMs, unmet, error);
		if (waitedMs < nextLogMs) continue;
		nextLogMs = waitedMs + WAIT_LOG_INTERVAL_MS;
		const reasons = error === void 0 ? unmet : [...unmet, error.message];
		log.line(`Waited ${formatDuration(waitedMs)}: ${reasons.join("; ")}`);
	}
}
function waitError(waitedMs, unmet, error) {
	if (error?.isRetryable === false) return toReportedError(error);
	const title = `The sandbox was not ready within ${formatDuration(waitedMs)}.`;
	const message = error === void 0 ? [] : [{ text: error.message }];
	const advice = error === void 0 ? unmet : [...unmet, error.hint];
	return {
		title,
		reason: [...message, ...advice.map(withMarkup)]
	};
}
/** Reports that nothing was measured, so no condition passes. */
function reportUnmeasured(inputs, error) {
	return {
		measured: {
			samples: [],
			gate: judgeGate(inputs, [])
		},
		errors: error === void 0 ? [] : [error]
	};
}
async function measure(inputs, client, context, cpuWindowStarted = false) {
	const { samples: count, sampleInterval } = inputs;
	const { cancel, now, sleep } = context;
	const dropped = count > 1 && !cpuWindowStarted ? 1 : 0;
	const taken = [];
	const errors = [];
	do {
		const outcome = await readStatsWithRetries(inputs, client, context);
		if ("error" in outcome) {
			const error = {
				...toReportedError(outcome.error),
				title: "The stats could not be read."
			};
			if (!cancel.aborted) errors.push(error);
			break;
		}
		taken.push({
			at: now(),
			...outcome.value
		});
	} while (taken.length < dropped + count && await sleep(sampleInterval, cancel));
	const samples = taken.slice(dropped);
	return {
		measured: {
			samples,
			gate: judgeGate(inputs, samples, samples.length < count)
		},
		errors
	};
}
/**
* @throws AgentError if the stats cannot be read
* @throws InputError if they lack a metric of `fail-if`
*/
async function readJudgeableStats(inputs, client, context) {
	const outcome = await readStatsWithRetries(inputs, client, context);
	if ("error" in outcome) throw outcome.error;
	const problems = findUnmet(inputs.failIf, outcome.value).filter(({ holds }) => holds === void 0).map(judgementLine);
	if (problems.length > 0) throw inputError("fail-if", `${problems.join("; ")}.`);
	return outcome.value;
}
function findUnmet(conditions, stats) {
	return conditions.map((each) => judge(each, [stats])).filter(({ holds }) => holds !== true);
}
async function readStatsWithRetries({ statsPath, retries }, client, context) {
	const { cancel, log } = context;
	const outcome = await withRetries(() => readStats(client, statsPath), {
		...context,
		retries,
		stop: cancel,
		onRetry: (retry) => log.line(describeRetry("the stats", retry))
	});
	if ("value" in outcome) log.debug(`Stats: ${outcome.value.json}`);
	return outcome;
}

// src/stats/samples.ts
async function trySample(read, now) {
	try {
		const stats = await read();
		return {
			at: now(),
			...stats
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		return { failure: error.message };
	}
}
const MAX_RECORD_BYTES = 16777216;
/**
* Records a sample after each interval until `stop` aborts or the record reaches 16 MiB. Returns
* why it ended.
*/
async function takeSamples(take, record, options) {
	const { intervalMs, sleep, stop, withLast } = options;
	let bytes = 0;
	while (!stop.aborted && bytes < MAX_RECORD_BYTES) {
		if (!await sleep(intervalMs, stop) && !withLast) break;
		const result = await take();
		record(result);
		bytes += JSON.stringify(result).length;
	}
	return stop.aborted ? String(stop.reason) : "its record was full";
}
const ENDED_AS_PLANNED = "the job asked for it";
function toRecord(results, endReason) {
	return {
		samples: results.filter((each) => "json" in each),
		failures: results.flatMap((each) => "failure" in each ? each.failure : []),
		endReason
	};
}
const MIN_TIMEOUT_MS$1 = 1e4;
/** Returns a sample's timeout (ms), capped so that one slow answer does not cause a gap. */
function sampleTimeout({ timeout, sampleInterval }) {
	return Math.min(timeout, Math.max(MIN_TIMEOUT_MS$1, sampleInterval));
}

// src/text/lines.ts
const MAX_LINE_LENGTH = 65536;
/**
* Decodes UTF-8 and passes on blocks of whole lines that end in `\n`, so that no secret is split
* between two blocks. Lines above 65,536 characters may be truncated.
*/
function lineSplitter(onLines) {
	const decoder = new TextDecoder();
	let unfinished = "";
	const add = (text) => {
		const all = (unfinished + text).replace(/\r\n|\r(?!$)/g, "\n");
		const end = all.lastIndexOf("\n") + 1;
		if (end > 0) onLines(all.slice(0, end));
		unfinished = all.slice(end, end + MAX_LINE_LENGTH);
	};
	return {
		write: (bytes) => add(decoder.decode(bytes, { stream: true })),
		end() {
			add(decoder.decode());
			if (unfinished !== "") onLines(`${unfinished.replace(/\r$/, "")}\n`);
			unfinished = "";
		}
	};
}

// src/command/process.ts
/** Starts a process and follows it. @throws AgentError unless it is seen to exit */
function startProcess(client, { command: cmd, args, env: envs, workingDirectory, username }, handlers) {
	const message = {
		process: {
			cmd,
			args,
			envs,
			...workingDirectory === "" ? {} : { cwd: workingDirectory }
		},
		stdin: false
	};
	const credentials = Buffer.from(`${username}:`).toString("base64");
	return follow(client, "/process.Process/Start", message, handlers, username === "" ? void 0 : { Authorization: `Basic ${credentials}` });
}
/**
* Follows a running process. Output written while nothing was connected is lost, but E2B's agent
* remembers an exit for 30 s.
* @throws AgentError unless it is seen to exit
*/
function attachProcess(client, pid, handlers) {
	return follow(client, "/process.Process/Connect", { process: { pid } }, handlers);
}
/** Kills a process, but not its children. @throws AgentError if the request fails */
async function killProcess(client, pid) {
	const message = {
		process: { pid },
		signal: "SIGNAL_SIGKILL"
	};
	await client.send(postJson("/process.Process/SendSignal", message));
}
const KEEPALIVE_SECONDS = 10;
function follow(client, path, message, handlers, headers = {}) {
	const frame = frameOf(message);
	const request = {
		method: "POST",
		path,
		headers: {
			...headers,
			"Content-Type": "application/connect+json",
			"Content-Length": String(frame.length),
			"Connect-Protocol-Version": "1",
			"Keepalive-Ping-Interval": String(KEEPALIVE_SECONDS)
		},
		body: [frame],
		hints: { "not-found": "Check base-url. If it is right, the service cannot run commands: it has no process service like that of E2B's agent." }
	};
	return client.receive(request, (answer) => readEvents(answer, client.redact, handlers));
}
async function readEvents(answer, redact, { onStart, onOutput }) {
	const { label } = answer;
	for await (const { isLast, fields } of readFrames(answer)) {
		if (isLast && fields["error"] !== void 0) throw streamFailure(fields["error"], label, redact);
		if (isLast) throw new AgentError("bad-answer", `${label} did not say how the command ended.`);
		const { start, data, end } = fieldsOf(fields["event"]);
		const { pid } = fieldsOf(start);
		if (typeof pid === "number") onStart(pid);
		for (const text of Object.values(fieldsOf(data))) if (typeof text === "string") onOutput(Buffer.from(text, "base64"));
		if (end !== void 0) return decodeEnd(end, redact);
	}
	throw new AgentError("connection", `${label} failed: the connection was closed.`);
}
function decodeEnd(end, redact) {
	const { exitCode = 0, exited, status } = fieldsOf(end);
	return {
		exitCode: typeof exitCode === "number" && (exitCode !== 0 || exited === true) ? exitCode : void 0,
		status: excerpt(typeof status === "string" ? status : "", redact)
	};
}
const HEADER_BYTES = 5;
const END_OF_STREAM = 2;
const MAX_FRAME_BYTES = 1048576;
function frameOf(message) {
	const json = Buffer.from(JSON.stringify(message));
	const header = Buffer.alloc(HEADER_BYTES);
	header.writeUInt32BE(json.length, 1);
	return Buffer.concat([header, json]);
}
/** Yields the frames, but drops a truncated last one. @throws AgentError if a frame is too long */
async function* readFrames({ label, body }) {
	let unread = Buffer.alloc(0);
	for await (const chunk of body) {
		unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
		while (unread.length >= HEADER_BYTES) {
			const end = HEADER_BYTES + unread.readUInt32BE(1);
			if (end > MAX_FRAME_BYTES) {
				const message = `${label} answered with something other than frames.`;
				throw new AgentError("bad-answer", message, {
					status: 200,
					hadNoEffect: true
				});
			}
			if (unread.length < end) break;
			const fields = parseFields(unread.toString("utf8", HEADER_BYTES, end));
			yield {
				isLast: unread[0] === END_OF_STREAM,
				fields
			};
			unread = unread.subarray(end);
		}
	}
}
const CONNECT_CODES = [
	{
		code: "unauthenticated",
		kind: "unauthorized",
		hint: "Check username: it must be a user of the sandbox."
	},
	{
		code: "invalid_argument",
		kind: "rejected",
		hint: "Check that working-directory exists in the sandbox, and that the user may enter it. A script must be shorter than 128 KiB."
	},
	{
		code: "not_found",
		kind: "rejected",
		hint: "It may have ended while the connection was lost, or the sandbox may have been restarted."
	},
	{
		code: "unavailable",
		kind: "busy"
	},
	{
		code: "resource_exhausted",
		kind: "busy"
	}
];
function streamFailure(error, label, redact) {
	const { code, message } = fieldsOf(error);
	const { kind = "server", hint } = CONNECT_CODES.find((each) => each.code === code) ?? {};
	const words = excerpt((typeof message === "string" ? message : "").replace(/^error starting process '.*': /s, ""), redact);
	const said = `${label} failed (${excerpt(String(code), redact)}). It said: ${JSON.stringify(words)}.`;
	return new AgentError(kind, said, {
		hint,
		status: 200,
		hadNoEffect: true
	});
}

// src/tasks/follow-script.ts
const MIN_TIMEOUT_MS = 3e4;
const MAX_RECONNECTS = 10;
const GIVE_UP_MS = 14e3;
/** Runs the script once, reconnecting if the connection is lost, and ends it on `stopScript`. */
async function followScript(inputs, context, stopScript, onOutput) {
	if (stopScript.aborted) return {
		end: {
			kind: "not-started",
			error: new AgentError("cancelled", "The job was cancelled.")
		},
		reconnects: 0
	};
	const giveUp = new AbortController();
	const stop = AbortSignal.any([context.killImminent, giveUp.signal]);
	const timeout = Math.max(inputs.timeout, MIN_TIMEOUT_MS);
	await using client = openAgent({
		...inputs,
		timeout
	}, {
		...context,
		cancel: stop
	});
	const policy = {
		...context,
		retries: MAX_RECONNECTS,
		stop,
		onRetry: ({ error, delayMs }) => context.log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`)
	};
	const { started, ended } = startScript(inputs, client, onOutput, policy);
	const stopped = once(stopScript, "abort").then(() => "stopped");
	if (await Promise.race([ended, stopped]) === "stopped") {
		setTimeout(() => giveUp.abort(), GIVE_UP_MS).unref();
		const pid = await started;
		if (pid !== void 0) await endSession(client, pid, inputs.username, policy);
	}
	const outcome = await ended;
	return {
		end: toCommandEnd(outcome, await started !== void 0),
		reconnects: outcome.attempts - 1
	};
}
/** `started` resolves to the script's PID, or to undefined if the script did not start. */
function startScript(inputs, client, onOutput, policy) {
	const { promise: started, resolve } = Promise.withResolvers();
	let pid;
	const onStart = (startedPid) => {
		pid = startedPid;
		resolve(startedPid);
	};
	const handlers = {
		onStart,
		onOutput
	};
	return {
		started,
		ended: withRetries(() => pid === void 0 ? startProcess(client, wrap(inputs), handlers) : attachProcess(client, pid, handlers), {
			...policy,
			isRepeatable: () => pid !== void 0
		}).finally(() => resolve(void 0))
	};
}
const WRAPPER = `exec 2>&1 </dev/null
read -r _ _ _ _ group _ 2>/dev/null </proc/$$/stat
[ "\${group:-$$}" = $$ ] || ! command -v setsid >/dev/null || exec setsid "$@"
exec "$@"`;
const SHELL = [
	"/bin/bash",
	"-l",
	"-c",
	"exec bash -eo pipefail -c \"$1\"",
	"-"
];
function wrap({ run, env, workingDirectory, username }) {
	return {
		command: "/bin/sh",
		args: [
			"-c",
			WRAPPER,
			"--",
			...SHELL,
			run
		],
		env,
		workingDirectory,
		username
	};
}
const END_SESSION = `leader=$1
members() {
  for file in /proc/[0-9]*/stat; do
    read -r stat <"$file" || continue
    set -- \${stat%% *} \${stat##*) }
    case "$2 $4 $5" in
      Z*) ;;
      *" $leader "* | *" $leader") echo "$1" ;;
    esac
  done
}
kill -TERM $(members)
for second in 1 2 3 4; do
  [ -z "$(members)" ] || sleep 1
done
kill -KILL $(members)`;
async function endSession(client, pid, username, policy) {
	const options = {
		command: "/bin/sh",
		args: [
			"-c",
			END_SESSION,
			"--",
			String(pid)
		],
		env: {},
		workingDirectory: "/"
	};
	const handlers = {
		onStart: () => {},
		onOutput: () => {}
	};
	for (const user of ["root", username]) {
		const start = () => startProcess(client, {
			...options,
			username: user
		}, handlers);
		if ("value" in await withRetries(start, policy)) break;
	}
	await withRetries(() => killProcess(client, pid), policy);
}
function toCommandEnd(outcome, isStarted) {
	if ("value" in outcome) return {
		kind: "ended",
		...outcome.value
	};
	const { error } = outcome;
	return {
		kind: isStarted || !error.hadNoEffect ? "lost" : "not-started",
		error
	};
}

// src/tasks/judge-record.ts
/**
* Judges a record between two times in Unix milliseconds. A gap is an error if there is a
* `fail-if`, and a warning otherwise.
*/
function judgeRecord(inputs, record, { from, to }) {
	const { samples } = record;
	const monitored = {
		from,
		to: Math.max(samples.at(-1)?.at ?? to, to)
	};
	const gaps = findGaps(record, from, to, inputs.sampleInterval);
	const texts = gaps.map(({ text }) => text);
	const [title] = inputs.failIf.length > 0 ? gaps.map((gap) => gap.title) : [];
	const reason = texts.filter((text) => text !== title).map((text) => ({ text }));
	return {
		measured: {
			samples,
			monitored,
			gate: judgeGate(inputs, samples, gaps.length > 0)
		},
		errors: title === void 0 ? [] : [{
			title,
			reason
		}],
		warnings: [...describeFailures(record), ...title === void 0 ? texts : []]
	};
}
const GAP_INTERVALS = 10;
const MIN_GAP_MS = 3e4;
function findGaps({ samples, failures, endReason }, from, to, intervalMs) {
	const longest = Math.max(GAP_INTERVALS * intervalMs, MIN_GAP_MS);
	const gaps = [];
	let last = from;
	for (const { at } of samples) {
		if (at - last > longest) gaps.push(describeGap(last, at));
		last = at;
	}
	const isBlind = last === from && (samples.length === 0 || failures.length > 1);
	if (endReason === "the job asked for it" && !isBlind && to - last <= longest) return gaps;
	return [...gaps, describeGap(last, Math.max(to, last), whyEnded(endReason))];
}
function whyEnded(endReason) {
	if (endReason === void 0) return ", since what took the samples was killed or hangs";
	return endReason === "the job asked for it" ? "" : `, since sampling had ended: ${endReason}`;
}
function describeGap(from, to, why = "") {
	const title = `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}`;
	return {
		title: `${title}.`,
		text: `${title}${why}.`
	};
}
function describeFailures({ failures: [first, ...others] }) {
	if (first === void 0) return [];
	const suffix = others.length === 0 ? "" : ", the first";
	return [`${formatCount(others.length + 1, "sample")} failed${suffix}: ${first}`];
}

// src/tasks/run.ts
const STATS_PATH = "/metrics";
/**
* Runs a script in the sandbox, takes samples meanwhile, and judges them.
* @throws AgentError or InputError, before anything runs, if `fail-if` cannot be judged
*/
async function run(inputs, context) {
	const { cancel, now } = context;
	logSandboxEnd(inputs, context);
	await using client = openAgent({
		...inputs,
		timeout: sampleTimeout(inputs)
	}, context);
	const first = {
		...inputs,
		statsPath: STATS_PATH,
		retries: 2
	};
	if (inputs.failIf.length > 0) await readJudgeableStats(first, client, context);
	else await readStatsWithRetries(first, client, context);
	const from = now();
	const ended = new AbortController();
	const [script, record] = await Promise.all([runScript(inputs, context).finally(() => ended.abort(ENDED_AS_PLANNED)), sampleUntil(ended.signal, inputs, client, context)]);
	const { command, isStarted, endedAt: to, errors, warnings } = script;
	const recordToJudge = isStarted ? record : {
		...record,
		samples: []
	};
	const { measured, ...gaps } = judgeRecord(inputs, recordToJudge, {
		from,
		to
	});
	const isMeasured = inputs.failIf.length + inputs.warnIf.length > 0 || record.samples.length > 0;
	const isJudged = isStarted && isMeasured && !cancel.aborted;
	return reportOf("run", inputs, cancel, {
		name: inputs.name,
		command,
		measured,
		errors: isJudged ? [...errors, ...gaps.errors] : errors,
		warnings: isJudged ? [...warnings, ...gaps.warnings] : warnings
	});
}
function logSandboxEnd({ sandboxId, maxDuration }, { now, sandboxes, log }) {
	const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
	if (endsAt === void 0 || now() + maxDuration <= endsAt) return;
	log.line(`The sandbox may end at ${formatTime(endsAt)}, before max-duration (${formatDuration(maxDuration)}) is over. To run longer, raise its lifetime.`);
}
const LAST_SAMPLE_DELAY_MS = 200;
async function sampleUntil(ended, { sampleInterval: intervalMs }, client, { cancel, now, sleep }) {
	const take = () => trySample(() => readStats(client, STATS_PATH), now);
	const observations = [];
	const needsLastSample = () => {
		const hasSample = observations.some((each) => "json" in each);
		const hasFailedOften = observations.length > 1;
		return !hasSample && !hasFailedOften;
	};
	const add = (observation) => {
		if (!ended.aborted || needsLastSample()) observations.push(observation);
	};
	const endReason = await takeSamples(take, add, {
		intervalMs,
		sleep,
		stop: ended,
		withLast: false
	});
	if (needsLastSample() && await sleep(LAST_SAMPLE_DELAY_MS, cancel)) observations.push(await take());
	return toRecord(observations, endReason);
}
const MAX_LAST_LINE = 1e3;
async function runScript(inputs, context) {
	const { sandboxId, baseUrl, maxDuration } = inputs;
	const { cancel, clock, now, redact, log } = context;
	const title = redact(inputs.name || inputs.run.replace(/\n.*/s, " …"));
	log.line(`Running ${inlineCode(title)} in sandbox ${sandboxId} at ${baseUrl}`);
	let last = "";
	const output = lineSplitter((text) => {
		log.output(text);
		last = `${last}${text}`.split("\n").slice(-21).join("\n");
	});
	const maxDurationSignal = AbortSignal.timeout(maxDuration);
	const stopScript = AbortSignal.any([cancel, maxDurationSignal]);
	const startedAt = clock();
	const { end, reconnects } = await followScript(inputs, context, stopScript, output.write);
	output.end();
	const text = redact(removeColors(last)).trimEnd();
	const lines = text === "" ? [] : text.split("\n");
	const isStarted = end.kind !== "not-started";
	const command = {
		title,
		exitCode: end.kind === "ended" ? end.exitCode : void 0,
		status: end.kind === "ended" ? end.status : "",
		durationMs: isStarted ? Math.round(clock() - startedAt) : 0,
		lastLines: lines.map((line) => truncate(line, MAX_LAST_LINE))
	};
	const stoppedBy = maxDurationSignal.aborted ? "max-duration" : void 0;
	const errors = explainFailure(command, end, cancel.aborted ? "cancellation" : stoppedBy);
	const lost = `The connection was lost ${formatCount(reconnects, "time")}, so output of the command may be missing.`;
	return {
		command: {
			...command,
			isExplained: errors.length > 0
		},
		isStarted,
		endedAt: now(),
		errors,
		warnings: reconnects === 0 ? [] : [lost]
	};
}

// src/monitor/record.ts
/** Returns the paths of a monitor's files, which never contain secret inputs. */
function monitorFiles(directory) {
	return {
		inputs: path.join(directory, "inputs.json"),
		record: path.join(directory, "record.jsonl"),
		/** Contains the PID of the sampler, which removes the file when it exits. */
		pid: path.join(directory, "pid"),
		errors: path.join(directory, "errors.txt"),
		stop: path.join(directory, "stop")
	};
}
function saveInputs(directory, inputs) {
	writeFileSync(monitorFiles(directory).inputs, JSON.stringify(inputs), { mode: 384 });
}
function loadInputs(directory) {
	const json = readIfExists(monitorFiles(directory).inputs);
	return json === "" ? void 0 : stringFieldsOf(JSON.parse(json));
}
/** Returns true until the sampler exits normally. A killed one leaves its PID file behind. */
function isSampling(directory) {
	return existsSync(monitorFiles(directory).pid);
}
const STOPPED = "stopped";
function requestStop(directory) {
	appendFileSync(monitorFiles(directory).stop, "", { mode: 384 });
}
function markStopped(directory) {
	writeFileSync(monitorFiles(directory).stop, STOPPED);
}
function isStopped(directory) {
	return readIfExists(monitorFiles(directory).stop) === STOPPED;
}
function appendLine(directory, line) {
	const json = JSON.stringify({
		...line,
		figures: void 0
	});
	appendFileSync(monitorFiles(directory).record, `${json}\n`, { mode: 384 });
}
/** Reads the record, skipping the partial line that a killed sampler may leave. */
function readRecord(directory) {
	const { record, errors } = monitorFiles(directory);
	const lines = readIfExists(record).split("\n").map(parseFields);
	const end = lines.map((line) => line["end"]).findLast((each) => typeof each === "string");
	return toRecord(lines.flatMap(decodeLine), end ?? findErrorLine(readIfExists(errors)));
}
function decodeLine({ at, json, failure }) {
	if (typeof failure === "string") return [{ failure }];
	const stats = typeof json === "string" ? decodeStats(json) : void 0;
	return typeof at === "number" && stats !== void 0 ? [{
		at,
		...stats
	}] : [];
}
function findErrorLine(stderr) {
	const lines = stderr.trim().split("\n");
	return (lines.findLast((each) => /^(FATAL ERROR|\w*Error)\b/.test(each)) ?? lines.at(-1))?.trim() || void 0;
}
function readIfExists(file) {
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}

// src/monitor/sampler.ts
/** @throws InputError if the sampler exits before it has read its inputs */
async function startSampler(script, directory, inputs) {
	const { errors, pid } = monitorFiles(directory);
	const errorFile = openSync(errors, "a", 384);
	const withoutInputs = Object.entries(process.env).filter(([name]) => !name.startsWith("INPUT_"));
	const child = spawn(process.execPath, [
		script,
		directory,
		String(process.ppid)
	], {
		env: Object.fromEntries(withoutInputs),
		cwd: path.dirname(directory),
		detached: true,
		windowsHide: true,
		stdio: [
			"pipe",
			"ignore",
			errorFile
		]
	});
	closeSync(errorFile);
	await once(child, "spawn");
	await (child.stdin && finished(child.stdin.end(JSON.stringify(inputs))))?.catch(() => {
		const { endReason = "for no known reason" } = readRecord(directory);
		throw inputError("monitor", `its process ended at once: ${endReason}.`);
	});
	writeFileSync(pid, String(child.pid), { mode: 384 });
	child.unref();
}
/** Runs in the sampler's process, which gets its inputs on stdin. */
async function runSampler(directory, jobPid) {
	process.once("exit", () => rmSync(monitorFiles(directory).pid, { force: true }));
	const raw = stringFieldsOf(parseFields(await text(process.stdin)));
	const inputs = parseInputs("monitor", raw);
	const { stop, cancel } = watchForEnd(directory, jobPid, inputs.maxDuration);
	const timeout = sampleTimeout(inputs);
	const redact = redactor(secretsIn(raw));
	await using client = openAgent({
		...inputs,
		timeout
	}, {
		cancel,
		now: Date.now,
		redact
	});
	const take = () => trySample(() => readStats(client, inputs.statsPath), Date.now);
	const sampling = {
		intervalMs: inputs.sampleInterval,
		sleep,
		stop,
		withLast: true
	};
	const end = await takeSamples(take, (result) => appendLine(directory, result), sampling);
	appendLine(directory, { end });
}
const CHECK_INTERVAL_MS = 200;
const LAST_SAMPLE_TIMEOUT_MS = 5e3;
/** Aborts `stop` with the reason to end, and `cancel` 5 s later. */
function watchForEnd(directory, jobPid, maxDurationMs) {
	const stop = new AbortController();
	const cancel = new AbortController();
	const endsAt = performance.now() + maxDurationMs;
	const end = (reason) => {
		clearInterval(timer);
		stop.abort(reason);
		setTimeout(() => cancel.abort(), LAST_SAMPLE_TIMEOUT_MS).unref();
	};
	const check = () => {
		if (existsSync(monitorFiles(directory).stop)) end(ENDED_AS_PLANNED);
		else if (!existsSync(directory) || !isRunning(jobPid)) end("its job is gone");
		else if (performance.now() > endsAt) end("max-duration was over");
	};
	const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
	return {
		stop: stop.signal,
		cancel: cancel.signal
	};
}
const MAX_WAIT_MS = 8e3;
const POLL_MS = 50;
async function waitForSampler(directory, { sleep, cancel, clock }) {
	const deadline = clock() + MAX_WAIT_MS;
	while (isSampling(directory) && clock() < deadline) if (!await sleep(POLL_MS, cancel)) return;
}
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

// src/tasks/monitor.ts
/**
* Takes a sample, so that a wrong token, host or ID fails this step, then starts the sampler.
* @throws AgentError if the sample fails
* @throws InputError if the sample lacks a metric of `fail-if`, or the sampler exits at once
*/
async function startMonitor(inputs, raw, context, { script, openDirectory }) {
	await using client = openAgent(inputs, context);
	const request = {
		...inputs,
		retries: 2
	};
	const stats = await readJudgeableStats(request, client, context);
	const directory = openDirectory();
	const judgingInputs = inputNames("monitor-end").map((name) => [name, raw[name] ?? ""]);
	saveInputs(directory, {
		...Object.fromEntries(judgingInputs),
		"base-url": inputs.baseUrl
	});
	appendLine(directory, {
		at: context.now(),
		...stats
	});
	await startSampler(script, directory, raw);
	const { name, sandboxId, sampleInterval } = inputs;
	const activity = name === "" ? "Monitoring" : `${name}: monitoring`;
	const interval = formatDuration(sampleInterval);
	context.log.line(`${activity} sandbox ${sandboxId}, a sample every ${interval}`);
}
/** Stops the sampler and judges its record. @throws InputError if the record is lost */
async function endMonitor(directory, context) {
	const { cancel } = context;
	const lost = `its record is lost: something removed files from ${directory}.`;
	const saved = loadInputs(directory);
	if (saved === void 0) throw inputError("monitor", lost);
	const jobEnd = context.now();
	requestStop(directory);
	await waitForSampler(directory, context);
	const record = readRecord(directory);
	const [first] = record.samples;
	if (first === void 0) throw inputError("monitor", lost);
	const endReason = cancel.aborted ? ENDED_AS_PLANNED : record.endReason;
	const inputs = parseInputs("monitor-end", saved);
	const judged = judgeRecord(inputs, {
		...record,
		endReason
	}, {
		from: first.at,
		to: jobEnd
	});
	return reportOf("monitor", inputs, cancel, {
		name: inputs.name,
		...judged
	});
}
/**
* Returns the directory of the running monitor with this ID or name; an empty `wanted` fits any.
* @throws InputError unless exactly one fits
*/
function chooseMonitor(wanted, directories) {
	const running = directories.filter((directory) => !isStopped(directory)).map((directory) => {
		return {
			directory,
			name: loadInputs(directory)?.["name"]?.trim() ?? "",
			id: path.basename(directory)
		};
	});
	if (running.length === 0) throw inputError("monitor", NONE_RUNS);
	const [only, ...others] = running.filter(({ name, id }) => [
		"",
		name,
		id
	].includes(wanted));
	if (only !== void 0 && others.length === 0) return only.directory;
	const names = running.map(({ name, id }) => name === "" ? id : `${quote(name)} (${id})`);
	throw inputError("monitor", `must name exactly one running monitor of this job, not ${quote(wanted)}. Running: ${names.join(", ")}. Use the output of the step that started the monitor.`, "${{ steps.<its id>.outputs.monitor }}");
}
const NONE_RUNS = "no monitor runs in this job. The step sandbox-sync/sandbox-sync/monitor must come before this one, and only one step can stop it.";

// src/sandbox/sandbox-api.ts
/**
* Opens the API, to be declared with `await using`. `stop` only prevents retries.
* @throws InputError for a bad proxy URL
*/
function openApi({ apiUrl: baseUrl, apiKey, headers, timeout, retries }, context, stop) {
	const { killImminent: cancel, sleep, random, log } = context;
	const endpoint = {
		baseUrl,
		headers: {
			...headers,
			"X-API-Key": apiKey
		},
		timeout
	};
	const client = openClient(endpoint, {
		...context,
		cancel
	});
	const onRetry = (retry) => log.line(describeRetry("the sandbox", retry));
	return {
		...client,
		retries,
		sleep,
		random,
		stop,
		onRetry
	};
}
/** Calls `onUncertain` once if a failed attempt may have created a sandbox. @throws AgentError */
async function createSandbox(api, inputs, onUncertain) {
	const { template: templateID, lifetime, metadata, env: envVars } = inputs;
	const settings = {
		timeout: toSeconds(lifetime),
		secure: true,
		autoPause: false
	};
	const request = postJson("/sandboxes", {
		templateID,
		...settings,
		metadata,
		envVars
	});
	const isRepeatable = ({ hadNoEffect, status }) => hadNoEffect || status === 503;
	let isUncertain = false;
	const create = async () => {
		try {
			return decodeSandbox(await api.send(request));
		} catch (error) {
			isUncertain ||= !(error instanceof AgentError && error.hadNoEffect);
			throw error;
		}
	};
	try {
		return await callWithRetries({
			...api,
			isRepeatable
		}, create);
	} finally {
		if (isUncertain) onUncertain();
	}
}
/** Extends the sandbox's lifetime to at least `lifetimeMs` from now. @throws AgentError */
async function connectToSandbox(api, id, lifetimeMs) {
	const request = postJson(`/sandboxes/${id}/connect`, { timeout: toSeconds(lifetimeMs) });
	const connect = async () => decodeSandbox(await api.send(request));
	return {
		...await callWithRetries(api, connect),
		id
	};
}
/** Returns false if the sandbox was already gone. @throws AgentError if it may still be running */
function deleteSandbox(api, id) {
	const request = {
		method: "DELETE",
		path: `/sandboxes/${id}`,
		accepts: [404]
	};
	return callWithRetries(api, async () => {
		const answer = await api.send(request);
		if (isFromProxy(answer)) throw badAnswer(answer, "it is not JSON");
		return answer.status !== 404;
	});
}
async function callWithRetries(api, call) {
	const outcome = await withRetries(call, api);
	if ("value" in outcome) return outcome.value;
	const { kind, message } = outcome.error;
	throw new AgentError(kind, message, { hint: HINTS[kind] ?? OTHER_HINT });
}
function toSeconds(ms) {
	return Math.ceil(ms / 1e3);
}
function decodeSandbox(answer) {
	const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(parseAnswer(answer));
	if (typeof id !== "string" || !isSandboxId(id)) throw badAnswer(answer, "it names no sandbox");
	const text = (value) => typeof value === "string" && value !== "" ? value : void 0;
	return {
		id,
		token: text(token),
		domain: text(domain)
	};
}
const HINTS = {
	unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
	"not-found": "Check template or sandbox-id, and api-url, to which /sandboxes is added.",
	"sandbox-not-found": "Check sandbox-id: a sandbox that was deleted or has expired is gone.",
	unreachable: "Check api-url, that this runner can reach the host, and its proxy settings (HTTPS_PROXY, NO_PROXY). For a certificate of a private CA, set NODE_EXTRA_CA_CERTS to the file of the CA.",
	connection: "The connection is unreliable, or the service needs longer to answer: run the job again, or raise timeout. If api-url begins with http://, the port may want https://.",
	"bad-answer": "Check api-url: it is the URL of the service's API, not of its website."
};
const OTHER_HINT = "Check api-url, the limits of your account and the service's status. Then run the job again.";

// src/sandbox/sandbox.ts
/**
* Creates a sandbox, or connects to an existing one. If the post step is to delete it, calls
* `scheduleDeletion` before a failure could leave it running. `baseUrl` is empty if the domain
* is unknown.
* @throws AgentError if the service fails or returns no token
* @throws InputError for a bad proxy URL
*/
async function createOrConnect(inputs, context, scheduleDeletion) {
	const { template, apiUrl } = inputs;
	const { log, cancel } = context;
	await using api = openApi(inputs, context, cancel);
	const opened = await (template === "" ? connect : create)(api, inputs, context, scheduleDeletion);
	const { id, token, endsAt } = opened;
	const domain = domainOf(opened, apiUrl);
	const baseUrl = baseUrlOf(domain, apiUrl);
	if (token === void 0) throw noTokenError(id);
	if (baseUrl === "") log.warning("The service names no domain, so later steps need the inputs sandbox-id, token and base-url.");
	else log.line(`Its URL: ${baseUrl.replace("{sandbox-id}", id)}`);
	return {
		id,
		token,
		domain,
		baseUrl,
		endsAt
	};
}
/** @throws AgentError unless the sandbox is gone, or InputError for a bad proxy URL */
async function deleteAtEnd(id, inputs, context) {
	await using api = openApi(inputs, context, context.killImminent);
	const wasThere = await deleteSandbox(api, id);
	context.log.line(wasThere ? `Deleted sandbox ${id}` : `Sandbox ${id} was already gone`);
}
function notDeletedWarning({ id, endsAt }) {
	return `Sandbox ${id} could not be deleted. It ends by itself at ${new Date(endsAt).toUTCString()}, unless its lifetime was extended.`;
}
function domainOf({ domain }, apiUrl) {
	return domain ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
}
function baseUrlOf(domain, apiUrl) {
	if (apiUrl.startsWith("http:")) return apiUrl;
	return domain === void 0 ? "" : `https://{port}-{sandbox-id}.${domain}`;
}
async function create(api, inputs, { now, log }, scheduleDeletion) {
	const { template, lifetime, metadata } = inputs;
	const created = await createSandbox(api, inputs, () => log.warning(maybeCreatedWarning(metadata, now() + lifetime)));
	const { id } = created;
	const sandbox = {
		...created,
		endsAt: now() + lifetime
	};
	try {
		if (inputs.delete ?? true) scheduleDeletion(sandbox);
	} catch (error) {
		await deleteSandbox(api, id).catch(() => log.warning(notDeletedWarning(sandbox)));
		throw error;
	}
	log.line(`Created sandbox ${id} from ${template}, for ${formatDuration(lifetime)}`);
	return sandbox;
}
async function connect(api, { sandboxId: id, lifetime, delete: shouldDelete = false }, { now, log }, scheduleDeletion) {
	const endsAt = now() + lifetime;
	if (shouldDelete) scheduleDeletion({
		id,
		endsAt
	});
	const sandbox = await connectToSandbox(api, id, lifetime);
	log.line(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
	return {
		...sandbox,
		endsAt
	};
}
function maybeCreatedWarning(metadata, endsAt) {
	return `An attempt that failed may have created a sandbox that nobody deletes. Look for one with the metadata ${Object.entries(metadata).map(([key, value]) => `${key}=${value}`).join(", ")}. It ends by itself at ${new Date(endsAt).toUTCString()}.`;
}
function noTokenError(id) {
	return new AgentError("bad-answer", `The service returned no token for sandbox ${id}.`, { hint: "Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another." });
}

export { InputError as $, digestOf as A, AgentError as B, loadDeletion as C, saveDeletion as D, removeJobSandbox as E, openAgent as F, formatCount as G, errorText as H, badAnswer as I, limitList as J, formatNumber as K, parseAnswer as L, toReportedError as M, describeRetry as N, reportOf as O, withRetries as P, findMistake as Q, fieldsOf as R, jobMetadata as S, publishSandbox as T, systemCode as U, isFatal as V, formatBytes as W, totalSize as X, listSome as Y, isSecretHeader as Z, runReportingStep as _, endMonitor as a, createMonitorDirectory as b, isStopped as c, run as d, inputError as et, measure as f, waitForSandbox as g, stats as h, chooseMonitor as i, fullReason as j, EMPTY_UPLOAD as k, loadInputs as l, reportUnmeasured as m, deleteAtEnd as n, startMonitor as o, readJudgeableStats as p, formatRate as q, notDeletedWarning as r, runSampler as s, createOrConnect as t, quote as tt, markStopped as u, runStep as v, loadMonitorDirectory as w, findMonitorDirectories as x, NOT_MEASURED as y, parseFields as z };