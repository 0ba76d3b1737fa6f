import type { Redact } from '../text/escape.ts';
import { linesOf, type Problem, type RenderedSection, sentenceCase } from './section.ts';

/** What the actions of a step have to tell, by their names in report.json. */
export type Sections = Readonly<
  Partial<Record<'command' | 'upload' | 'stats' | 'download', RenderedSection>>
>;

export interface Report {
  readonly task: string;
  /** The input `name` of a monitor or a run; empty for other tasks. */
  readonly name: string;
  /** Has empty strings if the step failed before it knew its sandbox. */
  readonly sandbox: { readonly id: string; readonly baseUrl: string };
  readonly cancelled: boolean;
  /** Why the step threw. It has no sections then. */
  readonly error: Problem | undefined;
  /** True for an error in a step with `fail-if`: nothing was judged, so the gate fails. */
  readonly gateNotJudged: boolean;
  readonly sections: Sections;
}

/** A step's outcome, for the log, the outputs, the summary and report.json. */
export interface RenderedReport extends Required<Omit<RenderedSection, 'done' | 'hasWarned'>> {
  readonly level: 'success' | 'warning' | 'failure' | 'cancelled';
  /** What the verdict is about: the name of the step, or else its command. May be empty. */
  readonly subject: string;
  /** The first problem, or else what was done. */
  readonly verdict: string;
  /** What was done, unless the verdict says it, and other facts. */
  readonly facts: readonly string[];
}

export function renderReport(report: Report): RenderedReport {
  const { error, cancelled, name } = report;
  const all = Object.values(report.sections);
  const problems = [...(error ? [error] : []), ...all.flatMap(section => section.problems)];
  const warnings = all.flatMap(section => section.warnings);
  const hasWarned = warnings.length > 0 || all.some(section => section.hasWarned);
  const level = levelOf(cancelled, problems, hasWarned);
  const done = all.map(section => section.done).filter(words => words !== '');
  // The first result of a cancelled step says how far it came.
  const verdict = problems[0]?.verdict ?? (cancelled ? done[0] : done.join(' · ')) ?? '';
  const facts = all.flatMap(section => section.facts ?? []);
  const command = all.map(section => section.command ?? '').join('');
  return {
    level,
    verdict,
    command,
    subject: name || command,
    problems,
    warnings,
    fileLines: all.flatMap(({ fileLines = [] }) => fileLines),
    facts: problems.length === 0 ? facts : [...doneBeside(all), ...facts],
    outputs: Object.assign(
      report.gateNotJudged ? { gate: 'failed' } : {},
      ...all.map(({ outputs }) => outputs),
    ),
    scriptOutputs: all.flatMap(({ scriptOutputs = [] }) => scriptOutputs),
    attachments: Object.assign({}, ...all.map(({ attachments }) => attachments)),
    blocks: all.flatMap(({ blocks = [] }) => blocks),
    json: Object.fromEntries(Object.entries(report.sections).map(([key, { json }]) => [key, json])),
  };
}

/** Says what was done in a step that failed, except for a gate, whose table says it. */
function doneBeside(sections: readonly RenderedSection[]): string[] {
  const told = sections.filter(({ done, blocks = [] }) => done !== '' && blocks.length === 0);
  return told.map(({ done }) => `${sentenceCase(done)}.`);
}

/** Returns the verdict with what it is about, as log, annotation and report.json have it. */
export function headlineOf({ subject, verdict }: RenderedReport): string {
  return subject === '' ? sentenceCase(verdict) : `${subject}: ${verdict}`;
}

export function succeeded({ level }: Pick<RenderedReport, 'level'>): boolean {
  return level === 'success' || level === 'warning';
}

function levelOf(
  cancelled: boolean,
  problems: readonly Problem[],
  hasWarned: boolean,
): RenderedReport['level'] {
  if (cancelled) return 'cancelled';
  if (problems.length > 0) return 'failure';
  return hasWarned ? 'warning' : 'success';
}

// Bump the number in this URL only if a key of report.json is removed or changes its meaning.
const REPORT_SCHEMA_URL =
  'https://raw.githubusercontent.com/sandbox-sync/sandbox-sync/v1/schema/report-1.json';

export function reportJson(report: Report, rendered: RenderedReport): string {
  const { task, name, sandbox, cancelled } = report;
  const document = {
    $schema: REPORT_SCHEMA_URL,
    task,
    name,
    sandbox: { id: sandbox.id, baseUrl: sandbox.baseUrl },
    succeeded: succeeded(rendered),
    headline: headlineOf(rendered),
    cancelled,
    errors: rendered.problems.map(problem => {
      const [message = '', ...details] = linesOf(problem);
      return { message, details };
    }),
    warnings: rendered.warnings,
    ...rendered.json,
  };
  return `${JSON.stringify(document)}\n`;
}

/**
 * Redacts what users typed, such as a token in the wrong input or in a file name. Skips figures and
 * other numbers, which may happen to contain the digits of a secret.
 */
export function redactTexts<T>(results: T, redact: Redact): T {
  const copy = mapStrings(results, (text, key) => (UNREDACTED.test(key) ? text : redact(text)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts have changed
  return copy as T;
}

// Redacting a short secret could change digests, and fixed words that the summary depends on.
const UNREDACTED = /^(task|status|kind|by|result|state|level|operator|aggregate|digest|sha256)$/;

// `parseRedacted` has redacted these. Copying 60,000 samples takes 1.1 s of the 2 s after SIGTERM.
const DECODED = /^(samples|response)$/;

function mapStrings(value: unknown, map: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return map(value, key);
  if (typeof value !== 'object' || value === null || DECODED.test(key)) return value;
  if (Array.isArray(value)) return value.map(item => mapStrings(item, map, key));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, field]) => [name, mapStrings(field, map, name)]));
}
