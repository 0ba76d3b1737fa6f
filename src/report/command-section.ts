import type { Failure } from '../agent/failure.ts';
import type { ProcessEnd } from '../agent/process.ts';
import { inlineCode, removeColors, truncate } from '../text/escape.ts';
import { formatDuration } from '../text/format.ts';
import { concat, type Html, html } from './html.ts';
import type { ReportHeader } from './report.ts';
import type { ReportedError } from './reported-error.ts';
import type { SectionView } from './section-view.ts';

export interface CommandSection {
  /** The step's name, or the first line of the script. */
  readonly title: string;
  /** -1 if a signal killed the command; undefined if its end was not seen. */
  readonly exitCode: number | undefined;
  /** How the agent describes the end, such as `exit status 3` or `signal: killed`. */
  readonly status: string;
  readonly durationMs: number;
  readonly lastLines: readonly string[];
}

/** How a command ended, or why that is unknown. */
export type CommandEnd =
  | ({ readonly kind: 'ended' } & ProcessEnd)
  /** The command may still be running. */
  | { readonly kind: 'lost'; readonly error: Failure }
  | { readonly kind: 'not-started'; readonly error: Failure };

export const EMPTY_COMMAND: CommandSection = {
  title: '',
  exitCode: undefined,
  status: '',
  durationMs: 0,
  lastLines: [],
};

export function viewCommand(section: CommandSection, info: ReportHeader): SectionView {
  const { exitCode, durationMs } = section;
  return {
    level: exitCode === 0 ? 'success' : 'failure',
    headline: headlineOf(section, info),
    outputs: {
      'exit-code': exitCode === undefined ? '' : String(exitCode),
      'duration-ms': String(durationMs),
    },
    blocks: outputBlock(section),
    json: { command: { ...section, exitCode: exitCode ?? null } },
  };
}

function headlineOf(section: CommandSection, { cancelled, errors }: ReportHeader): string {
  const name = nameCommand(section.title);
  // An error already says how the command failed.
  if (errors.some(({ title }) => title?.startsWith(name))) return '';
  if (section.exitCode === 0) return describeExit(section);
  return cancelled && section.durationMs > 0
    ? `${name} was stopped after ${formatDuration(section.durationMs)}`
    : 'Nothing was run';
}

function outputBlock({ lastLines }: CommandSection): Html[] {
  if (lastLines.length === 0) return [];
  const lines = concat(
    lastLines.map(line => html`${removeColors(line).replaceAll('\t', '    ')}`),
    '\n',
  );
  // Use a separate block: inside <p> or <details>, a blank line would turn the rest into Markdown.
  return [html`<p>Last lines of the output:</p>`, html`<pre>${lines}</pre>`];
}

const MAX_TITLE = 60;

function nameCommand(title: string): string {
  return inlineCode(truncate(title, MAX_TITLE));
}

function describeExit({ exitCode, title, durationMs }: CommandSection): string {
  return `${nameCommand(title)} exited with ${exitCode} after ${formatDuration(durationMs)}`;
}

/**
 * Explains why a command failed. Returns nothing if it exited with 0 or the cancellation stopped
 * it. A cancelled command whose end nobody saw is still reported.
 */
export function explainFailure(
  section: CommandSection,
  end: CommandEnd,
  stoppedBy: 'max-duration' | 'cancellation' | undefined,
): ReportedError[] {
  const isCancelled = stoppedBy === 'cancellation';
  if (isCancelled && end.kind !== 'lost') return [];
  if (end.kind !== 'ended') return [explainUnseenEnd(section, end, isCancelled)];
  const { exitCode, status, problem } = end;
  const name = nameCommand(section.title);
  const after = `after ${formatDuration(section.durationMs)}`;
  if (stoppedBy !== undefined) return [titled(`${name} was stopped by max-duration ${after}.`)];
  if (exitCode === undefined)
    return [titled(`${name} ended ${after}, but the agent did not say with which exit code.`)];
  if (problem !== undefined)
    return [titled(`${describeExit(section)}, but the stream broke off.`, [problem])];
  if (exitCode === 0) return [];
  if (exitCode !== -1) return [titled(`${describeExit(section)}.`, [], ADVICE[exitCode])];
  const advice = status === 'signal: killed' ? KILLED : undefined;
  return [titled(`${name} was ended ${after} (${inlineCode(status)}).`, [], advice)];
}

const KILLED =
  'Something killed it, perhaps because the memory was full. Compare the peak of the memory with its size.';

// Bash exit codes. Above 128, a signal killed a child process.
const ADVICE: Readonly<Record<number, string>> = {
  126: 'A file is not executable. Uploads carry no modes, so run `chmod +x` first.',
  127: 'A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.',
  137: KILLED,
  141: 'A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first.',
};

const NOT_STOPPED = 'max-duration was over, but the sandbox did not stop it.';

function explainUnseenEnd(
  { title, durationMs }: CommandSection,
  { kind, error }: Exclude<CommandEnd, { readonly kind: 'ended' }>,
  isCancelled: boolean,
): ReportedError {
  const name = nameCommand(title);
  // Only `max-duration` and a cancelled job cancel the request.
  const [reason, hint] =
    error.kind === 'cancelled' ? [NOT_STOPPED, undefined] : [error.message, error.hint];
  const details = isCancelled ? [] : [reason];
  const advice = isCancelled ? undefined : hint;
  if (kind === 'not-started') return titled(`${name} was not started.`, details, advice);
  const after = formatDuration(durationMs);
  return titled(
    `${name} was not seen to end within ${after}. It may still be running.`,
    details,
    advice,
  );
}

function titled(title: string, details: readonly string[] = [], advice?: string): ReportedError {
  return { message: title, title, details, advice: advice === undefined ? [] : [advice] };
}
