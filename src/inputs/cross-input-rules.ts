import { quote } from '../text/escape.ts';
import { BASE_URL_EXAMPLE, isUnencrypted } from './connection.ts';
import { inputError } from './input-error.ts';
import type { Inputs } from './inputs.ts';

// An input is missing if the action does not have it or rejected its value.
type AnyInputs = Partial<Inputs<'run'> & Inputs<'sandbox'>>;

/** Each rule throws an InputError, unless an input that it compares is missing. */
export const CROSS_INPUT_RULES: readonly ((inputs: AnyInputs) => void)[] = [
  checkHttpIsAllowed,
  checkTemplateOrSandboxId,
  checkUserOfCommand,
];

function checkHttpIsAllowed({ baseUrl, allowInsecureHttp }: AnyInputs): void {
  if (baseUrl === undefined || allowInsecureHttp !== false || !isUnencrypted(baseUrl)) return;
  const message = `${quote(baseUrl)} would send secrets unencrypted. Use https, or set allow-insecure-http: true.`;
  throw inputError('base-url', message, BASE_URL_EXAMPLE);
}

// `template` has no default, or a `sandbox-id` from an unset variable would create a sandbox.
function checkTemplateOrSandboxId({ template, sandboxId }: AnyInputs): void {
  if (template === undefined || sandboxId === undefined) return;
  if ((template === '') !== (sandboxId === '')) return;
  const message = `is ${quote(sandboxId)}, and template is ${quote(template)}. Set template to create a sandbox, or sandbox-id to connect to one, and leave the other empty. An unset variable is empty, so check the names in expressions.`;
  throw inputError('sandbox-id', message);
}

// The agent takes the user of a command from this header.
function checkUserOfCommand({ run, username = '', headers = {} }: AnyInputs): void {
  const isSet = Object.keys(headers).some(name => /^authorization$/i.test(name));
  if (run === undefined || username === '' || !isSet) return;
  const message = `${quote(username)} would replace the header Authorization. Remove one of them.`;
  throw inputError('username', message);
}

/** Resolves `auto` to batches only for E2B, whose agent accepts them. */
export function filesPerRequestOf(inputs: Inputs<'upload'>): number {
  const { filesPerRequest, headerPrefix, signature } = inputs;
  // A signature covers a single path.
  if (signature !== '') return 1;
  if (filesPerRequest !== 'auto') return filesPerRequest;
  // Batches rarely get this long: they are also limited to 1 MiB.
  return /^E2b$/i.test(headerPrefix) ? 250 : 1;
}
