import { quote } from '../text/escape.ts';
import { listSome } from '../text/format.ts';
import {
  BASE_URL_EXAMPLE,
  DEFAULT_PORT,
  isSandboxId,
  isUnencrypted,
  JOB_HEADER_PREFIX,
  type JobSandbox,
} from './connection.ts';
import { inputError } from './input-error.ts';
import type { Inputs } from './inputs.ts';
import type { RawInputs } from './parsers.ts';

/**
 * Fills in the job's sandbox, unless the step sets a token or base URL.
 * @throws InputError if no single sandbox matches, or the step sets only part of a connection
 */
export function withJobSandbox(raw: RawInputs, sandboxes: readonly JobSandbox[]): RawInputs {
  const isSet = (name: string) => (raw[name] ?? '').trim() !== '';
  const explicit = ['token', 'base-url'].filter(isSet);
  if (explicit.length > 0) {
    const missing = ['sandbox-id', 'token', 'base-url'].filter(name => !isSet(name));
    const [first] = missing;
    if (first === undefined || sandboxes.length === 0) return raw;
    const message = `is empty. Remove ${explicit.join(' and ')} to use the sandbox of this job, or set ${missing.join(' and ')} too.`;
    throw inputError(first, message);
  }
  const wanted = (raw['sandbox-id'] ?? '').trim();
  const [only, ...others] = sandboxes.filter(({ id }) => wanted === '' || id === wanted);
  if (only === undefined || others.length > 0)
    throw inputError('sandbox-id', explainChoice(wanted, sandboxes));
  const { id, token, baseUrl } = only;
  const prefix = JOB_HEADER_PREFIX;
  return { ...raw, 'sandbox-id': id, token, 'base-url': baseUrl, 'header-prefix': prefix };
}

function explainChoice(wanted: string, sandboxes: readonly JobSandbox[]): string {
  if (sandboxes.length === 0)
    return 'no earlier step of this job has left a sandbox. Use sandbox-sync/sandbox-sync/sandbox in one, or set sandbox-id, token and base-url here.';
  const ids = listSome(sandboxes.map(({ id }) => quote(id)));
  return wanted === ''
    ? `is empty. Say which sandbox, such as \${{ steps.sandbox.outputs.id }}; this job has ${ids}.`
    : `${quote(wanted)} is not a sandbox of this job. Set token and base-url too, or use one that this job has: ${ids}.`;
}

/**
 * Fills in the placeholders of `base-url`. Replaces an invalid ID or port with a valid one, so that
 * the error is reported for that input only, not for `base-url` as well.
 */
export function fillPlaceholders(raw: RawInputs): RawInputs {
  const { 'base-url': template = '', 'sandbox-id': id = '', port = '' } = raw;
  const url = template
    .replaceAll('{sandbox-id}', isSandboxId(id.trim()) ? id.trim() : 'id')
    .replaceAll('{port}', /^\s*\d+\s*$/.test(port) ? port.trim() : String(DEFAULT_PORT));
  return { ...raw, 'base-url': url };
}

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
