import { A as quote, C as sleep, I as parseFields, M as visible, O as harmless, P as errorText, R as textsOf, S as redactor, T as AgentError, _ as describeProblem, b as METRICS, c as parseInputs, d as DEFAULT_PORT, f as USER_AGENT, h as InputError, i as proxyCredentials, j as truncate, k as literal, l as secretsIn, s as inputNames, u as taskOf, v as inputError, x as metricKind, y as AGGREGATES } from "./shared.js";
import { a as getState, c as notice, d as setOutput, f as setSecret, h as summary, i as getInput, l as saveState, m as warning, n as endGroup, o as info, p as startGroup, r as error, s as isDebug, t as debug, u as setFailed } from "./core.js";
import { hash, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { writeFile } from "node:fs/promises";

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
	const rest = count % 60 === 0 ? "" : ` ${count % 60} ${small}`;
	return `${Math.floor(count / 60)} ${large}${rest}`;
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
/** Formats a count with its noun: `1 file`, `12,000 files`. */
function formatCount(count, noun) {
	return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
function andMore(first, others) {
	return others === 0 ? first : `${first} and ${formatNumber(others)} more`;
}
function formatDecimal(value, decimals) {
	return String(Number(value.toFixed(decimals)));
}
function totalSize(files) {
	return files.reduce((sum, { size }) => sum + size, 0);
}
function abbreviate(items, limit, { show, more }) {
	const shown = items.slice(0, limit).map((item) => show(item));
	const rest = items.length - limit;
	return rest > 0 ? [...shown, more(rest)] : shown;
}

// src/gate/judge.ts
const NO_GATE = {
	state: "none",
	failIf: [],
	warnIf: [],
	breaches: []
};
function isGated({ failIf, warnIf }) {
	return failIf.length + warnIf.length > 0;
}
/** Judges all conditions; a gate that misses samples (`isIncomplete`) never passes. */
function gateOf({ failIf, warnIf }, samples, isIncomplete = false) {
	const tripped = (level, conditions) => conditions.map((condition) => ({
		...judge(condition, samples),
		level
	})).filter(({ holds }) => holds !== false);
	const failures = tripped("fail", failIf);
	const warnings = tripped("warn", warnIf);
	const state = () => {
		if (!isGated({
			failIf,
			warnIf
		})) return "none";
		if (failures.length > 0 || isIncomplete && failIf.length > 0) return "failed";
		return isIncomplete || warnings.length > 0 ? "warned" : "passed";
	};
	return {
		state: state(),
		failIf,
		warnIf,
		breaches: [...failures, ...warnings]
	};
}
/** Judges a condition over samples (oldest first), all of which must have the metric. */
function judge(condition, samples) {
	const { metric, aggregate = "last", operator, limit } = condition;
	const why = whyNotJudged(metric, samples);
	if (why !== void 0) return {
		condition,
		holds: void 0,
		why
	};
	const candidates = candidatesOf(condition, samples);
	if (!candidates.every(Number.isFinite)) return {
		condition,
		holds: void 0,
		why: `the mean of ${literal(metric)} is too large`
	};
	const tripping = candidates.find((figure) => COMPARE[operator](figure, limit));
	const figure = tripping ?? AGGREGATE[aggregate](figuresOf(metric, samples));
	return {
		condition,
		holds: tripping !== void 0,
		figure
	};
}
function whyNotJudged(metric, samples) {
	if (samples.length === 0) return "there are no stats";
	const [first, ...others] = samples.filter(({ figures }) => !figures.has(metric));
	if (first === void 0) return void 0;
	const count = others.length + 1;
	if (count < samples.length) return `${formatNumber(count)} of ${formatCount(samples.length, "sample")} do not report ${literal(metric)}`;
	return `the sandbox does not report ${literal(metric)}; it reports ${namesIn(first)}`;
}
const COMPARE = {
	">": (figure, limit) => figure > limit,
	">=": (figure, limit) => figure >= limit,
	"<": (figure, limit) => figure < limit,
	"<=": (figure, limit) => figure <= limit,
	"==": (figure, limit) => figure === limit,
	"!=": (figure, limit) => figure !== limit
};
function candidatesOf({ metric, aggregate, operator }, samples) {
	const figures = figuresOf(metric, samples);
	if (aggregate !== void 0) return [AGGREGATE[aggregate](figures)];
	if (operator.startsWith(">")) return [AGGREGATE.max(figures)];
	return operator.startsWith("<") ? [AGGREGATE.min(figures)] : figures;
}
const MAX_REPORTED = 30;
function namesIn({ figures }) {
	const names = [...figures.keys()].sort().map(literal);
	const more = (count) => `${formatNumber(count)} more`;
	return abbreviate(names, MAX_REPORTED, {
		show: String,
		more
	}).join(", ") || "nothing";
}
/** Returns undefined if no sample has the metric. */
function aggregateOf(aggregate, metric, samples) {
	const figures = figuresOf(metric, samples);
	return figures.length === 0 ? void 0 : AGGREGATE[aggregate](figures);
}
function figuresOf(metric, samples) {
	return samples.flatMap(({ figures }) => figures.get(metric) ?? []);
}
const AGGREGATE = {
	last: (figures) => figures.at(-1) ?? NaN,
	mean: (figures) => figures.reduce((sum, figure) => sum + figure) / figures.length,
	min: (figures) => figures.reduce((low, figure) => Math.min(low, figure)),
	max: (figures) => figures.reduce((high, figure) => Math.max(high, figure))
};

// src/inputs/job-sandbox.ts
/**
* Fills in the job's sandbox, unless the step sets a token or base URL.
* @throws InputError if the sandbox is missing or ambiguous
*/
function withJobSandbox(raw, sandboxes) {
	if (["token", "base-url"].some((name) => (raw[name] ?? "").trim() !== "")) return raw;
	if (sandboxes.length === 0) throw inputError("sandbox-id", NO_SANDBOX);
	const wanted = (raw["sandbox-id"] ?? "").trim();
	const [only, ...others] = sandboxes.filter(({ id }) => wanted === "" || id === wanted);
	const known = `this job has ${sandboxes.map(({ id }) => quote(id)).join(", ")}`;
	if (only === void 0) throw inputError("sandbox-id", `${quote(wanted)} is not a sandbox of this job; ${known}. For any other, set token and base-url too.`);
	if (others.length > 0) throw inputError("sandbox-id", `is empty, and ${known}. Say which one.`, "${{ steps.sandbox.outputs.id }}");
	const { id, token, baseUrl, headerPrefix } = only;
	const connection = {
		"sandbox-id": id,
		token,
		"base-url": baseUrl,
		"header-prefix": headerPrefix
	};
	return {
		...raw,
		...connection
	};
}
const NO_SANDBOX = "no earlier step of this job has left a sandbox. Use sandbox-sync/sandbox-sync/sandbox in one, or set sandbox-id, token and base-url here.";

// src/report/report.ts
const EMPTY_REPORT = {
	task: "sync",
	name: "",
	sandboxId: "",
	baseUrl: "",
	dryRun: false,
	cancelled: false,
	shard: void 0,
	files: [],
	digest: "",
	skipped: [],
	orphaned: [],
	samples: [],
	monitored: void 0,
	gate: NO_GATE,
	retries: 0,
	durationMs: 0,
	errors: [],
	warnings: []
};
function countFiles({ files, skipped }) {
	const totals = {
		planned: files.length,
		plannedBytes: 0,
		uploaded: 0,
		unchanged: 0,
		unchangedBytes: 0,
		failed: 0,
		skipped: skipped.length,
		notAttempted: 0,
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
function isUpload({ task }) {
	return task === "sync" || task === "upload";
}
function succeeded(report) {
	const { errors, gate, cancelled } = report;
	const { failed, notAttempted } = countFiles(report);
	return failed + notAttempted + errors.length === 0 && gate.state !== "failed" && !cancelled;
}
const MAX_LIST_BYTES = 262144;
/** Lists the uploaded files as a JSON array, or returns undefined above 256 KiB. */
function listUploaded({ files }) {
	const entries = files.filter((result) => result.status === "uploaded").map(({ file: { source }, path, size }) => ({
		source,
		path,
		size
	}));
	const json = JSON.stringify(entries);
	return Buffer.byteLength(json) > MAX_LIST_BYTES ? void 0 : json;
}
function nameShard({ index, count }) {
	return `shard ${index} of ${count}`;
}
/** Returns `shard 2 of 4: 500 of 2,000 files`. */
function describeShard(shard) {
	return `${nameShard(shard)}: ${formatNumber(shard.files)} of ${formatCount(shard.planned, "file")}`;
}
function nameDigest({ shard }) {
	return shard === void 0 ? "Digest" : `Digest of ${nameShard(shard)}`;
}
function moreInReport(count) {
	return `and ${formatNumber(count)} more; the report file has them all`;
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
/** Escapes all values. GitHub renders no Markdown in a block without blank lines. */
function html(parts, ...values) {
	return { html: String.raw({ raw: parts }, ...values.map(toHtml$1)) };
}
function concat(pieces, separator = "") {
	return { html: pieces.map((piece) => piece.html).join(separator) };
}
/** Renders text as code, where GitHub expands no mentions or emoji names. */
function code(text) {
	return html`<code>${text}</code>`;
}
/** Renders our own words, in which backticks mark code. */
function prose(text) {
	return concat(text.split("`").map((piece, index) => index % 2 === 0 ? html`${piece}` : code(piece)));
}
function unbroken(figure) {
	return { html: toHtml$1(figure).replaceAll(" ", "&nbsp;") };
}
function table(headings, rows) {
	const columns = [...headings.keys()].filter((column) => rows.some((row) => row[column]?.html));
	if (columns.length === 0) return [];
	const align = (column) => column === 0 ? "left" : "right";
	const head = columns.map((column) => html`<th align="${align(column)}">${headings[column] ?? ""}</th>`);
	const body = rows.map((row) => {
		return html`<tr>${concat(columns.map((column) => html`<td align="${align(column)}">${row[column] ?? ""}</td>`))}</tr>\n`;
	});
	return [html`<table>\n<tr>${concat(head)}</tr>\n${concat(body)}</table>`];
}
function list(items) {
	return items.length === 0 ? [] : [html`<ul>${concat(items.map(bullet))}\n</ul>`];
}
function bullet(item) {
	return html`\n<li>${item}</li>`;
}
function folded(title, blocks) {
	if (blocks.length === 0) return [];
	return [html`<details><summary>${title}</summary>\n${concat(blocks, "\n")}\n</details>`];
}
function toHtml$1(value) {
	return typeof value === "string" ? escapeHtml(truncate(visible(value), MAX_TEXT)) : value.html;
}
function escapeHtml(text) {
	return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}

// src/report/figures.ts
/** Formats a metric's figure: `93.2 %`, `512 MiB`, `4`. */
function formatFigure(metric, figure) {
	return FORMATS[metricKind(metric) ?? "plain"](figure);
}
const FORMATS = {
	percentage: (figure) => `${formatDecimal(figure, 1)} %`,
	bytes: formatBytes,
	mebibytes: (figure) => formatBytes(figure * 2 ** 20),
	plain: (figure) => formatDecimal(figure, 2)
};
/** Describes a condition that tripped, or why it cannot be judged. */
function breachLine(breach, samples) {
	if (breach.holds === void 0) return judgementLine(breach);
	const { condition, figure } = breach;
	const { text, metric, aggregate } = condition;
	const tripped = `\`${text}\` tripped: ${formatFigure(metric, figure)}`;
	if (samples.length < 2) return tripped;
	const all = formatCount(samples.length, "sample");
	if (aggregate === "mean") return `${tripped} on average of ${all}`;
	const findSample = (holds) => aggregate === "last" ? samples.at(-1) : samples.find(holds);
	const decisive = findSample(({ figures }) => figures.get(metric) === figure);
	const line = `${tripped} at ${formatTime(decisive?.at ?? 0)}`;
	if (aggregate !== void 0) return line;
	const count = samples.filter((sample) => judge(condition, [sample]).holds).length;
	return `${line}, in ${formatNumber(count)} of ${all}`;
}
/** Explains why a condition to wait for does not hold, or why it cannot be judged. */
function judgementLine(judgement) {
	const { text, metric } = judgement.condition;
	if (judgement.holds === void 0) return `\`${text}\` cannot be judged: ${judgement.why}`;
	return `\`${text}\` does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}
const USED = {
	CPU: "cpu_used_pct",
	memory: "mem_used_pct",
	disk: "disk_used_pct"
};
function describeUsage({ samples }) {
	if (samples.length === 0) return "No stats were read";
	const figures = Object.entries(USED).flatMap(([name, metric]) => {
		const figure = aggregateOf("max", metric, samples);
		return figure === void 0 ? [] : `${name} ${formatFigure(metric, figure)}`;
	}).join(", ") || "no CPU, memory or disk usage";
	return samples.length === 1 ? `The sandbox reports ${figures}` : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}
const ROWS = [
	{
		name: html`CPU`,
		figures: ["cpu_used_pct"],
		total: "cpu_count",
		judged: ["cpu_used_pct"]
	},
	{
		name: html`Memory`,
		figures: ["mem_used", "mem_used_pct"],
		total: "mem_total",
		judged: [
			"mem_used",
			"mem_used_mib",
			"mem_used_pct",
			"mem_free"
		]
	},
	{
		name: html`Cache`,
		figures: ["mem_cache"],
		judged: ["mem_cache"]
	},
	{
		name: html`Disk`,
		figures: ["disk_used", "disk_used_pct"],
		total: "disk_total",
		judged: [
			"disk_used",
			"disk_used_pct",
			"disk_free"
		]
	}
];
const MAX_CONDITIONS = 30;
function figuresTable({ samples, gate }) {
	if (samples.length === 0) return [];
	const conditions = [...gate.failIf, ...gate.warnIf].slice(0, MAX_CONDITIONS);
	const inRows = new Set(ROWS.flatMap(({ judged }) => judged));
	const others = new Set(conditions.map(({ metric }) => metric)).difference(inRows);
	const rows = [...ROWS, ...[...others].map(rowOf)].flatMap((row) => {
		const judged = conditions.filter(({ metric }) => row.judged.includes(metric));
		const peak = describeUse(row, "max", samples);
		if (peak === void 0 && judged.length === 0) return [];
		const mean = judged.some(({ aggregate }) => aggregate === "mean") ? describeUse(row, "mean", samples) : void 0;
		const marked = judged.map((condition) => markCondition(condition, gate));
		return [[
			html`${row.name}${describeTotal(row, samples)}`,
			peak ?? html`not reported`,
			mean ?? html``,
			concat(marked, "<br>")
		]];
	});
	return table([
		"",
		samples.length > 1 ? "Peak" : "Now",
		"Mean",
		"Trips if"
	], rows);
}
function rowOf(metric) {
	return {
		name: code(metric),
		figures: [metric],
		judged: [metric]
	};
}
function describeTotal({ total = "" }, samples) {
	const figure = aggregateOf("last", total, samples);
	if (!figure) return html``;
	const size = total === "cpu_count" ? formatCount(figure, "core") : formatFigure(total, figure);
	return html` (${unbroken(size)})`;
}
function describeUse({ figures }, aggregate, samples) {
	const [first, second] = figures.flatMap((metric) => {
		const figure = aggregateOf(aggregate, metric, samples);
		return figure === void 0 ? [] : [unbroken(formatFigure(metric, figure))];
	});
	return first === void 0 || second === void 0 ? first : html`${first} (${second})`;
}
const MARKS$1 = {
	fail: "❌",
	warn: "⚠️",
	none: "✅"
};
function markCondition(condition, { breaches, warnIf }) {
	const level = breaches.find((breach) => breach.condition === condition)?.level ?? "none";
	const only = warnIf.includes(condition) ? " (warn)" : "";
	return html`${MARKS$1[level]}&nbsp;${code(condition.text)}${only}`;
}

// src/report/verdict.ts
function conclude(report) {
	const { gate, samples, warnings } = report;
	const failures = groupFailures(report);
	const breaches = samples.length === 0 ? [] : gate.breaches;
	const tripped = (wanted) => breaches.filter(({ level }) => level === wanted).map((breach) => ({
		text: breachLine(breach, samples),
		isForeign: false
	}));
	return {
		level: levelOf(report),
		title: titleOf(report),
		lines: [...tripped("fail"), ...errorLines(report, failures).map(foreign)],
		failures,
		warnings: [...tripped("warn"), ...warnings.map(foreign)],
		notices: [
			...modesNotice(report),
			...orphansNotice(report),
			...uploadedNotice(report)
		],
		upload: describeTransfer(report)
	};
}
function foreign(text) {
	return {
		text,
		isForeign: true
	};
}
function levelOf(report) {
	const { cancelled, files, shard, gate } = report;
	if (cancelled) return "cancelled";
	if (!succeeded(report)) return "failure";
	return isUpload(report) && files.length === 0 && !shard?.planned || gate.state === "warned" ? "warning" : "success";
}
function titleOf(report) {
	const { cancelled, shard, gate, samples } = report;
	const work = isUpload(report) ? describeUpload(report) : describeUsage(report);
	const part = shard === void 0 ? "" : ` (${nameShard(shard)})`;
	const judgement = gate.state !== "none" && samples.length > 0 ? ` The gate ${gate.state}.` : "";
	return `${cancelled ? "Cancelled. " : ""}${work}${part}.${judgement}`;
}
function describeUpload(report) {
	const { dryRun, errors, durationMs, skipped } = report;
	const totals = countFiles(report);
	const { planned, unchanged, uploaded, failed, notAttempted } = totals;
	const also = `${comma(unchanged, "unchanged")}${comma(skipped.length, "skipped")}`;
	const changed = formatCount(planned - unchanged, "file");
	if (planned === 0) return errors.length > 0 ? "Nothing was sent" : "There were no files to upload";
	if (dryRun) return `Dry run: ${changed} (${formatBytes(totals.plannedBytes - totals.unchangedBytes)}) would be uploaded${also}`;
	if (planned === unchanged) return `Nothing was sent${also}`;
	if (failed + notAttempted === 0) return `Uploaded ${changed} in ${formatDuration(durationMs)}${also}`;
	const lost = `${comma(failed, "failed")}${comma(notAttempted, "not attempted")}`;
	return `Uploaded ${formatNumber(uploaded)} of ${changed}${lost}${also}`;
}
function comma(count, what) {
	return count === 0 ? "" : `, ${formatNumber(count)} ${what}`;
}
function describeTransfer(report) {
	const { uploaded, uploadedBytes } = countFiles(report);
	const { retries, durationMs } = report;
	if (uploaded === 0) return "";
	const rate = formatRate(uploadedBytes, durationMs);
	const repeated = comma(retries, retries === 1 ? "retry" : "retries");
	return `${formatCount(uploaded, "file")}, ${formatBytes(uploadedBytes)}, ${rate}${repeated}`;
}
function errorLines({ errors, files, cancelled }, failures) {
	const hints = new Set(failures.map(({ hint }) => hint));
	const lines = errors.flatMap(({ message, details }) => [message, ...details]);
	if (lines.length > 0) return lines.filter((line) => !hints.has(line));
	const reasons = files.flatMap((file) => file.status === "not-attempted" ? [file.reason] : []);
	return cancelled ? [] : [...new Set(reasons)].map((reason) => `Not attempted: ${reason}`);
}
function groupFailures({ files }) {
	const failed = files.filter((result) => result.status === "failed").filter(({ error }) => error.kind !== "cancelled");
	return [...Map.groupBy(failed, ({ error }) => `${error.status} ${error.hint}`).values()].map((group) => ({
		message: group[0]?.error.message ?? "",
		hint: group[0]?.error.hint ?? "",
		sources: group.map(({ file }) => file.source)
	})).sort((one, other) => other.sources.length - one.sources.length);
}
const ARCHIVE = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/examples/archive.yml";
function modesNotice({ files }) {
	const programs = files.filter(({ status, file }) => file.isExecutable && status !== "unchanged");
	const [program] = programs;
	if (program === void 0) return [];
	return [`${formatCount(programs.length, "executable file")}, such as ${literal(program.file.source)}: uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive: ${ARCHIVE}`];
}
const MAX_NAMES$2 = 10;
function orphansNotice({ orphaned }) {
	if (orphaned.length === 0) return [];
	return [`Still in the sandbox, but no longer in the build: ${abbreviate(orphaned, MAX_NAMES$2, {
		show: literal,
		more: moreInReport
	}).join(", ")}`];
}
function uploadedNotice(report) {
	if (!isUpload(report) || listUploaded(report) !== void 0) return [];
	return ["The output `uploaded` is `[]`, since it would exceed 256 KiB. The file named by the output `report` lists every file."];
}
/** Describes an error, with the stack if it is a bug. */
function reportError(error) {
	if (error instanceof AgentError) return {
		message: error.message,
		details: error.kind === "cancelled" ? [] : [error.hint]
	};
	return error instanceof InputError ? reportProblems(error) : reportBug(error);
}
function reportProblems({ problems }) {
	const [only = "", ...others] = problems.map(describeProblem);
	if (others.length === 0) return {
		message: only,
		details: []
	};
	const count = new Set(problems.map(({ input }) => input)).size;
	return {
		message: `${formatCount(count, "input")} ${count === 1 ? "is" : "are"} invalid.`,
		details: [only, ...others]
	};
}
function reportBug(error) {
	return {
		message: "Sandbox Sync itself failed. This is a bug; please report it.",
		details: (error instanceof Error ? error.stack ?? error.message : String(error)).split("\n")
	};
}
function waitError({ unmet, error, waitedMs }) {
	if (error !== void 0 && !error.isRetryable) return reportError(error);
	const last = error === void 0 ? [] : [error.message, error.hint];
	return {
		message: `The sandbox was not ready within ${formatDuration(waitedMs)}.`,
		details: [...unmet.map(judgementLine), ...last]
	};
}

// src/github/runner.ts
/** Reads the step's inputs and masks its secrets. */
function readInputs(entry) {
	const names = inputNames(entry);
	const raw = Object.fromEntries(names.map((name) => [name, getInput(name, { trimWhitespace: false })]));
	for (const secret of secretsOf(raw)) setSecret(secret);
	return raw;
}
function secretsOf(raw) {
	return [...secretsIn(raw), ...proxyCredentials()];
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
	SIGINT: 9e3,
	SIGTERM: 2e3,
	SIGBREAK: 2e3
};
/** Returns signals that abort when the job is cancelled and just before the process is killed. */
function cancelSignals() {
	const cancel = new AbortController();
	const lastCall = new AbortController();
	for (const signal of SIGNALS) process.on(signal, () => {
		cancel.abort();
		setTimeout(() => lastCall.abort(), GRACE_MS[signal]).unref();
	});
	return {
		cancel: cancel.signal,
		lastCall: lastCall.signal
	};
}
/** @throws InputError if the runner has not set one of these variables */
function requireFiles(...variables) {
	const missing = variables.find((name) => !process.env[name]);
	if (missing !== void 0) throw inputError(missing, "is not set. The runner has to set it.");
}
/** @throws InputError if the file is missing or cannot be written */
function writeToRunner(variable, write) {
	requireFiles(variable);
	try {
		write();
	} catch (error) {
		throw inputError(variable, `the runner's file cannot be written: ${errorText(error)}.`);
	}
}
/** @throws InputError if RUNNER_TEMP is not set */
function tempDirectory() {
	requireFiles("RUNNER_TEMP");
	return path.resolve(process.env["RUNNER_TEMP"] ?? "");
}

// src/github/handover.ts
const KEPT_INPUTS = [
	"api-url",
	"headers",
	"retries",
	"timeout"
];
function traceOfStep() {
	const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_JOB } = process.env;
	return {
		"github-repository": GITHUB_REPOSITORY ?? "",
		"github-run-id": GITHUB_RUN_ID ?? "",
		"github-job": GITHUB_JOB ?? "",
		"sandbox-sync-id": randomUUID()
	};
}
function scheduleDeletion({ id, endsAt }, raw) {
	const inputs = Object.fromEntries(KEPT_INPUTS.map((name) => [name, raw[name] ?? ""]));
	writeToRunner("GITHUB_STATE", () => saveState("sandbox", {
		id,
		endsAt,
		inputs
	}));
}
function sandboxToDelete() {
	const { id, endsAt, inputs } = parseFields(getState("sandbox"));
	if (typeof id !== "string" || typeof endsAt !== "number") return void 0;
	return {
		lease: {
			id,
			endsAt
		},
		inputs: {
			...readInputs("sandbox-end"),
			...textsOf(inputs)
		}
	};
}
const SANDBOX_PREFIX = "sandbox-sync-sandbox-";
/** Masks the token, sets the outputs, and leaves the sandbox to later steps. */
function publishSandbox({ id, token = "", domain = "" }, baseUrl) {
	if (token !== "") setSecret(token);
	const url = baseUrl.replace("{port}", String(DEFAULT_PORT)).replace("{sandbox-id}", id);
	const headerPrefix = "E2b";
	const outputs = {
		id,
		token,
		domain,
		"base-url": url,
		"header-prefix": headerPrefix
	};
	writeToRunner("GITHUB_OUTPUT", () => {
		for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
	});
	if (token === "" || baseUrl === "") return;
	const file = path.join(tempDirectory(), `${SANDBOX_PREFIX}${randomUUID()}.json`);
	writeToRunner("GITHUB_STATE", () => saveState("job-sandbox", file));
	const sandbox = {
		id,
		token,
		baseUrl,
		headerPrefix
	};
	writeToRunner("RUNNER_TEMP", () => writeFileSync(file, JSON.stringify(sandbox), { mode: 384 }));
}
function jobSandboxes() {
	const sandboxes = filesInTemp(SANDBOX_PREFIX).flatMap((file) => {
		const { id, token, baseUrl, headerPrefix } = textsOf(parseFields(readFileSync(file, "utf8")));
		if (!id || !token || !baseUrl || !headerPrefix) return [];
		return [{
			id,
			token,
			baseUrl,
			headerPrefix
		}];
	});
	for (const { token } of sandboxes) setSecret(token);
	return [...new Map(sandboxes.map((sandbox) => [sandbox.id, sandbox])).values()];
}
function forgetJobSandbox() {
	const file = getState("job-sandbox");
	if (file !== "") rmSync(file, { force: true });
}
const MONITOR_PREFIX = "sandbox-sync-monitor-";
function openMonitorDirectory() {
	requireFiles("GITHUB_STATE", "GITHUB_OUTPUT");
	const directory = mkdtempSync(path.join(tempDirectory(), MONITOR_PREFIX));
	writeToRunner("GITHUB_STATE", () => saveState("directory", directory));
	writeToRunner("GITHUB_OUTPUT", () => setOutput("monitor", path.basename(directory)));
	return directory;
}
function monitorDirectory() {
	return getState("directory") || void 0;
}
function findMonitors() {
	return filesInTemp(MONITOR_PREFIX);
}
function filesInTemp(prefix) {
	const directory = process.env["RUNNER_TEMP"];
	if (!directory || !existsSync(directory)) return [];
	return readdirSync(directory).filter((name) => name.startsWith(prefix)).sort().map((name) => path.resolve(directory, name));
}

// src/github/log.ts
const MAX_MESSAGE = 4e3;
function openLog(redact) {
	const clean = (line) => harmless(redact(line));
	const toMessage = (lines) => truncate(lines.map(clean).join("\n"), MAX_MESSAGE);
	return {
		line: (text) => info(clean(text)),
		debug(text) {
			if (!isDebug()) return;
			for (const line of text.split("\n")) debug(clean(line));
		},
		group(title, lines) {
			startGroup(title);
			info(lines.map(clean).join("\n"));
			endGroup();
		},
		notice: (lines) => notice(toMessage(lines)),
		warning: (lines) => warning(toMessage(lines)),
		error: (lines) => error(toMessage(lines)),
		fail: (lines) => setFailed(toMessage(lines))
	};
}
const STATUS = {
	failed: "failed",
	"not-attempted": "not attempted",
	uploaded: "uploaded",
	skipped: "would be uploaded",
	unchanged: "unchanged"
};
const MAX_LINES = 1e3;
/** Logs the files in a collapsed group: a dry run in full, otherwise failures first. */
function logFiles({ files, skipped, dryRun }, log) {
	if (files.length + skipped.length === 0) return;
	const ordered = Object.keys(STATUS).flatMap((status) => files.filter((file) => file.status === status));
	const lines = dryRun ? files.map(fileLine) : shorten(ordered.map(fileLine));
	const others = skipped.map(({ path, reason }) => `skipped: ${path} (${reason})`);
	log.group("Files", [...lines, ...shorten(others)]);
}
function fileLine(result) {
	const { source, target } = result.file;
	const line = `${STATUS[result.status]}: ${source} → ${"path" in result ? result.path : target}`;
	return result.status === "failed" ? `${line} (${result.error.message})` : line;
}
function shorten(lines) {
	return abbreviate(lines, MAX_LINES, {
		show: String,
		more: moreInReport
	});
}

// src/github/progress.ts
const INTERVAL_MS = 15e3;
/** Turns events into lines of the log. */
function eventLog({ line, debug }) {
	const logs = [
		progressLog(line),
		retryLog(line, debug),
		waitLog(line)
	];
	return (event) => {
		if (event.kind === "debug") debug(event.text);
		for (const each of logs) each(event);
	};
}
function progressLog(log) {
	const done = {
		files: 0,
		bytes: 0
	};
	let timer;
	return (event) => {
		if (event.kind === "sent") done.bytes += event.bytes;
		if (event.kind === "settled") done.files += 1;
		if (event.kind === "end") clearInterval(timer);
		if (event.kind !== "start") return;
		log(event.title);
		const startedAt = performance.now();
		const line = () => progressLine(event.files, done, performance.now() - startedAt);
		timer = setInterval(() => log(line()), INTERVAL_MS).unref();
	};
}
function progressLine(files, done, elapsedMs) {
	const total = totalSize(files);
	const bytes = Math.min(done.bytes, total);
	return `${`${formatNumber(done.files)} of ${formatCount(files.length, "file")}`}, ${`${formatBytes(bytes)} of ${formatBytes(total)}`}, ${formatRate(bytes, elapsedMs)}`;
}
const MAX_RETRY_LINES = 20;
function retryLog(log, debug) {
	let count = 0;
	return (event) => {
		if (event.kind !== "retry") return;
		count += 1;
		const { attempt, delayMs, error } = event.retry;
		const line = `${`Attempt ${attempt} for ${nameFiles(event.files)} failed`}, next in ${formatDuration(delayMs)}: ${error.message}`;
		if (count <= MAX_RETRY_LINES) log(line);
		else debug(line);
		if (count === MAX_RETRY_LINES) log("Further failed attempts are only in the report.");
	};
}
function nameFiles([first, ...others]) {
	return andMore(first?.source ?? "the stats", others.length);
}
function waitLog(log) {
	let dueMs = INTERVAL_MS;
	return (event) => {
		if (event.kind === "wait") log(`Waiting up to ${formatDuration(event.timeoutMs)} for the sandbox`);
		if (event.kind !== "waited") return;
		const { isReady, waitedMs, unmet, error } = event.wait;
		if (isReady) return log(`The sandbox was ready after ${formatDuration(waitedMs)}`);
		if (waitedMs < dueMs) return;
		dueMs = waitedMs + INTERVAL_MS;
		const reasons = unmet.map(judgementLine);
		if (error !== void 0) reasons.push(error.message);
		log(`Waited ${formatDuration(waitedMs)}: ${reasons.join("; ")}`);
	};
}

// src/report/checksums.ts
/** Lists the files in the sandbox, by the agent's paths, in the format of `sha256sum`. */
function checksumsOf({ files }) {
	return files.flatMap((result) => "path" in result && result.sha256 !== void 0 ? [lineOf(result.sha256, result.path)] : []);
}
/**
* Hashes the sorted checksum lines of all files under their targets. Empty if a file is missing or
* was not hashed, so that an incomplete build never has a digest.
*/
function digestOf(files) {
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
function lineOf(sha256, name) {
	const escaped = name.replaceAll(/[\\\n\r]/g, (character) => ESCAPES[character] ?? character);
	return `${escaped === name ? "" : "\\"}${sha256}  ${escaped}\n`;
}

// src/report/outputs.ts
function outputsOf(report) {
	return {
		...isUpload(report) ? uploadOutputs(report) : {},
		...report.task === "upload" ? {} : {
			...statsOutputs(report),
			...gateOutputs(report)
		}
	};
}
function uploadOutputs(report) {
	const { uploaded, unchanged, failed, skipped, uploadedBytes } = countFiles(report);
	return {
		"uploaded-count": String(uploaded),
		"unchanged-count": String(unchanged),
		"failed-count": String(failed),
		"skipped-count": String(skipped),
		"uploaded-bytes": String(uploadedBytes),
		uploaded: listUploaded(report) ?? "[]",
		digest: report.digest
	};
}
function statsOutputs({ samples }) {
	const stats = samples.at(-1);
	const figures = Object.keys(METRICS).map((metric) => {
		const figure = stats?.figures.get(metric);
		return [metric.replaceAll("_", "-"), figure === void 0 ? "" : formatOutput(metric, figure)];
	});
	return {
		...Object.fromEntries(figures),
		stats: stats?.json ?? ""
	};
}
const TWO_DECIMALS = /* @__PURE__ */ new Set(["mem_used_pct", "disk_used_pct"]);
function formatOutput(metric, figure) {
	return TWO_DECIMALS.has(metric) ? figure.toFixed(2) : String(figure);
}
function gateOutputs({ gate, samples }) {
	return {
		gate: gate.state,
		breaches: JSON.stringify(gate.breaches.map(breachEntry)),
		aggregates: JSON.stringify(aggregatesOf({
			gate,
			samples
		}))
	};
}
function aggregatesOf({ gate, samples }) {
	const judged = [...gate.failIf, ...gate.warnIf].map(({ metric }) => metric);
	const aggregates = [.../* @__PURE__ */ new Set([...Object.keys(METRICS), ...judged])].map((metric) => {
		const entries = AGGREGATES.map((kind) => [kind, aggregateOf(kind, metric, samples)]);
		return [metric, Object.fromEntries(entries)];
	});
	return Object.fromEntries(aggregates.filter(([, { last }]) => last !== void 0));
}
const FILES_PER_PIECE = 500;
const SCHEMA = "https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json";
/**
* Yields the report file in pieces, since 20,000 files in one string would take too much memory.
*/
function* reportJson(report, { title }) {
	const { task, files, samples, gate, ...others } = report;
	const stats = samples.at(-1);
	const document = {
		$schema: SCHEMA,
		task,
		succeeded: succeeded(report),
		headline: title,
		totals: countFiles(report),
		...others,
		gate: {
			state: gate.state,
			breaches: gate.breaches.map(breachEntry)
		},
		figures: stats === void 0 ? null : Object.fromEntries(stats.figures),
		aggregates: aggregatesOf(report),
		samples: samples.map(({ at, figures }) => ({
			at,
			figures: Object.fromEntries(figures)
		}))
	};
	yield `${JSON.stringify(document).slice(0, -1)},\n"stats": ${stats?.json || "null"},\n"files": [`;
	for (let start = 0; start < files.length; start += FILES_PER_PIECE) {
		const lines = files.slice(start, start + FILES_PER_PIECE).map((result) => `\n${JSON.stringify(fileEntry(result))}`);
		yield `${start === 0 ? "" : ","}${lines.join(",")}`;
	}
	yield "\n]\n}\n";
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
function fileEntry({ file, ...result }) {
	const { source, target, size } = file;
	return {
		source,
		target,
		size,
		...result
	};
}

// src/report/chart.ts
const MIN_POINTS = 10;
const MAX_POINTS = 60;
const MAX_PERCENT = 1e3;
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
const GAP_COLOR = "#8c959f1f";
/** Draws percentages over time, if there are enough samples. */
function drawChart({ samples, gate, monitored }) {
	const axis = axisOf(samples, monitored);
	if (axis === void 0) return [];
	const conditions = [...gate.failIf, ...gate.warnIf].filter((each) => each.aggregate !== "mean");
	const plots = PLOTS.flatMap((plot) => {
		const points = spreadOverTime(plot.metric, samples, axis);
		const judged = conditions.filter(({ metric }) => metric === plot.metric);
		const limits = [...new Set(judged.map(({ limit }) => limit))];
		return points === void 0 ? [] : [{
			...plot,
			points,
			limits
		}];
	});
	if (plots.length === 0) return [];
	const lines = plots.map(({ color, points }) => ({
		kind: "line",
		color,
		points
	}));
	const limits = plots.flatMap((plot) => plot.limits.map((limit) => {
		return {
			kind: "line",
			color: plot.color,
			points: Array(axis.points).fill(limit)
		};
	}));
	const top = Math.max(100, ...lines.flatMap(({ points }) => points));
	const gaps = gapSeries(samples, axis, top);
	const legend = plots.map(({ name, metric, limits: own }) => {
		const figures = own.map((limit) => formatFigure(metric, limit)).join(", ");
		return figures === "" ? name : `${name} (level line: limit ${figures})`;
	});
	const names = gaps.length > 0 ? [...legend, "grey: no samples"] : legend;
	const chart = toMermaid([
		...lines,
		...gaps,
		...limits
	], axis, Math.ceil(top));
	return [html`<p>In percent: ${names.join(" · ")}</p>`, { html: chart }];
}
function axisOf(samples, monitored) {
	const times = samples.map(({ at }) => at);
	const { from, to } = monitored ?? {
		from: times[0] ?? 0,
		to: times.at(-1) ?? 0
	};
	const intervals = times.slice(1).map((at, index) => at - (times[index] ?? at));
	const usual = intervals.sort((one, other) => one - other)[intervals.length >> 1];
	if (usual === void 0) return void 0;
	const points = Math.min(Math.round((to - from) / Math.max(usual, 1)) + 1, MAX_POINTS);
	return points < MIN_POINTS ? void 0 : {
		from,
		to,
		points
	};
}
function pointAt(at, { from, to, points }) {
	return clamp(Math.round((at - from) / (to - from) * (points - 1)), points - 1);
}
function clamp(value, high) {
	return Math.min(Math.max(value, 0), high);
}
function spreadOverTime(metric, samples, axis) {
	const highest = /* @__PURE__ */ new Map();
	for (const { at, figures } of samples) {
		const figure = figures.get(metric);
		if (figure === void 0) continue;
		const point = pointAt(at, axis);
		highest.set(point, Math.max(highest.get(point) ?? 0, clamp(figure, MAX_PERCENT)));
	}
	let [before] = highest.values();
	if (before === void 0) return void 0;
	return Array.from({ length: axis.points }, (_, point) => {
		before = highest.get(point) ?? before ?? 0;
		return before;
	});
}
function gapSeries(samples, axis, top) {
	const taken = new Set(samples.map(({ at }) => pointAt(at, axis)));
	const isMissing = (point) => point >= 0 && point < axis.points && !taken.has(point);
	const isGap = (point) => isMissing(point) && (isMissing(point - 1) || isMissing(point + 1));
	const points = Array.from({ length: axis.points }, (_, point) => isGap(point) ? top : -top);
	return points.includes(top) ? [{
		kind: "bar",
		color: GAP_COLOR,
		points
	}] : [];
}
function toMermaid(series, axis, top) {
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
		return `  ${kind} [${points.map((number) => number.toFixed(2)).join(", ")}]`;
	});
	return [
		"```mermaid",
		...[
			`%%{init: ${JSON.stringify(style)}}%%`,
			"xychart-beta",
			"  accTitle: CPU, memory and disk over time",
			`  accDescr: From ${formatTime(axis.from)} to ${formatTime(axis.to)}, in percent`,
			`  ${timeAxis(axis)}`,
			`  y-axis 0 --> ${top}`,
			...plots
		],
		"```"
	].join("\n");
}
function timeAxis({ from, to }) {
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

// src/report/summary.ts
const MAX_NAMES$1 = 5;
const MAX_ITEMS = 30;
const DOCS = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs";
const MARKS = {
	success: "✅",
	warning: "⚠️",
	failure: "❌",
	cancelled: "⛔"
};
function summaryOf(report, verdict) {
	const { level, title, lines, failures, warnings, notices, upload } = verdict;
	const { digest, skipped } = report;
	const reasons = [...lines.map(toHtml), ...warnings.map((each) => html`⚠️ ${toHtml(each)}`)];
	const planned = plannedFiles(report);
	return [
		html`<h3>${MARKS[level]} Sandbox Sync${nameSandbox(report)}: ${title}</h3>`,
		...shortList(reasons),
		...figuresTable(report),
		...drawChart(report),
		...failures.length === 0 ? [] : [html`<h4>What failed</h4>`],
		...shortList(failures.map(describeFailures)),
		...shortList(describeFolders(planned)),
		...upload === "" ? [] : [html`<p>${upload}</p>`],
		...folded(formatCount(notices.length, "notice"), shortList(notices.map(prose))),
		...folded(`${formatNumber(skipped.length)} skipped`, shortList(skipped.map(({ path: place, reason }) => html`${code(place)}: ${reason}`))),
		...folded(formatCount(planned.length, "planned file"), shortList(planned.map((file) => describeMove(file, formatBytes(file.size))))),
		...digest === "" ? [] : [html`<p>${nameDigest(report)}: ${code(digest)}</p>`],
		footer(report)
	].map((block) => `${block.html}\n\n`).join("");
}
function toHtml({ text, isForeign }) {
	return isForeign ? code(text.replaceAll("`", "")) : prose(text);
}
function nameSandbox({ name, sandboxId }) {
	const names = [name, sandboxId].filter((text) => text !== "").map(code);
	return names.length === 0 ? html`` : html` (${concat(names, ", ")})`;
}
function shortList(items) {
	return list(abbreviate(items, MAX_ITEMS, {
		show: (item) => item,
		more
	}));
}
function more(count) {
	return html`${moreInReport(count)}`;
}
function describeFailures({ message, hint, sources }) {
	const files = sources.length > 1 ? html`${formatCount(sources.length, "file")}: ` : html``;
	const names = concat(abbreviate(sources, MAX_NAMES$1, {
		show: code,
		more
	}), ", ");
	return html`${code(message)}<br>${prose(hint)}<br>${files}${names}`;
}
function plannedFiles({ files, dryRun }) {
	if (!dryRun) return [];
	return files.filter(({ status }) => status === "skipped").map(({ file }) => file);
}
function describeFolders(files) {
	return [...Map.groupBy(files, ({ source, target }) => [source, target].map((file) => path.posix.dirname(file)).join("\0"))].map(([names, inFolder]) => {
		const [source = "", target = ""] = names.split("\0");
		const count = formatCount(inFolder.length, "file");
		return describeMove({
			source,
			target
		}, `${count}, ${formatBytes(totalSize(inFolder))}`);
	});
}
function describeMove({ source, target }, size) {
	return html`${code(source)} → ${code(target)}: ${size}`;
}
function footer({ sandboxId, baseUrl }) {
	const where = sandboxId === "" ? html`` : html`Sandbox ${code(sandboxId)} at ${code(baseUrl)} · `;
	const messages = html`<a href="${DOCS}/troubleshooting.md">What the messages mean</a>`;
	return html`<p>${where}<a href="${DOCS}/results.md#the-summary">How to read this</a> · ${messages}</p>`;
}

// src/github/publish.ts
/** Writes outputs, summary and verdict, each even if the one before failed. */
async function publish(report, options) {
	const { log, withSummary } = options;
	const verdict = conclude(report);
	logFiles(report, log);
	const problems = await writeOutputs(report, verdict, options);
	if (withSummary) await writeSummary(report, verdict, options);
	logVerdict(report, verdict, problems, log);
}
async function writeOutputs(report, verdict, options) {
	try {
		const outputs = {
			...await writeFiles(report, verdict, options),
			...outputsOf(report)
		};
		requireFiles("GITHUB_OUTPUT");
		for (const [name, value] of Object.entries(outputs)) setOutput(name, options.redact(value));
		return [];
	} catch (error) {
		return [`The step's outputs could not be written: ${errorText(error)}.`];
	}
}
async function writeFiles(report, verdict, { log, redact }) {
	const none = isUpload(report) ? {
		report: "",
		checksums: ""
	} : { report: "" };
	try {
		const folder = mkdtempSync(path.join(tempDirectory(), "sandbox-sync-"));
		const write = async (name, pieces) => {
			const file = path.join(folder, name);
			const clean = Iterator.from(pieces).map(redact);
			await writeFile(file, clean, {
				flag: "wx",
				mode: 384
			});
			return file;
		};
		const lines = isUpload(report) ? checksumsOf(report) : [];
		const checksums = lines.length === 0 ? "" : await write("checksums.txt", lines);
		return {
			...none,
			...checksums && { checksums },
			report: await write("report.json", reportJson(report, verdict))
		};
	} catch (error) {
		log.warning([`The report file could not be written: ${errorText(error)}.`]);
		return none;
	}
}
async function writeSummary(report, verdict, { log, redact }) {
	try {
		await summary.addRaw(redact(summaryOf(report, verdict))).write();
	} catch (error) {
		log.warning([`The job summary could not be written: ${errorText(error)}.`]);
	}
}
const MAX_ANNOTATIONS = 9;
function logVerdict(report, verdict, problems, log) {
	const { level, title, lines, failures, warnings, notices, upload } = verdict;
	const prefix = report.name === "" ? "" : `${report.name}: `;
	if (upload !== "") log.line(upload);
	if (report.digest !== "") log.line(`${nameDigest(report)}: ${report.digest}`);
	for (const { text } of warnings.slice(0, MAX_ANNOTATIONS)) log.warning([`${prefix}${text}`]);
	for (const text of notices) log.notice([text]);
	for (const group of failures.slice(0, MAX_ANNOTATIONS)) log.error(failureLines(group));
	const [first, ...others] = [
		...problems,
		...lines.map(({ text }) => text),
		title
	];
	const texts = [`${prefix}${first}`, ...others];
	if (level === "failure" || level === "cancelled" || problems.length > 0) log.fail(texts);
	else log.line(texts.join(" "));
}
const MAX_NAMES = 10;
function failureLines({ message, hint, sources }) {
	return [
		message,
		hint,
		...abbreviate(sources, MAX_NAMES, {
			show: (source) => `- ${source}`,
			more: (rest) => `- and ${formatNumber(rest)} more`
		})
	];
}

// src/github/step.ts
async function runStep(entry, handler, { given, onFailure } = {}) {
	const step = openStep(entry, given);
	await attempt(entry, handler, step).catch((error) => {
		const { message, details } = reportError(error);
		const lines = [message, ...details];
		if (onFailure === void 0) step.log.fail(lines);
		else onFailure(step.context, lines);
	});
}
/** Runs a step and publishes its report, however it ends. */
async function runReportingStep(entry, handler, { given } = {}) {
	const step = openStep(entry, given);
	const { raw, context, log } = step;
	const report = await attempt(entry, handler, step).catch((error) => failedReport(entry, raw, reportError(error)));
	if (report !== void 0) {
		const withSummary = !/^\s*false\s*$/i.test(raw["summary"] ?? "");
		await publish(report, {
			log,
			redact: context.redact,
			withSummary
		});
	}
	if (context.cancel.aborted) process.stdout.write("", () => process.exit());
}
function openStep(entry, given) {
	process.stdout.on("error", () => {});
	const raw = given ?? readInputs(entry);
	const sandboxes = jobSandboxes();
	const redact = redactor([...secretsOf(raw), ...sandboxes.map(({ token }) => token)]);
	const log = openLog(redact);
	log.debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
	const shown = {
		...raw,
		headers: void 0,
		env: void 0
	};
	log.debug(`Inputs: ${JSON.stringify(shown, void 0, 2)}`);
	return {
		raw,
		sandboxes,
		context: {
			workspace: workspace(),
			...cancelSignals(),
			clock: () => performance.now(),
			now: Date.now,
			sleep,
			random: Math.random,
			redact,
			log: log.line,
			warn: (line) => log.warning([line]),
			onEvent: eventLog(log)
		},
		log
	};
}
async function attempt(entry, handler, { raw, sandboxes, context }) {
	const all = inputNames(entry).includes("token") ? withJobSandbox(raw, sandboxes) : raw;
	return handler(parseInputs(entry, all), context, all);
}
/** Builds the report of a step that threw. */
function failedReport(entry, raw, error) {
	const gate = entry === "monitor-stop" || Boolean(raw["fail-if"]?.trim()) ? {
		...NO_GATE,
		state: "failed"
	} : NO_GATE;
	const name = raw["name"]?.trim() ?? "";
	return {
		...EMPTY_REPORT,
		task: taskOf(entry),
		name,
		gate,
		errors: [error]
	};
}

export { formatBytes as C, formatTime as D, formatNumber as E, totalSize as O, andMore as S, formatDuration as T, describeShard as _, forgetJobSandbox as a, judge as b, publishSandbox as c, traceOfStep as d, requireFiles as f, EMPTY_REPORT as g, judgementLine as h, findMonitors as i, sandboxToDelete as l, waitError as m, runStep as n, monitorDirectory as o, reportError as p, digestOf as r, openMonitorDirectory as s, runReportingStep as t, scheduleDeletion as u, gateOf as v, formatCount as w, abbreviate as x, isGated as y };