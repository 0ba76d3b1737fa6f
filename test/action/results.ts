import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { StepEnd } from '../../dev/runner/step.ts';
import { assertFits, assertOutputsFit } from './schema.ts';

/** The parts of the report file that tests use. */
export interface Report {
  readonly $schema: string;
  readonly succeeded: boolean;
  readonly cancelled: boolean;
  readonly dryRun: boolean;
  readonly headline: string;
  readonly name: string;
  readonly durationMs: number;
  readonly totals: Readonly<Record<string, number>>;
  readonly digest: string;
  readonly stats: Readonly<Record<string, unknown>> | null;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly hidden: Report['skipped'];
  readonly orphaned: readonly string[];
  readonly files: readonly ReportedFile[];
}

export interface ReportedFile {
  readonly source: string;
  readonly target: string;
  readonly size: number;
  readonly status: string;
  readonly attempts?: number;
  readonly durationMs?: number;
  readonly path?: string;
  readonly sha256?: string;
  readonly reason?: string;
  readonly error?: {
    readonly kind: string;
    readonly status?: number;
    readonly message: string;
    readonly hint: string;
  };
}

/** Everything that a run of the action left behind. */
export interface Result extends StepEnd {
  readonly report: Report;
  /** The report file's text. */
  readonly reportText: string;
  /** The lines of stdout. */
  readonly lines: readonly string[];
  /** All of it as one text. */
  readonly everything: string;
  /** The report's file with this source. */
  readonly file: (source: string) => ReportedFile;
  /** Annotations of a level, unescaped. */
  readonly annotations: (level: 'error' | 'warning' | 'notice') => string[];
}

export function resultOf(end: StepEnd): Result {
  const { stdout, stderr, outputs, state, env, summary } = end;
  const reportFile = outputs['report'] ?? '';
  const reportText = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : '';
  if (reportText !== '') assertFits('report', JSON.parse(reportText));
  const told = [outputs, state, env].flatMap(values => Object.entries(values).flat());
  const report = () => parseReport(reportText, stdout + stderr);
  assertOutputsFit(outputs);
  return {
    ...end,
    get report() {
      return report();
    },
    reportText,
    lines: stdout.split('\n'),
    everything: [stdout, stderr, ...told, summary, reportText].join('\n'),
    file: source =>
      report().files.find(file => file.source === source) ??
      assert.fail(`${source} is not in the report`),
    annotations: level => stdout.split('\n').flatMap(line => annotation(line, level)),
  };
}

function parseReport(text: string, log: string): Report {
  assert.notEqual(text, '', `there is no report:\n${log}`);
  const value: unknown = JSON.parse(text);
  if (isReport(value)) return value;
  return assert.fail(`this is not a report: ${text}`);
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'files' in value && 'totals' in value;
}

function annotation(line: string, level: string): string[] {
  const [, message] = /^::(?:error|warning|notice)(?: [^:]*)?::(.*)$/.exec(line) ?? [];
  if (message === undefined || !line.startsWith(`::${level}`)) return [];
  return [message.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')];
}
