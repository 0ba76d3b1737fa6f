import { quote } from '../text/escape.ts';
import { inputError } from './input-error.ts';
import type { RawInputs } from './parsers.ts';

export interface JobSandbox {
  readonly id: string;
  readonly token: string;
  readonly baseUrl: string;
  /** Unix time in milliseconds. */
  readonly endsAt: number;
}

// The action `sandbox` only speaks E2B's API.
export const JOB_HEADER_PREFIX = 'E2b';

/**
 * Fills in the job's sandbox, unless the step sets a token or base URL.
 * @throws InputError if the sandbox is missing or ambiguous
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
  const ids = sandboxes.map(({ id }) => quote(id)).join(', ');
  return wanted === ''
    ? `is empty, and this job has ${ids}. Say which one, such as \${{ steps.sandbox.outputs.id }}.`
    : `${quote(wanted)} is not a sandbox of this job; this job has ${ids}. For any other, set token and base-url too.`;
}
