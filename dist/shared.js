import { t as require_undici } from "./undici.js";
import { a as info, c as setFailed, d as startGroup, f as warning, i as getState, l as setOutput, n as endGroup, o as isDebug, p as summary$1, r as getInput, s as saveState, t as debug, u as setSecret } from "./core.js";
import { setImmediate, setTimeout as setTimeout$1 } from "node:timers/promises";
import { once } from "node:events";
import { hash, randomUUID } from "node:crypto";
import path, { posix } from "node:path";
import { appendFileSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { spawn } from "node:child_process";

// package.json
var version = "1.0.0";

// src/text/escape.ts
var import_undici = require_undici();
const INVISIBLE = /(?![\ufe0f\u200c\u200d])[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;
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
	return JSON.stringify(truncate(value, MAX_QUOTED)).replaceAll("\\\\", "\\");
}
/** Wraps text in backticks, which the summary shows as code. */
function inlineCode(text) {
	return `\`${text.replaceAll("`", "'")}\``;
}
/** Escapes invisible characters, and what the runner would treat as a command. */
function escapeCommands(text) {
	return disarm(escapeInvisible(text));
}
const COLOR = "\x1B\\[[\\d;:]*m";
const NOT_IN_OUTPUT = new RegExp(`(?!${COLOR}|[\\t\\n])(?:${INVISIBLE.source})`, "gu");
/** Like `escapeCommands`, but keeps lines, tabs and colors. */
function escapeOutput(lines) {
	return disarm(lines.replace(NOT_IN_OUTPUT, escapeCharacter));
}
function disarm(lines) {
	return lines.replace(/^[^\S\n]*::/gm, "\\$&").replaceAll("##[", "##\\[");
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
function redactor(secrets) {
	const starts = secrets.map((secret) => secret.slice(0, MAX_QUOTED));
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

// src/text/format.ts
const BINARY_UNITS = [
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
	const last = BINARY_UNITS.length - 1;
	let step = 0;
	while (step < last && Math.abs(bytes) / 1024 ** step >= 999.95) step += 1;
	return `${formatDecimal(bytes / 1024 ** step, 1)} ${BINARY_UNITS[step]}`;
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
/** Keeps the first `limit` items; `more` turns the number of the rest into a last item. */
function limitList(items, limit, more) {
	if (items.length <= limit) return items;
	return [...items.slice(0, limit), more(items.length - limit)];
}
/** Lists at most `limit` names: `a, b`, `a, b, and 3 more`; or `a and 4 more` with a limit of 1. */
function listSome(names, limit = 10) {
	const more = (count) => `and ${formatNumber(count)} more`;
	return limitList(names, limit, more).join(limit === 1 ? " " : ", ");
}
function systemCode(error) {
	if (!(error instanceof Error) || !("code" in error)) return void 0;
	return typeof error.code === "string" ? error.code : void 0;
}
function errorText(error) {
	return error instanceof Error ? error.message : String(error);
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
/** Collects the problems of all InputErrors. `placeOf` begins their messages: `line 3: `. */
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
const VARIABLE = [/\$([A-Z_]{2}|env:|[{(])|\{\{.*\}\}/, "contains a variable that is not expanded here. Use an expression, such as `${{ env.NAME }}`."];
const NOT_IN_A_SECRET = [/^["'`$]|[^!-~]|[{}]/, "begins with a quotation mark or $, or has a space, a brace or another character that it cannot have. Give it alone, or as `${{ secrets.NAME }}`."];
const TARGET_MISTAKES = [
	QUOTED,
	VARIABLE,
	[/\s#\s/, "has a # in it. Write each comment on a line of its own."]
];
const PATTERN_MISTAKES = [
	[/^(!|$)/, "is not a pattern. After a !, write what to exclude."],
	[/[^\\/"'`]\*\*|\*\*[^\\/\s,:"'`]/, "has a ** beside other characters, so it matches no folders. Write it alone between slashes, such as src/**/*.js."],
	[/[*?[].*[\\/]\.\.([\\/]|$)/, "has a .. after a wildcard."]
];
const UNMATCHED_MISTAKES = [
	QUOTED,
	[/^\$([A-Z_]+|env:\w+|\{\w+\}|\(.*\))(?=[\\/]|$)|\$\{\{/, VARIABLE[1]],
	[/\s#/, "has a # in it. Write each comment on a line of its own."],
	[/[-=]>|^[^:]{2,}:(?!\/\/)\S/, "has an arrow or a colon in it. In front of a target, write =>; a ! line has none."],
	[/\{[^{}]*,[^{}]*\}|[+@?!]\(/, "has braces or parentheses, which have no meaning here. Write a line for each name."],
	[/^-\s/, "begins with a dash. Below |, write each name on its own line, without a dash."],
	[/,|\*\s/, "has a comma or a space, which separates nothing. Write each name on its own line."]
];
/** Maps each kind of value to the mistakes to look for, in this order. */
const MISTAKES = {
	"sandbox-id": [EMPTY, [/[^\w.-]|^\W*$|.{201}/s, "is not an ID: it may have letters, digits, dots, - and _."]],
	token: [
		EMPTY,
		[/^(sk_)?e2b_/i, "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox."],
		NOT_IN_A_SECRET
	],
	"api-key": [EMPTY, NOT_IN_A_SECRET],
	"header-name": [[/[^!#$%&'*+\-.^_`|~\dA-Za-z]|^$/, "cannot be part of a header's name."]],
	script: [[/^$/, "is required: the commands to run."]],
	url: [EMPTY],
	"url-path": [[/^(?!\/)|[\s?#]/, "is not a plain URL path that begins with a slash."]],
	"unix-time": [[/\D/, "is not a Unix time in whole seconds."]],
	pattern: PATTERN_MISTAKES,
	"unmatched-pattern": [[path.sep === "/" ? /\\/ : /(?!)/, "has a backslash, which does not separate folders on this runner. Write a slash."], ...UNMATCHED_MISTAKES],
	"missing-file": [[/\*|\/$/, "is not the path of one file. Name each file."], ...UNMATCHED_MISTAKES],
	target: [
		[/^(home\/|~|\$HOME\b|\$\{HOME\})/, "starts below the user's home already. Write the path from there, or a full one such as /home/user/app."],
		...TARGET_MISTAKES,
		[/(^|\/)\.\.(\/|$)|[\\*\n]|^[a-z][a-z\d+.-]*:\//i, "is not a plain POSIX path without .., such as /srv/app."]
	],
	"local-target": TARGET_MISTAKES,
	"local-path": [[/^~?[/\\]|(^|[/\\])\.{1,2}([/\\]|$)|[/\\]$|^[a-z]:/i, "is not the relative path of a file inside working-directory."]]
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
/** @throws InputError if the value has a mistake of its kind */
function rejectMistakes(kind, value, input, example) {
	const mistake = findMistake(kind, value);
	if (mistake === void 0) return;
	const name = value === "" || SECRET_INPUTS.includes(input) ? "" : `${quote(value)} `;
	throw inputError(input, name + mistake, example);
}
/** Returns a parser that rejects mistakes of a kind and replaces an empty value with `fallback`. */
function textOf(kind, example, fallback = "") {
	return (value, input) => {
		const text = value || fallback;
		rejectMistakes(kind, text, input, example);
		return text;
	};
}

// src/text/json.ts
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
/** Returns undefined, which JSON cannot express, if the text is not JSON. */
function parseJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return;
	}
}
function isJson(text) {
	return parseJson(text) !== void 0;
}
function parseFields(text) {
	return fieldsOf(parseJson(text));
}
function stringFieldsOf(value) {
	const fields = Object.entries(fieldsOf(value));
	return Object.fromEntries(fields.map(([name, field]) => [name, String(field)]));
}
/** Redacts strings and keys, but no numbers that look like secrets. Returns '' if it is not JSON. */
function redactJson(text, redact) {
	if (!isJson(text)) return "";
	return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, (literal) => JSON.stringify(redact(String(JSON.parse(literal)))));
}

// src/inputs/parsers.ts
/** Returns an input's value without spaces around it, and '' if it is unset. */
function rawValue(raw, name) {
	return (raw[name] ?? "").trim();
}
const anyText = (value) => value;
function optional(parse) {
	return (value, input) => value === "" ? void 0 : parse(value, input);
}
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
function choice(fallback, ...alternatives) {
	const words = [fallback, ...alternatives];
	return (value, input) => {
		const word = value === "" ? fallback : words.find((candidate) => candidate === value);
		if (word !== void 0) return word;
		throw inputError(input, `${quote(value)} is not one of ${words.join(", ")}.`, fallback);
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
const BYTES_PER_UNIT = {
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
const SIZE_UNITS = Object.keys(BYTES_PER_UNIT);
function findUnit(units, written) {
	return units.find((unit) => unit.toLowerCase() === written.toLowerCase());
}
function byteSize(fallback) {
	return (value, input) => {
		const [, number, suffix = ""] = /^(\d{1,15}(?:\.\d{1,3})?)\s*(\w*)$/.exec(value || fallback) ?? [];
		const unit = findUnit(SIZE_UNITS, suffix || "B") ?? "";
		const bytes = Math.round(Number(number) * (BYTES_PER_UNIT[unit] ?? NaN));
		if (bytes >= 1) return bytes;
		const message = `${quote(value)} is not a size: write bytes, or a number with ${SIZE_UNITS.join(", ")}.`;
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
		throw inputError(input, `this is not of the form ${input === "env" ? "KEY=value, or KEY<<END, lines, END" : "KEY=value"}.`, "\"SUITE=api\"");
	});
	return Object.fromEntries(pairs);
};
const OPTIONS_EXAMPLE = `'{"allow_internet_access": false}'`;
const TAKEN = /^(templateID|timeout|metadata|envVars|secure|autoPause)$/;
const createOptions = (value, input) => {
	const text = value || "{}";
	if (!isJson(text) || !text.startsWith("{")) throw inputError(input, "is not a JSON object.", OPTIONS_EXAMPLE);
	const fields = fieldsOf(JSON.parse(text));
	const taken = Object.keys(fields).find((name) => TAKEN.test(name));
	if (taken === void 0) return fields;
	throw inputError(input, `has ${quote(taken)}. Leave it out: template, lifetime, metadata, env or the action itself sets it.`, OPTIONS_EXAMPLE);
};
const BLOCK = /^[ \t]*([^=\s]+?)<<(\S+)[ \t]*\r?\n(?:([^]*?)\r?\n)??[ \t]*\2[ \t\r]*$/gm;
const WRAPPED = /^(["'])(?:(?!\1).)*\1$/;
/** Like `keyValues`, but also takes values of several lines, and rejects quotes around a value. */
const variables = (value, input) => {
	const blocks = [];
	const others = value.replace(BLOCK, (block, key, _, text = "") => {
		blocks.push([key, String(text)]);
		return block.replace(/[^\n]/g, "");
	});
	const pairs = keyValues(others, input);
	for (const [key, content] of Object.entries(pairs)) if (WRAPPED.test(content)) {
		const message = `${key} is in quotation marks, which would be part of the value. Remove them, or to keep them, write three lines: ${key}<<END, the value, and END.`;
		throw inputError(input, message);
	}
	return {
		...pairs,
		...Object.fromEntries(blocks)
	};
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
	const url = /^https?:\/\/(?!\/)[^\\\s?#${}]+$/i.test(value) ? URL.parse(value) : null;
	if (url !== null) return url.href.replace(/\/+$/, "");
	throw inputError(input, `${quote(value)} is not a URL that begins with https:// and has no query, fragment, variable or unknown placeholder.`, example);
}
function isUnencrypted(url) {
	const { protocol, hostname } = new URL(url);
	return protocol !== "https:" && !isLoopback(hostname);
}
function isLoopback(hostname) {
	return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
const sandboxId = textOf("sandbox-id", "${{ steps.sandbox.outputs.id }}");
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
const HEADER = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+)\s*:\s*([\t\x20-\x7e\x80-\xff]*)$/;
function splitHeader(line) {
	const [, name, value = ""] = HEADER.exec(line) ?? [];
	return name === void 0 ? void 0 : [name, value];
}
/** The inputs without which no sandbox can be reached. */
const CONNECTION = [
	"sandbox-id",
	"token",
	"base-url"
];
/** Fills in the job's sandbox, unless the step sets a token or base URL. */
function withJobSandbox(raw, sandboxes) {
	const explicit = ["token", "base-url"].filter((name) => rawValue(raw, name) !== "");
	if (explicit.length > 0) {
		const [missing] = CONNECTION.filter((name) => rawValue(raw, name) === "");
		if (missing === void 0 || sandboxes.length === 0) return raw;
		const message = `is empty. Set it, or remove ${explicit.join(" and ")} to use the sandbox of this job.`;
		throw inputError(missing, message);
	}
	const givenId = rawValue(raw, "sandbox-id");
	const [match, ...more] = sandboxes.filter(({ id }) => givenId === "" || id === givenId);
	if (match === void 0 || more.length > 0) {
		if (isDryRun(raw)) return raw;
		throw inputError("sandbox-id", explainChoice(givenId, sandboxes));
	}
	const { id, token, baseUrl, headerPrefix: prefix } = match;
	return {
		...raw,
		"sandbox-id": id,
		token,
		"base-url": baseUrl,
		"header-prefix": prefix
	};
}
function isDryRun(raw) {
	return /^true$/i.test(rawValue(raw, "dry-run"));
}
function explainChoice(givenId, sandboxes) {
	if (sandboxes.length === 0) return "no earlier step of this job has left a sandbox, or its step was not waited for. Use sandbox-sync/sandbox-sync/sandbox in one, or set sandbox-id, token and base-url here.";
	const ids = listSome(sandboxes.map(({ id }) => quote(id)));
	return givenId === "" ? `is empty. Say which sandbox, such as \${{ steps.sandbox.outputs.id }}; this job has ${ids}.` : `${quote(givenId)} is not a sandbox of this job. Set token and base-url too, or use one that this job has: ${ids}.`;
}
/** Fills in raw values. An invalid ID is left to its own parser, so that it is reported once. */
function fillPlaceholders(raw) {
	const id = rawValue(raw, "sandbox-id");
	const url = rawValue(raw, "base-url").replaceAll("{sandbox-id}", isSandboxId(id) ? id : "id").replaceAll("{port}", rawValue(raw, "port") || String(49983));
	return {
		...raw,
		"base-url": url
	};
}
function secretsIn(raw) {
	const inputs = SECRET_INPUTS.map((name) => rawValue(raw, name));
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

// src/agent/failure.ts
var AgentError = class extends Error {
	name = "AgentError";
	kind;
	status;
	retryAfterMs;
	hint;
	/** True if the request certainly had no effect: it was never sent, or was refused. */
	hadNoEffect;
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
	/** True if no other request can succeed either, once one has failed despite its retries. */
	get isFatal() {
		return FATAL.includes(this.kind);
	}
};
const GENERAL_HINTS = {
	unauthorized: "Check token (the sandbox's access token, not an API key), username and base-url.",
	forbidden: "Check that the token may use this sandbox, and that the sandbox may resume.",
	"sandbox-not-found": "Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job.",
	"not-found": "Check base-url: the service has no such operation there.",
	"no-such-file": "Check the path, and that an earlier step has written the file. If it may be missing, set if-no-files-found.",
	rejected: "The agent does not take this request. Check header-prefix, sandbox-id and port.",
	"too-large": "A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way.",
	busy: "The sandbox or its host is busy, or still starting. Run the job again.",
	server: "Check port, that the agent is up and not overloaded, and the service's status, and run the job again.",
	"disk-full": "The sandbox's disk is full. Upload less, or use a sandbox with a larger disk.",
	unreachable: "Check the host and port of base-url, that the service is up, and that this runner can reach it. If it needs a proxy, set HTTPS_PROXY.",
	connection: "The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If base-url begins with http://, the port may want https://.",
	"bad-response": "Check that base-url and the paths lead to the in-sandbox agent.",
	"file-changed": "Check that the runner may read the file, and upload once nothing writes it any more.",
	"not-written": "Check that the runner may write the target, that it is no folder (a target that ends in a slash keeps the name of the file), and that the disk is not full.",
	cancelled: "The step was cancelled."
};
const RETRYABLE = [
	"busy",
	"server",
	"connection",
	"unreachable"
];
const FATAL = [
	"unauthorized",
	"forbidden",
	"sandbox-not-found",
	"disk-full",
	"unreachable",
	"cancelled"
];
function isRefusal(kind, status = 0) {
	if (kind === "rejected" || kind === "sandbox-not-found") return true;
	return status >= 300 && status < 500 && status !== 408;
}
function failureInfoOf({ kind, status, message, hint }) {
	return {
		kind,
		status,
		message,
		hint
	};
}
function wrapSystemErrors(kind, what, call) {
	try {
		return call();
	} catch (error) {
		const code = systemCode(error);
		throw code === void 0 ? error : new AgentError(kind, `${what} (${code}).`);
	}
}
const MAX_EXCERPT = 300;
/** Returns the start of a third party's text, on one line and without secrets. */
function excerpt(text, redact, limit = MAX_EXCERPT) {
	return truncate(redact(text).replace(/\s+/g, " ").trim(), limit);
}
/** Wraps network errors of undici and Node in an AgentError, and returns all others unchanged. */
function networkError(error, label, redact, proxyVariables = []) {
	if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error)) return error;
	const code = codeOf(error);
	if (code === void 0) return error;
	const rule = LOST_ROUTE.test(error.message) ? void 0 : UNSENT_RULES.find((each) => each.code?.test(code) ?? each.message?.test(error.message));
	const text = excerpt(rule?.words ?? messageOf(error), redact);
	const detail = text.includes(code) ? text : `${text} (${code})`;
	const hadNoEffect = rule !== void 0;
	const kind = hadNoEffect ? "unreachable" : "connection";
	const mayBeProxy = hadNoEffect && proxyVariables.length > 0;
	const hint = rule?.hint ?? (mayBeProxy ? proxyHint(proxyVariables) : void 0);
	return new AgentError(kind, `${label} failed: ${detail}.`, {
		hint,
		hadNoEffect
	});
}
const LOST_ROUTE = /^(read|write) E(HOST|NET)UNREACH/;
const UNSENT_RULES = [
	{
		code: /^ERR_SSL_WRONG_VERSION_NUMBER$/,
		words: "the port speaks http, not https",
		hint: "Check the port in base-url. If there is no https, write http://; for another machine, set allow-insecure-http: true as well. The URL of a proxy usually begins with http://, too."
	},
	{
		code: /CERT|^(UNABLE_TO_|HOSTNAME_MISMATCH)/,
		hint: "Check base-url. For a certificate of a private CA, NODE_EXTRA_CA_CERTS must name the file of the CA, which must exist where the step runs."
	},
	{ code: /^EPROTO|_TLS_|_SSL_/ },
	{ code: /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5))/ },
	{ message: /^(Secure )?Proxy /i }
];
function proxyHint(variables) {
	return `Check the proxy in ${variables.join(", ")}: is it up, may it reach the host, and does its URL have the user and password that it requires? If NO_PROXY exempts the host, check base-url, and that the service is up.`;
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
/** Returns the names of the proxy variables that apply. Their values may contain passwords. */
function proxyVariables(baseUrl) {
	if (bypassesProxy(baseUrl)) return [];
	return Object.keys(process.env).filter((name) => /^https?_proxy$/i.test(name)).filter((name) => process.env[name]).sort();
}
async function sendRequest(label, url, body, options) {
	const response = await (0, import_undici.request)(url, {
		...options,
		body: body ?? null,
		headersTimeout: 0,
		bodyTimeout: 0
	});
	const { statusCode: status, headers } = response;
	return {
		label,
		status,
		headers,
		body: response.body
	};
}
const MAX_RESPONSE_BYTES = 4194304;
async function readResponse({ body, ...response }) {
	const read = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > MAX_RESPONSE_BYTES) {
			const { label, status } = response;
			const message = `${label} answered ${status} with more than ${formatBytes(MAX_RESPONSE_BYTES)}.`;
			throw new AgentError("bad-response", message, { status });
		}
		read.push(chunk);
	}
	return {
		...response,
		body: new TextDecoder().decode(Buffer.concat(read))
	};
}

// src/agent/response.ts
function parseResponse(response) {
	try {
		return JSON.parse(response.body);
	} catch {
		throw bodyError(response, "it is not JSON");
	}
}
/** Builds the error for a body that is unusable, although the status is fine. */
function bodyError(response, why) {
	const { label, status } = response;
	const message = `${label} answered ${status} with an unusable response: ${why}.`;
	const hadNoEffect = isFromProxy(response) && status !== 201;
	return new AgentError("bad-response", message, {
		status,
		hadNoEffect
	});
}
/** Returns true if the body is neither JSON nor empty, like that of a proxy or a website. */
function isFromProxy({ body }) {
	return body.trim() !== "" && !isJson(body);
}
function statusError(response, redact, now, hints = {}) {
	const { status, headers, body } = response;
	if (status >= 300 && status < 400) return redirectError(response, redact);
	const message = messageIn(body, redact);
	const matched = excerpt(message, redact, MAX_MATCHED);
	const rule = STATUS_RULES.find((each) => each.statuses.includes(status) && (each.message?.test(matched) ?? true));
	const kind = rule?.kind ?? kindOfClass(status);
	const words = excerpt(message, redact);
	const quoted = words === "" ? "" : ` It said: ${JSON.stringify(words)}.`;
	const [retryAfter] = [headers["retry-after"]].flat();
	return new AgentError(kind, `${describeStatus(response)}${quoted}`, {
		status,
		retryAfterMs: parseRetryAfter(retryAfter, now),
		hint: rule?.hint ?? hints[kind],
		hadNoEffect: PLACEMENT_ERROR.test(String(parseFields(body)["error_code"]))
	});
}
const PLACEMENT_ERROR = /^sandbox_(create_failed|capacity_unavailable|placement_timeout)$/;
const MAX_MATCHED = 5e3;
const STATUS_RULES = [
	{
		statuses: [404],
		message: /^path '.*' does not exist$/,
		kind: "no-such-file"
	},
	{
		statuses: [404, 502],
		message: /\bsandbox(?: id)?(?: \S*[\d"'`]\S*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i,
		kind: "sandbox-not-found"
	},
	{
		statuses: [400, 401],
		message: /\busername (is required|not provided)|\b(unknown|invalid) user|\blooking up user/i,
		kind: "unauthorized",
		hint: "Set username: user, or another user of the sandbox."
	},
	{
		statuses: [500],
		message: /\bis a directory\b|\bpath is a file\b|\bnot a directory\b/i,
		kind: "rejected"
	},
	{
		statuses: [503],
		message: /\bno compatible node\b/i,
		kind: "rejected"
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
	if (status < 300) return "bad-response";
	return status < 500 ? "rejected" : "server";
}
const { STATUS_CODES } = process.getBuiltinModule("node:http");
function describeStatus({ label, status }) {
	const phrase = STATUS_CODES[status];
	return `${label} answered ${status}${phrase === void 0 ? "" : ` ${phrase}`}.`;
}
function redirectError(response, redact) {
	const [location = ""] = [response.headers["location"]].flat();
	const origin = /^https?:/i.test(location) ? URL.parse(redact(location))?.origin : void 0;
	const leadsTo = origin === void 0 ? "" : ` It leads to ${excerpt(origin, redact)}.`;
	const message = `${describeStatus(response)}${leadsTo} Redirects are not followed.`;
	return new AgentError("not-found", message, {
		status: response.status,
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
/** Returns undefined for a missing, invalid or past Retry-After (RFC 9110, section 10.2.3). */
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : void 0;
}

// src/agent/client.ts
const USER_AGENT = `sandbox-sync/${version}`;
function postJson(path, message, limits) {
	const bytes = Buffer.from(JSON.stringify(message));
	const headers = {
		"Content-Type": "application/json",
		"Content-Length": String(bytes.length)
	};
	return {
		...limits,
		method: "POST",
		path,
		headers,
		body: [bytes]
	};
}
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
/** `timeout` limits how long a connection may take to open. */
function openClient({ baseUrl, headers, timeout }, options) {
	const dispatcher = openDispatcher(baseUrl, timeout);
	const allHeaders = {
		...headers,
		Accept: "application/json",
		"User-Agent": USER_AGENT
	};
	const transport = {
		...options,
		baseUrl,
		headers: allHeaders,
		dispatcher
	};
	return {
		send: (request) => exchange(request, transport, readResponse),
		receive: (request, read) => exchange(request, transport, (response, idle) => read({
			...response,
			body: restartOnChunk(response.body, idle)
		})),
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
	const { method, path, headers, body, onSent, accepts = [], hints } = request;
	const { baseUrl, dispatcher, redact, now } = transport;
	const label = `${method} ${baseUrl}${path.replace(/\?.*/s, "")}`;
	const late = `${label} failed: the response did not end within timeout.`;
	const idle = idleTimeout(request.timeout, () => new AgentError("connection", late));
	let isSent = body === void 0;
	async function* sendBody(chunks) {
		yield* restartOnChunk(chunks, idle, onSent);
		isSent = true;
	}
	const sendAndRead = async () => {
		const response = await sendRequest(label, `${baseUrl}${path}`, body && sendBody(body), {
			method,
			headers: {
				...transport.headers,
				...headers
			},
			signal: idle.signal,
			dispatcher
		});
		idle.signal.throwIfAborted();
		if (![...SUCCESS, ...accepts].includes(response.status)) throw statusError(await readResponse(response), redact, now(), hints);
		const result = await read(response, idle);
		if (isSent) return result;
		const early = `${label} answered ${response.status} before everything was sent.`;
		throw new AgentError("connection", early);
	};
	const cancelled = `${label} was cancelled.`;
	if (request.signal.aborted) throw new AgentError("cancelled", cancelled, { hadNoEffect: true });
	const onCancel = () => idle.end(new AgentError("cancelled", cancelled));
	request.signal.addEventListener("abort", onCancel, { signal: idle.signal });
	try {
		idle.restart();
		return await Promise.race([idle.ended, sendAndRead()]);
	} catch (error) {
		throw networkError(error, label, redact, proxyVariables(baseUrl));
	} finally {
		idle.end();
		await setImmediate();
	}
}
/** Rejects `ended` and aborts `signal` on `end`, or `ms` milliseconds after the last `restart`. */
function idleTimeout(ms, lateError) {
	const { promise: ended, reject } = Promise.withResolvers();
	const aborter = new AbortController();
	let timer;
	const end = (error) => {
		clearTimeout(timer);
		reject(error);
		aborter.abort(error);
	};
	const restart = () => {
		clearTimeout(timer);
		timer = setTimeout(() => end(lateError()), ms);
	};
	return {
		ended,
		signal: aborter.signal,
		end,
		restart
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
async function withRetries(request, options) {
	const { retries, random, sleep, stop, onRetry, isRepeatable, hasProgressed } = options;
	let failure;
	let failures = 0;
	for (let attempt = 1;; attempt += 1) try {
		return {
			status: "done",
			attempts: attempt,
			value: await request()
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		if (error.kind === "cancelled" && error.hadNoEffect && failure !== void 0) return failure;
		failure = {
			status: "failed",
			attempts: attempt,
			error
		};
		failures = hasProgressed?.() ? 1 : failures + 1;
		if (failures > retries || !error.isRetryable || isRepeatable?.(error) === false || stop.aborted) return failure;
		const delayMs = backoff(failures, random, error.retryAfterMs);
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
* Returns a delay in milliseconds: half of an exponential backoff (or `retryAfterMs` if longer),
* plus random jitter of up to the other half. Four retries wait at least 7.5 s in total.
*/
function backoff(attempt, random, retryAfterMs = 0) {
	const half = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) / 2;
	return Math.round(Math.max(half, retryAfterMs) + random() * half);
}
function sleep(ms, stop) {
	return setTimeout$1(ms, true, { signal: stop }).catch(() => false);
}

// src/gate/metrics.ts
/** Known metrics. Each has an output with hyphens in its name, such as `mem-used`. */
const METRICS = {
	ts: "plain",
	cpu_count: "plain",
	cpu_used_pct: "percentage",
	mem_total: "bytes",
	mem_used: "bytes",
	mem_cache: "bytes",
	mem_total_mib: "mebibytes",
	mem_used_mib: "mebibytes",
	disk_total: "bytes",
	disk_used: "bytes",
	mem_used_pct: "percentage",
	mem_free: "bytes",
	disk_used_pct: "percentage",
	disk_free: "bytes"
};
/** Returns undefined for custom metrics whose name does not end in `_mib`. */
function unitOf(metric) {
	if (Object.hasOwn(METRICS, metric)) return METRICS[metric];
	return metric.endsWith("_mib") ? "mebibytes" : void 0;
}
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
function isMemory(metric) {
	return metric.startsWith("mem_");
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
	const [worst] = judgements.filter(({ result }) => result !== "false");
	if (worst === void 0) return "passed";
	return worst.level === "fail" ? "failed" : "warned";
}
/** Judges a condition. If samples are missing (`isIncomplete`), the others can only make it true. */
function judge(condition, samples, isIncomplete = false) {
	const { metric, aggregate = "last", operator, limit } = condition;
	const unknown = (why) => ({
		condition,
		result: "unknown",
		why
	});
	const why = whyNotJudged(metric, samples);
	if (why !== void 0) return unknown(why);
	const figures = figuresOf(metric, samples);
	const figure = AGGREGATES[aggregate](figures);
	const match = (condition.aggregate === void 0 ? mostExtreme(operator, figures) : [figure]).find((candidate) => COMPARE[operator](candidate, limit));
	if (match !== void 0) return {
		condition,
		result: "true",
		figure: match
	};
	return isIncomplete ? unknown("samples are missing") : {
		condition,
		result: "false",
		figure
	};
}
function whyNotJudged(metric, samples) {
	if (samples.length === 0) return "there are no stats";
	const lacking = samples.filter(({ figures }) => !figures.has(metric));
	const [first] = lacking;
	if (first === void 0) return void 0;
	if (lacking.length < samples.length) return `${formatNumber(lacking.length)} of ${formatCount(samples.length, "sample")} do not report ${inlineCode(metric)}`;
	return `the sandbox does not report ${inlineCode(metric)}; it reports ${namesIn(first)}`;
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
function namesIn({ figures }) {
	return listSome([...figures.keys()].sort().map(inlineCode), MAX_REPORTED) || "nothing";
}
function describeJudgement(judgement) {
	const { condition } = judgement;
	const text = inlineCode(condition.text);
	if (judgement.result === "unknown") return `${text} cannot be judged: ${judgement.why}`;
	return `${text} ${judgement.result === "true" ? "tripped:" : "is false: it was"} ${formatJudged(condition, judgement.figure)}`;
}
/** Formats a judged figure, and adds it unrounded if it would look equal to the limit. */
function formatJudged({ metric, limit }, figure) {
	const text = formatFigure(metric, figure);
	return figure !== limit && text === formatFigure(metric, limit) ? `${text} (${figure})` : text;
}

// src/inputs/conditions.ts
const conditions = (value, input) => parseLines(value, (line) => parseCondition(line, input, "mem_used_pct > 80"));
/** Returns undefined if the step does not wait. `ready` adds no condition: any stats will do. */
const waitConditions = (value, input) => {
	const lines = parseLines(value, (line) => /^ready$/i.test(line) ? "ready" : parseCondition(line, input, "ready"));
	return lines.length > 0 ? lines.filter((line) => line !== "ready") : void 0;
};
const CONDITION = /^([\p{L}_][\p{L}\p{N}_.:/-]*)\s*([<>=!]+)\s*(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)\s*(\S*)$/iu;
const FORM = `this is not of the form METRIC OPERATOR NUMBER, with one of ${OPERATORS.join(" ")}. Write one condition or comment per line, which in fail-if and warn-if means "or"; in YAML, the list begins with |. If the number is missing, an expression may be empty`;
const UNITS = {
	percentage: ["%", ""],
	bytes: SIZE_UNITS,
	mebibytes: [...SIZE_UNITS, ""],
	plain: [""],
	unknown: [
		"%",
		...SIZE_UNITS,
		""
	]
};
function parseCondition(line, input, example) {
	const problem = (why) => inputError(input, `${quote(line)}: ${why}.`, example);
	const [, name = "", sign, number = "", suffix = ""] = CONDITION.exec(line) ?? [];
	const operator = OPERATORS.find((each) => each === sign);
	if (operator === void 0) throw problem(FORM);
	const [metric, aggregate] = splitName(name);
	if (aggregate !== void 0 && !isAggregate(aggregate)) throw problem(`"${aggregate}" is not one of the aggregates ${AGGREGATE_NAMES.join(", ")}`);
	const metricUnit = unitOf(metric) ?? "unknown";
	const units = UNITS[metricUnit];
	const unit = findUnit(units, suffix);
	if (unit === void 0) throw problem(`write the number with ${units.map((each) => each || "no unit").join(" or ")}, not with ${suffix || "no unit"}`);
	const factor = BYTES_PER_UNIT[unit];
	const amount = factor === void 0 ? Number(number) : Math.round(Number(number) * factor);
	if (metricUnit === "percentage" && (amount < 0 || amount > 100)) throw problem(`${number} is not a percentage from 0 to 100`);
	if (metricUnit === "percentage" && unit === "" && amount > 0 && amount < 1) throw problem(`write a number from 1 to 100, or ${number}% if you mean it`);
	const limit = metricUnit === "mebibytes" && factor !== void 0 ? amount / 2 ** 20 : amount;
	return {
		text: `${name} ${sign} ${number}${unit}`,
		metric,
		aggregate,
		operator,
		limit
	};
}
/** Splits at the last dot, unless it is part of a custom metric's name, such as `gpu.0`. */
function splitName(name) {
	const [, metric = "", aggregate = ""] = /^(.+)\.(.*)$/.exec(name) ?? [];
	return isAggregate(aggregate) || unitOf(metric) !== void 0 ? [metric, aggregate] : [name];
}

// src/inputs/files.ts
const EXAMPLE = "dist/**";
const TARGET_EXAMPLE = `${EXAMPLE} => app`;
const DOWNLOAD_EXAMPLE = "app/reports/junit.xml => reports/junit.xml";
function fileRules(value) {
	const patterns = [];
	const excludes = [];
	parseLines(value, (line) => {
		if (line.startsWith("!")) excludes.push(parseExclude(line));
		else patterns.push(parsePattern(line));
	});
	if (patterns.length > 0) return {
		patterns,
		excludes
	};
	throw inputError("files", `is required: at least one line must say what to upload.${value === "" ? " In YAML, quote a value that begins with ! or *." : ""}`, EXAMPLE);
}
function parseExclude(line) {
	const exclude = line.slice(1).trim();
	rejectMistakes("pattern", exclude, "files", EXAMPLE);
	return exclude;
}
function parsePattern(line) {
	const [pattern, target] = splitAtArrow(line, "pattern => target", TARGET_EXAMPLE);
	rejectMistakes("pattern", pattern, "files", EXAMPLE);
	if (target !== void 0) rejectMistakes("target", target, "files", TARGET_EXAMPLE);
	return {
		pattern,
		target
	};
}
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
	const target = posix.join(given ?? "", given === void 0 || given.endsWith("/") ? posix.basename(path) : "");
	if (given !== void 0) rejectMistakes("local-target", given, "files", DOWNLOAD_EXAMPLE);
	rejectMistakes("local-path", target, "files", DOWNLOAD_EXAMPLE);
	return {
		path,
		target
	};
}
/** Splits a line at the only ` => `, or else at the only `=>`, since names may contain an arrow. */
function splitAtArrow(line, form, example) {
	const spaced = line.split(/(?:^|\s+)=>(?:\s+|$)/);
	const [source = "", target, ...others] = spaced.length > 1 ? spaced : line.split("=>");
	if (source !== "" && target !== "" && others.length === 0) return [source, target];
	throw inputError("files", `${quote(line)} is not of the form ${form}.`, example);
}

// src/inputs/inputs.ts
const token = textOf("token", "${{ steps.sandbox.outputs.token }}");
const connectionInputs = {
	"sandbox-id": sandboxId,
	token,
	"base-url": baseUrl,
	"allow-insecure-http": flag(false),
	port: wholeNumber(1, 65535, DEFAULT_PORT),
	"header-prefix": textOf("header-name", "E2b", "Svc"),
	headers,
	timeout: duration(1, "60s")
};
const retries = wholeNumber(0, 10, 4);
const statsPath = textOf("url-path", "/metrics", "/metrics");
const summary = flag(true);
const uploadInputs = {
	"upload-path": textOf("url-path", "/files", "/files"),
	files: fileRules,
	target: textOf("target", "app"),
	"working-directory": anyText,
	username: anyText,
	signature: anyText,
	"signature-expiration": textOf("unix-time", "1798761600"),
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
	"max-size": byteSize("1GiB"),
	username: anyText,
	"if-no-files-found": choice("error", "warn", "ignore"),
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
	run: textOf("script", "npm ci && npm test"),
	"working-directory": anyText,
	env: variables,
	username: anyText,
	"max-duration": optional(duration(1e3, "1h")),
	...monitorInputs,
	"sample-interval": duration(200, "1s")
};
const apiInputs = {
	"api-url": apiUrl,
	"api-key": textOf("api-key", "${{ secrets.E2B_API_KEY }}"),
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
		retries,
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
		env: variables,
		"create-options": createOptions,
		"sandbox-id": sandboxId,
		token,
		"base-url": baseUrl,
		"header-prefix": textOf("header-name", "E2b", "E2b"),
		delete: flag(void 0)
	},
	"sandbox-end": {
		...apiInputs,
		template: anyText,
		"sandbox-id": anyText,
		delete: flag(void 0)
	}
};
function inputNames(entry) {
	return Object.keys(INPUTS[entry]);
}

// src/inputs/parse-inputs.ts
/** @throws InputError with the problems of all inputs, and of rules that compare inputs */
function parseInputs(entry, raw) {
	const filled = fillPlaceholders(raw);
	const { parsed, problems } = tryAll(Object.entries(INPUTS[entry]), ([name, parse]) => {
		const value = rawValue(filled, name);
		const isLeftOut = value === "" && isUnneeded(name, entry, raw);
		return [camelCase(name), isLeftOut ? value : parse(value, name)];
	});
	const inputs = Object.fromEntries(parsed);
	problems.push(...tryAll([
		checkHttpIsAllowed,
		checkWayToSandbox,
		checkUserOfCommand
	], (rule) => rule(inputs, raw)).problems);
	if (problems.length > 0) throw new InputError(problems);
	return inputs;
}
function camelCase(name) {
	return name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
}
function checkHttpIsAllowed({ baseUrl = "", allowInsecureHttp }) {
	if (baseUrl === "" || allowInsecureHttp !== false || !isUnencrypted(baseUrl)) return;
	const message = `${quote(baseUrl)} would send secrets unencrypted. Use https, or set allow-insecure-http: true.`;
	throw inputError("base-url", message, BASE_URL_EXAMPLE);
}
const API = ["api-url", "api-key"];
const AT_CREATION = [
	"metadata",
	"env",
	"create-options"
];
/** For each way to a sandbox: the inputs that it needs, those without effect, and why. */
const WAYS = {
	create: [
		API,
		["token"],
		"template creates a sandbox"
	],
	connect: [
		API,
		AT_CREATION,
		"sandbox-id is that of a sandbox that exists"
	],
	takeOver: [
		CONNECTION,
		[
			...API,
			"delete",
			...AT_CREATION
		],
		"token takes a sandbox over as it is"
	]
};
function wayToSandbox(raw) {
	const isSet = (name) => rawValue(raw, name) !== "";
	if (isSet("template")) return WAYS.create;
	return isSet("token") || isSet("base-url") && !API.some(isSet) ? WAYS.takeOver : WAYS.connect;
}
function isUnneeded(name, entry, raw) {
	if (entry !== "sandbox") return isDryRun(raw) && CONNECTION.includes(name);
	return [...API, ...CONNECTION].includes(name) && !wayToSandbox(raw)[0].includes(name);
}
function checkWayToSandbox({ template, sandboxId }, raw) {
	if (template === void 0 || sandboxId === void 0) return;
	if (template === "" === (sandboxId === "")) {
		const message = `is ${quote(sandboxId)}, and template is ${quote(template)}. Set template to create a sandbox, or sandbox-id to connect to one, and leave the other empty. An unset variable is empty, so check the names in expressions.`;
		throw inputError("sandbox-id", message);
	}
	const [, unused, why] = wayToSandbox(raw);
	const message = `has no effect, since ${why}. Leave out one of them.`;
	const problems = unused.filter((name) => rawValue(raw, name) !== "").map((input) => ({
		input,
		message
	}));
	if (problems.length > 0) throw new InputError(problems);
}
function checkUserOfCommand({ run, username = "", headers = {} }) {
	const isTaken = Object.keys(headers).some((name) => /^authorization$/i.test(name));
	if (run === void 0 || username === "" || !isTaken) return;
	const message = `${quote(username)} would replace the header Authorization. Remove one of them.`;
	throw inputError("username", message);
}

// src/report/section.ts
/** Returns a line whose backticks mark code. Quote file names in it with `inlineCode`. */
function withMarkup(text) {
	return {
		text,
		hasMarkup: true
	};
}
function textsOf(lines) {
	return lines.map(({ text }) => text);
}
/** Explains anything that a step has thrown. */
function reasonOfError(error) {
	if (error instanceof AgentError) return reasonOfFailure(error);
	if (error instanceof InputError) return reasonOfInputs(error);
	if (error instanceof Error && "syscall" in error) return [{ text: `${error.message}.` }];
	const stack = error instanceof Error ? error.stack ?? error.message : String(error);
	return [withMarkup("Sandbox Sync itself failed. This is a bug; please report it."), ...stack.split("\n").map((text) => ({ text }))];
}
function reasonOfFailure({ kind, message, hint }) {
	return [{ text: message }, ...kind === "cancelled" ? [] : [withMarkup(hint)]];
}
function reasonOfInputs({ problems }) {
	const lines = problems.map((each) => ({ text: describeProblem(each) }));
	if (lines.length === 1) return lines;
	const count = new Set(problems.map(({ input }) => input)).size;
	return [withMarkup(`${formatCount(count, "input")} ${count === 1 ? "is" : "are"} invalid.`), ...lines];
}

// src/sandbox/sandbox-api.ts
/** `stop` only prevents retries. */
function openApi({ apiUrl: baseUrl, apiKey, headers, timeout, retries }, context, stop) {
	const { killImminent, sleep, random, log } = context;
	const endpoint = {
		baseUrl,
		headers: {
			...headers,
			"X-API-Key": apiKey
		},
		timeout
	};
	const client = openClient(endpoint, context);
	const limits = {
		signal: killImminent,
		timeout
	};
	const onRetry = (retry) => log.line(describeRetry("the sandbox", retry));
	return {
		...client,
		limits,
		retries,
		sleep,
		random,
		stop,
		onRetry
	};
}
/** Calls `onUncertain` if a failed attempt may have created a sandbox. */
async function createSandbox(api, inputs, onUncertain) {
	const { template: templateID, lifetime, metadata, env: envVars, createOptions } = inputs;
	const settings = {
		timeout: toSeconds(lifetime),
		secure: true,
		autoPause: false
	};
	const message = {
		...createOptions,
		templateID,
		...settings,
		metadata,
		envVars
	};
	const request = postJson("/sandboxes", message, api.limits);
	const isRepeatable = ({ hadNoEffect, status }) => hadNoEffect || status === 503;
	return await callWithRetries({
		...api,
		isRepeatable
	}, async () => {
		try {
			return decodeSandbox(await api.send(request));
		} catch (error) {
			if (!(error instanceof AgentError && error.hadNoEffect)) onUncertain();
			throw error;
		}
	});
}
/** Extends the sandbox's lifetime to at least `lifetimeMs` from now. */
async function connectToSandbox(api, id, lifetimeMs) {
	const message = { timeout: toSeconds(lifetimeMs) };
	const request = postJson(`/sandboxes/${id}/connect`, message, api.limits);
	const connect = async () => decodeSandbox(await api.send(request));
	return {
		...await callWithRetries(api, connect),
		id
	};
}
/** Logs whether the sandbox was deleted or already gone. */
function deleteSandbox(api, id, log) {
	const path = `/sandboxes/${id}`;
	const request = {
		...api.limits,
		method: "DELETE",
		path,
		accepts: [404]
	};
	return callWithRetries(api, async () => {
		const response = await api.send(request);
		if (isFromProxy(response)) throw bodyError(response, "it is not JSON");
		const isGone = response.status === 404;
		log.line(isGone ? `Sandbox ${id} was already gone` : `Deleted sandbox ${id}`);
	});
}
/** Finds sandboxes by their metadata. @throws AgentError if the service cannot, or lists others */
function findSandboxes(api, key, value) {
	const query = String(new URLSearchParams({ metadata: `${key}=${value}` }));
	const request = {
		...api.limits,
		method: "GET",
		path: `/v2/sandboxes?${query}`
	};
	return callWithRetries(api, async () => {
		const response = await api.send(request);
		const list = parseResponse(response);
		const isOurs = (entry) => fieldsOf(fieldsOf(entry)["metadata"])[key] === value;
		if (!Array.isArray(list) || !list.every(isOurs)) throw bodyError(response, `it is no list of sandboxes with this ${key}`);
		return list.map((entry) => decodeSandbox(response, entry).id);
	});
}
async function callWithRetries(api, call) {
	const outcome = await withRetries(call, api);
	if (outcome.status === "done") return outcome.value;
	const { kind, message } = outcome.error;
	throw new AgentError(kind, message, { hint: API_HINTS[kind] ?? OTHER_HINT });
}
function toSeconds(ms) {
	return Math.ceil(ms / 1e3);
}
function decodeSandbox(response, value = parseResponse(response)) {
	const { sandboxID: id, envdAccessToken: token, domain } = fieldsOf(value);
	if (typeof id !== "string" || !isSandboxId(id)) throw bodyError(response, "it names no sandbox");
	const text = (field) => typeof field === "string" && field !== "" ? field : void 0;
	return {
		id,
		token: text(token),
		domain: text(domain)
	};
}
const API_HINTS = {
	unauthorized: "Check api-key: it is the API key of your account, not a sandbox's access token.",
	"not-found": "Check template or sandbox-id, and api-url, to which /sandboxes is added.",
	"sandbox-not-found": "Check sandbox-id: a sandbox that was deleted or has expired is gone.",
	unreachable: "Check api-url, that this runner can reach the host, and its proxy settings (HTTPS_PROXY, NO_PROXY). For a certificate of a private CA, set NODE_EXTRA_CA_CERTS to the file of the CA.",
	connection: "The connection is unreliable, or the service needs longer to answer: run the job again, or raise timeout. If api-url begins with http://, the port may want https://.",
	"bad-response": "Check api-url: it is the URL of the service's API, not of its website."
};
const OTHER_HINT = "Check api-url, the limits of your account and the service's status. Then run the job again.";

// src/sandbox/sandbox.ts
const SYNC_ID = "sandbox-sync-id";
const NO_TOKEN = "Nothing can be sent to it without one. Its template may be too old for `secure`: build it again, or use another.";
/**
* Creates a sandbox, connects to one, or takes one over. Calls `save` before a failure could leave
* behind what the post step does not know. `baseUrl` is empty if the domain is unknown.
*/
async function openSandbox(inputs, context, save) {
	const { template, sandboxId, baseUrl: givenUrl, headerPrefix, apiUrl } = inputs;
	const { log, cancel } = context;
	if (inputs.token !== "") {
		log.line(`Took over sandbox ${sandboxId}`);
		return {
			id: sandboxId,
			token: inputs.token,
			baseUrl: givenUrl,
			headerPrefix,
			domain: void 0,
			endsAt: void 0
		};
	}
	await using api = openApi(inputs, context, cancel);
	const { id, token, domain: named, endsAt } = await (template === "" ? connect : create)(api, inputs, context, save);
	const { domain, baseUrl: defaultUrl } = addressOf(named, apiUrl);
	const baseUrl = givenUrl || defaultUrl;
	if (baseUrl === "") log.warning("The service names no domain. Set base-url, so that later steps find the sandbox.");
	else log.line(`Its URL: ${baseUrl.replace("{sandbox-id}", id)}`);
	if (token === void 0) throw new AgentError("bad-response", `No token for sandbox ${id}.`, { hint: NO_TOKEN });
	return {
		id,
		token,
		domain,
		baseUrl,
		headerPrefix,
		endsAt
	};
}
async function deleteAtEnd(id, inputs, context) {
	await using api = openApi(inputs, context, context.killImminent);
	await deleteSandbox(api, id, context.log);
}
/** Deletes what a lost creation has left, but not the sandbox that a later attempt created. */
async function deleteLost({ id: created, lost = "" }, inputs, context) {
	await using api = openApi(inputs, context, context.killImminent);
	const found = await findSandboxes(api, SYNC_ID, lost);
	if (found.length === 0 && created === void 0) throw new AgentError("not-found", "The service does not list it yet.", { hint: "" });
	for (const id of found.filter((each) => each !== created)) {
		context.log.line(`A failed attempt had created sandbox ${id}`);
		await deleteSandbox(api, id, context.log);
	}
}
function describeEnd$1({ endsAt, isCreated }) {
	const time = new Date(endsAt).toUTCString();
	return isCreated ? `It ends by itself at ${time}, unless its lifetime was extended.` : `It lives at least until ${time}, perhaps longer.`;
}
const SHARED = [
	"e2b.app",
	"e2b.dev",
	"e2b.pro",
	"e2b-staging.dev"
];
/** `named` is the domain that the API names, if any. */
function addressOf(named, apiUrl) {
	const domain = named ?? /^api\.(.+)$/.exec(new URL(apiUrl).host)?.[1];
	if (apiUrl.startsWith("http:")) return {
		domain,
		baseUrl: apiUrl
	};
	if (domain === void 0) return {
		domain,
		baseUrl: ""
	};
	return {
		domain,
		baseUrl: `https://${SHARED.includes(domain) ? "sandbox" : "{port}-{sandbox-id}"}.${domain}`
	};
}
async function create(api, inputs, { now, log }, save) {
	const { template, lifetime, metadata } = inputs;
	const left = {
		isCreated: true,
		endsAt: now() + lifetime,
		lost: metadata[SYNC_ID]
	};
	save(left);
	let lost;
	let created;
	try {
		created = await createSandbox(api, inputs, () => lost = left.lost);
		log.line(`Created sandbox ${created.id} from ${template}, for ${formatDuration(lifetime)}`);
		return {
			...created,
			endsAt: left.endsAt
		};
	} finally {
		save({
			...left,
			id: created?.id,
			endsAt: now() + lifetime,
			lost
		});
	}
}
async function connect(api, { sandboxId: id, lifetime }, { now, log }, save) {
	save({
		id,
		isCreated: false,
		endsAt: now() + lifetime
	});
	const sandbox = await connectToSandbox(api, id, lifetime);
	log.line(`Connected to sandbox ${id}, for at least ${formatDuration(lifetime)}`);
	return {
		...sandbox,
		endsAt: void 0
	};
}

// src/github/job-state.ts
/** Reads the step's inputs, masking secrets before anything can be logged. */
function readInputs(entry) {
	const names = inputNames(entry);
	const raw = Object.fromEntries(names.map((name) => [name, getInput(name, { trimWhitespace: false })]));
	for (const secret of secretsIn(raw)) setSecret(secret);
	return raw;
}
function jobMetadata() {
	const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, GITHUB_JOB } = process.env;
	return {
		"github-repository": GITHUB_REPOSITORY ?? "",
		"github-run-id": GITHUB_RUN_ID ?? "",
		"github-run-attempt": GITHUB_RUN_ATTEMPT ?? "",
		"github-job": GITHUB_JOB ?? "",
		[SYNC_ID]: randomUUID()
	};
}
function saveLeftovers(leftovers, raw) {
	const names = inputNames("sandbox-end").filter((name) => name !== "api-key");
	const inputs = Object.fromEntries(names.map((name) => [name, rawValue(raw, name)]));
	saveState("sandbox", {
		...leftovers,
		inputs
	});
}
function loadLeftovers() {
	const { endsAt, isCreated, ...state } = parseFields(getState("sandbox"));
	const { id, lost } = stringFieldsOf(state);
	const saved = stringFieldsOf(state["inputs"]);
	const own = readInputs("sandbox-end");
	const isOwn = (name) => rawValue(own, name) === saved[name];
	const choice = [
		[
			"template",
			"sandbox-id",
			"api-url"
		].every(isOwn) ? own["delete"] : "",
		saved["delete"],
		String(isCreated)
	].find((each) => /^\s*(true|false)\s*$/i.test(each ?? ""));
	return {
		left: {
			id,
			endsAt: Number(endsAt),
			isCreated: isCreated === true,
			lost
		},
		isToDelete: /true/i.test(choice ?? ""),
		inputs: {
			...own,
			...saved
		}
	};
}
const SANDBOX_PREFIX = "sandbox-sync-sandbox-";
/** Masks the token and sets the outputs. If the URL is known, saves the sandbox for later steps. */
function publishSandbox(sandbox) {
	const { id, token, domain = "", baseUrl, headerPrefix } = sandbox;
	setSecret(token);
	const { "base-url": url } = fillPlaceholders({
		"sandbox-id": id,
		"base-url": baseUrl
	});
	const outputs = {
		id,
		token,
		domain,
		"base-url": url,
		"header-prefix": headerPrefix
	};
	for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
	if (baseUrl === "") return;
	const file = path.join(tempDirectory(), `${SANDBOX_PREFIX}${id}.json`);
	saveState("job-sandbox", file);
	writeFileSync(file, JSON.stringify(sandbox), { mode: 384 });
}
function loadJobSandboxes() {
	const sandboxes = filesInTemp(SANDBOX_PREFIX).flatMap((file) => {
		const fields = parseFields(readFileSync(file, "utf8"));
		const { id, token, baseUrl, headerPrefix } = stringFieldsOf(fields);
		if (!id || !token || !baseUrl || !headerPrefix) return [];
		return [{
			id,
			token,
			baseUrl,
			headerPrefix,
			endsAt: typeof fields["endsAt"] === "number" ? fields["endsAt"] : void 0
		}];
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
function tempDirectory() {
	return path.resolve(process.env["RUNNER_TEMP"] || tmpdir());
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
			if (isDebug()) debug(clean(text));
		},
		group(title, lines) {
			startGroup(title);
			info(lines.map(clean).join("\n"));
			endGroup();
		},
		warning: (text) => warning(toMessage([text])),
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
/** Renders our own words, whose backticks mark code. Use `code` for texts of others. */
function renderMarkup(text) {
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
	const more = (count) => html`and ${formatNumber(count)} more; the report file has them all`;
	return limitList(items, 30, more);
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

// src/report/command-section.ts
function renderCommand(result, cancelled) {
	const { end, ...others } = result;
	const exitCode = exitCodeOf(result);
	const isCancelled = cancelled && (end.kind === "stopped" || end.kind === "not-started");
	const isFine = exitCode === 0 || isCancelled;
	const sentence = describeEnd(result, cancelled);
	return {
		problems: isFine ? [] : [[withMarkup(sentence), ...detailsOf(result, cancelled)]],
		done: isFine ? sentence : "",
		warnings: [
			...warnOfReconnects(result),
			...isFine ? describeOomKills(result) : [],
			...warnOfVariables(result)
		],
		facts: describePrograms(result),
		outputs: {
			"exit-code": exitCode === void 0 ? "" : String(exitCode),
			"duration-ms": String(result.durationMs)
		},
		blocks: outputBlocks(result),
		json: {
			...others,
			end: end.kind,
			exitCode,
			..."status" in end && { status: end.status }
		}
	};
}
function exitCodeOf({ end }) {
	if (end.kind === "killed") return -1;
	return end.kind === "exited" ? end.code : void 0;
}
function describeEnd({ title, end, durationMs }, cancelled) {
	const name = inlineCode(truncate(title, MAX_TITLE));
	const duration = formatDuration(durationMs);
	switch (end.kind) {
		case "exited": return `${name} exited with ${end.code} after ${duration}.`;
		case "killed": return `${name} was ended after ${duration} (${inlineCode(end.status)}).`;
		case "not-run": return `${name} was not run: the login shell ended before it. Look for \`exec\` or \`exit\` in the login profile.`;
		case "no-exit-code": return `${name} ended after ${duration}, but the agent did not say with which exit code.`;
		case "stopped": return `${name} was stopped${end.by === "max-duration" ? " by max-duration" : ""} after ${duration}.`;
		case "lost": return `${name} was not seen to end within ${duration}. It may still be running.`;
		case "not-started": return cancelled ? "Nothing was run." : `${name} was not started.`;
	}
}
const MAX_TITLE = 60;
function detailsOf(result, cancelled) {
	const { end } = result;
	if (end.kind !== "lost" && end.kind !== "not-started") return [
		...[...describeOomKills(result), ...describeFailed(result)],
		...lastWords(result),
		...adviceOn(result)
	];
	if (cancelled) return [];
	return end.error.kind === "cancelled" ? [{ text: "max-duration was over, but the sandbox did not stop it." }] : reasonOfFailure(end.error);
}
function describeOomKills({ oomKills = 0 }) {
	if (oomKills === 0) return [];
	return [{ text: `The kernel killed ${oomKills === 1 ? "1 process" : `${oomKills} processes`} for memory.` }];
}
const MAX_LINE = 300;
function describeFailed({ title, failed }) {
	if (failed === void 0 || failed.command === title) return [];
	const { line, file, pipeline, command, exitCode } = failed;
	const inFile = file === "" ? "" : ` of ${inlineCode(file)}`;
	const place = line === void 0 ? "" : `Line ${line}${inFile}: `;
	if (pipeline.length > 0) return [withMarkup(`${place}the parts of a pipeline exited with ${pipeline.join(", ")}.`)];
	const text = inlineCode(truncate(command, MAX_LINE));
	return [withMarkup(`${place}${text} exited with ${exitCode}.`)];
}
/** Returns the last lines of the output with letters or digits. */
function lastWords({ lastLines }) {
	return lastLines.filter((line) => /[\p{L}\d]/u.test(line)).slice(-3).map((line) => ({
		text: truncate(line.trim(), MAX_LINE),
		isOutput: true
	}));
}
const BELOW_ROOT = "/(usr|etc|var|opt|root)\\b";
/** Advice by a line of the output. */
const OUTPUT_ADVICE = [
	[/\\r'?: (command not found|No such file)|env: .*\\r/, "A script has Windows line ends. Remove them with `sed -i 's/\\r$//' FILE`, or keep them out of the repository with `* text=auto eol=lf` in .gitattributes."],
	[/: required file not found/, "The program in the first line of a script (`#!`), or the loader of a program, is not in the sandbox; or the script has Windows line ends."],
	[/^bash: (line \d+: )?\S*\/\S*: No such file or directory/, "The file, or the folder to write it to, is not in the sandbox. Check that an earlier step uploads it, and `working-directory`."],
	[/sudo: (command )?not found/, "The sandbox has no `sudo`. Leave it out, and if the command does not run as root, set `username: root`."],
	[new RegExp(`${BELOW_ROOT}.*permission denied|(EACCES|permission denied).*${BELOW_ROOT}`, "i"), "Only root may write there: if the command does not run as root, set `username: root`."],
	[/no space left on device|ENOSPC/i, "The disk is full, or the folder is one in memory. Use a template with a larger disk."],
	[/heap out of memory/, "Node's own limit was reached, not that of the sandbox: set `NODE_OPTIONS=--max-old-space-size=…` in `env`."]
];
const NOT_EXECUTABLE = 126;
const SIGKILL_CODE = 137;
const CODE_ADVICE = {
	[NOT_EXECUTABLE]: "A file is not executable. Uploads carry no modes, so run `chmod +x` first. If it is, the program in its first line (`#!`) is missing.",
	127: "A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.",
	141: "A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first."
};
const RUN_LONGER = withMarkup("To let it run longer, raise `max-duration`. If that is not set, raise the `lifetime` of the sandbox.");
/** Says what to do about a failed command, by its last lines, or else by its exit code. */
function adviceOn({ end, lastLines, oomKills }) {
	if (end.kind === "stopped") return end.by === "max-duration" ? [RUN_LONGER] : [];
	const isSigkill = end.kind === "killed" && end.status === "signal: killed";
	const code = end.kind === "exited" ? end.code : isSigkill ? SIGKILL_CODE : -1;
	const find = () => OUTPUT_ADVICE.find(([line]) => lastLines.some((each) => line.test(each)))?.[1];
	const advice = (code === NOT_EXECUTABLE ? void 0 : find()) ?? CODE_ADVICE[code];
	if (advice !== void 0) return [withMarkup(advice)];
	if (code !== SIGKILL_CODE || oomKills !== void 0) return [];
	return [{ text: "Whether it was memory could not be told. Compare the peak of the memory with its size." }];
}
function warnOfReconnects({ reconnects }) {
	if (reconnects === 0) return [];
	return [{ text: `The step connected again ${formatCount(reconnects, "time")}, so output of the command may be missing.` }];
}
function warnOfVariables({ unsetVariables }) {
	if (unsetVariables.length === 0) return [];
	const list = unsetVariables.map(inlineCode).join(", ");
	return [withMarkup(`Unset in the sandbox: ${list}. To pass a value in, add a line such as \`GITHUB_SHA=\${{ github.sha }}\` to \`env\`. To get one out, write a file and use \`download\`.`)];
}
function describePrograms({ topPrograms }) {
	if (topPrograms === void 0) return [];
	const uses = topPrograms.programs.map(({ name, count, bytes }) => {
		const processes = count === 1 ? "" : ` (${formatNumber(count)} processes)`;
		return `${inlineCode(name)}${processes} ${formatBytes(bytes)}`;
	});
	return [`Most memory at ${formatTime(topPrograms.at)}: ${uses.join(", ")}`];
}
function outputBlocks({ lastLines }) {
	if (lastLines.length === 0) return [];
	const lines = lastLines.map((line) => html`${line.replaceAll("	", "    ")}`);
	return [html`<p>Last lines of the output:</p>`, html`<pre>${concat(lines, "\n")}</pre>`];
}

// src/report/transfer-lines.ts
/** Returns functions that count the files with a status, and their bytes. */
function counterOf(files) {
	const withStatus = (status) => files.filter((file) => file.status === status);
	return {
		count: (status) => withStatus(status).length,
		bytes: (status) => totalSize(withStatus(status))
	};
}
/** `sentence` says what was done. It is a problem unless all files were transferred. */
function renderTransfer(sentence, files) {
	const isComplete = files.every(({ status }) => status !== "failed" && status !== "not-attempted");
	return {
		problems: isComplete ? [] : [[withMarkup(sentence)], ...explainFailedFiles(files)],
		done: isComplete ? sentence : "",
		fileLines: Object.entries(STATUS_WORDS).flatMap(([status, word]) => files.filter((file) => file.status === status).map(({ name, place }) => `${word}: ${name} → ${place}`))
	};
}
const STATUS_WORDS = {
	failed: "failed",
	"not-attempted": "not attempted",
	missing: "missing",
	downloaded: "downloaded",
	uploaded: "uploaded",
	planned: "would be uploaded",
	unchanged: "unchanged"
};
/** Explains why files failed, with the message of the first of those that failed alike. */
function explainFailedFiles(files) {
	const failures = files.flatMap(({ name, error }) => error === void 0 || error.kind === "cancelled" ? [] : {
		name,
		error
	});
	return [...Map.groupBy(failures, ({ error }) => `${error.status} ${error.hint}`).values()].sort((one, other) => other.length - one.length).map(describeGroup);
}
const MAX_NAMES$1 = 3;
function describeGroup(group) {
	const { message = "", hint = "" } = group[0]?.error ?? {};
	const count = group.length === 1 ? "" : `${formatCount(group.length, "file")}: `;
	const names = listSome(group.map(({ name }) => inlineCode(name)), MAX_NAMES$1);
	return [
		{ text: message },
		withMarkup(hint),
		withMarkup(`${count}${names}`)
	];
}
/** Returns `Uploaded 2 files (9 MiB, 3 MiB/s) in 3 s`, or `Uploaded 2 of 3 files`. */
function describeDone(verb, { done, bytes, wanted, durationMs }) {
	const files = formatCount(wanted, "file");
	if (done < wanted) return `${verb} ${formatNumber(done)} of ${files}`;
	const rate = durationMs < 1e3 ? "" : `, ${formatRate(bytes, durationMs)}`;
	return `${verb} ${files} (${formatBytes(bytes)}${rate}) in ${formatDuration(durationMs)}`;
}
/** Lists counts other than 0: `, 1 failed, 2 unchanged`. */
function listCounts(counts) {
	return Object.entries(counts).filter(([, count]) => count > 0).map(([what, count]) => `, ${formatNumber(count)} ${what}`).join("");
}

// src/report/download-section.ts
function renderDownload(result) {
	const { files, ifNoFilesFound, ...others } = result;
	const transferred = files.map((file) => {
		const size = file.status === "downloaded" ? file.size : 0;
		const suffix = file.status === "downloaded" ? ` (${formatBytes(size)})` : "";
		return {
			...file,
			name: file.path,
			place: `${file.target}${suffix}`,
			size
		};
	});
	const { count, bytes } = counterOf(transferred);
	const totals = {
		files: files.length,
		downloaded: count("downloaded"),
		missing: count("missing"),
		failed: count("failed"),
		notAttempted: count("not-attempted"),
		downloadedBytes: bytes("downloaded")
	};
	const { downloaded, missing, failed, notAttempted, downloadedBytes } = totals;
	const counts = {
		done: downloaded,
		bytes: downloadedBytes,
		wanted: files.length
	};
	const done = describeDone("Downloaded", {
		...counts,
		...others
	});
	const missed = listCounts({
		failed,
		missing,
		"not attempted": notAttempted
	});
	const warned = files.filter(({ status }) => status === "missing" && ifNoFilesFound === "warn");
	return {
		...renderTransfer(`${done}${missed}.`, transferred),
		warnings: warned.map(({ path }) => {
			const mistake = findMistake("missing-file", path);
			return { text: `${path} does not exist in the sandbox.${mistake === void 0 ? "" : ` It ${mistake}`}` };
		}),
		outputs: {
			"downloaded-count": String(downloaded),
			"failed-count": String(failed)
		},
		json: {
			...others,
			totals,
			files
		}
	};
}

// src/report/figures.ts
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
function figuresTable({ samples, gate, monitored }) {
	const judgements = gate.judgements.slice(0, 30);
	const metrics = new Set(judgements.map(({ condition }) => condition.metric));
	const rows = [.../* @__PURE__ */ new Set([...RESOURCES, ...[...metrics].map(resourceOf)])].flatMap((resource) => describeResource(resource, judgements, samples));
	if (samples.length === 0 || rows.length === 0) return [];
	const [{ at } = { at: 0 }] = samples;
	const time = at > (monitored?.to ?? at) ? "After its end" : "Now";
	const figures = samples.length > 1 ? "Peak" : time;
	const isGated = judgements.length > 0;
	const headings = [
		"",
		isGated ? figures : `${figures} (no gate)`,
		"Trips if"
	];
	const columns = isGated ? 3 : 2;
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
	const heading = renderMarkup(`${name.charAt(0).toUpperCase()}${name.slice(1)}`);
	const figure = aggregateOf("last", total, samples);
	if (!figure) return heading;
	const size = total === "cpu_count" ? formatCount(figure, "core") : formatFigure(total, figure);
	return html`${heading} (${unbroken(size)})`;
}
const TRIPPED_MARKS = {
	fail: "❌",
	warn: "⚠️"
};
/** Returns a cell such as `❌ > 90 %`, `✅ mean > 80 % (45.1 %)` or `> 90 % (not judged)`. */
function describeCondition(judgement) {
	const { metric, aggregate, operator, limit } = judgement.condition;
	const prefix = aggregate === void 0 ? "" : `${aggregate} `;
	const comparison = unbroken(`${prefix}${operator} ${formatFigure(metric, limit)}`);
	const condition = html`${comparison}${metric === resourceOf(metric).free ? " free" : ""}`;
	if (judgement.result === "unknown") return html`${condition} (not judged)`;
	const mark = judgement.result === "true" ? TRIPPED_MARKS[judgement.level] : "✅";
	const figure = aggregate === void 0 ? "" : ` (${formatJudged(judgement.condition, judgement.figure)})`;
	return html`${mark}&nbsp;${condition}${figure}`;
}

// src/report/chart.ts
const MIN_SAMPLES = 10;
const MAX_POINTS = 60;
const LIMIT_COLOR = "#d1242f";
const PLOTS = [
	{
		mark: "🟦",
		color: "#388bfd",
		metric: "cpu_used_pct"
	},
	{
		mark: "🟪",
		color: "#a371f7",
		metric: "mem_used_pct"
	},
	{
		mark: "🟩",
		color: "#2da44e",
		metric: "disk_used_pct"
	}
];
/** Draws the samples one after the other, since a line of Mermaid cannot show a gap in time. */
function drawChart({ samples, gate }) {
	const perPoint = Math.ceil(samples.length / MAX_POINTS);
	const points = [...Map.groupBy(samples, (_, index) => Math.floor(index / perPoint)).values()];
	const complete = PLOTS.map((plot) => {
		const peaks = points.flatMap((point) => aggregateOf("max", plot.metric, point) ?? []);
		return {
			...plot,
			figures: peaks
		};
	}).filter(({ figures }) => figures.length === points.length);
	if (samples.length < MIN_SAMPLES || complete.length === 0) return [];
	const limits = gate.judgements.map(({ condition }) => condition).filter(({ aggregate }) => aggregate === void 0).filter((condition) => complete.some(({ metric }) => metric === condition.metric));
	const lines = [...complete, ...limits.map(({ limit }) => ({
		color: LIMIT_COLOR,
		figures: points.map(() => limit)
	}))];
	const legend = complete.map(({ mark, metric }) => `${mark} ${formatMetric(metric)}`);
	if (limits.length > 0) legend.push(`🟥 limit of ${limits.map(nameLimit).join(", ")}`);
	return [html`<p>In percent: ${legend.join(" · ")}</p>`, renderChart(samples, lines)];
}
function nameLimit({ metric, limit }) {
	return `${formatMetric(metric)} ${formatFigure(metric, limit)}`;
}
function renderChart(samples, lines) {
	const [from = 0, to = from] = [samples[0]?.at, samples.at(-1)?.at];
	const axis = `${samples.length} samples from ${formatTime(from)} to ${formatTime(to)}`;
	const top = Math.max(100, ...lines.flatMap(({ figures }) => figures));
	const style = {
		xyChart: {
			width: 800,
			height: 320
		},
		themeVariables: { xyChart: {
			backgroundColor: "transparent",
			plotColorPalette: lines.map(({ color }) => color).join(", ")
		} }
	};
	return { html: [
		"```mermaid",
		`%%{init: ${JSON.stringify(style)}}%%`,
		"xychart-beta",
		"  accTitle: CPU, memory and disk over time",
		`  accDescr: ${axis}, in percent`,
		`  x-axis "${axis}" 1 --> ${samples.length}`,
		`  y-axis 0 --> ${Math.ceil(top)}`,
		...lines.map(({ figures }) => `  line [${figures.map((each) => each.toFixed(2)).join(", ")}]`),
		"```"
	].join("\n") };
}

// src/report/stats-section.ts
function renderStats(result, view) {
	const { samples, response, gate, monitored } = result;
	const tripped = gate.judgements.filter((each) => each.result === "true").map(entryOf);
	const unjudged = gate.judgements.filter((each) => each.result === "unknown").map(entryOf);
	const aggregates = aggregatesOf(result);
	const figures = Object.fromEntries(samples.at(-1)?.figures ?? []);
	return {
		problems: problemsOf(result, view),
		done: describeStats(result, view),
		warnings: warningsOf(result, view),
		outputs: {
			...figureOutputs(figures),
			stats: response,
			gate: gate.state,
			tripped: JSON.stringify(tripped),
			unjudged: JSON.stringify(unjudged),
			aggregates: JSON.stringify(aggregates)
		},
		blocks: showsFigures(result) ? [...figuresTable(result), ...drawChart(result)] : [],
		json: {
			monitored: monitored && monitoredJson(monitored),
			figures,
			samples: samples.map(({ at, figures: each }) => ({
				at,
				figures: Object.fromEntries(each)
			})),
			response: parseFields(response),
			gate: {
				state: gate.state,
				tripped,
				unjudged
			},
			aggregates
		}
	};
}
/** A command that nobody judges and that was over after one sample needs no figures. */
function showsFigures({ monitored, samples, gate }) {
	return monitored === void 0 || samples.length > 1 || gate.state !== "none";
}
/** Lists problems, worst first: what tripped, why samples are missing, what was not judged. */
function problemsOf(result, { cancelled }) {
	const { samples, error, gate, monitored } = result;
	const failIf = gate.judgements.filter(({ level }) => level === "fail");
	const tripped = failIf.filter((each) => each.result === "true");
	const unjudged = cancelled ? [] : failIf.filter((each) => each.result === "unknown");
	const named = tripped.length > 0 ? tripped : unjudged;
	const verdict = [withMarkup(`The gate failed: ${summarizeJudgements(named)}.`), ...[...tripped, ...unjudged].map((each) => withMarkup(explainJudgement(each, samples)))];
	const unread = error && [withMarkup("The stats could not be read."), ...reasonOfFailure(error)];
	const gaps = failIf.length === 0 ? [] : monitored?.gaps ?? [];
	return [
		...tripped.length > 0 ? [verdict] : [],
		...unread === void 0 ? [] : [unread],
		...gaps.map(explainGap),
		...named === unjudged && unjudged.length > 0 ? [verdict] : []
	];
}
function warningsOf({ samples, gate, monitored }, { cancelled }) {
	const { gaps = [], failures = [] } = monitored ?? {};
	const hasFailIf = gate.judgements.some(({ level }) => level === "fail");
	return [
		...warningJudgements(gate).filter(({ result }) => result === "true" || !cancelled).map((each) => withMarkup(explainJudgement(each, samples))),
		...gate.state === "none" || gaps.length > 0 ? [] : describeFailures(failures),
		...hasFailIf ? [] : gaps.flatMap(explainGap)
	];
}
function warningJudgements({ judgements }) {
	return judgements.filter(({ level, result }) => level === "warn" && result !== "false");
}
function explainGap({ from, to, samplingEnd, failures }) {
	const title = `The sandbox was not seen from ${formatTime(from)} to ${formatTime(to)}.`;
	const end = samplingEnd === "requested" ? [] : [`Sampling had ended: ${samplingEnd.early}.`];
	return [
		withMarkup(title),
		...describeFailures(failures),
		...end.map((text) => ({ text }))
	];
}
function describeFailures(failures) {
	const last = failures.at(-1);
	if (last === void 0) return [];
	const suffix = failures.length === 1 ? "" : ", the last";
	return [{ text: `${formatCount(failures.length, "sample")} failed${suffix}: ${last.message}` }];
}
/** Says what passed, or what the figures are if nothing else was done. */
function describeStats({ samples, gate, error }, view) {
	const { cancelled, isOnlyResult } = view;
	if (samples.length === 0) return error === void 0 && isOnlyResult ? "No stats were read." : "";
	const suffix = gate.state === "none" ? "; no gate." : ".";
	return [isOnlyResult ? `${describeUsage(samples)}${suffix}` : "", cancelled ? "" : describeGate(gate)].filter(Boolean).join(" ");
}
function describeGate(gate) {
	if (gate.state === "passed") return "The gate passed.";
	if (gate.state !== "warned") return "";
	return `The gate warned: ${summarizeJudgements(warningJudgements(gate))}.`;
}
const MAX_NAMED = 3;
function summarizeJudgements(judgements) {
	return listSome(judgements.map(summarizeJudgement), MAX_NAMED);
}
/** Describes a judgement in a few words, such as `memory 93 % > 90 %`. */
function summarizeJudgement(judgement) {
	const { condition } = judgement;
	const { text, metric, aggregate, operator, limit } = condition;
	if (judgement.result === "unknown") return `\`${text}\` cannot be judged`;
	const comparison = `${formatJudged(condition, judgement.figure)} ${operator} ${formatFigure(metric, limit)}`;
	return [
		formatMetric(metric),
		aggregate ?? [],
		comparison
	].flat().join(" ");
}
function explainJudgement(judgement, samples) {
	const line = describeJudgement(judgement);
	const { condition } = judgement;
	if (judgement.result === "unknown" || samples.length < 2) return line;
	const allSamples = formatCount(samples.length, "sample");
	if (condition.aggregate !== void 0) return `${line} over ${allSamples}`;
	const first = samples.find(({ figures }) => figures.get(condition.metric) === judgement.figure);
	const count = samples.filter((sample) => judge(condition, [sample]).result === "true").length;
	return `${line} at ${formatTime(first?.at ?? 0)}, in ${formatNumber(count)} of ${allSamples}`;
}
function figureOutputs(figures) {
	const outputs = Object.keys(METRICS).map((metric) => {
		return [metric.replaceAll("_", "-"), String(figures[metric] ?? "")];
	});
	return Object.fromEntries(outputs);
}
function aggregatesOf({ gate, samples }) {
	const judged = gate.judgements.map(({ condition }) => condition.metric);
	const aggregates = [.../* @__PURE__ */ new Set([...Object.keys(METRICS), ...judged])].map((metric) => {
		const entries = AGGREGATE_NAMES.map((name) => [name, aggregateOf(name, metric, samples)]);
		return [metric, Object.fromEntries(entries)];
	});
	return Object.fromEntries(aggregates.filter(([, { last }]) => last !== void 0));
}
function entryOf(judgement) {
	const { level, condition, result: _, ...outcome } = judgement;
	const { text, metric, limit } = condition;
	return {
		level,
		condition: text,
		metric,
		limit,
		...outcome
	};
}
function monitoredJson({ from, to, gaps, failures }) {
	return {
		from,
		to,
		gaps: gaps.map((gap) => ({
			from: gap.from,
			to: gap.to
		})),
		failures: failures.map(({ askedAt, at, message }) => ({
			askedAt,
			answeredAt: at,
			message
		}))
	};
}

// src/upload/uploaded-file.ts
function isStored(file) {
	return file.status === "uploaded" || file.status === "unchanged";
}
/** Lists checksums of stored files like `sha256sum`, with the paths that the agent returned. */
function checksumsOf(files) {
	return files.filter(isStored).flatMap(({ sha256, path }) => checksumLine(sha256, path)).join("");
}
/**
* Hashes the sorted checksum lines of all targets. Returns '' if there are no files, or if one
* failed or was not hashed: only a complete build has a digest.
*/
function digestOf(files) {
	const lines = files.flatMap((result) => result.status === "failed" || result.status === "not-attempted" ? [] : checksumLine(result.sha256, result.file.target));
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

// src/report/upload-section.ts
function renderUpload(result, cancelled) {
	const { files, warnings, ...others } = result;
	const { skipped, digest, shard, orphaned } = others;
	const transferred = files.map((each) => {
		const { source, target, size } = each.file;
		return {
			...each,
			name: source,
			place: isStored(each) ? each.path : target,
			size
		};
	});
	const totals = totalsOf(transferred, skipped.length);
	const suffix = shard === void 0 ? "" : ` (shard ${shard.index} of ${shard.count})`;
	const sentence = `${describeUpload(result, totals, cancelled)}${suffix}.`;
	const transfer = renderTransfer(sentence, transferred);
	const orphans = listSome(orphaned.map(inlineCode));
	return {
		...transfer,
		warnings: warnings.map((text) => ({ text })),
		fileLines: [...transfer.fileLines, ...skipped.map(({ path, reason }) => `skipped: ${path} (${reason})`)],
		facts: [...orphans === "" ? [] : [`Still in the sandbox, but no longer in the build: ${orphans}`], ...digest === "" ? [] : [`Digest: ${digest}`]],
		outputs: {
			"uploaded-count": String(totals.uploaded),
			"unchanged-count": String(totals.unchanged),
			"failed-count": String(totals.failed),
			"planned-count": String(totals.planned),
			"skipped-count": String(totals.skipped),
			"uploaded-bytes": String(totals.uploadedBytes),
			digest
		},
		json: {
			...others,
			totals,
			files: files.map(({ file: { source, target, size }, ...outcome }) => {
				return {
					source,
					target,
					size,
					...outcome
				};
			})
		}
	};
}
function totalsOf(files, skipped) {
	const { count, bytes } = counterOf(files);
	return {
		files: files.length,
		uploaded: count("uploaded"),
		uploadedBytes: bytes("uploaded"),
		unchanged: count("unchanged"),
		unchangedBytes: bytes("unchanged"),
		planned: count("planned"),
		plannedBytes: bytes("planned"),
		failed: count("failed"),
		notAttempted: count("not-attempted"),
		skipped
	};
}
function describeUpload({ dryRun, durationMs }, totals, cancelled) {
	const { files, unchanged, uploaded, planned, failed, notAttempted, skipped } = totals;
	if (files === 0) return cancelled ? "Nothing was sent" : "There were no files to upload";
	const unsent = listCounts({
		unchanged,
		skipped
	});
	if (dryRun) {
		const size = formatBytes(totals.plannedBytes);
		return `Dry run: ${formatCount(planned, "file")} (${size}) would be uploaded${unsent}`;
	}
	if (uploaded + failed === 0) return `Nothing was sent${unsent}`;
	const [wanted, bytes] = [files - unchanged, totals.uploadedBytes];
	return `${describeDone("Uploaded", {
		done: uploaded,
		bytes,
		wanted,
		durationMs
	})}${listCounts({
		failed,
		"not attempted": notAttempted
	})}${unsent}`;
}

// src/report/render.ts
function renderReport(report) {
	const sections = sectionsOf(report);
	const all = Object.values(sections);
	const { error, cancelled } = report;
	const problems = [...error ? [error] : [], ...all.flatMap((section) => section.problems)];
	const warnings = all.flatMap((section) => section.warnings);
	const done = all.map((section) => section.done).filter((sentence) => sentence !== "");
	const [[firstLine, ...details] = [], ...others] = problems;
	const title = firstLine ?? withMarkup(done.join(" "));
	return {
		level: levelOf(report, problems, warnings),
		title: cancelled ? {
			...title,
			text: `Cancelled. ${title.text}`.trimEnd()
		} : title,
		reasons: [...details.map((line) => [line]), ...others],
		problems,
		warnings,
		fileLines: all.flatMap(({ fileLines = [] }) => fileLines),
		facts: [...firstLine === void 0 ? [] : done, ...all.flatMap(({ facts = [] }) => facts)],
		outputs: Object.assign(report.isGateUnseen ? { gate: "failed" } : {}, ...all.map(({ outputs }) => outputs)),
		blocks: blocksOf(all),
		json: Object.fromEntries(Object.entries(sections).map(([name, { json }]) => [name, json]))
	};
}
function succeeded({ level }) {
	return level === "success" || level === "warning";
}
function sectionsOf(report) {
	const { command, upload, stats, download, cancelled } = report;
	const isOnlyResult = command === void 0 && upload === void 0;
	return {
		...command && { command: renderCommand(command, cancelled) },
		...upload && { upload: renderUpload(upload, cancelled) },
		...stats && { stats: renderStats(stats, {
			cancelled,
			isOnlyResult
		}) },
		...download && { download: renderDownload(download) }
	};
}
/** Puts figures first, which matter more than the output of a command, unless that has failed. */
function blocksOf(sections) {
	const failed = sections.filter(({ problems }) => problems.length > 0);
	const others = sections.filter(({ problems }) => problems.length === 0).toReversed();
	return [...failed, ...others].flatMap(({ blocks = [] }) => blocks);
}
function levelOf({ cancelled }, problems, warnings) {
	if (cancelled) return "cancelled";
	if (problems.length > 0) return "failure";
	return warnings.length > 0 ? "warning" : "success";
}
const REPORT_SCHEMA_URL = "https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json";
function reportJson(report, rendered) {
	const { task, name, sandbox, cancelled } = report;
	const document = {
		$schema: REPORT_SCHEMA_URL,
		task,
		name,
		sandbox: {
			id: sandbox.id,
			baseUrl: sandbox.baseUrl
		},
		succeeded: succeeded(rendered),
		headline: rendered.title.text,
		cancelled,
		errors: rendered.problems.map((problem) => {
			const [message = "", ...details] = textsOf(problem);
			return {
				message,
				details
			};
		}),
		warnings: textsOf(rendered.warnings),
		...rendered.json
	};
	return `${JSON.stringify(document)}\n`;
}
/**
* Redacts what users typed, such as a token in the wrong input or in a file name. Skips figures and
* other numbers, which may happen to contain the digits of a secret.
*/
function redactReport(report, redact) {
	return mapStrings(report, (text, key) => UNREDACTED.test(key) ? text : redact(text));
}
const UNREDACTED = /^(task|status|kind|by|result|state|level|operator|aggregate|ifNoFilesFound|digest|sha256|response)$/;
function mapStrings(value, map, key = "") {
	if (typeof value === "string") return map(value, key);
	if (Array.isArray(value)) return value.map((item) => mapStrings(item, map, key));
	if (typeof value !== "object" || value === null || value instanceof Map) return value;
	const entries = Object.entries(value);
	return Object.fromEntries(entries.map(([name, field]) => [name, mapStrings(field, map, name)]));
}

// src/report/summary.ts
const DOCS = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs";
const LEVEL_MARKS = {
	success: "✅",
	warning: "⚠️",
	failure: "❌",
	cancelled: "⛔"
};
/** Returns the job summary in Markdown and HTML. */
function summaryOf(report, rendered) {
	const { level, title, reasons, warnings, facts, blocks } = rendered;
	const mark = LEVEL_MARKS[level];
	const name = truncate(report.name, MAX_NAME$1);
	const { heading, rest } = splitTitle(title, MAX_HEADING - name.length);
	const problems = reasons.filter(([line]) => !line?.isOutput);
	return [
		html`<h3>${mark} ${name === "" ? "" : html`${code(name)}: `}${renderLine(heading)}</h3>`,
		...rest.map((line) => html`<p>${renderLine(line)}</p>`),
		...shortList([...problems.map((each) => html`${mark} ${renderReason(each)}`), ...warnings.map((each) => html`⚠️ ${renderLine(each)}`)]),
		...facts.map((line) => html`<p>${renderMarkup(line)}</p>`),
		...blocks,
		footer(report)
	].map((block) => `${block.html}\n\n`).join("");
}
const MAX_HEADING = 54;
const MAX_NAME$1 = 20;
/** Makes the first sentence the heading. If that is too long, all of the title stands below it. */
function splitTitle(title, limit) {
	const [sentence = ""] = /^(?:Cancelled\. )?.*?\.(?= |$)|^.*/s.exec(title.text) ?? [];
	const text = truncate(sentence, limit).replace(/\s+\S*…$/, " …");
	const rest = text === sentence ? title.text.slice(sentence.length).trim() : title.text;
	return {
		heading: {
			...title,
			text
		},
		rest: rest === "" ? [] : [{
			...title,
			text: rest
		}]
	};
}
function renderReason(reason) {
	return concat(shorten(reason.map(renderLine)), "<br>");
}
function renderLine({ text, hasMarkup }) {
	return hasMarkup ? renderMarkup(text) : code(text.replaceAll("`", ""));
}
function footer({ sandbox: { id } }) {
	const sandbox = id === "" ? html`` : html` · sandbox ${code(id)}`;
	return html`<p>Sandbox Sync${sandbox} · <a href="${DOCS}/results.md#the-summary">Help</a></p>`;
}

// src/github/publish.ts
/** Writes the outputs, the summary and the verdict, even if one of them fails. */
async function publish(unredacted, { log, redact, withSummary }) {
	const report = redactReport(unredacted, redact);
	const rendered = renderReport(report);
	if (rendered.fileLines.length > 0) log.group("Files", rendered.fileLines);
	writeOutputs(report, rendered, log);
	if (withSummary) await writeSummary(report, rendered, log);
	logVerdict(report, rendered, log);
}
function writeOutputs(report, rendered, log) {
	try {
		setOutputs(rendered.outputs);
		setOutputs(writeFiles(report, rendered));
	} catch (error) {
		log.fail([`The step's outputs could not be written: ${errorText(error)}.`]);
	}
}
function setOutputs(outputs) {
	for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
}
/** Writes the report and checksums. Returns their paths by output. */
function writeFiles(report, rendered) {
	const folder = mkdtempSync(path.join(tempDirectory(), "sandbox-sync-"));
	const write = (name, text) => {
		const file = path.join(folder, name);
		writeFileSync(file, text, { mode: 384 });
		return file;
	};
	const paths = { report: write("report.json", reportJson(report, rendered)) };
	if (report.upload === void 0) return paths;
	const checksums = checksumsOf(report.upload.files);
	return {
		...paths,
		checksums: checksums && write("checksums.txt", checksums)
	};
}
async function writeSummary(report, rendered, log) {
	try {
		await summary$1.addRaw(summaryOf(report, rendered)).write();
	} catch (error) {
		log.warning(`The job summary could not be written: ${errorText(error)}.`);
	}
}
function logVerdict({ name }, rendered, log) {
	const { title, reasons, warnings, facts } = rendered;
	const prefix = name === "" ? "" : `${name}: `;
	for (const line of facts) log.line(line);
	for (const { text } of warnings) log.warning(`${prefix}${text}`);
	const verdict = `${prefix}${title.text}`;
	if (succeeded(rendered)) log.line(verdict);
	else log.fail([verdict, ...reasons.flatMap(textsOf)]);
}

// src/github/step.ts
/** Runs a step. Logs a failure as an error, or as a warning that begins with `failureWarning`. */
async function runStep(entry, handler, savedInputs, failureWarning) {
	const { context, error } = await callHandler(entry, handler, savedInputs);
	if (error === void 0) return;
	const lines = textsOf(error);
	if (failureWarning === void 0) context.log.fail(lines);
	else context.log.warning([failureWarning, ...lines].join(" "));
}
/** Runs a step and publishes a report of its results, even if the handler throws. */
async function runReportingStep(entry, handler, savedInputs) {
	const { context, raw, inputs, results, error } = await callHandler(entry, handler, savedInputs);
	const { cancel, redact, log } = context;
	const { sandboxId: id = "", baseUrl = "" } = results?.sandbox ?? inputs;
	const report = {
		task: taskOf(entry),
		name: rawValue(raw, "name"),
		...results,
		sandbox: {
			id,
			baseUrl
		},
		cancelled: cancel.aborted,
		...error && { error },
		isGateUnseen: error !== void 0 && (entry === "monitor-stop" || rawValue(raw, "fail-if") !== "")
	};
	const withSummary = !/^false$/i.test(rawValue(raw, "summary"));
	if (results ?? error) await publish(report, {
		log,
		redact,
		withSummary
	});
	if (cancel.aborted) process.stdout.write("", () => process.exit());
}
function taskOf(entry) {
	return entry === "monitor-stop" || entry === "monitor-end" ? "monitor" : entry;
}
/** Parses the inputs and calls the handler. `error` explains what either has thrown. */
async function callHandler(entry, handler, savedInputs) {
	process.stdout.on("error", () => {});
	const raw = savedInputs ?? readInputs(entry);
	const usesSandbox = entry !== "sandbox" && inputNames(entry).includes("token");
	const sandboxes = usesSandbox ? loadJobSandboxes() : [];
	const context = openContext(raw, sandboxes);
	let inputs = {};
	try {
		const filled = usesSandbox ? withJobSandbox(raw, sandboxes) : raw;
		const parsed = parseInputs(entry, filled);
		inputs = parsed;
		const results = await handler(parsed, context, filled);
		return {
			context,
			raw,
			inputs,
			results
		};
	} catch (thrown) {
		return {
			context,
			raw,
			inputs,
			error: reasonOfError(thrown)
		};
	}
}
function openContext(raw, sandboxes) {
	const redact = redactor([...secretsIn(raw), ...sandboxes.map(({ token }) => token)]);
	const log = openLog(redact);
	log.debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
	return {
		workspace: process.env["GITHUB_WORKSPACE"] || process.cwd(),
		...cancelSignals(),
		clock: () => performance.now(),
		now: Date.now,
		sleep,
		random: Math.random,
		redact,
		sandboxes,
		log
	};
}
const SIGNALS = [
	{
		name: "SIGINT",
		graceMs: 6500
	},
	{
		name: "SIGTERM",
		graceMs: 2e3
	},
	{
		name: "SIGBREAK",
		graceMs: 2e3
	}
];
function cancelSignals() {
	const cancel = new AbortController();
	const killImminent = new AbortController();
	for (const { name, graceMs } of SIGNALS) process.on(name, () => {
		cancel.abort("the step was cancelled");
		setTimeout(() => killImminent.abort(), graceMs).unref();
	});
	return {
		cancel: cancel.signal,
		killImminent: killImminent.signal
	};
}

// src/stats/sample.ts
const MAX_LENGTH = 131072;
async function readStats(client, path, limits) {
	const headers = { "Cache-Control": "no-cache" };
	const request = {
		...limits,
		method: "GET",
		path,
		headers,
		hints: STATS_HINTS
	};
	const response = await client.send(request);
	if (response.body.length > MAX_LENGTH) throw bodyError(response, "it is longer than 128 KiB");
	const stats = decodeStats(redactJson(response.body, client.redact));
	if (stats === void 0) throw bodyError(response, "it is not a JSON object");
	return stats;
}
/** Reads the stats with the input `retries`, and logs the retries and the response. */
async function readStatsWithRetries({ statsPath, retries, timeout }, client, context) {
	const { cancel, log } = context;
	const limits = {
		signal: cancel,
		timeout
	};
	const outcome = await withRetries(() => readStats(client, statsPath, limits), {
		...context,
		retries,
		stop: cancel,
		onRetry: (retry) => log.line(describeRetry("the stats", retry))
	});
	if (outcome.status === "done") log.debug(`Stats: ${outcome.value.response}`);
	return outcome;
}
const STATS_HINTS = { "not-found": "Check base-url and stats-path, which is added to it: the service has no such operation there. If it has no stats, use the actions `upload`, `download`, and `run` without conditions." };
function decodeStats(json) {
	try {
		const value = JSON.parse(json);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return void 0;
		return {
			figures: addDerived(numbersIn(value)),
			response: JSON.stringify(value)
		};
	} catch {
		return;
	}
}
const MAX_FIGURE = 2 ** 63;
function numbersIn(fields) {
	const numbers = Object.entries(fields).flatMap(([name, value]) => typeof value === "number" && Math.abs(value) <= MAX_FIGURE ? [[name, value]] : []);
	return new Map(numbers);
}
function addDerived(sent) {
	const figures = new Map(sent);
	for (const total of [
		"mem_total",
		"mem_total_mib",
		"disk_total"
	]) if ((sent.get(total) ?? 1) < 1) for (const part of [
		"total",
		"used",
		"used_pct",
		"free"
	]) figures.delete(total.replace("total", part));
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
	return figures;
}

// src/stats/wait.ts
const WAIT_LOG_INTERVAL_MS = 15e3;
/** Waits until one sample meets `wait-until`, or the step is cancelled. @throws AgentError if late */
async function waitForSandbox(inputs, client, context) {
	const { waitUntil: conditions, waitTimeout: timeoutMs, sampleInterval } = inputs;
	const { cancel, clock, sleep, log } = context;
	if (conditions === void 0) return;
	log.line(`Waiting up to ${formatDuration(timeoutMs)} for the sandbox`);
	const startedAt = clock();
	let nextLogMs = WAIT_LOG_INTERVAL_MS;
	for (;;) {
		const outcome = await readStatsWithRetries({
			...inputs,
			retries: 0
		}, client, context);
		if (cancel.aborted) return;
		const waitedMs = clock() - startedAt;
		const waited = formatDuration(waitedMs);
		const error = outcome.status === "failed" ? outcome.error : void 0;
		if (error?.isRetryable === false) throw error;
		const why = outcome.status === "failed" ? outcome.error.message : judgeNow("wait-until", conditions, outcome.value);
		if (why === "") {
			log.line(`The sandbox was ready after ${waited}`);
			return;
		}
		const leftMs = timeoutMs - waitedMs;
		if (leftMs <= 0) {
			const hint = error?.hint ?? "If the sandbox needs longer, raise wait-timeout.";
			throw new AgentError("busy", `The sandbox was not ready within ${waited}. ${why}`, { hint });
		}
		if (waitedMs >= nextLogMs) {
			nextLogMs = waitedMs + WAIT_LOG_INTERVAL_MS;
			log.line(`Waited ${waited}: ${why}`);
		}
		await sleep(Math.min(sampleInterval, leftMs), cancel);
	}
}
/** Describes the conditions that are false in one sample. @throws InputError if any is unknown */
function judgeNow(input, conditions, { figures }) {
	const judgements = conditions.map((each) => judge(each, [{
		at: 0,
		figures
	}]));
	const describe = (result) => judgements.filter((each) => each.result === result).map(describeJudgement).join("; ");
	const unknown = describe("unknown");
	if (unknown !== "") throw inputError(input, `${unknown}.`);
	return describe("false");
}

// src/stats/stats.ts
/** @throws AgentError or InputError if `wait-until` fails; failed samples go into the result */
async function stats(inputs, context) {
	await using client = openAgent(inputs, context);
	await waitForSandbox(inputs, client, context);
	return await takeStats(inputs, client, context, { cpuWindowStarted: false });
}
/** Without stats, no condition passes. */
function withoutStats(conditions) {
	return {
		samples: [],
		response: "",
		gate: judgeGate(conditions, [])
	};
}
/** Takes and judges samples. `cpuWindowStarted` says that this step has read the stats before. */
async function takeStats(inputs, client, context, { cpuWindowStarted }) {
	const { samples: count, sampleInterval } = inputs;
	const { cancel, now, sleep } = context;
	const dropped = count > 1 && !cpuWindowStarted ? 1 : 0;
	const taken = [];
	let response = "";
	let error;
	do {
		const outcome = await readStatsWithRetries(inputs, client, context);
		if (outcome.status === "failed") {
			error = outcome.error;
			break;
		}
		taken.push({
			at: now(),
			figures: outcome.value.figures
		});
		response = outcome.value.response;
	} while (taken.length < dropped + count && await sleep(sampleInterval, cancel));
	const samples = taken.slice(dropped);
	const gate = judgeGate(inputs, samples, samples.length < count);
	const result = {
		samples,
		response: samples.length > 0 ? response : "",
		gate
	};
	if (error === void 0 || cancel.aborted) return result;
	return {
		...result,
		error: failureInfoOf(error)
	};
}
/** @throws AgentError if the stats cannot be read, or InputError if they lack a metric of `fail-if` */
async function readJudgeableStats(inputs, client, context) {
	const outcome = await readStatsWithRetries(inputs, client, context);
	if (outcome.status === "failed") throw outcome.error;
	judgeNow("fail-if", inputs.failIf, outcome.value);
	return outcome.value;
}

// src/stats/gaps.ts
/** Judges a record between two times. With a gap, or in a cancelled step, the gate cannot pass. */
function judgeRecord(inputs, record, time, { cancelled }) {
	const { attempts, response } = record;
	const samples = attempts.filter((attempt) => attempt.kind === "sample");
	const failures = attempts.filter((attempt) => attempt.kind === "failure");
	const seen = cancelled ? {
		gaps: [],
		failures: []
	} : {
		gaps: findGaps(record, time, inputs.sampleInterval),
		failures
	};
	return {
		samples,
		response,
		gate: judgeGate(inputs, samples, cancelled || seen.gaps.length > 0),
		monitored: {
			...time,
			...seen
		}
	};
}
function findGaps({ attempts, end }, { from, to }, intervalMs) {
	const gaps = [];
	let last = from;
	let failures = [];
	for (const attempt of attempts) {
		if (attempt.kind === "failure") {
			failures.push(attempt);
			continue;
		}
		const until = Math.min(attempt.at, to);
		if (until - last > longestPause(failures, intervalMs, OUTAGE_MS)) gaps.push({
			from: last,
			to: until,
			samplingEnd: "requested",
			failures
		});
		last = until;
		failures = [];
	}
	const isSeen = !(last === from && (failures.length === attempts.length || failures.length > 1)) && to - last <= longestPause(failures, intervalMs, END_MS);
	if (end === "requested" && isSeen) return gaps;
	return [...gaps, {
		from: last,
		to,
		samplingEnd: end,
		failures
	}];
}
const IDLE_INTERVALS = 10;
const MIN_IDLE_MS = 3e4;
const FAILED_INTERVALS = 2;
const OUTAGE_MS = 1e4;
const END_MS = 3e3;
function longestPause(failures, intervalMs, extraMs) {
	if (failures.length > 0) return FAILED_INTERVALS * intervalMs + extraMs;
	return Math.max(IDLE_INTERVALS * intervalMs, MIN_IDLE_MS);
}

// src/stats/samples.ts
/** Reads the stats once, and passes their response to `keep`. */
async function trySample(read, keep, now) {
	const askedAt = now();
	try {
		const { figures, response } = await read();
		keep(response);
		return {
			kind: "sample",
			askedAt,
			at: now(),
			figures
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		const at = now();
		const unanswered = `The sandbox had not answered after ${formatDuration(at - askedAt)}.`;
		return {
			kind: "failure",
			askedAt,
			at,
			message: error.kind === "cancelled" ? unanswered : error.message
		};
	}
}
const MAX_SAMPLES = 6e4;
/** Records a sample after each interval until `stop` aborts. */
async function takeSamples(take, record, options) {
	const { intervalMs, firstMs = intervalMs, sleep, stop, sampleOnStop } = options;
	for (let count = 0; count < MAX_SAMPLES && !stop.aborted; count += 1) if (await sleep(count === 0 ? firstMs : intervalMs, stop) || sampleOnStop) record(await take());
	return stop.aborted ? "requested" : { early: "its record was full" };
}
/** How long to wait at the end for a response that is still due. */
const LAST_RESPONSE_MS = 5e3;
/** Returns a signal that aborts a while after `stop` does, to be declared with `using`. */
function deadlineAfter(stop, ms, sleep) {
	const deadline = new AbortController();
	const abort = () => deadline.abort();
	stop.addEventListener("abort", () => void sleep(ms, deadline.signal).then(abort));
	return {
		signal: deadline.signal,
		[Symbol.dispose]: abort
	};
}
const MIN_SAMPLE_TIMEOUT_MS = 1e4;
/** Returns milliseconds. A sample that hangs must not take the place of many. */
function sampleTimeout({ timeout, sampleInterval }) {
	return Math.min(timeout, Math.max(MIN_SAMPLE_TIMEOUT_MS, sampleInterval));
}

// src/command/mark.ts
/** Cuts the mark out of the output. `ended` resolves with the script, although output may go on. */
function watchScript(mark, output, stopCommand) {
	let end;
	const { promise: ended, resolve } = Promise.withResolvers();
	const cutter = markCutter(mark, {
		onOutput(bytes) {
			if (end === void 0 || stopCommand.aborted) output.write(bytes);
		},
		onEnd(script) {
			end ??= script;
			resolve();
		}
	});
	const breakOff = () => {
		cutter.end();
		output.end();
	};
	return {
		ended,
		end: () => end,
		write: cutter.write,
		breakOff
	};
}
const MAX_LINE_BYTES = 8192;
/** Passes a command's output on, without the line of the shell around the script. */
function markCutter(mark, handlers) {
	const start = `${mark}\tend\t`;
	let unread = Buffer.alloc(0);
	const pass = (length) => {
		if (length > 0) handlers.onOutput(unread.subarray(0, length));
		unread = unread.subarray(length);
	};
	return {
		write: (bytes) => {
			unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
			for (let at = unread.indexOf(start); at !== -1; at = unread.indexOf(start)) {
				pass(at);
				const length = unread.indexOf("\n") + 1;
				if (length === 0 && unread.length < MAX_LINE_BYTES) return;
				const end = parseEnd(unread.toString("utf8", start.length, Math.max(length - 1, 0)));
				if (end === void 0) pass(start.length);
				else {
					unread = unread.subarray(length);
					handlers.onEnd(end);
				}
			}
			let held = Math.min(unread.length, start.length - 1);
			while (held > 0 && unread.toString("latin1", unread.length - held) !== start.slice(0, held)) held -= 1;
			pass(unread.length - held);
		},
		/** Passes on what may have been the beginning of the line. */
		end: () => pass(unread.length)
	};
}
function parseEnd(line) {
	const [code, killsBefore, kills, unset = "", ...failed] = line.split("	");
	const exitCode = parseNumber(code);
	if (exitCode === void 0) return void 0;
	return {
		exitCode,
		oomKills: difference(parseNumber(killsBefore), parseNumber(kills)),
		unsetVariables: unset.split(" ").filter(Boolean),
		failed: parseFailed(failed)
	};
}
function parseFailed(fields) {
	const [codes = "", line, file = "", ...command] = fields;
	const [exitCode, ...parts] = codes.split(" ").filter(Boolean).map(Number);
	if (exitCode === void 0) return void 0;
	return {
		exitCode,
		pipeline: parts.length > 1 && parts.findLast((code) => code !== 0) === exitCode ? parts : [],
		line: parseNumber(line) || void 0,
		file: /^(environment|bash)$/.test(file) ? "" : file,
		command: command.join("	")
	};
}
function difference(before, after) {
	return before === void 0 || after === void 0 ? void 0 : after - before;
}
function parseNumber(text = "") {
	return /^\d{1,15}$/.test(text) ? Number(text) : void 0;
}

// src/command/process.ts
/** Starts a shell and follows it. @throws AgentError if the stream breaks before it exits */
function startProcess(client, { text, env: envs, workingDirectory, username }, handlers, limits) {
	const shell = {
		cmd: "/bin/bash",
		args: [
			"-l",
			"-c",
			text
		]
	};
	const cwd = workingDirectory === "" ? {} : { cwd: workingDirectory };
	const message = {
		process: {
			...shell,
			envs,
			...cwd
		},
		stdin: false
	};
	const credentials = Buffer.from(`${username}:`).toString("base64");
	return follow(client, "/process.Process/Start", message, handlers, limits, username === "" ? void 0 : { Authorization: `Basic ${credentials}` });
}
/** Follows a running process. Output written while nothing was connected is lost. */
function attachProcess(client, pid, handlers, limits) {
	return follow(client, "/process.Process/Connect", { process: { pid } }, handlers, limits);
}
const KEEPALIVE_SECONDS = 10;
function follow(client, path, message, handlers, limits, headers = {}) {
	const frame = frameOf(message);
	const request = {
		...limits,
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
	return client.receive(request, (response) => readEvents(response, client.redact, handlers));
}
async function readEvents(response, redact, { onStart, onActivity, onOutput }) {
	const { label } = response;
	for await (const { isLast, fields } of readFrames(response)) {
		if (isLast && fields["error"] !== void 0) throw streamError(fields["error"], label, redact);
		if (isLast) throw new AgentError("bad-response", `${label} did not say how the command ended.`);
		const { start, data, end } = fieldsOf(fields["event"]);
		const { pid } = fieldsOf(start);
		if (typeof pid === "number") onStart?.(pid);
		else onActivity?.();
		for (const text of Object.values(fieldsOf(data))) if (typeof text === "string") onOutput(Buffer.from(text, "base64"));
		if (end !== void 0) return decodeEnd(end, redact);
	}
	throw new AgentError("connection", `${label} failed: the connection was closed.`);
}
function decodeEnd(end, redact) {
	const { exitCode = 0, exited, status = "" } = fieldsOf(end);
	const isSuccess = exited === true && /^(exit status 0)?$/.test(String(status));
	return {
		exitCode: Number.isInteger(exitCode) && (exitCode !== 0 || isSuccess) ? Number(exitCode) : void 0,
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
/** Yields the frames, but drops a truncated last one. */
async function* readFrames({ label, body }) {
	let unread = Buffer.alloc(0);
	for await (const chunk of body) {
		unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
		while (unread.length >= HEADER_BYTES) {
			const end = HEADER_BYTES + unread.readUInt32BE(1);
			if (end > MAX_FRAME_BYTES) {
				const message = `${label} answered with something other than frames.`;
				throw new AgentError("bad-response", message, {
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
		hint: "Check that working-directory exists in the sandbox, and that the user may enter it."
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
function streamError(error, label, redact) {
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

// src/command/shell.ts
/** The variable with the mark of this run. It is unset before the script starts. */
const MARK_VARIABLE = "SANDBOX_SYNC_MARK";
const MAX_TEXT_BYTES = 131071;
/**
* Returns the text that runs a script, with a line behind its output that `markCutter` reads. `id`
* names a temporary file. @throws InputError if the text would be too long
*/
function scriptText(script, id) {
	const outer = shellQuote(outerText(script, `/tmp/sandbox-sync-${id}`));
	const text = `${LOGIN}\nset -- bash --posix -c ${outer} bash ${shellQuote(script)}\n${LEAVE}`;
	const bytes = Buffer.byteLength(text);
	if (bytes <= MAX_TEXT_BYTES) return text;
	throw inputError("run", `is too long by ${formatCount(bytes - MAX_TEXT_BYTES, "byte")}: it must be below 128 KiB, and each ' counts as four bytes. Upload a script, and run that.`);
}
function shellQuote(text) {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
const LOGIN = "exec 2>&1 </dev/null";
const LEAVE = `read -r _ _ _ _ SANDBOX_SYNC_GROUP _ 2>/dev/null </proc/$$/stat
[ "\${SANDBOX_SYNC_GROUP:-$$}" = $$ ] || ! command -v setsid >/dev/null || exec setsid "$@"
exec "$@"`;
const READ_OOM_KILLS = `read -r -d '' __group </proc/self/cgroup
__read_oom_kills() {
  __oom_kills=
  read -r -d '' __oom_kills <"/sys/fs/cgroup\${__group##*0::}/memory.events"
  __oom_kills=\${__oom_kills##*oom_kill }
  __oom_kills=\${__oom_kills%%[!0-9]*}
}`;
function outerText(script, file) {
	return `__mark=$${MARK_VARIABLE}
unset ${MARK_VARIABLE}
export CI="\${CI-true}"
trap : TERM
exec 2>/dev/null
${READ_OOM_KILLS}
__read_oom_kills
__oom_kills_before=$__oom_kills
__unset=
for __name in ${runnerVariables(script).join(" ")}; do [ "\${!__name+x}" ] || __unset="$__unset $__name"; done
bash -Eeo pipefail -c ${shellQuote(`trap ${shellQuote(onError(file))} ERR; `)}"$1" 2>&1
__code=$?
__failed=
IFS= read -r -n 1000 __failed <${file} && rm -f ${file}
__read_oom_kills
printf '%s\\tend\\t%s\\t%s\\t%s\\t%s\\t%s\\n' "$__mark" "$__code" "$__oom_kills_before" "$__oom_kills" "$__unset" "$__failed"
exit $__code`;
}
function onError(file) {
	return `{ case $BASH_SUBSHELL$- in 0*e*) { builtin printf "%s " \$? "\${PIPESTATUS[@]}"; builtin printf "\\t%s" \$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500 ? LINENO : 0)) "\${BASH_SOURCE-}" "\$BASH_COMMAND"; builtin echo; } >${file};; esac; } 2>/dev/null`;
}
function runnerVariables(script) {
	const mentioned = script.matchAll(/\$\{?((?:GITHUB|RUNNER)_[A-Z_]+)\b(?!:?[-+=?])/g);
	return [...new Set([...mentioned].map(([, name = ""]) => name))].filter((name) => !new RegExp(`\\b${name}=`).test(script)).slice(0, MAX_NAMES);
}
const MAX_NAMES = 20;
/**
* Returns the text that sends TERM to all processes of a session, and KILL after 4 s to those that
* are left, except zombies. It finds them by session, since programs such as timeout start a new
* group, or by group if setsid was skipped.
*/
function endSessionText(leader) {
	return `members() {
  for file in /proc/[0-9]*/stat; do
    read -r stat <"$file" || continue
    set -- \${stat%% *} \${stat##*) }
    case "$2 $4 $5" in
      Z*) ;;
      *" ${leader} "* | *" ${leader}") echo "$1" ;;
    esac
  done
}
kill -TERM $(members)
for second in 1 2 3 4; do
  [ -z "$(members)" ] || sleep 1
done
kill -KILL $(members)`;
}

// src/command/session.ts
const MAX_END_SESSION_MS = 6e3;
const STALL_MS = 5e3;
/** Ends a command and all its children. */
async function endSession(starter, leader, context) {
	const { client, limits } = starter;
	const policy = {
		...context,
		retries: 10,
		onRetry: () => {}
	};
	const soon = AbortSignal.any([limits.signal, AbortSignal.timeout(MAX_END_SESSION_MS)]);
	const bounded = {
		...starter,
		limits: {
			signal: soon,
			timeout: STALL_MS
		}
	};
	const end = () => runAsRoot(bounded, endSessionText(leader));
	await withRetries(end, {
		...policy,
		stop: soon
	});
	const message = {
		process: { pid: leader },
		signal: "SIGNAL_SIGKILL"
	};
	const kill = () => client.send(postJson("/process.Process/SendSignal", message, limits));
	await withRetries(kill, {
		...policy,
		stop: limits.signal
	});
}
/** Runs a text as root, who may end what sudo has started, or else as the user. Returns its output. */
async function runAsRoot(starter, text) {
	try {
		return await run$1({
			...starter,
			username: "root"
		}, text);
	} catch (error) {
		if (!(error instanceof AgentError) || error.isRetryable) throw error;
		return await run$1(starter, text);
	}
}
async function run$1({ client, username, limits }, text) {
	const options = {
		text,
		env: {},
		workingDirectory: "/",
		username
	};
	let output = "";
	const onOutput = (bytes) => void (output = `${output}${String(bytes)}`.slice(-1048576));
	await startProcess(client, options, { onOutput }, limits);
	return output;
}

// src/command/follow.ts
const MIN_STREAM_TIMEOUT_MS = 3e4;
const MAX_RECONNECTS = 10;
const END_AFTER_MARK_MS = 1e3;
const GIVE_UP_MS = 14e3;
/** @throws InputError if the command is too long */
function commandToSend(inputs) {
	const { run, env, workingDirectory, username } = inputs;
	const mark = randomUUID();
	const marked = {
		...env,
		[MARK_VARIABLE]: mark
	};
	return {
		mark,
		process: {
			text: scriptText(run, randomUUID()),
			env: marked,
			workingDirectory,
			username
		}
	};
}
/** Runs the command once, reconnecting if the connection is lost, until it ends or is stopped. */
async function followCommand(sent, inputs, client, context, output) {
	const { cancel, killImminent, now, sleep } = context;
	const { username, maxDuration } = inputs;
	const stopCommand = AbortSignal.any([cancel, AbortSignal.timeout(maxDuration)]);
	const signal = AbortSignal.any([killImminent, AbortSignal.timeout(maxDuration + GIVE_UP_MS)]);
	const limits = {
		signal,
		timeout: Math.max(inputs.timeout, MIN_STREAM_TIMEOUT_MS)
	};
	const disconnect = new AbortController();
	const untilDisconnect = {
		...limits,
		signal: AbortSignal.any([signal, disconnect.signal])
	};
	const script = watchScript(sent.mark, output, stopCommand);
	const connection = keepConnected({
		process: sent.process,
		retries: inputs.retries,
		stopCommand
	}, script, client, untilDisconnect, context);
	const ended = Promise.race([script.ended, connection.ended]).then(() => now());
	await Promise.race([ended, once(stopCommand, "abort")]);
	const isStopped = stopCommand.aborted;
	if (isStopped) {
		await Promise.race([connection.started, connection.ended]);
		const pid = connection.pid();
		if (pid !== void 0) await endSession({
			client,
			username,
			limits
		}, pid, context);
	}
	const endedAt = await ended;
	await Promise.race([connection.ended, sleep(END_AFTER_MARK_MS, disconnect.signal)]);
	disconnect.abort();
	const outcome = await connection.ended;
	script.breakOff();
	const end = endOf$1(outcome, script.end(), connection.pid());
	const wasSeen = end.kind !== "lost" && end.kind !== "not-started";
	const by = cancel.aborted ? "cancellation" : "max-duration";
	return {
		end: isStopped && wasSeen ? {
			kind: "stopped",
			by
		} : end,
		reconnects: outcome.attempts - 1,
		script: script.end(),
		endedAt
	};
}
function endOf$1(outcome, script, pid) {
	if (outcome.status === "failed") {
		if (script !== void 0) return {
			kind: "exited",
			code: script.exitCode
		};
		return {
			kind: pid !== void 0 || !outcome.error.hadNoEffect ? "lost" : "not-started",
			error: failureInfoOf(outcome.error)
		};
	}
	const { exitCode, status } = outcome.value;
	if (exitCode === void 0) return {
		kind: "no-exit-code",
		status
	};
	if (exitCode === 0 && script === void 0 && outcome.attempts === 1) return { kind: "not-run" };
	return exitCode === -1 ? {
		kind: "killed",
		status
	} : {
		kind: "exited",
		code: exitCode
	};
}
/** Starts a command, and connects to it again whenever the connection is lost. */
function keepConnected({ process, retries, stopCommand }, script, client, limits, context) {
	let pid;
	let hasProgressed = false;
	const { promise: started, resolve } = Promise.withResolvers();
	const handlers = {
		onStart(startedPid) {
			pid = startedPid;
			resolve();
		},
		onActivity: () => void (hasProgressed = true),
		onOutput: script.write
	};
	const onRetry = ({ error, delayMs }) => {
		context.log.line(`${error.message} Connecting again in ${formatDuration(delayMs)}.`);
		script.breakOff();
	};
	const startOnce = async () => {
		if (stopCommand.aborted) throw new AgentError("cancelled", "The step was cancelled.", { hadNoEffect: true });
		return await startProcess(client, process, handlers, limits);
	};
	const connect = async () => {
		hasProgressed = false;
		if (pid !== void 0) return await attachProcess(client, pid, handlers, limits);
		const isRepeatable = ({ hadNoEffect }) => hadNoEffect && pid === void 0;
		const policy = {
			...context,
			retries,
			stop: stopCommand,
			onRetry,
			isRepeatable
		};
		const outcome = await withRetries(startOnce, policy);
		if (outcome.status === "failed") throw outcome.error;
		return outcome.value;
	};
	return {
		started,
		ended: withRetries(connect, {
			...context,
			retries: MAX_RECONNECTS,
			stop: limits.signal,
			onRetry,
			hasProgressed: () => hasProgressed,
			isRepeatable: () => pid !== void 0 && script.end() === void 0
		}),
		pid: () => pid
	};
}

// src/command/output.ts
const MAX_LAST_LINE = 1e3;
/** Logs the output, and keeps its end for the result, as a terminal would show it. */
function keepLastLines({ log, redact }) {
	let last = [];
	const splitter = lineSplitter((text) => {
		log.output(text.replaceAll("\r", "\n"));
		const [first = "", ...others] = endOf(text, 22).split("\n");
		const shown = [`${last.at(-1) ?? ""}${first}`, ...others].map((line) => line.replace(/^.*\r(?=.)/s, ""));
		last = [...last.slice(0, -1), ...shown].slice(-21);
	});
	const lastLines = () => {
		const text = redact(removeColors(last.join("\n").replaceAll("\r", ""))).trimEnd();
		return text === "" ? [] : text.split("\n").map((line) => truncate(line, MAX_LAST_LINE));
	};
	return {
		...splitter,
		lastLines
	};
}
/** Returns the last lines of a text. Splitting all of it would take memory for each line. */
function endOf(text, count) {
	let start = text.length;
	for (let left = count; left > 0 && start >= 0; left -= 1) start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
	return text.slice(start + 1);
}
const MAX_LINE_LENGTH = 65536;
/**
* Decodes UTF-8 and passes on blocks of whole lines, so that no secret is split between two blocks.
* Lines end in `\n`, or in a lone `\r` as progress bars do. Lines above 65,536 characters may be cut.
*/
function lineSplitter(onLines) {
	const decoder = new TextDecoder();
	let unfinished = "";
	let held = "";
	const add = (text) => {
		const all = (held + text).replaceAll("\r\n", "\n");
		held = all.endsWith("\r") ? "\r" : "";
		const lines = all.slice(0, all.length - held.length);
		const end = Math.max(lines.lastIndexOf("\n"), lines.lastIndexOf("\r")) + 1;
		if (end > 0) {
			onLines(unfinished + lines.slice(0, end));
			unfinished = "";
		}
		unfinished += lines.slice(end, end + MAX_LINE_LENGTH - unfinished.length);
	};
	return {
		write: (bytes) => add(decoder.decode(bytes, { stream: true })),
		end() {
			add(decoder.decode());
			if (unfinished + held !== "") onLines(`${unfinished}\n`);
			unfinished = "";
			held = "";
		}
	};
}

// src/command/sample-command.ts
const STATS_PATH = "/metrics";
const MAX_FIRST_MS = 1e3;
const LAST_SAMPLE_DELAY_MS = 200;
const PATIENCE_MS = 500;
/**
* Takes samples until `ended` aborts, waits a while for the last response, and takes one more if
* there is no sample yet.
*/
async function sampleCommand(ended, inputs, client, { cancel, now, sleep }, onSample) {
	const { sampleInterval: intervalMs, failIf, warnIf } = inputs;
	const timeout = sampleTimeout(inputs);
	const isJudged = failIf.length + warnIf.length > 0;
	using late = deadlineAfter(ended, isJudged ? LAST_RESPONSE_MS : PATIENCE_MS, sleep);
	const deadline = AbortSignal.any([cancel, late.signal]);
	const attempts = [];
	let response = "";
	const keep = (latest) => void (response = latest);
	const take = (signal) => trySample(() => readStats(client, STATS_PATH, {
		signal,
		timeout
	}), keep, now);
	const record = (attempt) => {
		attempts.push(attempt);
		if (attempt.kind === "sample") onSample(attempt);
	};
	const end = await takeSamples(() => take(deadline), record, {
		intervalMs,
		firstMs: Math.min(intervalMs, MAX_FIRST_MS),
		sleep,
		stop: ended,
		sampleOnStop: false
	});
	const needsSample = attempts.length < 2 && attempts.every(({ kind }) => kind === "failure");
	const lastSignal = isJudged ? cancel : deadline;
	if (needsSample && await sleep(LAST_SAMPLE_DELAY_MS, lastSignal)) record(await take(lastSignal));
	return {
		attempts,
		response,
		end
	};
}

// src/command/top-programs.ts
const FIRST_PERCENT = 70;
const STEP_PERCENT = 10;
/** Calls `look` after samples with a new high of memory, but never twice at the same time. */
function watchMemory(conditions, look) {
	const watched = conditions.filter(({ metric }) => isMemory(metric));
	const levelOf = (sample) => {
		const trips = watched.some((each) => judge(each, [sample]).result === "true");
		const above = (sample.figures.get("mem_used_pct") ?? 0) - FIRST_PERCENT;
		return Math.max(Math.ceil(above / STEP_PERCENT), 0) + (trips ? 1 : 0);
	};
	let level = 0;
	let isLooking = false;
	let seen;
	const onSample = (sample) => {
		const next = levelOf(sample);
		if (isLooking || next <= level) return;
		level = next;
		isLooking = true;
		look().then((programs) => {
			seen = programs ?? seen;
			isLooking = false;
		});
	};
	return {
		onSample,
		topPrograms: () => seen
	};
}
const LIST_PROCESSES = "exec 2>/dev/null; ls -l /proc/[0-9]*/exe; grep -H ^RssAnon /proc/[0-9]*/status";
/** Returns undefined if the programs cannot be listed. */
async function lookAtPrograms(starter, now) {
	const at = now();
	try {
		const programs = parsePrograms(await runAsRoot(starter, LIST_PROCESSES), starter.client.redact);
		return programs.length === 0 ? void 0 : {
			at,
			programs
		};
	} catch {
		return;
	}
}
const MAX_PROGRAMS = 5;
const MAX_NAME = 40;
/** Reads lines like `… /proc/7/exe -> /bin/node` and `/proc/7/status:RssAnon:    512 kB`. */
function parsePrograms(output, redact) {
	const links = output.matchAll(/\/proc\/(\d+)\/exe -> (?:.*\/)?(.*?)(?: \(deleted\))?$/gm);
	const names = new Map(Array.from(links, ([, pid, name = ""]) => [pid, name]));
	const sizes = output.matchAll(/^\/proc\/(\d+)\/status:RssAnon:\s*(\d+) kB$/gm);
	const processes = Array.from(sizes, ([, pid, kib]) => {
		return {
			name: excerpt(names.get(pid) ?? "", redact, MAX_NAME),
			size: Number(kib) * 1024
		};
	});
	return [...Map.groupBy(processes, ({ name }) => name)].map(([name, all]) => ({
		name,
		count: all.length,
		bytes: totalSize(all)
	})).filter(({ name }) => name !== "").sort((one, other) => other.bytes - one.bytes).slice(0, MAX_PROGRAMS);
}

// src/command/run.ts
/** @throws AgentError or InputError, before anything runs, if `fail-if` cannot be judged */
async function run(inputs, context) {
	const { cancel, now } = context;
	const { failIf, warnIf, username } = inputs;
	const conditions = [...failIf, ...warnIf];
	const sent = commandToSend(inputs);
	const maxDuration = maxDurationOf(inputs, context);
	await using client = openAgent(inputs, context);
	const timeout = sampleTimeout(inputs);
	const first = {
		...inputs,
		timeout,
		statsPath: STATS_PATH
	};
	if (failIf.length > 0) await readJudgeableStats({
		...first,
		retries: 2
	}, client, context);
	const from = now();
	const ended = new AbortController();
	const untilEnd = {
		...context,
		cancel: AbortSignal.any([cancel, ended.signal])
	};
	const starter = {
		client,
		username,
		limits: {
			timeout,
			signal: untilEnd.cancel
		}
	};
	const memory = watchMemory(conditions, () => lookAtPrograms(starter, now));
	const [{ endedAt: to, ...seen }, record] = await Promise.all([
		runCommand(sent, {
			...inputs,
			maxDuration
		}, client, context).finally(() => ended.abort()),
		sampleCommand(ended.signal, inputs, client, context, memory.onSample),
		failIf.length > 0 || readStatsWithRetries({
			...first,
			retries: 0
		}, client, untilEnd)
	]);
	const isStarted = seen.end.kind !== "not-started";
	const durationMs = isStarted ? to - from : 0;
	const command = {
		...seen,
		durationMs,
		topPrograms: memory.topPrograms()
	};
	const hasSamples = record.attempts.some(({ kind }) => kind === "sample");
	return {
		command,
		stats: isStarted && (hasSamples || conditions.length > 0) ? judgeRecord(inputs, record, {
			from,
			to
		}, { cancelled: cancel.aborted }) : withoutStats(inputs)
	};
}
/** Runs the command, and logs it and its output. */
async function runCommand(sent, inputs, client, context) {
	const { redact, log } = context;
	const title = redact(titleOf(inputs.run));
	log.line(`Running ${inlineCode(title)} in sandbox ${inputs.sandboxId} at ${inputs.baseUrl}`);
	const output = keepLastLines(context);
	const { script, ...others } = await followCommand(sent, inputs, client, context, output);
	return {
		...others,
		title,
		lastLines: output.lastLines(),
		oomKills: script?.oomKills,
		unsetVariables: script?.unsetVariables ?? [],
		failed: script?.failed
	};
}
function titleOf(run) {
	const [first = run, ...others] = run.split("\n").filter((line) => !/^\s*(#|$)/.test(line));
	return others.length === 0 ? first.trim() : `${first.trim()} …`;
}
const HOUR_MS = 36e5;
/**
* Returns milliseconds: `max-duration`, or what is left of the sandbox's life, less 10 s and at
* least 1 m, or 1 h if its end is unknown.
*/
function maxDurationOf({ sandboxId, maxDuration }, { now, sandboxes, log }) {
	const endsAt = sandboxes.find(({ id }) => id === sandboxId)?.endsAt;
	if (endsAt === void 0) return maxDuration ?? HOUR_MS;
	const leftMs = endsAt - now();
	if (maxDuration === void 0) return Math.max(6e4, leftMs - 1e4);
	if (maxDuration > leftMs) log.line(`The sandbox may end at ${formatTime(endsAt)}, before max-duration (${formatDuration(maxDuration)}) is over. To run longer, raise its lifetime.`);
	return maxDuration;
}

// src/monitor/record.ts
/** A monitor's files, which never contain secret inputs. */
const FILES = {
	inputs: "inputs.json",
	/** A line for each attempt. */
	record: "record.jsonl",
	/** The last response, redacted. */
	response: "response.json",
	/** Asks the sampler to stop. */
	stop: "stop",
	/** Why the sampler stopped. A killed one leaves no such file. */
	end: "end",
	/** What the sampler writes to stderr. */
	errors: "errors.txt",
	judged: "judged"
};
function monitorFile(directory, name) {
	return path.join(directory, FILES[name]);
}
function saveInputs(directory, inputs) {
	write(directory, "inputs", JSON.stringify(inputs));
}
function loadInputs(directory) {
	const json = readIfExists(directory, "inputs");
	return json === "" ? void 0 : stringFieldsOf(JSON.parse(json));
}
function requestStop(directory) {
	write(directory, "stop", "");
}
function markJudged(directory) {
	write(directory, "judged", "");
}
function isJudged(directory) {
	return existsSync(monitorFile(directory, "judged"));
}
function appendAttempt(directory, attempt) {
	const figures = attempt.kind === "sample" ? Object.fromEntries(attempt.figures) : void 0;
	const line = `${JSON.stringify({
		...attempt,
		figures
	})}\n`;
	appendFileSync(monitorFile(directory, "record"), line, { mode: 384 });
}
function saveResponse(directory, response) {
	write(directory, "response", response);
}
function saveEnd(directory, end) {
	write(directory, "end", end === "requested" ? end : end.early);
}
function hasEnded(directory) {
	return readIfExists(directory, "end") !== "";
}
/** Reads the record, skipping the partial line that a killed sampler may leave. */
function readRecord(directory) {
	const attempts = readIfExists(directory, "record").split("\n").map(parseFields);
	const died = `the process that took the samples was killed or hangs${samplerErrors(directory)}`;
	const end = readIfExists(directory, "end") || died;
	return {
		attempts: attempts.flatMap(decodeAttempt),
		response: readIfExists(directory, "response"),
		end: end === "requested" ? end : { early: end }
	};
}
/** Returns what the sampler has written to stderr as ` (it wrote: …)`, or nothing. */
function samplerErrors(directory) {
	const text = readIfExists(directory, "errors").trim().replace(/\s+/g, " ");
	return text === "" ? "" : ` (it wrote: ${text})`;
}
function decodeAttempt(line) {
	const { kind, askedAt, at, message, figures } = line;
	if (typeof askedAt !== "number" || typeof at !== "number") return [];
	if (kind === "failure") return [{
		kind,
		askedAt,
		at,
		message: String(message)
	}];
	const numbers = Object.entries(fieldsOf(figures)).map(([metric, figure]) => [metric, Number(figure)]);
	return [{
		kind: "sample",
		askedAt,
		at,
		figures: new Map(numbers)
	}];
}
function write(directory, name, text) {
	writeFileSync(monitorFile(directory, name), text, { mode: 384 });
}
function readIfExists(directory, name) {
	const file = monitorFile(directory, name);
	return existsSync(file) ? readFileSync(file, "utf8") : "";
}

// src/monitor/start-monitor.ts
/** Takes a sample, so that a wrong token, host or ID fails this step, then starts the sampler. */
async function startMonitor(inputs, raw, context, { script, openDirectory }) {
	await using client = openAgent(inputs, context);
	const request = {
		...inputs,
		retries: 2
	};
	const askedAt = context.now();
	const { figures, response } = await readJudgeableStats(request, client, context);
	const directory = openDirectory();
	const judgingInputs = inputNames("monitor-end").map((name) => [name, raw[name] ?? ""]);
	saveInputs(directory, {
		...Object.fromEntries(judgingInputs),
		"base-url": inputs.baseUrl
	});
	appendAttempt(directory, {
		kind: "sample",
		askedAt,
		at: context.now(),
		figures
	});
	saveResponse(directory, response);
	await startSampler(script, directory, raw, context.log);
	const { name, sandboxId, sampleInterval } = inputs;
	const activity = name === "" ? "Monitoring" : `${name}: monitoring`;
	const interval = formatDuration(sampleInterval);
	context.log.line(`${activity} sandbox ${sandboxId}, a sample every ${interval}`);
}
/** Resolves once the sampler is ready. @throws InputError if it exits before */
async function startSampler(script, directory, inputs, log) {
	const errorFile = openSync(monitorFile(directory, "errors"), "a", 384);
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
			"ignore",
			"ignore",
			errorFile,
			"ipc"
		]
	});
	closeSync(errorFile);
	child.send(inputs, () => {});
	await Promise.race([once(child, "message"), once(child, "exit")]);
	const end = child.exitCode ?? child.signalCode;
	if (end !== null) {
		markJudged(directory);
		throw inputError("monitor", `its process ended at once with ${end}${samplerErrors(directory)}.`);
	}
	log.debug(`The samples are taken by process ${child.pid}`);
	child.disconnect();
	child.unref();
}

// src/monitor/sampler.ts
/** Runs in the sampler's process, which gets its inputs as a message. */
async function runSampler(directory, jobPid) {
	const [message] = await once(process, "message");
	const raw = stringFieldsOf(message);
	const inputs = parseInputs("monitor", raw);
	const { stop, whyStopped } = watchForEnd(directory, jobPid, inputs.maxDuration);
	using deadline = deadlineAfter(stop, LAST_RESPONSE_MS, sleep);
	const redact = redactor(secretsIn(raw));
	await using client = openAgent(inputs, {
		now: Date.now,
		redact
	});
	process.send?.("ready");
	const limits = {
		signal: deadline.signal,
		timeout: sampleTimeout(inputs)
	};
	const read = () => readStats(client, inputs.statsPath, limits);
	const keep = (response) => saveResponse(directory, response);
	const end = await takeSamples(() => trySample(read, keep, Date.now), (attempt) => appendAttempt(directory, attempt), {
		intervalMs: inputs.sampleInterval,
		sleep,
		stop,
		sampleOnStop: true
	}).catch((error) => ({ early: `a sample could not be recorded: ${errorText(error)}` }));
	saveEnd(directory, end === "requested" ? whyStopped() : end);
}
const CHECK_INTERVAL_MS = 200;
/** Aborts `stop` when sampling is to end. */
function watchForEnd(directory, jobPid, maxDurationMs) {
	const stop = new AbortController();
	const endsAt = performance.now() + maxDurationMs;
	let reason = "requested";
	const end = (why) => {
		clearInterval(timer);
		reason = why;
		stop.abort();
	};
	const check = () => {
		if (existsSync(monitorFile(directory, "stop"))) end("requested");
		else if (!existsSync(directory) || !isRunning(jobPid)) end({ early: "its job is gone" });
		else if (performance.now() > endsAt) end({ early: "max-duration was over" });
	};
	const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
	return {
		stop: stop.signal,
		whyStopped: () => reason
	};
}
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

// src/monitor/end-monitor.ts
/** Stops the sampler and judges its record. @throws InputError if the record is lost */
async function endMonitor(directory, context) {
	const { cancel } = context;
	const saved = loadInputs(directory);
	if (saved === void 0) throw inputError("monitor", `its record is lost: something removed files from ${directory}.`);
	const jobEnd = context.now();
	requestStop(directory);
	await waitForSampler(directory, context);
	const record = readRecord(directory);
	const inputs = parseInputs("monitor-end", saved);
	const time = {
		from: record.attempts[0]?.at ?? jobEnd,
		to: jobEnd
	};
	const stats = judgeRecord(inputs, record, time, { cancelled: cancel.aborted });
	return {
		name: inputs.name,
		sandbox: inputs,
		stats
	};
}
const MAX_WAIT_MS = 8e3;
const POLL_MS = 50;
async function waitForSampler(directory, { sleep, cancel, clock }) {
	const deadline = clock() + MAX_WAIT_MS;
	while (!hasEnded(directory) && clock() < deadline && !cancel.aborted) await sleep(POLL_MS, cancel);
}
/** Finds a running monitor. '' matches any. @throws InputError unless exactly one matches */
function chooseMonitor(idOrName, directories) {
	const running = directories.filter((directory) => !isJudged(directory)).map((directory) => {
		return {
			directory,
			name: rawValue(loadInputs(directory) ?? {}, "name"),
			id: path.basename(directory)
		};
	});
	if (running.length === 0) throw inputError("monitor", NONE_RUNS);
	const [only, ...others] = running.filter(({ name, id }) => [
		"",
		name,
		id
	].includes(idOrName));
	if (only !== void 0 && others.length === 0) return only.directory;
	const names = running.map(({ name, id }) => name === "" ? id : `${quote(name)} (${id})`);
	throw inputError("monitor", `must name exactly one running monitor of this job, not ${quote(idOrName)}. Running: ${names.join(", ")}. Use the output of the step that started the monitor.`, "${{ steps.<its id>.outputs.monitor }}");
}
const NONE_RUNS = "no monitor runs in this job. The step sandbox-sync/sandbox-sync/monitor must come before this one, and only one step can stop it.";

export { totalSize as $, openSandbox as A, rawValue as B, publishSandbox as C, deleteAtEnd as D, SYNC_ID as E, parseResponse as F, inputError as G, parseFields as H, AgentError as I, formatNumber as J, formatBytes as K, failureInfoOf as L, withRetries as M, openAgent as N, deleteLost as O, bodyError as P, systemCode as Q, wrapSystemErrors as R, loadMonitorDirectory as S, saveLeftovers as T, findMistake as U, fieldsOf as V, InputError as W, limitList as X, formatRate as Y, listSome as Z, isStored as _, isJudged as a, jobMetadata as b, run as c, takeStats as d, inlineCode as et, withoutStats as f, digestOf as g, runStep as h, startMonitor as i, describeRetry as j, describeEnd$1 as k, readJudgeableStats as l, runReportingStep as m, endMonitor as n, loadInputs as o, waitForSandbox as p, formatCount as q, runSampler as r, markJudged as s, chooseMonitor as t, quote as tt, stats as u, createMonitorDirectory as v, removeJobSandbox as w, loadLeftovers as x, findMonitorDirectories as y, isSecretHeader as z };