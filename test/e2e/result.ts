import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { StepEnd } from '../../dev/runner/step.ts';
import schema from '../../schema/report-1.json' with { type: 'json' };
import { filesBelow } from '../system.ts';
import type { TestJob } from './test-job.ts';

/** The parts of the report file that tests use. */
export interface Report {
  readonly name: string;
  readonly sandboxId: string;
  readonly $schema: string;
  readonly succeeded: boolean;
  readonly cancelled: boolean;
  readonly dryRun: boolean;
  readonly headline: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly digest: string;
  readonly stats: Readonly<Record<string, unknown>> | null;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly orphaned: readonly string[];
  readonly files: readonly ReportedFile[];
  readonly samples: readonly { readonly figures: Readonly<Record<string, number>> }[];
  readonly command: {
    readonly title: string;
    readonly exitCode: number | null;
    readonly durationMs: number;
    readonly lastLines: readonly string[];
  };
  readonly download: {
    readonly totals: Readonly<Record<string, number>>;
    readonly files: readonly ReportedDownload[];
  };
}

export interface ReportedDownload extends Omit<ReportedFile, 'source' | 'size' | 'path'> {
  readonly path: string;
  readonly size?: number;
}

export interface ReportedFile {
  readonly source: string;
  readonly target: string;
  readonly size: number;
  readonly status: string;
  readonly attempts?: number;
  readonly path?: string;
  readonly sha256?: string;
  readonly reason?: string;
  readonly error?: { readonly kind: string; readonly message: string; readonly hint: string };
}

/** Everything that a run of the action left behind. */
export type Result = ReturnType<typeof resultOf>;

const MASK = '::add-mask::';

/** Reads what a step left behind, and checks report and outputs against the schema. */
export function resultOf(end: StepEnd, temp: string) {
  const { stdout, stderr, outputs, state, env, summary } = end;
  const lines: readonly string[] = stdout.split('\n');
  const reportFile = outputs['report'] ?? '';
  const reportText = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '';
  assertOutputsFit(outputs);
  const readReport = () => parseReport(reportText, stdout + stderr);
  if (reportText !== '') readReport();
  const annotations = (level: 'error' | 'warning' | 'notice') =>
    lines.flatMap(annotationsOf(level));
  return {
    ...end,
    /** Fails the test if the action wrote no report. */
    get report() {
      return readReport();
    },
    /** The lines of stdout. */
    lines,
    /** Log, outputs, state, summary, report and files in RUNNER_TEMP, but no `add-mask` commands. */
    allOutput: [
      ...lines.filter(line => !line.startsWith(MASK)),
      stderr,
      ...[outputs, state, env, filesBelow(temp)].flatMap(texts => Object.entries(texts).flat()),
      summary,
      reportText,
    ].join('\n'),
    /** The values that the action asked the runner to mask. */
    masked: lines.filter(line => line.startsWith(MASK)).map(line => unescaped(line, MASK)),
    /** The report's file with this source. */
    file: (source: string) =>
      readReport().files.find(file => file.source === source) ??
      assert.fail(`${source} is not in the report`),
    /** Annotations of a level, unescaped. */
    annotations,
    /** All error annotations as one text, without backticks. */
    errors: annotations('error').join('\n').replaceAll('`', ''),
    /** All warnings as one text, without backticks. */
    warnings: annotations('warning').join('\n').replaceAll('`', ''),
  };
}

const ajv = new Ajv2020({ allErrors: true });
const fitsReport = ajv.compile<Report>(schema);

/** @throws AssertionError unless there is a report that fits the schema */
function parseReport(text: string, log: string): Report {
  assert.notEqual(text, '', `there is no report:\n${log}`);
  const value: unknown = JSON.parse(text);
  if (!fitsReport(value)) assert.fail(`report: ${ajv.errorsText(fitsReport.errors)}`);
  return value;
}

function assertOutputsFit(outputs: Readonly<Record<string, string>>): void {
  for (const name of ['breaches', 'aggregates', 'stats']) {
    const fits = ajv.getSchema(`${schema.$id}#/$defs/${name}`) ?? assert.fail(name);
    const value: unknown = JSON.parse(outputs[name] || 'null');
    assert.ok(value === null || fits(value), `${name}: ${ajv.errorsText(fits.errors)}`);
  }
}

function annotationsOf(level: string): (line: string) => string[] {
  return line => {
    const [command] = /^::(?:error|warning|notice)(?: [^:]*)?::/.exec(line) ?? [];
    return command?.startsWith(`::${level}`) ? [unescaped(line, command)] : [];
  };
}

/** Decodes the text of a workflow command. */
function unescaped(line: string, command: string): string {
  const text = line.slice(command.length);
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

/** Asserts that the sandbox holds the files reported as uploaded, byte for byte, and no others. */
export function assertDelivered(job: TestJob, { report }: Pick<Result, 'report'>): void {
  const stored = Object.entries(filesBelow(job.root));
  const uploaded = report.files.filter(file => file.status === 'uploaded');
  assert.deepEqual(
    Object.fromEntries(stored.map(([name, content]) => [`/${name}`, sizeAndHash(content)])),
    Object.fromEntries(uploaded.map(file => [file.path, sentBytes(job, file)])),
  );
}

/** The size that was reported, and the hash of the source; a size says nothing of the content. */
function sentBytes({ workspace }: TestJob, { source, size }: ReportedFile) {
  return { ...sizeAndHash(readFileSync(path.join(workspace, source))), size };
}

function sizeAndHash(content: Buffer) {
  return { size: content.length, sha256: hash('sha256', content) };
}
