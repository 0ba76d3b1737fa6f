import type { RawInputs } from '../inputs/fields.ts';
import { USER_AGENT } from '../inputs/headers.ts';
import { InputError } from '../inputs/input-error.ts';
import { type Entry, type Inputs, parseInputs, showInputs } from '../inputs/inputs.ts';
import { misnamedInputs } from '../inputs/misnamed.ts';
import { type Redact, redactor } from '../text/redact.ts';
import { logDebug } from './log.ts';
import { givenInputs, headerValuesIn, readInputs, secretsOf, strayInputs } from './runner.ts';

/** How every step begins. */
export interface OpenStep<T extends Entry> {
  readonly raw: RawInputs;
  readonly redact: Redact;
  /** Writes lines to the debug log, without secrets. */
  readonly debug: (text: string) => void;
  /** @throws InputError with everything that is wrong with the inputs */
  readonly parse: () => Inputs<T>;
}

/** Starts a step with its own inputs, or with those `given` by an earlier step. */
export function openStep<T extends Entry>(entry: T, given?: RawInputs): OpenStep<T> {
  // Ignore EPIPE on stdout: outputs must still be written, and a sandbox deleted.
  process.stdout.on('error', () => {});
  const raw = given ?? readInputs(entry);
  const secrets = secretsOf(raw);
  const redact = redactor(secrets);
  // Any header of the user may hold a secret.
  const redactHeaders = redactor([...secrets, ...headerValuesIn(raw)]);
  const debug = (text: string) => logDebug(text, redactHeaders);
  debug(`${USER_AGENT} on Node.js ${process.version}, ${process.platform} ${process.arch}`);
  return {
    raw,
    redact,
    debug,
    parse() {
      const inputs = given === undefined ? parseRead(entry, raw, redact) : parseInputs(entry, raw);
      for (const line of showInputs(entry, inputs)) debug(`Input ${line}`);
      return inputs;
    },
  };
}

/** Parses what the workflow's author wrote, which may have secrets and names in wrong places. */
function parseRead<T extends Entry>(entry: T, raw: RawInputs, redact: Redact): Inputs<T> {
  const strays = strayInputs(raw);
  const isStray = (input: string) => strays.some(stray => stray.input === input);
  // A problem may quote an input, and cut it within a secret, so redact before parsing.
  const clean = Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [name, isStray(name) ? redact(value) : value]),
  );
  const misnamed = misnamedInputs(entry, givenInputs());
  const problems = [...strays];
  try {
    const inputs = parseInputs(entry, clean);
    if (strays.length + misnamed.length === 0) return inputs;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    problems.push(...error.problems.filter(({ input }) => !isStray(input)));
  }
  throw new InputError([...problems, ...misnamed]);
}
