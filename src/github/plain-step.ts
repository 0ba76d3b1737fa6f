import { setFailed } from '@actions/core';
import { AgentError } from '../agent/failure.ts';
import { sleep } from '../agent/retry.ts';
import type { RawInputs } from '../inputs/fields.ts';
import { InputError } from '../inputs/input-error.ts';
import type { Entry, Inputs } from '../inputs/inputs.ts';
import { reportError } from '../report/verdict.ts';
import type { SandboxContext } from '../sandbox/context.ts';
import { annotate, logLine, toMessage } from './log.ts';
import { openStep } from './open-step.ts';
import { cancelSignal, environmentWarnings, lastCallSignal } from './runner.ts';
import { reportBug } from './step.ts';

/** What a plain step does with its inputs. */
type Run<T extends Entry> = (
  inputs: Inputs<T>,
  context: SandboxContext,
  raw: RawInputs,
) => Promise<void>;

interface PlainStepOptions {
  /** The inputs, if they were understood by an earlier step already. */
  readonly given?: RawInputs;
  /** Told what went wrong, in lines. Fails the step by default. */
  readonly onFailure?: (lines: readonly string[]) => void;
}

/** Runs a step that writes no report: what it does is in the log, what goes wrong is its error. */
export async function plainStep<T extends Entry>(
  entry: T,
  run: Run<T>,
  { given, onFailure = lines => setFailed(toMessage(lines)) }: PlainStepOptions = {},
): Promise<void> {
  const { raw, redact, parse } = openStep(entry, given);
  const context = {
    cancel: cancelSignal(),
    lastCall: lastCallSignal(),
    now: Date.now,
    sleep,
    random: Math.random,
    log: logLine,
    warn: (line: string) => annotate.warning([line]),
  };
  for (const warning of environmentWarnings()) context.warn(warning);
  try {
    await run(parse(), context, raw);
  } catch (error) {
    onFailure(describeFailure(error).map(redact));
  }
}

function describeFailure(error: unknown): string[] {
  const isKnown = error instanceof InputError || error instanceof AgentError;
  const { message, details } = isKnown ? reportError(error) : reportBug(error);
  return [message, ...details];
}
