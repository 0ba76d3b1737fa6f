import { quote } from '../text/escape.ts';
import { BASE_URL_EXAMPLE, isUnencrypted } from './connection.ts';
import { inputError } from './input-error.ts';
import type { Inputs } from './inputs.ts';

// An input is undefined if the action does not have it, or if its value was rejected.
type AnyInputs = Partial<Inputs<'run'> & Inputs<'sandbox'>>;

/** Each rule throws an InputError if inputs conflict. It passes if one of them is undefined. */
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

// If `template` had a default, a `sandbox-id` from an unset variable would create a sandbox, so
// require one of the two.
function checkTemplateOrSandboxId({ template, sandboxId }: AnyInputs): void {
  if (template === undefined || sandboxId === undefined) return;
  if ((template === '') !== (sandboxId === '')) return;
  const message = `is ${quote(sandboxId)}, and template is ${quote(template)}. Set template to create a sandbox, or sandbox-id to connect to one, and leave the other empty. An unset variable is empty, so check the names in expressions.`;
  throw inputError('sandbox-id', message);
}

// `username` is sent in the header Authorization, from which the agent takes a command's user.
function checkUserOfCommand({ run, username = '', headers = {} }: AnyInputs): void {
  const isSet = Object.keys(headers).some(name => /^authorization$/i.test(name));
  if (run === undefined || username === '' || !isSet) return;
  const message = `${quote(username)} would replace the header Authorization. Remove one of them.`;
  throw inputError('username', message);
}
