import { setFailed } from '@actions/core';
import { sleep } from '../agent/retry.ts';
import type { RawInputs } from '../inputs/fields.ts';
import type { Entry, Inputs } from '../inputs/inputs.ts';
import { reportError } from '../report/verdict.ts';
import type { SandboxContext } from '../sandbox/context.ts';
import { annotate, logLine, toMessage } from './log.ts';
import { openStep } from './open-step.ts';
import { cancelSignal, environmentWarnings, lastCallSignal } from './runner.ts';

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

/** Runs a step without a report: it logs what it does, and fails with what went wrong. */
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
    const { message, details } = reportError(error);
    onFailure([message, ...details].map(redact));
  }
}
