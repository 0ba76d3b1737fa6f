import { AgentError, type FailureInfo, type FailureKind } from '../agent/failure.ts';
import type { OutputPair } from '../command/outputs.ts';
import { InputError } from '../inputs/input-error.ts';
import { inlineCode } from '../text/escape.ts';
import { formatCount } from '../text/format.ts';
import type { Html } from './html.ts';

/** Why a step failed. In all its texts, backticks and quotation marks enclose code. */
export interface Problem {
  /** A few words without a period, for the heading: `gate failed: memory 93 % > 90 %`. */
  readonly verdict: string;
  /** Sentences that explain it, then advice. */
  readonly lines: readonly string[];
  readonly output?: CommandOutput;
}

/** The end of a command's output. */
export interface CommandOutput {
  readonly lastLines: readonly string[];
  /** Those of them that name the cause. */
  readonly cause: readonly string[];
  /** The last of them, for an annotation that has no cause. */
  readonly lastWords: readonly string[];
}

/** What the result of one action adds to outputs, log, summary and report.json. */
export interface RenderedSection {
  /** Worst first. The heading is the verdict of the first. */
  readonly problems: readonly Problem[];
  /** What was done, in a few words without a period. Empty if a problem says it. */
  readonly done: string;
  /** The command that was run. */
  readonly command?: string;
  /** Sentences in which backticks and quotation marks enclose code. */
  readonly warnings: readonly string[];
  /** True if the step warns although `warnings` is empty: `done` says why. */
  readonly hasWarned?: boolean;
  /** A log line for each file, failures first. */
  readonly fileLines?: readonly string[];
  /** Lines for the end of the log and for the summary. Backticks mark code. */
  readonly facts?: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /** Outputs that a script has set. The step's own are written after them. */
  readonly scriptOutputs?: readonly OutputPair[];
  /** Texts that are written to files, by the output that has the path. An empty one has no file. */
  readonly attachments?: Readonly<Record<string, string>>;
  /** A table and a chart, for the summary. */
  readonly blocks?: readonly Html[];
  /** Stands in report.json below the name of the result. */
  readonly json: object;
}

/** Returns all lines of a problem, for an annotation. */
export function linesOf({ verdict, lines, output }: Problem): string[] {
  const { cause = [], lastWords = [] } = output ?? {};
  return [sentenceCase(verdict), ...(cause.length > 0 ? cause : lastWords), ...lines];
}

export function sentenceCase(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Explains anything that a step has thrown. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof AgentError) return problemOfFailure(error);
  if (error instanceof InputError) return problemOfInputs(error);
  if (error instanceof Error && 'syscall' in error) return { verdict: error.message, lines: [] };
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lines = ['This is a bug; please report it.', ...stack.split('\n')];
  return { verdict: 'Sandbox Sync itself failed', lines };
}

/** Explains what a service has refused or the system has reported. */
export function problemOfFailure(failure: FailureInfo): Problem {
  const verdict = failure.kind === 'cancelled' ? failure.hint : VERDICTS[failure.kind];
  return { verdict, lines: explainFailure(failure) };
}

/** Returns what the service or the system said, then advice. */
export function explainFailure({ kind, message, hint }: FailureInfo): string[] {
  return [message, ...(kind === 'cancelled' ? [] : [hint])];
}

const VERDICTS: Readonly<Record<Exclude<FailureKind, 'cancelled'>, string>> = {
  unauthorized: 'access was denied',
  forbidden: 'access is forbidden',
  'sandbox-not-found': 'the sandbox was not found',
  'not-found': 'the service has no such operation',
  'no-such-file': 'the file is not in the sandbox',
  rejected: 'the request was rejected',
  'too-large': 'the request is too large',
  busy: 'the sandbox or its service is busy, or not ready',
  server: 'the service failed',
  'disk-full': "the sandbox's disk is full",
  unreachable: 'the host cannot be reached',
  untrusted: 'the certificate is not trusted',
  connection: 'the connection failed',
  'bad-response': 'the response cannot be used',
  'file-changed': 'a file cannot be read',
  'not-written': 'a file cannot be written',
};

function problemOfInputs({ problems }: InputError): Problem {
  const names = [...new Set(problems.map(({ input }) => input))];
  const [name = ''] = names;
  const verdict =
    names.length === 1
      ? `input ${inlineCode(name)} is invalid`
      : `${formatCount(names.length, 'input')} are invalid`;
  return {
    verdict,
    lines: problems.map(({ input, message }) => `${inlineCode(input)}: ${message}`),
  };
}
