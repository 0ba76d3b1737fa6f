import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { StepPlaces } from './world.ts';

/** The report file, as far as these tests look into it. */
export interface Report {
  readonly schema: number;
  readonly succeeded: boolean;
  readonly cancelled: boolean;
  readonly dryRun: boolean;
  readonly headline: string;
  readonly durationMs: number;
  readonly totals: Readonly<Record<string, number>>;
  readonly stats: Readonly<Record<string, unknown>> | null;
  readonly figures: Readonly<Record<string, unknown>> | null;
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
  readonly errors: readonly { readonly message: string; readonly details: readonly string[] }[];
  readonly warnings: readonly string[];
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
  readonly reason?: string;
  readonly error?: {
    readonly kind: string;
    readonly status?: number;
    readonly message: string;
    readonly hint: string;
  };
}

/** How the process ended, and what it printed. */
export interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** All that one run of the action left behind. */
export interface Result extends Ending {
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly report: Report;
  /** The report file's text. */
  readonly reportText: string;
  /** The lines of stdout. */
  readonly lines: readonly string[];
  /** Everything the run left behind, in one text. */
  readonly everything: string;
  /** The file of the report with this source. */
  file(source: string): ReportedFile;
  /** Annotations of a level, unescaped. */
  annotations(level: 'error' | 'warning' | 'notice'): string[];
}

export function resultOf(ending: Ending, places: StepPlaces): Result {
  const { stdout, stderr } = ending;
  const rawOutputs = readIfThere(places.output);
  const outputs = parseOutputs(rawOutputs);
  const summary = readIfThere(places.summary);
  const reportText = readIfThere(outputs['report'] ?? '');
  const report = () => parseReport(reportText, stdout + stderr);
  return {
    ...ending,
    outputs,
    summary,
    reportText,
    get report() {
      return report();
    },
    lines: stdout.split('\n'),
    everything: [stdout, stderr, rawOutputs, summary, reportText].join('\n'),
    file: source =>
      report().files.find(file => file.source === source) ?? assert.fail(`${source} is not in the report`),
    annotations: level => stdout.split('\n').flatMap(line => annotation(line, level)),
  };
}

/** The outputs file as the runner reads it: `name<<delimiter`, the value's lines, the delimiter. */
function parseOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  for (let rest = text; rest !== ''; ) {
    const [whole, name = '', , value = ''] =
      /^([^\n]+?)<<([^\n]+)\n(?:([\s\S]*?)\n)?\2\n/.exec(rest) ?? assert.fail(`not an output: ${rest}`);
    assert.ok(!(name in outputs), `the output ${name} is set twice`);
    outputs[name] = value;
    rest = rest.slice(whole.length);
  }
  return outputs;
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

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
