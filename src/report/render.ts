import type { Redact } from '../text/escape.ts';
import type { Html } from './html.ts';
import {
  type Reason,
  type ReasonLine,
  type RenderedSection,
  textsOf,
  withMarkup,
} from './section.ts';

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
  readonly error: Reason | undefined;
  /** True for an error in a step with `fail-if`: nothing was judged, so the gate fails. */
  readonly isGateUnseen: boolean;
  readonly sections: Sections;
}

/** A step's outcome, for the log, the outputs, the summary and report.json. */
export interface RenderedReport extends Required<Omit<RenderedSection, 'done'>> {
  readonly level: 'success' | 'warning' | 'failure' | 'cancelled';
  /** The first problem, or else what was done. */
  readonly title: ReasonLine;
  /** Details of the title, and the other problems. */
  readonly reasons: readonly Reason[];
}

export function renderReport(report: Report): RenderedReport {
  const { error, cancelled, sections } = report;
  const all = Object.values(sections);
  const problems = [...(error ? [error] : []), ...all.flatMap(section => section.problems)];
  const warnings = all.flatMap(section => section.warnings);
  const done = all.map(section => section.done).filter(sentence => sentence !== '');
  const [[firstLine, ...details] = [], ...others] = problems;
  const title = firstLine ?? withMarkup(done.join(' '));
  return {
    level: levelOf(report, problems, warnings),
    title: cancelled ? { ...title, text: `Cancelled. ${title.text}`.trimEnd() } : title,
    reasons: [...details.map(line => [line]), ...others],
    problems,
    warnings,
    fileLines: all.flatMap(({ fileLines = [] }) => fileLines),
    facts: [...(firstLine === undefined ? [] : done), ...all.flatMap(({ facts = [] }) => facts)],
    outputs: Object.assign(
      report.isGateUnseen ? { gate: 'failed' } : {},
      ...all.map(({ outputs }) => outputs),
    ),
    attachments: Object.assign({}, ...all.map(({ attachments }) => attachments)),
    blocks: blocksOf(all),
    json: Object.fromEntries(Object.entries(sections).map(([name, { json }]) => [name, json])),
  };
}

export function succeeded({ level }: Pick<RenderedReport, 'level'>): boolean {
  return level === 'success' || level === 'warning';
}

/** Puts figures first, which matter more than the output of a command, unless that has failed. */
function blocksOf(sections: readonly RenderedSection[]): Html[] {
  const failed = sections.filter(({ problems }) => problems.length > 0);
  const others = sections.filter(({ problems }) => problems.length === 0).toReversed();
  return [...failed, ...others].flatMap(({ blocks = [] }) => blocks);
}

function levelOf(
  { cancelled }: Report,
  problems: readonly Reason[],
  warnings: readonly ReasonLine[],
): RenderedReport['level'] {
  if (cancelled) return 'cancelled';
  if (problems.length > 0) return 'failure';
  return warnings.length > 0 ? 'warning' : 'success';
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
    headline: rendered.title.text,
    cancelled,
    errors: rendered.problems.map(problem => {
      const [message = '', ...details] = textsOf(problem);
      return { message, details };
    }),
    warnings: textsOf(rendered.warnings),
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

// Redacting a short secret could change digests, and fixed words that the summary depends on. The
// response was redacted as JSON, since a secret of digits must not break its numbers.
const UNREDACTED =
  /^(task|status|kind|by|result|state|level|operator|aggregate|ifNoFilesFound|digest|sha256|response)$/;

function mapStrings(value: unknown, map: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return map(value, key);
  if (Array.isArray(value)) return value.map(item => mapStrings(item, map, key));
  // Metrics are redacted where they are decoded.
  if (typeof value !== 'object' || value === null || value instanceof Map) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, field]) => [name, mapStrings(field, map, name)]));
}
