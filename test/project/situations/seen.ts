import assert from 'node:assert/strict';
import { AgentError, type FailureKind } from '../../../src/agent/failure.ts';
import { InputError } from '../../../src/inputs/parse.ts';
import { INPUT_NAMES } from '../../../src/inputs/tasks.ts';
import { type Inputs, type Result, type RunOptions, runAction, type World } from '../../action/harness.ts';

/** What a user sees in a situation. */
export interface Seen {
  /** What is shown as an error, a warning or a notice, line by line. */
  readonly messages: readonly string[];
  /** Other lines of the log. */
  readonly log?: readonly string[];
  /** Failures of requests, by their message. */
  readonly failures?: readonly Failure[];
}

export interface Failure {
  readonly kind: string;
  readonly message: string;
}

/** Something that can happen to a user, by a name. */
export type Situations = Readonly<Record<string, () => Promise<Seen> | Seen>>;

/** Only these kinds may be missed by nobody: a kind that is added does not compile until it is here. */
const KINDS: Readonly<Record<FailureKind, true>> = {
  unauthorized: true,
  forbidden: true,
  'sandbox-not-found': true,
  'disk-full': true,
  unreachable: true,
  tls: true,
  connection: true,
  stalled: true,
  busy: true,
  server: true,
  'file-changed': true,
  rejected: true,
  'not-found': true,
  'too-large': true,
  redirected: true,
  'bad-answer': true,
  'file-unreadable': true,
  cancelled: true,
};

/** What each kind of failure advises. */
export const HINTS: ReadonlyMap<string, string> = new Map(
  Object.keys(KINDS).map(kind => [kind, hintOf(kind)]),
);

function hintOf(kind: string): string {
  return isKind(kind) ? new AgentError(kind, '').hint : assert.fail(kind);
}

function isKind(kind: string): kind is FailureKind {
  return Object.hasOwn(KINDS, kind);
}

/** Runs the built action. */
export async function run(world: World, inputs: Inputs = {}, options: RunOptions = {}): Promise<Seen> {
  return seenIn(await runAction(world, inputs, options));
}

function seenIn(result: Result): Seen {
  const levels = ['error', 'warning', 'notice'] as const;
  const annotations = levels.flatMap(level => result.annotations(level));
  const files = result.reportText === '' ? [] : result.report.files;
  const failures = files.flatMap(({ error }) => (error === undefined ? [] : [error]));
  const messages = [...annotations.flatMap(each => each.split('\n')), ...failures.map(each => each.message)];
  return { messages: messages.filter(isMessage), log: result.lines, failures };
}

/** What something throws: wrong input, or a failure. */
export function thrownBy(act: () => unknown): Seen {
  try {
    act();
  } catch (error) {
    if (error instanceof AgentError) return failure(error);
    if (error instanceof InputError) return refusal(error);
    throw error;
  }
  return assert.fail('nothing was thrown');
}

export function failure(error: AgentError): Seen {
  return { messages: [error.message], failures: [error] };
}

export function refusal(error: InputError): Seen {
  return { messages: error.message.split('\n').filter(isMessage) };
}

/** Several of what was seen, as one. */
export function together(all: readonly Seen[]): Seen {
  return {
    messages: all.flatMap(({ messages }) => messages),
    failures: all.flatMap(({ failures = [] }) => failures),
  };
}

/** A message without the name of its input before it and the example after it. */
export function core(message: string): string {
  const named = INPUT_NAMES.sync.find(name => message.startsWith(`${name}: `));
  return message.slice(named === undefined ? 0 : named.length + 2).replace(/ Example: .*$/, '');
}

/** Neither what to do nor the name of a file. */
function isMessage(line: string): boolean {
  return (
    !line.startsWith('- ') &&
    line !== 'Nothing was sent.' &&
    ![...HINTS.values()].some(hint => line.includes(hint))
  );
}
