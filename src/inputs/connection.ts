import { isLocalHttp } from '../agent/http.ts';
import { quote } from '../text/escape.ts';
import { listSome } from '../text/shorten.ts';
import { inputError } from './input-error.ts';
import { findMistake, rejectMistakes, SECRET_INPUTS, textInput } from './mistakes.ts';
import { type InputParser, parseLines, type RawInputs, rawValue } from './parsers.ts';

export const DEFAULT_PORT = 49_983;

export const BASE_URL_EXAMPLE = 'https://sandbox.example.com';

export const baseUrl: InputParser<string> = value => parseUrl(value, 'base-url', BASE_URL_EXAMPLE);

const API_URL_EXAMPLE = 'https://api.e2b.app';

export const apiUrl: InputParser<string> = value => {
  const url = parseUrl(value, 'api-url', API_URL_EXAMPLE);
  if (!isUnencrypted(url)) return url;
  const message = `${quote(value)} would send secrets unencrypted. Use https.`;
  throw inputError('api-url', message, API_URL_EXAMPLE);
};

function parseUrl(value: string, input: 'base-url' | 'api-url', example: string): string {
  // Check this first, and do not quote the value: a password may precede the @.
  if (value.includes('@')) {
    const message = 'must not contain credentials or an @: secrets have their own inputs.';
    throw inputError(input, message, example);
  }
  rejectMistakes(input, value, input, example);
  // URL.parse() would accept https:/host, https:host, https:///host, spaces, and what is left of
  // variables and placeholders.
  const url = /^https?:\/\/(?!\/)[^\\\s?#${}]+$/i.test(value) ? URL.parse(value) : null;
  if (url !== null) return url.href.replace(/\/+$/, '');
  const why =
    'is not a URL that begins with https:// and has no query, fragment, variable or unknown placeholder.';
  throw inputError(input, `${quote(value)} ${why}`, example);
}

export function isUnencrypted(url: string): boolean {
  return !/^https:/i.test(url) && !isLocalHttp(url);
}

export const sandboxId = textInput('sandbox-id', '${{ steps.sandbox.outputs.id }}');

export function isSandboxId(id: string): boolean {
  return findMistake('sandbox-id', id) === undefined;
}

// The action sets some of these headers, and undici throws for others. Proxy-Authorization would
// send the proxy's password to the sandbox.
const RESERVED =
  /^(accept|user-agent|content-(type|length|encoding)|connection|keep-alive|upgrade|expect|transfer-encoding|proxy-authorization|x-access-token|[^-]+-sandbox-(id|port))$/i;

const HEADER_EXAMPLE = '"X-Metadata-build: 42"';

/** Parses one header per line. Messages omit values, which may be secret. */
export const headers: InputParser<Readonly<Record<string, string>>> = (value, input) => {
  const lines = parseLines(value, line => {
    const header = splitHeader(line);
    if (header === undefined)
      throw inputError(input, 'this is not of the form Name: value.', HEADER_EXAMPLE);
    const [name] = header;
    if (!RESERVED.test(name)) return header;
    const message = `the action itself sets ${quote(name)}. Remove the line.`;
    throw inputError(input, message, HEADER_EXAMPLE);
  });
  const names = lines.map(([name]) => name.toLowerCase());
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated === undefined) return Object.fromEntries(lines);
  const message = `${quote(repeated)} stands on two lines. Remove one of them.`;
  throw inputError(input, message, HEADER_EXAMPLE);
};

// RFC 9110, sections 5.5 and 5.6.2: a token, then what Node sends unchanged, Latin-1 and tabs.
const HEADER = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+)\s*:\s*([\t\x20-\x7e\x80-\xff]*)$/;

function splitHeader(line: string): readonly [name: string, value: string] | undefined {
  const [, name, value = ''] = HEADER.exec(line) ?? [];
  return name === undefined ? undefined : [name, value];
}

export interface JobSandbox {
  readonly id: string;
  readonly token: string;
  /** May have placeholders. */
  readonly baseUrl: string;
  readonly headerPrefix: string;
  /** Undefined unless this job created the sandbox, or connected to it for more than 1 h. */
  readonly endsAt: number | undefined;
}

