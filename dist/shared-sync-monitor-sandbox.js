import { A as aggregateOf, C as describeProblem, D as metricKind, E as METRICS, F as judge, G as visible, H as harmless, I as metricsOf, L as sleep, M as figuresOf, O as redactor, T as AGGREGATES, U as quote, W as truncate, Y as parseFields, Z as textsOf, _ as DEFAULT_PORT, g as taskOf, h as secretsIn, j as decidingOf, k as NO_GATE, m as parseInputs, p as inputNames, q as errorText, u as proxyCredentials, v as USER_AGENT, w as inputError, x as InputError, z as AgentError } from "./shared.js";
import { a as getState, c as notice, d as setOutput, f as setSecret, h as summary, i as getInput, l as saveState, m as warning, n as endGroup, o as info, p as startGroup, r as error, s as isDebug, t as debug, u as setFailed } from "./core.js";
import { hash, randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { writeFile } from "node:fs/promises";

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
/** Takes items while their sizes add up to at most `limit`; generates none after that. */
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
	stats: void 0,
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
/** Lists the uploaded files as a JSON array, or returns undefined above 256 KiB. */
function listUploaded({ files }) {
	const uploaded = files.filter((result) => result.status === "uploaded");
	const entries = uploaded.values().map(({ file: { source }, path, size }) => JSON.stringify({
		source,
		path,
		size
	}));
	const bytesOf = (entry) => Buffer.byteLength(entry) + 1;
	const taken = takeWithin(entries, 262143, bytesOf);
	return taken.length < uploaded.length ? void 0 : `[${taken.join(",")}]`;
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
function moreInReport(rest) {
	return `and ${formatNumber(rest)} more; the report file has them all`;
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
	return { html: String.raw({ raw: parts }, ...values.map(toHtml)) };
}
function concat(pieces, separator = "") {
	return { html: pieces.map((piece) => piece.html).join(separator) };
}
/** Renders text as code, where GitHub expands no mentions or emoji names. */
function code(text) {
	return html`<code>${text}</code>`;
}
function prose(text) {
	return concat(text.split("`").map((piece, index) => index % 2 === 0 ? html`${piece}` : code(piece)));
}
function message(parts, ...values) {
	const texts = values.map((value) => typeof value === "string" ? value : value.text);
	const htmls = values.map((value) => typeof value === "string" ? value : value.html);
	return {
		text: String.raw({ raw: parts }, ...texts),
		html: html(parts, ...htmls)
	};
}
function literal(text) {
	return {
		text: `\`${text}\``,
		html: code(text)
	};
}
/** Text that may quote a third party, rendered entirely as code. */
function foreign(text) {
	return {
		text,
		html: code(text.replaceAll("`", ""))
	};
}
function enumerate(messages) {
	const [first = message``, ...others] = messages;
	return others.reduce((before, next) => message`${before}, ${next}`, first);
}
function unbroken(figure) {
	return { html: toHtml(figure).replaceAll(" ", "&nbsp;") };
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
function toHtml(value) {
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
function figureOver(metric, aggregate, samples) {
	const all = samples.map(({ figures }) => figures);
	const figures = figuresOf(metric, all);
	return figures && aggregateOf(aggregate, figures);
}
function breachMessage(breach, samples) {
	if (breach.holds === void 0) return unjudgedMessage(breach);
	const { text, metric } = breach.condition;
	const when = describeWhen(breach, samples);
	return message`${literal(text)} tripped: ${formatFigure(metric, breach.figure)}${when}`;
}
/** Returns, for example, ` at 09:05:00 UTC, in 4 of 12 samples`. */
function describeWhen({ condition, figure }, samples) {
	const { metric, aggregate } = condition;
	if (samples.length < 2) return "";
	if (aggregate === "mean") return ` on average of ${formatCount(samples.length, "sample")}`;
	const sample = aggregate === "last" ? samples.at(-1) : samples.find(({ figures }) => figures.get(metric) === figure);
	const time = ` at ${formatTime(sample?.at ?? 0)}`;
	if (aggregate !== void 0) return time;
	const tripped = samples.filter(({ figures }) => judge(condition, [figures]).holds);
	return `${time}, in ${formatNumber(tripped.length)} of ${formatCount(samples.length, "sample")}`;
}
function judgementLine(judgement) {
	if (judgement.holds === void 0) return unjudgedMessage(judgement).text;
	const { text, metric } = judgement.condition;
	return `\`${text}\` does not hold: it was ${formatFigure(metric, judgement.figure)}`;
}
const MAX_REPORTED = 30;
function unjudgedMessage({ condition, samples, missing, reported }) {
	const subject = message`${literal(condition.text)} cannot be judged`;
	const metric = literal(condition.metric);
	if (samples === 0) return message`${subject}: there are no stats`;
	if (missing === 0) return message`${subject}: the mean of ${metric} is too large a number`;
	if (missing < samples) return message`${subject}: ${formatNumber(missing)} of ${formatCount(samples, "sample")} do not report ${metric}`;
	const names = abbreviate(reported, MAX_REPORTED, {
		show: literal,
		more: (rest) => message`${formatNumber(rest)} more`
	});
	const others = names.length === 0 ? message`nothing` : enumerate(names);
	return message`${subject}: the sandbox does not report ${metric}; it reports ${others}`;
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
	const known = new Set(ROWS.flatMap(({ judged }) => judged));
	const others = new Set(conditions.map(({ metric }) => metric)).difference(known);
	const rows = [...ROWS, ...[...others].map(rowOf)].flatMap((row) => {
		const own = conditions.filter(({ metric }) => row.judged.includes(metric));
		const peak = describeUse(row, samples.length > 1 ? "max" : "last", samples);
		if (peak === void 0 && own.length === 0) return [];
		const limits = own.map((condition) => limitOf(condition, gate));
		const mean = own.some(({ aggregate }) => aggregate === "mean") ? describeUse(row, "mean", samples) : void 0;
		return [[
			headingOf(row, samples),
			peak ?? html`not reported`,
			concat(limits, "<br>"),
			mean ?? html``
		]];
	});
	return table([
		"",
		samples.length > 1 ? "Peak" : "Now",
		"Limit",
		"Mean"
	], rows);
}
function rowOf(metric) {
	return {
		name: code(metric),
		figures: [metric],
		judged: [metric]
	};
}
function headingOf({ name, total }, samples) {
	const figure = total && figureOver(total, "last", samples);
	if (total === void 0 || !figure) return name;
	const size = total === "cpu_count" ? formatCount(figure, "core") : formatFigure(total, figure);
	return html`${name} (${unbroken(size)})`;
}
function describeUse({ figures }, aggregate, samples) {
	const [first, second] = figures.flatMap((metric) => {
		const figure = figureOver(metric, aggregate, samples);
		return figure === void 0 ? [] : [unbroken(formatFigure(metric, figure))];
	});
	return first === void 0 || second === void 0 ? first : html`${first} (${second})`;
}
const MARKS$1 = {
	fail: "❌",
	warn: "⚠️",
	none: "✅"
};
const BOUNDS = {
	">": "",
	">=": "",
	"<": "min. ",
	"<=": "min. ",
	"==": "not ",
	"!=": "only "
};
/** Returns a cell such as `❌ 90 %` or `✅ min. 512 MiB free`. */
function limitOf(condition, { breaches, warnIf }) {
	const { metric, aggregate, operator, limit } = condition;
	const level = breaches.find((breach) => breach.condition === condition)?.level ?? "none";
	const isUsual = aggregate === decidingOf({
		...condition,
		aggregate: void 0
	});
	const which = aggregate === void 0 || isUsual ? "" : `${aggregate} `;
	const suffix = `${metric.endsWith("_free") ? " free" : ""}${warnIf.includes(condition) ? " (warn)" : ""}`;
	const allowed = html`${which}${BOUNDS[operator]}${unbroken(formatFigure(metric, limit))}${suffix}`;
	return html`${MARKS$1[level]}&nbsp;${allowed}`;
}

// src/report/verdict.ts
function conclude(report) {
	const { gate, samples, warnings } = report;
	const failures = groupFailures(report);
	const breaches = samples.length === 0 ? [] : gate.breaches;
	const tripped = (wanted) => breaches.filter(({ level }) => level === wanted).map((breach) => breachMessage(breach, samples));
	return {
		level: levelOf(report),
		title: titleOf(report),
		lines: [...tripped("fail"), ...errorLines(report, failures)],
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
function levelOf(report) {
	const { cancelled, files, shard, gate } = report;
	if (cancelled) return "cancelled";
	if (!succeeded(report)) return "failure";
	return isUpload(report) && files.length === 0 && !shard?.planned || gate.state === "warned" ? "warning" : "success";
}
function titleOf(report) {
	const { cancelled, shard } = report;
	const work = isUpload(report) ? describeUpload(report) : describeUsage(report);
	const done = shard === void 0 ? work : `${work} (${nameShard(shard)})`;
	if (!cancelled) return `${done}${endingOf(report)}`;
	return `Cancelled: ${done.charAt(0).toLowerCase()}${done.slice(1)}${endingOf(report)}`;
}
function endingOf(report) {
	const { files, samples, errors, gate, cancelled } = report;
	const { failed, notAttempted } = countFiles(report);
	const isLost = failed + notAttempted > 0;
	if (gate.state === "failed" && samples.length > 0) return ". The gate failed.";
	const hasWorked = files.length + samples.length > 0;
	if (errors.length > 0) return hasWorked && !isLost && !cancelled ? ", but the step failed." : ".";
	return (gate.state === "warned" || gate.state === "passed" && !isLost) && samples.length > 0 ? `. The gate ${gate.state}.` : ".";
}
function describeUpload(report) {
	const { skipped, errors, dryRun, cancelled, durationMs } = report;
	const totals = countFiles(report);
	const { planned, unchanged, uploaded, failed, notAttempted } = totals;
	if (planned === 0) return describeNothing(report);
	const alsoUnchanged = also(unchanged, "unchanged");
	const alsoSkipped = also(skipped.length, "skipped");
	if (planned === unchanged) return `${dryRun ? "Dry run: nothing would be uploaded" : "Nothing was sent"}, ${formatCount(unchanged, "file")} unchanged${alsoSkipped}`;
	const changed = formatCount(planned - unchanged, "file");
	if (dryRun) return `Dry run: ${changed} (${formatBytes(totals.plannedBytes - totals.unchangedBytes)}) would be uploaded${alsoUnchanged}${alsoSkipped}`;
	if (failed + notAttempted + errors.length > 0 || cancelled) {
		const lost = `${also(failed, "failed")}${also(notAttempted, "not attempted")}${alsoUnchanged}`;
		return `Uploaded ${formatNumber(uploaded)} of ${changed}${lost.replace(",", ";")}`;
	}
	return `${`Uploaded ${formatCount(uploaded, "file")} in ${formatDuration(durationMs)}`}${alsoUnchanged}${alsoSkipped}`;
}
function also(count, what) {
	return count === 0 ? "" : `, ${formatNumber(count)} ${what}`;
}
function describeNothing({ shard, errors }) {
	if (errors.length > 0) return "Nothing was sent";
	if (shard === void 0 || shard.planned === 0) return "There were no files to upload";
	return `None of ${formatCount(shard.planned, "file")} belongs to this shard`;
}
const USED = {
	CPU: "cpu_used_pct",
	memory: "mem_used_pct",
	disk: "disk_used_pct"
};
function describeUsage({ samples }) {
	if (samples.length === 0) return "No stats were read";
	const used = Object.entries(USED).flatMap(([name, metric]) => {
		const figure = figureOver(metric, "max", samples);
		return figure === void 0 ? [] : `${name} ${formatFigure(metric, figure)}`;
	});
	const figures = used.length === 0 ? "no CPU, memory or disk usage" : used.join(", ");
	return samples.length === 1 ? `The sandbox reports ${figures}` : `Peak over ${formatNumber(samples.length)} samples: ${figures}`;
}
function describeTransfer(report) {
	const { uploaded, uploadedBytes } = countFiles(report);
	const { retries } = report;
	if (uploaded === 0) return "";
	const repeated = retries === 1 ? ", 1 retry" : also(retries, "retries");
	const rate = formatRate(uploadedBytes, report.durationMs);
	return `${formatCount(uploaded, "file")}, ${formatBytes(uploadedBytes)}, ${rate}${repeated}`;
}
function errorLines({ errors, files, cancelled }, failures) {
	const given = new Set(failures.map(({ hint }) => hint));
	const lines = errors.flatMap(({ message: what, details }) => [what, ...details]);
	if (lines.length > 0) return lines.filter((line) => !given.has(line)).map(foreign);
	const reasons = files.flatMap((file) => file.status === "not-attempted" ? [file.reason] : []);
	return cancelled ? [] : [...new Set(reasons)].map((reason) => foreign(`Not attempted: ${reason}`));
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
	return [message`${countAre(programs)} executable, such as ${literal(program.file.source)}. Uploads carry no file modes, and new files are 0644 in the sandbox. Where modes matter, send an archive: ${ARCHIVE}`];
}
const MAX_NAMES$2 = 10;
function orphansNotice({ orphaned }) {
	if (orphaned.length === 0) return [];
	const paths = abbreviate(orphaned, MAX_NAMES$2, {
		show: literal,
		more: (rest) => message`${moreInReport(rest)}`
	});
	return [message`${countAre(orphaned)} no longer in the build but still in the sandbox: ${enumerate(paths)}`];
}
function countAre(files) {
	return `${formatCount(files.length, "file")} ${files.length === 1 ? "is" : "are"}`;
}
function uploadedNotice(report) {
	if (!isUpload(report) || listUploaded(report) !== void 0) return [];
	return [message`The output ${literal("uploaded")} is ${literal("[]")}, since it would exceed 256 KiB. The file named by the output ${literal("report")} lists every file.`];
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
	failed: {
		words: "failed",
		rank: 0
	},
	"not-attempted": {
		words: "not attempted",
		rank: 0
	},
	uploaded: {
		words: "uploaded",
		rank: 1
	},
	skipped: {
		words: "would be uploaded",
		rank: 1
	},
	unchanged: {
		words: "unchanged",
		rank: 2
	}
};
const MAX_LINES$1 = 1e3;
const MAX_CHARACTERS = 131072;
/** Logs the files in a collapsed group: a dry run in full, otherwise failures first. */
function logFiles({ files, skipped, dryRun }, log) {
	if (files.length + skipped.length === 0) return;
	const ranked = files.toSorted((a, b) => STATUS[a.status].rank - STATUS[b.status].rank);
	const lines = dryRun ? files.map(fileLine) : cutLines(ranked.map(fileLine));
	const others = skipped.map(({ path, reason }) => visible(`skipped: ${path} (${reason})`));
	log.group("Files", [...lines, ...cutLines(others)]);
}
function fileLine(result) {
	const { source, target } = result.file;
	const { words } = STATUS[result.status];
	const line = `${words}: ${source} → ${"path" in result ? result.path : target}`;
	return visible(result.status === "failed" ? `${line} (${result.error.message})` : line);
}
function cutLines(lines) {
	const taken = takeWithin(lines.slice(0, MAX_LINES$1), MAX_CHARACTERS, ({ length }) => length);
	const rest = lines.length - taken.length;
	return rest > 0 ? [...taken, moreInReport(rest)] : taken;
}

// src/github/progress.ts
const INTERVAL_MS = 15e3;
function eventLog({ line, debug }) {
	const logs = [
		progressLog(line),
		retryLog(line),
		waitLog(line),
		debugLog(debug)
	];
	return (event) => {
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
function retryLog(log) {
	let count = 0;
	return (event) => {
		if (event.kind !== "retry") return;
		count += 1;
		const { attempt, delayMs, error } = event.retry;
		const what = `Attempt ${attempt} for ${nameFiles$1(event.files)} failed`;
		if (count <= MAX_RETRY_LINES) log(`${what}, next in ${formatDuration(delayMs)}: ${error.message}`);
		if (count === MAX_RETRY_LINES) log("Further failed attempts are only in the report.");
	};
}
function waitLog(log) {
	let dueMs = INTERVAL_MS;
	return (event) => {
		if (event.kind === "wait") log(`Waiting up to ${formatDuration(event.timeoutMs)} for the sandbox`);
		if (event.kind !== "waited") return;
		const { held, waitedMs, unmet, error } = event.wait;
		if (held) return log(`The sandbox was ready after ${formatDuration(waitedMs)}`);
		if (waitedMs < dueMs) return;
		dueMs = waitedMs + INTERVAL_MS;
		const reasons = [...unmet.map(judgementLine), ...error === void 0 ? [] : [error.message]];
		log(`Waited ${formatDuration(waitedMs)}: ${reasons.join("; ")}`);
	};
}
function debugLog(debug) {
	return (event) => {
		if (event.kind === "found") debug(event.text);
		if (event.kind === "retry") debug(`Attempt ${event.retry.attempt}: ${describeCauses(event.retry.error)}`);
		if (event.kind === "failed") debug(`Failed: ${nameFiles$1(event.files)}: ${describeCauses(event.error)}`);
		if (event.kind === "concurrency") debug(`Concurrency: ${event.from} → ${event.to}, ${event.reason}`);
		if (event.kind === "sample") debug(`Sample: ${describeFigures(event.figures)}`);
	};
}
function describeFigures(figures) {
	return [...figures].map(([metric, figure]) => `${metric} ${formatFigure(metric, figure)}`).join(", ");
}
function nameFiles$1([first, ...others]) {
	return andMore(first?.source ?? "the stats", others.length);
}
const MAX_CAUSES = 5;
function describeCauses(error) {
	const lines = [`${error.kind}. ${error.message}`];
	for (let at = error.cause; at instanceof Error && lines.length <= MAX_CAUSES; at = at.cause) {
		const others = at instanceof AggregateError ? ` ${at.errors.map(String).join("; ")}` : "";
		lines.push(`- because of ${at.name}: ${at.message}${others}`);
	}
	return lines.join("\n");
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
function statsOutputs({ stats }) {
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
	const all = samples.map(({ figures }) => figures);
	const aggregates = [.../* @__PURE__ */ new Set([...Object.keys(METRICS), ...metricsOf(gate.failIf, gate.warnIf)])].flatMap((metric) => {
		const figures = figuresOf(metric, all);
		if (figures === void 0) return [];
		const entries = AGGREGATES.map((kind) => [kind, aggregateOf(kind, figures)]);
		return [[metric, Object.fromEntries(entries)]];
	});
	return Object.fromEntries(aggregates);
}
const FILES_PER_PIECE = 500;
const SCHEMA = "https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json";
/**
* Yields the report file in pieces, since 20,000 files in one string would take too much memory.
*/
function* reportJson(report, { title }) {
	const { task, files, stats, samples, gate, ...rest } = report;
	const document = {
		$schema: SCHEMA,
		task,
		succeeded: succeeded(report),
		headline: title,
		totals: countFiles(report),
		...rest,
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
const GAP_COLOR = "#8c959f1f";
function drawChart({ samples, gate, monitored }) {
	const axis = axisOf(samples, monitored);
	if (axis === void 0) return [];
	const conditions = [...gate.failIf, ...gate.warnIf];
	const plots = PLOTS.flatMap((plot) => {
		const points = spreadOverTime(plot.metric, samples, axis);
		if (points === void 0) return [];
		return [{
			...plot,
			points,
			limits: limitsOf(plot, conditions, samples.at(-1)?.figures)
		}];
	});
	if (plots.length === 0) return [];
	const lines = plots.map(({ color, points }) => ({
		kind: "line",
		color,
		points
	}));
	const limits = plots.flatMap(({ color, limits: own }) => own.map((limit) => ({
		kind: "line",
		color,
		points: Array(axis.points).fill(limit)
	})));
	const all = [...lines, ...limits].flatMap(({ points }) => points);
	const low = Math.min(0, Math.floor(Math.min(...all)));
	const high = Math.max(100, Math.ceil(Math.max(...all)));
	const gaps = gapSeries(samples, axis, {
		low,
		high
	});
	const legend = plots.map(({ name, metric, limits: own }) => {
		const each = own.map((limit) => formatFigure(metric, limit)).join(", ");
		return each === "" ? name : `${name} (level line: limit ${each})`;
	});
	const names = gaps.length > 0 ? [...legend, "grey: no samples"] : legend;
	const chart = toMermaid([
		...lines,
		...gaps,
		...limits
	], axis, {
		low,
		high
	});
	return [html`<p>In percent: ${names.join(" · ")}</p>`, { html: chart }];
}
function axisOf(samples, monitored) {
	const [first, ...others] = samples;
	if (first === void 0) return void 0;
	const { from, to } = monitored ?? {
		from: first.at,
		to: others.at(-1)?.at ?? first.at
	};
	const intervals = others.map(({ at }, index) => at - (samples[index]?.at ?? at)).sort((one, other) => one - other);
	const usual = intervals[intervals.length >> 1];
	if (usual === void 0) return void 0;
	const points = Math.min(Math.round((to - from) / Math.max(usual, 1)) + 1, MAX_POINTS);
	return points < MIN_POINTS ? void 0 : {
		from,
		to,
		points
	};
}
function pointAt(at, { from, to, points }) {
	return clamp(Math.round((at - from) / (to - from) * (points - 1)), 0, points - 1);
}
function spreadOverTime(metric, samples, axis) {
	const highest = /* @__PURE__ */ new Map();
	for (const { at, figures } of samples) {
		const figure = figures.get(metric);
		if (figure === void 0) continue;
		const point = pointAt(at, axis);
		const value = clamp(figure, -1e3, MAX_PERCENT);
		highest.set(point, Math.max(highest.get(point) ?? value, value));
	}
	let [before] = highest.values();
	if (before === void 0) return void 0;
	return Array.from({ length: axis.points }, (_, point) => {
		before = highest.get(point) ?? before ?? 0;
		return before;
	});
}
function gapSeries(samples, axis, { low, high }) {
	const taken = new Set(samples.map(({ at }) => pointAt(at, axis)));
	const isMissing = (point) => point >= 0 && point < axis.points && !taken.has(point);
	const isGap = (point) => isMissing(point) && (isMissing(point - 1) || isMissing(point + 1));
	const points = Array.from({ length: axis.points }, (_, point) => isGap(point) ? high : 2 * low - high);
	return points.includes(high) ? [{
		kind: "bar",
		color: GAP_COLOR,
		points
	}] : [];
}
function clamp(value, low, high) {
	return Math.min(Math.max(value, low), high);
}
function limitsOf({ metric, resource }, conditions, last) {
	const total = last?.get(`${resource}_total`) ?? NaN;
	const limits = conditions.flatMap(({ metric: judged, aggregate, limit }) => {
		if (aggregate === "mean") return [];
		if (judged === metric) return [limit];
		if (judged === `${resource}_used`) return [100 * limit / total];
		if (judged === `${resource}_used_mib`) return [100 * limit * 2 ** 20 / total];
		return judged === `${resource}_free` ? [100 - 100 * limit / total] : [];
	});
	return [...new Set(limits)].filter((limit) => Math.abs(limit) <= MAX_PERCENT).slice(0, MAX_LIMITS);
}
function toMermaid(series, axis, { low, high }) {
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
			`  y-axis ${low} --> ${high}`,
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
const MAX_GROUPS = 10;
const MAX_NAMES$1 = 5;
const MAX_LINES = 30;
const MAX_PLANNED = 50;
const DOCS = "https://github.com/sandbox-sync/sandbox-sync/blob/v1/docs";
const MARKS = {
	success: "✅",
	warning: "⚠️",
	failure: "❌",
	cancelled: "⛔"
};
function summaryOf(report, verdict) {
	const { level, title, lines, warnings, notices, upload } = verdict;
	const { digest } = report;
	const reasons = [...lines.map((line) => line.html), ...warnings.map((warning) => html`⚠️ ${warning.html}`)];
	return [
		html`<h3>${MARKS[level]} Sandbox Sync${nameSandbox(report)}: ${title}</h3>`,
		...abbreviated(reasons, MAX_LINES),
		...figuresTable(report),
		...drawChart(report),
		...failureSection(verdict),
		...planFolders(report),
		...upload === "" ? [] : [html`<p>${upload}</p>`],
		...folded(formatCount(notices.length, "notice"), abbreviated(notices.map((notice) => notice.html), MAX_LINES)),
		...foldedSkipped(report),
		...foldedPlan(report),
		...digest === "" ? [] : [html`<p>${nameDigest(report)}: ${code(digest)}</p>`],
		footer(report)
	].map((block) => `${block.html}\n\n`).join("");
}
function nameSandbox({ name, sandboxId }) {
	const names = [name, sandboxId].filter((text) => text !== "").map(code);
	return names.length === 0 ? html`` : html` (${concat(names, ", ")})`;
}
function abbreviated(items, limit) {
	const more = (rest) => html`${moreInReport(rest)}`;
	return list(abbreviate(items, limit, {
		show: (item) => item,
		more
	}));
}
function failureSection({ failures }) {
	if (failures.length === 0) return [];
	const items = failures.map(({ message, hint, sources }) => {
		const files = sources.length > 1 ? html`${formatCount(sources.length, "file")}: ` : html``;
		return html`${code(message)}<br>${prose(hint)}<br>${files}${nameFiles(sources)}`;
	});
	return [html`<h4>What failed</h4>`, ...abbreviated(items, MAX_GROUPS)];
}
function nameFiles(sources) {
	const more = (rest) => html`${moreInReport(rest)}`;
	return concat(abbreviate(sources, MAX_NAMES$1, {
		show: code,
		more
	}), ", ");
}
function plannedFiles({ files, dryRun }) {
	if (!dryRun) return [];
	return files.filter(({ status }) => status === "skipped").map(({ file }) => file);
}
function planFolders(report) {
	return abbreviated([...Map.groupBy(plannedFiles(report), ({ source, target }) => [source, target].map((file) => path.posix.dirname(file)).join("\0"))].map(([names, files]) => {
		const [source = "", target = ""] = names.split("\0");
		const size = `${formatCount(files.length, "file")}, ${formatBytes(totalSize(files))}`;
		return html`${code(source)} → ${code(target)}: ${size}`;
	}), MAX_LINES);
}
function foldedPlan(report) {
	const files = plannedFiles(report);
	const shown = abbreviate(files, MAX_PLANNED, {
		show: ({ source, target, size }) => html`${code(source)} → ${code(target)}, ${formatBytes(size)}`,
		more: (rest) => html`${moreInReport(rest)}`
	});
	return folded(formatCount(files.length, "planned file"), list(shown));
}
function foldedSkipped({ skipped }) {
	const items = skipped.map(({ path: place, reason }) => html`${code(place)}: ${reason}`);
	return folded(`${formatNumber(skipped.length)} skipped`, abbreviated(items, MAX_LINES));
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
	for (const { text } of notices) log.notice([text]);
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

export { formatNumber as C, formatDuration as S, totalSize as T, describeShard as _, forgetJobSandbox as a, formatBytes as b, publishSandbox as c, traceOfStep as d, requireFiles as f, EMPTY_REPORT as g, judgementLine as h, findMonitors as i, sandboxToDelete as l, waitError as m, runStep as n, monitorDirectory as o, reportError as p, digestOf as r, openMonitorDirectory as s, runReportingStep as t, scheduleDeletion as u, abbreviate as v, formatTime as w, formatCount as x, andMore as y };