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
  if (explicit.length > 0 && sandboxes.length > 0) rejectPartial(explicit, isSet);
  if (explicit.length > 0) return raw;
  if (sandboxes.length === 0) throw inputError('sandbox-id', NO_SANDBOX);
  const wanted = (raw['sandbox-id'] ?? '').trim();
  const [only, ...others] = sandboxes.filter(({ id }) => wanted === '' || id === wanted);
  const available = `this job has ${sandboxes.map(({ id }) => quote(id)).join(', ')}`;
  if (only === undefined)
    throw inputError(
      'sandbox-id',
      `${quote(wanted)} is not a sandbox of this job; ${available}. For any other, set token and base-url too.`,
    );
  if (others.length > 0)
    throw inputError(
      'sandbox-id',
      `is empty, and ${available}. Say which one.`,
      '${{ steps.sandbox.outputs.id }}',
    );
  const { id, token, baseUrl } = only;
  const prefix = JOB_HEADER_PREFIX;
  return { ...raw, 'sandbox-id': id, token, 'base-url': baseUrl, 'header-prefix': prefix };
}

function rejectPartial(explicit: readonly string[], isSet: (name: string) => boolean): void {
  const missing = ['sandbox-id', 'token', 'base-url'].filter(name => !isSet(name));
  const [first] = missing;
  if (first === undefined) return;
  const message = `is empty. Remove ${explicit.join(' and ')} to use the sandbox of this job, or set ${missing.join(' and ')} too.`;
  throw inputError(first, message);
}

const NO_SANDBOX =
  'no earlier step of this job has left a sandbox. Use sandbox-sync/sandbox-sync/sandbox in one, or set sandbox-id, token and base-url here.';
