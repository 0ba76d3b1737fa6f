import type { FailureInfo } from '../agent/failure.ts';
import type { ProcessEnd } from '../command/process.ts';
import { inlineCode, truncate } from '../text/escape.ts';
import { formatDuration } from '../text/format.ts';
import { concat, type Html, html } from './html.ts';
import { type Reason, type ReportedError, withMarkup } from './reason.ts';
import type { Report } from './report.ts';
import type { SectionView } from './verdict.ts';

export interface CommandSection {
  /** The step's name, or the first line of the script. */
  readonly title: string;
  /** Undefined unless the agent reported one. */
  readonly exitCode: ProcessEnd['exitCode'];
  readonly status: ProcessEnd['status'];
  readonly durationMs: number;
  readonly lastLines: readonly string[];
  /** True if an error in the report already explains how the command failed. */
  readonly isExplained?: boolean;
}

export type CommandEnd =
  | ({ readonly kind: 'ended' } & ProcessEnd)
  /** The connection was lost, so the command may still be running. */
  | { readonly kind: 'lost'; readonly error: FailureInfo }
  | { readonly kind: 'not-started'; readonly error: FailureInfo };

export function viewCommand(section: CommandSection, report: Report): SectionView {
  const { title, exitCode, status, durationMs, lastLines } = section;
  return {
    level: exitCode === 0 ? 'success' : 'failure',
    headline: section.isExplained ? '' : headlineOf(section, report),
    outputs: {
      'exit-code': exitCode === undefined ? '' : String(exitCode),
      'duration-ms': String(durationMs),
    },
    blocks: outputBlocks(lastLines),
    json: { command: { title, exitCode: exitCode ?? null, status, durationMs, lastLines } },
  };
}

function headlineOf(
  { title, exitCode, durationMs }: CommandSection,
  { cancelled }: Report,
): string {
  const name = formatCommand(title);
  const after = `after ${formatDuration(durationMs)}`;
  if (exitCode === 0) return `${name} exited with 0 ${after}`;
  return cancelled && durationMs > 0 ? `${name} was stopped ${after}` : 'Nothing was run';
}

function outputBlocks(lastLines: readonly string[]): Html[] {
  if (lastLines.length === 0) return [];
  const lines = lastLines.map(line => html`${line.replaceAll('\t', '    ')}`);
  // Begin a block with <pre>: a blank line ends one that begins with <p> or <details>, and the rest
  // would become Markdown.
  return [html`<p>Last lines of the output:</p>`, html`<pre>${concat(lines, '\n')}</pre>`];
}

const MAX_TITLE = 60;

function formatCommand(title: string): string {
  return inlineCode(truncate(title, MAX_TITLE));
}

/**
 * Explains why a command failed; returns [] if it succeeded. If the job was cancelled, only reports
 * a command that may still be running.
 */
export function explainFailure(
  { title: command, durationMs }: Pick<CommandSection, 'title' | 'durationMs'>,
  end: CommandEnd,
  stoppedBy: 'max-duration' | 'cancellation' | undefined,
): ReportedError[] {
  const duration = formatDuration(durationMs);
  const fail = (how: string, reason: Reason = []) => [
    { title: `${formatCommand(command)} ${how}`, reason },
  ];
  if (end.kind === 'lost') {
    const how = `was not seen to end within ${duration}. It may still be running.`;
    return stoppedBy === 'cancellation' ? fail(how) : fail(how, whyUnseen(end.error));
  }
  if (stoppedBy === 'cancellation') return [];
  if (end.kind === 'not-started') return fail('was not started.', whyUnseen(end.error));
  const { exitCode, status } = end;
  if (stoppedBy === 'max-duration') return fail(`was stopped by max-duration after ${duration}.`);
  if (exitCode === undefined)
    return fail(`ended after ${duration}, but the agent did not say with which exit code.`);
  if (exitCode === 0) return [];
  if (exitCode !== -1)
    return fail(`exited with ${exitCode} after ${duration}.`, adviceOn(exitCode));
  const advice = status === 'signal: killed' ? adviceOn(137) : [];
  return fail(`was ended after ${duration} (${inlineCode(status)}).`, advice);
}

// Exit codes of Bash. Above 128, they mean that a signal killed a child process.
const ADVICE: Readonly<Record<number, string>> = {
  126: 'A file is not executable. Uploads carry no modes, so run `chmod +x` first.',
  127: 'A program was not found. Install it in the template, or extend PATH first, which is that of a login shell: `export PATH=…:$PATH`.',
  137: 'Something killed it, perhaps because the memory was full. Compare the peak of the memory with its size.',
  141: 'A pipe was closed while a program still wrote into it, as in `yes | head`. To allow that, write `set +o pipefail` first.',
};

function adviceOn(exitCode: number): Reason {
  const advice = ADVICE[exitCode];
  return advice === undefined ? [] : [withMarkup(advice)];
}

function whyUnseen({ kind, message, hint }: FailureInfo): Reason {
  // The caller handles cancelled jobs, so only `max-duration` can have cancelled the request.
  return kind === 'cancelled'
    ? [{ text: 'max-duration was over, but the sandbox did not stop it.' }]
    : [{ text: message }, withMarkup(hint)];
}