/** The inputs without which no sandbox can be reached. */
export const REQUIRED_TO_CONNECT = ['sandbox-id', 'token', 'base-url'];

/** Fills in the job's sandbox, unless the step sets a token or base URL. */
export function withJobSandbox(raw: RawInputs, sandboxes: readonly JobSandbox[]): RawInputs {
  const explicit = ['token', 'base-url'].filter(name => rawValue(raw, name) !== '');
  if (explicit.length > 0) {
    const [missing] = REQUIRED_TO_CONNECT.filter(name => rawValue(raw, name) === '');
    if (missing === undefined || sandboxes.length === 0) return raw;
    const message = `is empty. Set it, or remove ${explicit.join(' and ')} to use the sandbox of this job.`;
    throw inputError(missing, message);
  }
  const givenId = rawValue(raw, 'sandbox-id');
  const [match, ...more] = sandboxes.filter(({ id }) => givenId === '' || id === givenId);
  if (match === undefined || more.length > 0) {
    if (isDryRun(raw)) return raw;
    throw inputError('sandbox-id', explainChoice(givenId, sandboxes));
  }
  const { id, token, baseUrl, headerPrefix } = match;
  return {
    ...raw,
    'sandbox-id': id,
    token,
    'base-url': baseUrl,
    'header-prefix': rawValue(raw, 'header-prefix') || headerPrefix,
  };
}

export function isDryRun(raw: RawInputs): boolean {
  return /^true$/i.test(rawValue(raw, 'dry-run'));
}

function explainChoice(givenId: string, sandboxes: readonly JobSandbox[]): string {
  if (sandboxes.length === 0)
    return 'no earlier step of this job has left a sandbox, or its step was not waited for. Use sandbox-sync/sandbox-sync/sandbox in one, or set sandbox-id, token and base-url here.';
  const ids = listSome(sandboxes.map(({ id }) => quote(id)));
  return givenId === ''
    ? `is empty. Say which sandbox, such as \${{ steps.sandbox.outputs.id }}; this job has ${ids}.`
    : `${quote(givenId)} is not a sandbox of this job. Set token and base-url too, or use one that this job has: ${ids}.`;
}

/** Fills in placeholders. An invalid ID is left to its own parser, so that it is reported once. */
export function fillPlaceholders(raw: RawInputs): RawInputs {
  const id = rawValue(raw, 'sandbox-id');
  const url = rawValue(raw, 'base-url')
    .replaceAll('{sandbox-id}', isSandboxId(id) ? id : 'id')
    .replaceAll('{port}', rawValue(raw, 'port') || String(DEFAULT_PORT));
  return { ...raw, 'base-url': url };
}

// E2B's own domains have a host for all sandboxes, which routes by header (connectionConfig.ts in
// its SDK).
export const E2B_DOMAINS = ['e2b.app', 'e2b.dev', 'e2b.pro', 'e2b-staging.dev'];

/** Returns the `header-prefix` of the service at a URL, as far as it is known. */
export function headerPrefixOf(baseUrl: string): string {
  const host = `.${URL.parse(baseUrl)?.hostname}`;
  return E2B_DOMAINS.some(domain => host.endsWith(`.${domain}`)) ? 'E2b' : 'Svc';
}

export function secretsIn(raw: RawInputs): string[] {
  const inputs = SECRET_INPUTS.map(name => rawValue(raw, name));
  const headers = (raw['headers'] ?? '').split('\n').flatMap(secretsInHeader);
  // Expressions without a result become these words. To mask them would garble the log.
  return [...inputs, ...headers].filter(secret => !['', 'null', 'undefined'].includes(secret));
}

export function isSecretHeader(name: string): boolean {
  return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}

// Masking a short value such as "v1" would garble every path that contains it.
const MIN_SECRET_LENGTH = 8;

function secretsInHeader(line: string): string[] {
  const [name = '', content = ''] = splitHeader(line.trim()) ?? [];
  if (!isSecretHeader(name)) return [];
  // Services may quote credentials without their scheme, such as `Basic`, so mask both forms.
  const credentials = content.replace(/^\S+\s+/, '');
  return [content, credentials].filter(secret => secret.length >= MIN_SECRET_LENGTH);
}
