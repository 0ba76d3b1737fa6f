import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { StepEnd } from '../../dev/runner/step.ts';
import schema from '../../schema/report-1.json' with { type: 'json' };
import type { FailureInfo } from '../../src/agent/failure.ts';
import type { CommandResult } from '../../src/command/run.ts';
import type { DownloadResult } from '../../src/download/download.ts';
import type { UploadResult } from '../../src/upload/upload.ts';
import { filesBelow } from './system.ts';
import type { TestJob } from './test-job.ts';

/** The fields of the report file that tests use. */
interface Report {
  readonly $schema: string;
  readonly name: string;
  readonly sandbox: { readonly id: string };
  readonly succeeded: boolean;
  readonly headline: string;
  readonly cancelled: boolean;
  readonly upload: Pick<UploadResult, 'dryRun' | 'shard' | 'digest' | 'orphaned'> & ReportedFiles;
  readonly download: Pick<DownloadResult, 'retries'> & ReportedFiles;
  readonly command: Omit<CommandResult, 'end' | 'outputs'> & {
    readonly exitCode?: number;
    readonly outputs: readonly string[];
  };
  readonly stats: {
    readonly response: Readonly<Record<string, unknown>>;
    readonly samples: readonly { readonly figures: Readonly<Record<string, number>> }[];
  };
}

interface ReportedFiles {
  readonly totals: Readonly<Record<string, number>>;
  readonly files: readonly ReportedFile[];
}

interface ReportedFile {
  readonly source: string;
  readonly target: string;
  readonly size: number;
  readonly status: string;
  readonly attempts?: number;
  readonly path?: string;
  readonly sha256?: string;
  readonly reason?: string;
  readonly error?: FailureInfo;
}

export type Result = ReturnType<typeof resultOf>;

const MASK = '::add-mask::';

/** Collects what a step wrote, and asserts that its report and outputs fit the schema. */
export function resultOf(end: StepEnd, temp: string) {
  const { stdout, stderr, outputs, state, env, summary } = end;
  const lines: readonly string[] = stdout.split('\n');
  const reportFile = outputs['report'] ?? '';
  const reportText = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '';
  const report = reportText === '' ? undefined : parseReport(reportText);
  assertOutputsFit(outputs);
  const annotations = (level: 'error' | 'warning' | 'notice') =>
    lines.flatMap(annotationsOf(level));
  return {
    ...end,
    /** Fails the test if the action wrote no report. */
    get report() {
      return report ?? assert.fail(`there is no report:\n${stdout}${stderr}`);
    },
    lines,
    /** All that the action wrote, also to RUNNER_TEMP, except `add-mask` commands. */
    allOutput: [
      ...lines.filter(line => !line.startsWith(MASK)),
      stderr,
      ...[outputs, state, env, filesBelow(temp)].flatMap(texts => Object.entries(texts).flat()),
      summary,
      reportText,
    ].join('\n'),
    /** Unescaped values of the `add-mask` commands. */
    masked: lines.filter(line => line.startsWith(MASK)).map(line => unescaped(line, MASK)),
    file: (source: string) =>
      report?.upload.files.find(file => file.source === source) ??
      assert.fail(`${source} is not in the report`),
    /** Returns the unescaped annotations of a level. */
    annotations,
    /** All error annotations as one text, without backticks. */
    errors: annotations('error').join('\n').replaceAll('`', ''),
    /** All warnings as one text, without backticks. */
    warnings: annotations('warning').join('\n').replaceAll('`', ''),
  };
}

const ajv = new Ajv2020({ allErrors: true });
const fitsReport = ajv.compile<Report>(schema);

function parseReport(text: string): Report {
  const value: unknown = JSON.parse(text);
  if (!fitsReport(value)) assert.fail(`report: ${ajv.errorsText(fitsReport.errors)}`);
  return value;
}

function assertOutputsFit(outputs: Readonly<Record<string, string>>): void {
  for (const name of ['tripped', 'unjudged', 'aggregates', 'stats']) {
    const fits = ajv.getSchema(`${schema.$id}#/$defs/${name}`) ?? assert.fail(name);
    const value: unknown = JSON.parse(outputs[name] || 'null');
    assert.ok(value === null || fits(value), `${name}: ${ajv.errorsText(fits.errors)}`);
  }
}

function annotationsOf(level: string): (line: string) => string[] {
  return line => {
    const [command] = RegExp(`^::${level}(?: [^:]*)?::`).exec(line) ?? [];
    return command === undefined ? [] : [unescaped(line, command)];
  };
}

function unescaped(line: string, command: string): string {
  const text = line.slice(command.length);
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

/** Asserts that the sandbox holds exactly the files reported as uploaded, byte for byte. */
export function assertDelivered({ root, workspace }: TestJob, { report }: Result): void {
  const uploaded = report.upload.files.filter(({ status }) => status === 'uploaded');
  const sent = uploaded.map(({ path: place = '', size, source }) => {
    const content = readFileSync(path.join(workspace, source));
    assert.equal(size, content.length, source);
    return [place.replace('/', ''), content] as const;
  });
  const stored = filesBelow(root);
  assert.deepEqual(Object.keys(stored).toSorted(), sent.map(([place]) => place).toSorted());
  for (const [place, content] of sent) assert.ok(stored[place]?.equals(content), place);
}
