import { t as require_undici } from "./undici.js";
import { setImmediate, setTimeout as setTimeout$1 } from "node:timers/promises";

// src/text/unknown.ts
/** Returns the fields of an object, and none for any other value. */
function fieldsOf(value) {
	return typeof value === "object" && value !== null ? { ...value } : {};
}
/** Parses a JSON object; any other text has no fields. */
function parseFields(text) {
	try {
		return fieldsOf(JSON.parse(text));
	} catch {
		return {};
	}
}
function textsOf(value) {
	const fields = Object.entries(fieldsOf(value));
	return Object.fromEntries(fields.map(([name, field]) => [name, String(field)]));
}
/** Returns the code of a system error, such as `ENOENT`. */
function systemCode(error) {
	if (!(error instanceof Error) || !("code" in error)) return void 0;
	return typeof error.code === "string" ? error.code : void 0;
}
function errorText(error) {
	return error instanceof Error ? error.message : String(error);
}

// src/text/visible.ts
const UNSEEN = /(?!\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]|\p{Cs}/gu;
/** Escapes invisible characters, such as `\n` or `\u{202e}`, to keep foreign text on one line. */
function visible(text) {
	return text.replace(UNSEEN, escapeCharacter);
}
function findInvisible(text) {
	const [character] = text.match(UNSEEN) ?? [];
	return character === void 0 ? void 0 : escapeCharacter(character);
}
/** Cuts after `limit` characters and adds `…`, without splitting a surrogate pair. */
function truncate(text, limit) {
	return text.length <= limit ? text : `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, "")}…`;
}
function visibleCut(text, limit) {
	return visible(truncate(text, limit));
}
/** Quotes, shortens and escapes a value, except for the backslashes of Windows paths. */
function quote(value) {
	return JSON.stringify(truncate(value, 100)).replaceAll("\\\\", "\\");
}
/** Marks text as code for `prose`. */
function literal(text) {
	return `\`${text.replaceAll("`", "'")}\``;
}
/** Escapes `::` and `##[`, which the runner would treat as commands. */
function harmless(text) {
	return visible(text).replace(/^\s*::/, "\\$&").replaceAll("##[", "##\\[");
}
function escapeCharacter(character) {
	if (character === "\n") return "\\n";
	if (character === "\r") return "\\r";
	if (character === "	") return "\\t";
	return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

// src/agent/failure.ts
const retryable = (hint) => ({
	isRetryable: true,
	isFatal: false,
	hint
});
const fatal = (hint) => ({
	isRetryable: false,
	isFatal: true,
	hint
});
const perFile = (hint) => ({
	isRetryable: false,
	isFatal: false,
	hint
});
const CONSEQUENCES = {
	unauthorized: fatal("Check token (the sandbox's access token, not an API key), username and base-url."),
	forbidden: fatal("Check that the token may use this sandbox, and that the sandbox may resume."),
	"sandbox-not-found": fatal("Check sandbox-id, and that the sandbox has not been killed and has not expired: its lifetime must be as long as that of the job."),
	"not-found": perFile("Check base-url, upload-path and stats-path: the service has no such operation there."),
	rejected: perFile("The agent does not take this request. Check header-prefix, sandbox-id, port and the target."),
	"too-large": perFile("A proxy on the way, or the service, limits the size of a request. Send the file in parts, or by another way."),
	busy: retryable("The sandbox or its host is busy. Run the job again, raise retries, or set concurrency to a small number such as 2."),
	server: retryable("Check port, that the agent is up and not overloaded, and the service's status, and run the job again."),
	"disk-full": fatal("The sandbox's disk is full. Upload less, or use a sandbox with a larger disk."),
	unreachable: {
		isRetryable: true,
		isFatal: true,
		hint: "Check base-url, that this runner can reach the host, and its proxy settings (HTTPS_PROXY, NO_PROXY). For a certificate of a private CA, set NODE_EXTRA_CA_CERTS to the file of the CA."
	},
	connection: retryable("The connection is unreliable, or the sandbox needs longer to answer. Run the job again, or raise timeout or retries. If the port speaks TLS, base-url needs https."),
	"bad-answer": perFile("Check that base-url and the paths lead to the in-sandbox agent."),
	"file-changed": retryable("Check that the runner may read the file, and upload once nothing writes it any more."),
	cancelled: fatal("The job was cancelled.")
};
var AgentError = class extends Error {
	kind;
	status;
	retryAfterMs;
	code;
	hint;
	constructor(kind, message, details = {}) {
		super(message, { cause: details.cause });
		this.name = "AgentError";
		this.kind = kind;
		this.status = details.status;
		this.retryAfterMs = details.retryAfterMs;
		this.code = details.code;
		this.hint = details.hint ?? CONSEQUENCES[kind].hint;
	}
	get isRetryable() {
		return CONSEQUENCES[this.kind].isRetryable;
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
const UNREACHABLE = /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_(CONNECT_TIMEOUT|PRX|SOCKS5)|EPROTO|UNABLE_TO_|HOSTNAME_MISMATCH)|CERT|_TLS_|_SSL_/;
const MAX_DETAIL = 300;
/** Converts errors of undici and Node to AgentErrors; returns bugs and AgentErrors unchanged. */
function networkFailure(error, label, redact) {
	if (error instanceof AgentError || error instanceof TypeError || !(error instanceof Error)) return error;
	const isProxy = /^(Secure )?Proxy /i.test(error.message);
	const code = codeOf(error);
	if (code === void 0 || code === "UND_ERR_INVALID_ARG" && !isProxy) return error;
	const kind = isProxy || UNREACHABLE.test(code) ? "unreachable" : "connection";
	const said = truncate(redact(messageOf(error)), MAX_DETAIL);
	const detail = said.includes(code) ? said : `${said} (${code})`;
	return new AgentError(kind, `${label} failed: ${detail}.`, { cause: error });
}
function codeOf(error) {
	return systemCode(error) ?? (error.name === "HTTPParserError" ? error.name : void 0) ?? (error.cause instanceof Error ? codeOf(error.cause) : void 0);
}
function messageOf(error) {
	if (!(error instanceof AggregateError)) return error.message;
	return error.errors.map((each) => each instanceof Error ? each.message : String(each)).join("; ");
}

// src/agent/retry.ts
async function withRetries(request, { retries, random, sleep, stop, onRetry, isRepeatable = () => true }) {
	for (let attempt = 1;; attempt += 1) try {
		return {
			attempts: attempt,
			value: await request()
		};
	} catch (error) {
		if (!(error instanceof AgentError)) throw error;
		if (attempt > retries || !error.isRetryable || !isRepeatable(error) || stop.aborted) return {
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
const BASE_MS = 1e3;
const CAP_MS = 3e4;
/**
* Returns milliseconds that double with each attempt. Half is fixed, so that four retries take at
* least 7 s; half is random, so that requests that failed together do not retry together.
*/
function backoff(attempt, random, retryAfterMs = 0) {
	const half = Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1)) / 2;
	return Math.round(Math.max(half, retryAfterMs) + random() * half);
}
function sleep(ms, stop) {
	return setTimeout$1(ms, true, { signal: stop }).catch(() => false);
}

// package.json
var version = "1.0.0";

// src/text/redact.ts
const MIN_LENGTH = 8;
/** Returns true if a value not declared secret is long enough to mask. */
function isMaskable(value) {
	return value.length >= MIN_LENGTH;
}
/** Creates a `Redact` that finds secrets verbatim, percent-encoded and in base64. */
function redactor(secrets) {
	const forms = secrets.filter((secret) => secret !== "").flatMap(formsOf);
	const ordered = [...new Set(forms)].sort((one, other) => other.length - one.length);
	return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, "***"), text);
}
function formsOf(secret) {
	const bytes = Buffer.from(secret);
	const base64 = bytes.toString("base64").replace(/=+$/, "");
	return [
		secret,
		encodeURIComponent(secret.toWellFormed()),
		base64,
		bytes.toString("base64url")
	];
}

// src/gate/metrics.ts
/** Well-known metrics, each of which has an output. */
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
/** Returns undefined for a service's own metrics. */
function metricKind(metric) {
	return Object.hasOwn(METRICS, metric) ? METRICS[metric] : void 0;
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
/** Parses `metric[.aggregate] operator number[unit]`. */
function parseCondition(line, fail) {
	const next = openWords(line);
	const { metric, aggregate } = parseName(next(/[\p{L}_][\p{L}\p{N}_.:/-]*(?:\s+\.\w+)?/uy), fail);
	const operator = parseOperator(next(/[<>=!~&|]+/y), fail);
	const number = next(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\d.])/iy);
	const amount = parseNumber(number, operator, fail);
	const unit = parseUnit(next(/\S.*/y), metric, fail);
	const limit = inOwnUnit(amount, unit, metricKind(metric));
	checkPercentage({
		metric,
		limit,
		number,
		unit
	}, fail);
	return {
		text: `${metric}${aggregate === void 0 ? "" : `.${aggregate}`} ${operator} ${number.text}${unit}`,
		metric,
		aggregate,
		operator,
		limit
	};
}
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
function parseName({ text: written, column, rest }, fail) {
	const text = written.replace(/\s+/, "");
	if (text === "") return fail(`a metric was expected${butFound(rest)}, such as mem_used_pct`, column);
	const dot = text.lastIndexOf(".");
	const metric = text.slice(0, Math.max(dot, 0));
	const aggregate = AGGREGATES.find((each) => each === text.slice(dot + 1));
	if (metric !== "" && aggregate !== void 0) return {
		metric,
		aggregate
	};
	if (metricKind(metric) === void 0) return {
		metric: text,
		aggregate: void 0
	};
	const others = AGGREGATES.join(", ");
	return fail(`"${text.slice(dot + 1)}" is not one of the aggregates ${others}`, column + dot + 1);
}
function parseOperator({ text, column, rest }, fail) {
	return OPERATORS.find((each) => each === text) ?? fail(`one of ${OPERATORS.join(" ")} was expected${butFound(rest)}`, column);
}
function parseNumber({ text, column, rest }, operator, fail) {
	if (rest === "") return fail(`nothing follows ${operator}: is an expression empty?`, column);
	if (text === "") return fail(`a number was expected${butFound(rest)}, such as 90 or 1.5`, column);
	if (/^,\d/.test(rest.slice(text.length))) return fail("write the number without a comma, such as 1.5 or 1500", column);
	const amount = Number(text);
	return Number.isFinite(amount) ? amount : fail(`${text} is too large a number`, column);
}
const BYTES = /* @__PURE__ */ new Map([
	["B", 1],
	["kB", 1e3],
	["MB", 1e6],
	["GB", 1e9],
	["TB", 0xe8d4a51000],
	["KiB", 1024],
	["MiB", 2 ** 20],
	["GiB", 2 ** 30],
	["TiB", 2 ** 40]
]);
const BYTE_UNITS = [...BYTES.keys()];
const UNITS = {
	percentage: ["", "%"],
	bytes: BYTE_UNITS,
	mebibytes: ["", ...BYTE_UNITS],
	plain: [""]
};
const ANY_UNIT = [
	"",
	"%",
	...BYTE_UNITS
];
function parseUnit({ text, column }, metric, fail) {
	const kind = metricKind(metric);
	const valid = kind === void 0 ? ANY_UNIT : UNITS[kind];
	const unit = valid.find((each) => each.toLowerCase() === text.trim().toLowerCase());
	if (unit !== void 0) return unit;
	if (/(^|\s)#/.test(text)) return fail("a comment needs a line of its own", column);
	if (text === "") return fail(`${metric} is in bytes and needs a unit, such as 512MiB`, column);
	return fail(`${text} is not a unit of ${metric}: write ${`${adviceOf(valid)}, and one condition per line`}`, column);
}
function adviceOf(valid) {
	const units = valid.filter((each) => each !== "");
	if (units.length === 0) return "no unit";
	const names = units.length === 1 ? units.join() : `one of ${units.join(" ")}`;
	return valid.includes("") ? `${names}, or no unit` : names;
}
function inOwnUnit(amount, unit, kind) {
	const factor = BYTES.get(unit);
	if (factor === void 0) return amount;
	const bytes = /^B$|iB$/.test(unit) || Number.isInteger(amount) ? amount * factor : Number((amount * factor).toPrecision(15));
	return kind === "mebibytes" ? bytes / 2 ** 20 : bytes;
}
function checkPercentage({ metric, limit, number, unit }, fail) {
	if (metricKind(metric) !== "percentage") return;
	if (limit < 0 || limit > 100) fail(`${metric} is a percentage, which is between 0 and 100`, number.column);
	if (unit === "" && limit > 0 && limit < 1) fail(`write ${Number((limit * 100).toPrecision(15))}, or ${number.text}% if you mean it`, number.column);
}
function butFound(rest) {
	return rest === "" ? "" : `, not ${rest}`;
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
	const more = example === void 0 ? {} : { example: `${input}: ${example}` };
	return new InputError([{
		input,
		message,
		...more
	}]);
}
function describeProblem({ input, message, example }) {
	return `${input}: ${message}${example === void 0 ? "" : ` Example: ${example}`}`;
}
/** Parses every item. @throws InputError with the problems of all items */
function parseAll(items, parse) {
	const problems = [];
	const parsed = [];
	for (const item of items) try {
		parsed.push(parse(item));
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

// src/inputs/mistakes.ts
const VALUES = [
	"sandbox-id",
	"token",
	"api-key",
	"base-url",
	"api-url"
];
const PATHS = [
	"files",
	"target",
	"state-file"
];
const MISTAKES = [
	{
		inputs: ["sandbox-id", "token"],
		pattern: /^(null|undefined)?$/,
		message: "is empty or null. Check the `id` of the step that it comes from, and the name of its output. GitHub passes no masked outputs to other jobs, and no secrets to workflows of forks."
	},
	{
		inputs: ["api-key"],
		pattern: /^(null|undefined)?$/,
		message: "is empty. Check the name of the secret. Pull requests from forks and of Dependabot get no secrets."
	},
	{
		inputs: ["token"],
		pattern: /^(sk_)?e2b_/i,
		message: "is an API key. Give the sandbox's access token, which the API returns when it creates the sandbox."
	},
	{
		inputs: [...VALUES, ...PATHS],
		pattern: /\$\{\{/,
		message: "contains a literal `${{`, which the runner did not evaluate. Check its spelling."
	},
	{
		inputs: VALUES,
		pattern: /^(secrets|steps|env|vars|needs|matrix|inputs)\.[\w-]+(\.[\w.-]+)?$/,
		message: "is an expression without its braces. Write it as `${{ … }}`."
	},
	{
		inputs: [...VALUES, ...PATHS],
		pattern: /^(["'`]).*\1$/s,
		message: "is in quotation marks. Remove them."
	},
	{
		inputs: [...VALUES, ...PATHS],
		pattern: /^\$([A-Z_][A-Z\d_]*|env:\w+|\{\w+\}|\(.*\))(?=[\\/]|$)/s,
		message: "begins with a variable of a shell, which is not expanded. Use an expression, such as `${{ env.NAME }}`."
	},
	{
		inputs: ["sandbox-id"],
		pattern: /^[a-z]+:\/\/|^[\w-]+(\.[\w-]+)+\.[a-z]{2,}(:\d+)?$/i,
		message: "is a URL or a host name. Give only the ID."
	},
	{
		inputs: ["header-prefix"],
		pattern: /^(Svc)?$/i,
		beside: ["base-url", /^\s*https?:\/\/sandbox\.e2b\.(app|dev)\b/i],
		message: "must be E2b, since base-url is E2B's."
	},
	{
		inputs: ["header-prefix"],
		pattern: /^X-|-Sandbox|-$/i,
		message: "is more than the prefix. Leave out X- and -Sandbox-Id."
	},
	{
		inputs: ["target"],
		pattern: /^(home\/|~)/,
		message: "starts below the user's home already. Write the path from there, or a full one such as /home/user/app."
	},
	{
		inputs: ["files"],
		pattern: /^-\s|^\[\s*["'].*["']\s*\]$|\*\*[,;]?\s+\S|\*\.\w+[,;]?\s+\S*\*/,
		message: "is a list, or several patterns. Write each on its own line, below `files: |`, without dashes, brackets or commas."
	},
	{
		inputs: ["exclude"],
		pattern: /\{[^{}]*,[^{}]*\}|[+@?!]\(|,\s*!|\s#/,
		message: "has braces, parentheses, a list or a comment, which patterns do not have. Write one line for each."
	},
	{
		inputs: ["files"],
		pattern: /[^\\/]\*\*|\*\*[^\\/]/,
		message: "has a ** beside other characters, so it matches no folders. Write it alone between slashes, such as src/**/*.js; in front of a target, write => with a space on each side."
	},
	{
		inputs: ["files"],
		pattern: /(\*[^*\\/]*){4}/,
		message: "has more than three * in one name. Write one for all that they stand for."
	}
];
function refuseMistakes(input, value, fail, all = {}) {
	const mistake = MISTAKES.find(({ inputs, pattern, beside }) => {
		const hasOther = beside === void 0 || beside[1].test(all[beside[0]] ?? "");
		return inputs.includes(input) && pattern.test(value) && hasOther;
	});
	if (mistake !== void 0) fail(mistake.message);
}

// src/inputs/fields.ts
const text = (value) => value;
/** Parses a YAML 1.2 boolean. */
function flag(fallback) {
	return (value, refuse) => {
		if (value === "") return fallback;
		if (/^(true|True|TRUE)$/.test(value)) return true;
		if (/^(false|False|FALSE)$/.test(value)) return false;
		return refuse(`${quote(value)} is neither true nor false.`, String(fallback ?? true));
	};
}
function choice(first, ...others) {
	const words = [first, ...others];
	return (value, refuse) => {
		return (value === "" ? first : words.find((candidate) => candidate === value)) ?? refuse(`${quote(value)} is not one of ${words.join(", ")}.`, first);
	};
}
function wholeNumber(min, max, fallback) {
	return (value, refuse) => {
		if (value === "") return fallback;
		const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
		if (number >= min && number <= max) return number;
		return refuse(`${quote(value)} is not a whole number from ${min} to ${max}.`, String(fallback));
	};
}
function autoOr(max) {
	return (value, refuse) => {
		if (value === "" || value === "auto") return void 0;
		const number = /^\d{1,4}$/.test(value) ? Number(value) : 0;
		if (number >= 1 && number <= max) return number;
		return refuse(`${quote(value)} is neither auto nor a whole number from 1 to ${max}.`, "auto");
	};
}
const AUTO_CONCURRENCY = 24;
const concurrency = (value, refuse, all) => autoOr(100)(value, refuse, all) ?? AUTO_CONCURRENCY;
const AUTO_BATCH_SIZE = 250;
/** Defaults to batches only for E2B, whose agent accepts them. */
const filesPerRequest = (value, refuse, all) => {
	const isSigned = Boolean(all["signature"]?.trim());
	const isE2b = /^\s*e2b\s*$/i.test(all["header-prefix"] ?? "");
	const count = autoOr(1e3)(value, refuse, all);
	if (count === void 0) return isE2b && !isSigned ? AUTO_BATCH_SIZE : 1;
	if (count === 1 || !isSigned) return count;
	return refuse(`${quote(value)} cannot be combined with a signature, which fits a single target path.`, "auto");
};
const MILLISECONDS = new Map(Object.entries({
	ms: 1,
	s: 1e3,
	m: 6e4,
	h: 36e5
}));
const MAX_DURATION_MS = 864e5;
/** Parses `500ms`, `30s`, `5m` or `2h` to milliseconds, from `min` to a day. */
function duration(min, fallback) {
	return (value, refuse) => {
		const ms = parseDuration(value === "" ? fallback : value);
		if (ms !== void 0 && ms >= min && ms <= MAX_DURATION_MS) return ms;
		return refuse(`${quote(value)} is not a duration from ${min}ms to 24h: write a number with ms, s, m or h.`, fallback);
	};
}
function parseDuration(text) {
	const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
	const factor = MILLISECONDS.get(unit);
	return factor === void 0 ? void 0 : Math.round(Number(number) * factor);
}
const expiration = (value, refuse) => /^\d{0,19}$/.test(value) ? value : refuse(`${quote(value)} is not a whole number: the Unix time in seconds.`, "1767225600");
const runnerPath = (value, refuse) => {
	refuseMistakes("state-file", value, (why) => refuse(`${quote(value)} ${why}`, "cache/sandbox-state.json"));
	return value;
};
const MAX_SHARDS = 256;
const shard = (value, refuse) => {
	if (value === "") return void 0;
	const [, index = 0, count = 0] = (/^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? []).map(Number);
	if (1 <= index && index <= count && count <= MAX_SHARDS) return {
		index,
		count
	};
	const more = value.startsWith("0/") ? " strategy.job-index begins with 0: add 1 to it." : "";
	return refuse(`${quote(value)} is not INDEX/COUNT with 1 ≤ INDEX ≤ COUNT ≤ ${MAX_SHARDS}.${more}`, "2/4");
};
const conditions = (value, refuse) => parseLines(value, refuse, (line, fail) => parseConditionLine(line, fail, "mem_used_pct > 90"));
/** Parses conditions to wait for; `ready` only asks for stats. */
const waitConditions = (value, refuse) => {
	const lines = parseLines(value, refuse, (line, fail) => /^ready$/i.test(line) ? "ready" : parseConditionLine(line, fail, "ready"));
	return lines.length > 0 ? lines.filter((line) => line !== "ready") : void 0;
};
function parseConditionLine(line, fail, example) {
	return parseCondition(line, (message, column) => fail(`${quote(line)}, at character ${column}: ${message}.`, example));
}
/** Parses all lines except blank ones and comments. @throws InputError with all their problems */
function parseLines(value, refuse, parseLine) {
	const parsed = value.split(/\r?\n/).map((line, index) => ({
		line: line.trim(),
		at: index + 1
	})).filter(({ line }) => line !== "" && !line.startsWith("#"));
	return parseAll(parsed, ({ line, at }) => parseLine(line, (message, example) => refuse(`line ${at}: ${message}`, example)));
}

// src/inputs/connection.ts
const USER_AGENT = `sandbox-sync/${version}`;
const DEFAULT_PORT = 49983;
const UPLOAD_PATH = "/files";
const STATS_PATH = "/metrics";
/** Fills in placeholders and drops the trailing slash. */
const baseUrl = (value, refuse, all) => {
	const example = "https://sandbox.example.com";
	if (value === "") return refuse("is required beside token: the sandbox host.", example);
	if (value.includes("@")) return refuse("must not contain credentials or an @: the token has its own input.", example);
	const fail = (why) => refuse(`${quote(value)} ${why}`, example);
	refuseMistakes("base-url", value, fail);
	const url = parseUrl(fillPlaceholders(value, fail, all), fail);
	const mayBeHttp = /^\s*true\s*$/i.test(all["allow-insecure-http"] ?? "");
	if (url.protocol === "http:" && !mayBeHttp && !isLoopback(url.hostname)) return fail("would send the token unencrypted. Use https, or set allow-insecure-http: true.");
	refuseOperation(url, fail, all);
	return url.href.replace(/\/+$/, "");
};
function refuseOperation({ pathname }, fail, all) {
	const operations = {
		"upload-path": UPLOAD_PATH,
		"stats-path": STATS_PATH
	};
	for (const [input, path] of Object.entries(operations)) {
		const given = all[input]?.trim();
		if ((given === path || given === "") && pathname.replace(/\/+$/, "").endsWith(path)) fail(`ends in ${path}, which the action adds itself. Remove it, or set ${input}.`);
	}
}
function fillPlaceholders(value, fail, all) {
	const id = all["sandbox-id"]?.trim() || "id";
	if (value.includes("{sandbox-id}") && !/^[\w-]+$/.test(id)) return fail(`cannot take the sandbox-id ${quote(id)}: it may have letters, digits, - and _.`);
	const filled = value.replaceAll("{sandbox-id}", id).replaceAll("{port}", all["port"]?.trim() || String(49983));
	if (!/[{}]/.test(filled)) return filled;
	return fail("has an unknown placeholder; valid are {sandbox-id} and {port}.");
}
/** Parses an http or https URL without query or fragment. */
function parseUrl(value, fail) {
	const url = /^https?:\/\/[^\\/\s][^\\\s]*$/i.test(value) ? URL.parse(value) : null;
	if (url === null) return fail("is not a URL that begins with https://.");
	return /[?#]/.test(value) ? fail("must not have a query or a fragment.") : url;
}
/** Returns true for loopback hosts; names other than `localhost` may resolve elsewhere. */
function isLoopback(hostname) {
	return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
function operationPath(fallback) {
	return (value, refuse) => {
		const path = value === "" ? fallback : value;
		const url = URL.parse(path, "http://host");
		if (/^\/[^?#]*$/.test(path) && url?.host === "host" && url.pathname === path) return path;
		return refuse(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
	};
}
const sandboxId = (value, refuse) => {
	const fail = (why) => refuse(after(value, why), "${{ steps.sandbox.outputs.id }}");
	refuseMistakes("sandbox-id", value, fail);
	return requireHeaderValue(value, fail);
};
const token = (value, refuse) => {
	const fail = (why) => refuse(why, "${{ steps.sandbox.outputs.token }}");
	refuseMistakes("token", value, fail);
	return requireHeaderValue(value, fail);
};
function after(value, why) {
	return value === "" ? why : `${quote(value)} ${why}`;
}
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
function isHeaderValue(value) {
	return HEADER_VALUE.test(value);
}
function requireHeaderValue(value, fail) {
	if (isHeaderValue(value)) return value;
	return fail("has a line break or another character that a header cannot carry.");
}
const DEFAULT_PREFIX = "Svc";
const headerPrefix = (value, refuse, all) => {
	const fail = (why) => refuse(after(value, why), "E2b");
	refuseMistakes("header-prefix", value, fail, all);
	const prefix = value || DEFAULT_PREFIX;
	return HEADER_NAME.test(prefix) ? prefix : fail("cannot be part of a header's name.");
};
function routingHeaders(prefix) {
	return {
		id: `${prefix}-Sandbox-Id`,
		port: `${prefix}-Sandbox-Port`
	};
}
const extraHeaders = (value, refuse, all) => {
	const { id, port } = routingHeaders(all["header-prefix"]?.trim() || DEFAULT_PREFIX);
	return parseHeaders(value, refuse, [
		"X-Access-Token",
		id,
		port
	]);
};
const RESERVED = [
	"accept user-agent host content-type content-length content-encoding",
	"transfer-encoding connection keep-alive proxy-connection proxy-authorization",
	"upgrade expect te trailer"
].flatMap((names) => names.split(" "));
/** Parses one header per line. Messages omit values, which may be secret. */
function parseHeaders(value, refuse, own) {
	const example = "\"X-Metadata-build: 42\"";
	const reserved = [...RESERVED, ...own.map((name) => name.toLowerCase())];
	const headers = parseLines(value, refuse, (line, fail) => {
		const header = splitHeader(line) ?? fail("this is not of the form Name: value.", example);
		const [name] = header;
		if (!reserved.includes(name.toLowerCase())) return header;
		return fail(`the action itself sets ${quote(name)}. Remove the line.`, example);
	});
	return Object.fromEntries(headers);
}
function splitHeader(line) {
	const colon = line.indexOf(":");
	const name = line.slice(0, Math.max(colon, 0)).trim();
	const content = line.slice(colon + 1).trim();
	return HEADER_NAME.test(name) && isHeaderValue(content) ? [name, content] : void 0;
}
function isSecretHeader(name) {
	return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}
function secretsInHeaders(headers) {
	return headers.filter(([name]) => isSecretHeader(name)).flatMap(([, value]) => [value, value.replace(/^\S+\s+/, "")]).filter(isMaskable);
}

// src/inputs/files.ts
const EXAMPLE = "dist/**";
const TARGET_EXAMPLE = `${EXAMPLE} => app`;
/** Parses `pattern`, `pattern => target`, `!pattern`, `#` comments and blank lines. */
const fileRules = (value, refuse) => {
	const lines = parseLines(value, refuse, parseLine);
	const patterns = lines.filter((line) => "pattern" in line);
	const excludes = lines.flatMap((line) => "exclude" in line ? [line.exclude] : []);
	if (patterns.length > 0) return {
		patterns,
		excludes
	};
	return refuse("is required: at least one line must say what to upload.", EXAMPLE);
};
const targetDirectory = (value, refuse) => parseTarget(value, refuse, "app");
function parseLine(line, fail) {
	const [pattern = "", ...targets] = line.split(/(?:^|\s+)=>(?:\s+|$)/);
	const [target] = targets;
	if (pattern.startsWith("!")) {
		if (target === void 0) return { exclude: parseExclude(pattern.slice(1).trim(), fail) };
		return fail(`${quote(line)} excludes files, so it cannot have a target.`, `"!${EXAMPLE}"`);
	}
	if (target === void 0) return { pattern: parsePattern(pattern, fail) };
	if (target === "") return fail(`${quote(line)} has no target after =>.`, TARGET_EXAMPLE);
	if (targets.length > 1) return fail(`${quote(line)} has more than one =>.`, TARGET_EXAMPLE);
	return {
		pattern: parsePattern(pattern, fail),
		target: parseTarget(target, fail, TARGET_EXAMPLE)
	};
}
function parseExclude(pattern, refuse) {
	refuseMistakes("exclude", pattern, (why) => refuse(`${quote(`!${pattern}`)} ${why}`, EXAMPLE));
	return parsePattern(pattern, refuse);
}
function parsePattern(pattern, refuse) {
	const fail = (why) => refuse(`${quote(pattern)} ${why}`, EXAMPLE);
	if (pattern === "" || pattern.startsWith("!")) return fail("is not a pattern.");
	refuseMistakes("files", pattern, fail);
	const inner = pattern.replace(/^(\.{1,2}[\\/])+/, "");
	if (/[\\/]\.{1,2}([\\/]|$)|^\.{1,2}[\\/]/.test(inner)) return fail("has a . or .. in its middle. Write the path without it.");
	return pattern;
}
function parseTarget(target, refuse, example) {
	const fail = (why) => refuse(`the target ${quote(target)} ${why}`, example);
	refuseMistakes("target", target, fail);
	const invisible = findInvisible(target);
	if (invisible !== void 0) return fail(`has the invisible character ${invisible}.`);
	if (target.split("/").includes("..")) return fail("has a .. in it. Write the path without it.");
	if (/[\\*]|^[a-z][a-z\d+.-]*:\//i.test(target)) return fail("is not a plain POSIX path, such as /srv/app.");
	return target;
}

// src/inputs/service-api.ts
const apiUrl = (value, refuse) => {
	const example = "https://api.e2b.app";
	if (value === "") return refuse("is required: the URL of the service's API.", example);
	if (value.includes("@")) return refuse("must not contain credentials or an @: the key has its own input.", example);
	const fail = (why) => refuse(`${quote(value)} ${why}`, example);
	refuseMistakes("api-url", value, fail);
	const { protocol, hostname, href } = parseUrl(value, fail);
	if (protocol === "http:" && !isLoopback(hostname)) return fail("would send the API key unencrypted. Use https.");
	return href.replace(/\/+$/, "");
};
const apiKey = (value, refuse) => {
	const fail = (why) => refuse(why, "${{ secrets.E2B_API_KEY }}");
	refuseMistakes("api-key", value, fail);
	return requireHeaderValue(value, fail);
};
const apiHeaders = (value, refuse) => parseHeaders(value, refuse, ["X-API-Key"]);
const templateName = (value) => value || "base";
/** Empty if a sandbox is to be created. */
const existingSandboxId = (value, refuse, all) => value === "" ? value : sandboxId(value, refuse, all);
/** Parses one `KEY=value` per line. Messages omit values, which may be secret. */
const keyValues = (value, refuse) => {
	const pairs = parseLines(value, refuse, (line, fail) => {
		const [, key, content = ""] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
		return key === void 0 ? fail("this is not of the form KEY=value.", "\"SUITE=api\"") : [key, content];
	});
	return Object.fromEntries(pairs);
};

// src/inputs/inputs.ts
const connecting = {
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
	signature: text,
	"signature-expiration": expiration,
	"if-no-files-found": choice("error", "warn", "ignore"),
	"include-hidden-files": flag(false),
	"follow-symlinks": flag(void 0),
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
	"wait-until": waitConditions,
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
const TABLES = {
	sync: {
		...connecting,
		...retrying,
		...uploading,
		...measuring,
		...reporting
	},
	upload: {
		...connecting,
		...retrying,
		...uploading,
		...reporting
	},
	stats: {
		...connecting,
		...retrying,
		...measuring,
		...reporting
	},
	monitor: {
		...connecting,
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
		delete: flag(void 0)
	},
	"sandbox-end": controlling
};
const SECRET_INPUTS = [
	"token",
	"signature",
	"api-key"
];
function secretsIn(raw) {
	const lines = (raw["headers"] ?? "").split("\n").map((line) => splitHeader(line.trim()));
	const headers = secretsInHeaders(lines.filter((header) => header !== void 0));
	const variables = (raw["env"] ?? "").split("\n").map((line) => line.replace(/^[^=]*=/, "").trim());
	return [
		...SECRET_INPUTS.map((name) => (raw[name] ?? "").trim()),
		...headers,
		...variables.filter(isMaskable)
	].filter((secret) => ![
		"",
		"null",
		"undefined"
	].includes(secret));
}
function taskOf(entry) {
	return entry === "monitor-end" || entry === "monitor-stop" ? "monitor" : entry;
}
function inputNames(entry) {
	return Object.keys(TABLES[entry]);
}
/** @throws InputError that lists every invalid input */
function parseInputs(entry, raw) {
	return parseTable(TABLES[entry], raw);
}
/** @throws InputError that lists every invalid input */
function parseTable(fields, raw) {
	const parsed = parseAll(Object.entries(fields), ([name, parse]) => {
		const refuse = (message, example) => {
			throw inputError(name, message, example);
		};
		return [name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()), parse((raw[name] ?? "").trim(), refuse, raw)];
	});
	return Object.fromEntries(parsed);
}

// src/agent/answer.ts
var import_undici = require_undici();
const { STATUS_CODES } = process.getBuiltinModule("node:http");
/** @throws AgentError if the body is longer than `maxBytes` */
async function readAnswer({ statusCode: status, headers, body }, label, maxBytes) {
	const chunks = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > maxBytes) {
			const message = `${label} answered ${status} with more than ${Math.floor(maxBytes / 1024)} KiB.`;
			throw new AgentError("bad-answer", message, { status });
		}
		chunks.push(chunk);
	}
	return {
		label,
		status,
		text: new TextDecoder().decode(Buffer.concat(chunks)),
		retryAfter: [headers["retry-after"]].flat()[0]
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
/** Builds the error for a 2xx answer that breaks the contract; `why` completes its sentence. */
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
	501: "rejected",
	503: "busy",
	505: "rejected",
	507: "disk-full"
};
const SANDBOX_GONE = /\bsandbox(?: id)?(?: \S*[\d"'`]\S*)? (?:(?:was |is )?not found|could not be found|does(?:n't| not) exist)/i;
const ADVICE = [
	{
		statuses: [400, 401],
		words: /\busername (?:is required|not provided)|\b(?:unknown|invalid) user|\blooking up user|\buser:? \S+ (?:was )?not found/i,
		kind: "unauthorized",
		hint: "Set username: user, or another user of the sandbox."
	},
	{
		statuses: [429],
		words: /\bsandbox limit\b|\bconcurrent (?:\w+ )?sandboxes\b/i,
		kind: "busy",
		hint: "The sandbox cannot resume: the account already runs as many as it may. Delete some, or raise its limit."
	},
	{
		statuses: [400],
		words: /\binvalid host\b/i,
		kind: "rejected",
		hint: "Check base-url and header-prefix: they lead to no sandbox. At E2B, base-url is https://{port}-{sandbox-id}.e2b.app."
	}
];
/** Converts an unsuccessful answer to an AgentError; `now` is Unix time in milliseconds. */
function statusFailure(answer, redact, now) {
	const { label, status, retryAfter } = answer;
	const reason = STATUS_CODES[status] === void 0 ? "" : ` ${STATUS_CODES[status]}`;
	const isRedirect = status >= 300 && status < 400;
	const words = isRedirect ? "" : wordsOf(answer.text, redact);
	const quoted = words === "" ? "" : ` It said: ${JSON.stringify(words)}.`;
	const more = isRedirect ? " Redirects are not followed." : quoted;
	const advice = ADVICE.find((each) => each.statuses.includes(status) && each.words.test(words));
	const kind = advice?.kind ?? kindOf(status, words);
	const retryAfterMs = parseRetryAfter(retryAfter, now);
	const message = `${label} answered ${status}${reason}.${more}`;
	const { error_code: code } = parseFields(answer.text);
	return new AgentError(kind, message, {
		status,
		retryAfterMs,
		hint: advice?.hint,
		code: typeof code === "string" ? code : void 0
	});
}
const MAX_RETRY_AFTER_MS = 6e4;
/** Parses a Retry-After header (RFC 9110, section 10.2.3) to milliseconds, at most a minute. */
function parseRetryAfter(value, now) {
	if (value === void 0) return void 0;
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1e3 : Date.parse(value) - now;
	return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : void 0;
}
function kindOf(status, words) {
	if ((status === 404 || status === 502) && SANDBOX_GONE.test(words)) return "sandbox-not-found";
	const known = KINDS[status];
	if (known !== void 0) return known;
	if (status < 300) return "bad-answer";
	if (status < 400) return "not-found";
	return status < 500 ? "rejected" : "server";
}
const MAX_WORDS = 300;
function wordsOf(text, redact) {
	return truncate(redact(messageIn(text)).replace(/\s+/g, " ").trim(), MAX_WORDS);
}
function messageIn(text) {
	if (/^\s*</.test(text)) return /<title>([^<]*)/i.exec(text)?.[1] ?? "";
	try {
		const body = JSON.parse(text);
		const { message, error } = fieldsOf(body);
		return [
			body,
			message,
			error
		].find((each) => typeof each === "string") ?? JSON.stringify(body);
	} catch {
		return text;
	}
}

// src/agent/client.ts
const SUCCESS = [200, 201];
const MAX_ANSWER_BYTES = 131072;
/** @throws InputError if a proxy variable is invalid */
function openClient(connection, options) {
	const { baseUrl, headers, token, headerPrefix, sandboxId, port, timeout } = connection;
	const routing = routingHeaders(headerPrefix);
	return openServiceClient({
		baseUrl,
		headers: {
			...headers,
			"X-Access-Token": token,
			[routing.id]: sandboxId,
			[routing.port]: String(port)
		},
		timeout
	}, options);
}
/** @throws InputError if a proxy variable is invalid */
function openServiceClient(service, options) {
	const { cancel, now, redact } = options;
	const dispatcher = openDispatcher(service);
	const end = () => void dispatcher.destroy();
	cancel.addEventListener("abort", end);
	return {
		async send(request) {
			const label = `${request.method} ${service.baseUrl}${request.path.replace(/\?.*/s, "")}`;
			try {
				cancel.throwIfAborted();
				const answer = await exchange({
					...request,
					label,
					service,
					dispatcher
				});
				if ((request.statuses ?? SUCCESS).includes(answer.status)) return answer;
				throw statusFailure(answer, redact, now());
			} catch (error) {
				if (cancel.aborted) throw new AgentError("cancelled", `${label} was cancelled.`);
				throw networkFailure(error, label, redact);
			}
		},
		async close() {
			cancel.removeEventListener("abort", end);
			await dispatcher.destroy();
		}
	};
}
const PROXY_VARIABLES = [
	"http_proxy",
	"HTTP_PROXY",
	"https_proxy",
	"HTTPS_PROXY"
];
function proxyCredentials(env = process.env) {
	return PROXY_VARIABLES.flatMap((name) => URL.parse(env[name] ?? "") ?? []).flatMap(({ username, password }) => password === "" ? [username] : [password, `${username}:${password}`]).flatMap((secret) => [secret, decoded(secret)]).filter(isMaskable);
}
function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
const MAX_CONNECT_MS = 1e4;
function openDispatcher({ baseUrl, timeout }) {
	const options = {
		allowH2: false,
		connectTimeout: Math.min(timeout, MAX_CONNECT_MS)
	};
	const { protocol, hostname } = new URL(baseUrl);
	if (protocol === "http:" && isLoopback(hostname)) return new import_undici.Agent(options);
	try {
		return new import_undici.EnvHttpProxyAgent(options);
	} catch {
		const names = PROXY_VARIABLES.filter((name) => process.env[name]).join(", ");
		throw inputError(names, "not the URL of an http, https or socks5 proxy.", "http://host:3128");
	}
}
/**
* Sends a request and reads its answer. Each chunk sent restarts the idle clock; after the last
* one, the whole answer must arrive within the timeout.
*/
async function exchange(options) {
	const { label, service, statuses = SUCCESS } = options;
	const clock = startIdleClock(service.timeout);
	const sending = {
		isSent: options.body === void 0,
		isOver: false,
		thrown: void 0
	};
	const body = options.body && trackSending(options.body, sending, clock.restart, options.onSent);
	try {
		const answer = await Promise.race([clock.ranOut, receive(options, body, clock.signal)]);
		if (!sending.isSent && statuses.includes(answer.status)) {
			const message = `${label} answered ${answer.status} before everything was sent.`;
			throw new AgentError("connection", message);
		}
		await setImmediate();
		return answer;
	} catch (error) {
		throw sending.thrown ?? (clock.signal.aborted ? stalled(label, sending) : error);
	} finally {
		clock.stop();
		sending.isOver = true;
	}
}
async function receive({ label, service, dispatcher, method, path, headers, maxAnswerBytes = MAX_ANSWER_BYTES }, body, signal) {
	const always = {
		Accept: "application/json",
		"User-Agent": USER_AGENT
	};
	const response = await (0, import_undici.request)(`${service.baseUrl}${path}`, {
		dispatcher,
		method,
		headers: {
			...service.headers,
			...always,
			...headers
		},
		body: body ?? null,
		signal,
		headersTimeout: 0,
		bodyTimeout: 0
	});
	return readAnswer(response, label, maxAnswerBytes);
}
async function* trackSending(chunks, sending, restartClock, onSent = () => {}) {
	try {
		for (const chunk of chunks) {
			yield chunk;
			if (sending.isOver) return;
			restartClock();
			onSent(chunk.length);
		}
		sending.isSent = true;
	} catch (error) {
		sending.thrown = error;
		throw error;
	}
}
function stalled(label, { isSent }) {
	return new AgentError("connection", `${label} failed: ${isSent ? "the answer did not end" : "nothing more could be sent"} within timeout.`);
}
/** Rejects `ranOut` and aborts `signal` after `ms` milliseconds without a restart. */
function startIdleClock(ms) {
	const { promise: ranOut, reject } = Promise.withResolvers();
	const ending = new AbortController();
	const end = () => {
		ending.abort();
		reject(ending.signal.reason);
	};
	let timer = setTimeout(end, ms);
	const stop = () => clearTimeout(timer);
	const restart = () => {
		stop();
		timer = setTimeout(end, ms);
	};
	return {
		ranOut,
		signal: ending.signal,
		restart,
		stop
	};
}

export { quote as A, sleep as C, isFatal as D, failureOf as E, fieldsOf as F, parseFields as I, systemCode as L, visible as M, visibleCut as N, harmless as O, errorText as P, textsOf as R, redactor as S, AgentError as T, describeProblem as _, badAnswer as a, METRICS as b, parseInputs as c, DEFAULT_PORT as d, USER_AGENT as f, allOf as g, InputError as h, proxyCredentials as i, truncate as j, literal as k, secretsIn as l, isSecretHeader as m, openClient as n, parseAnswer as o, isHeaderValue as p, openServiceClient as r, inputNames as s, MAX_ANSWER_BYTES as t, taskOf as u, inputError as v, withRetries as w, metricKind as x, AGGREGATES as y };