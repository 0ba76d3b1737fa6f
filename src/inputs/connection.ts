import { quote } from '../text/escape.ts';
import { rejectMistakes } from './mistakes.ts';
import { type InputParser, parseLines, quoting, type RawInputs, type Reject } from './parsers.ts';

export const DEFAULT_PORT = 49_983;

export const BASE_URL_EXAMPLE = 'https://sandbox.example.com';

export const baseUrl: InputParser<string> = (value, reject) =>
  parseUrl('base-url', value, reject, BASE_URL_EXAMPLE);

const API_URL_EXAMPLE = 'https://api.e2b.app';

export const apiUrl: InputParser<string> = (value, reject) => {
  const url = parseUrl('api-url', value, reject, API_URL_EXAMPLE);
  if (!isUnencrypted(url)) return url;
  return reject(`${quote(value)} would send secrets unencrypted. Use https.`, API_URL_EXAMPLE);
};

/** Parses a URL without query or fragment, and drops the trailing slash. */
function parseUrl(input: string, value: string, reject: Reject, example: string): string {
  if (value === '') return reject('is required: the URL of the service.', example);
  // Check this first, and do not quote the value: a password may precede the @.
  if (value.includes('@'))
    return reject('must not contain credentials or an @: secrets have their own inputs.', example);
  const rejectUrl = quoting(value, reject, example);
  rejectMistakes(input, value, rejectUrl);
  if (/[{}]/.test(value))
    return rejectUrl('has an unknown placeholder; base-url may have {sandbox-id} and {port}.');
  // URL.parse() also accepts https:/host, https:host and https:///host, and ignores spaces.
  const url = /^https?:\/\/[^\\/\s][^\\\s]*$/i.test(value) ? URL.parse(value) : null;
  if (url === null) return rejectUrl('is not a URL that begins with https://.');
  if (/[?#]/.test(value)) return rejectUrl('must not have a query or a fragment.');
  return url.href.replace(/\/+$/, '');
}

/**
 * Fills in the placeholders of `base-url`. An invalid ID or port is replaced by a valid one, since its
 * own input reports it.
 */
export function fillPlaceholders(raw: RawInputs): RawInputs {
  const { 'base-url': template = '', 'sandbox-id': id = '', port = '' } = raw;
  const url = template
    .replaceAll('{sandbox-id}', isSandboxId(id.trim()) ? id.trim() : 'id')
    .replaceAll('{port}', /^\s*\d+\s*$/.test(port) ? port.trim() : String(DEFAULT_PORT));
  return { ...raw, 'base-url': url };
}

/** Returns true for http to any machine but this one. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol !== 'https:' && !isLoopback(hostname);
}

// Only `localhost` counts by name; other names may resolve elsewhere.
export function isLoopback(hostname: string): boolean {
  // URL parsing has already normalized 127.1 to 127.0.0.1 and ::0:1 to ::1.
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export function operationPath(fallback: string): InputParser<string> {
  return (value, reject) => {
    const path = value === '' ? fallback : value;
    // Without a slash, the path would become part of the host.
    if (/^\/[^\s?#]*$/.test(path)) return path;
    return reject(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
  };
}

export const sandboxId: InputParser<string> = (value, reject) => {
  const rejectId = quoting(value, reject, '${{ steps.sandbox.outputs.id }}');
  rejectMistakes('sandbox-id', value, rejectId);
  if (isSandboxId(value)) return value;
  return rejectId('is not an ID: it may have letters, digits, dots, - and _.');
};

/** Accepts an empty value, since `template` may be given instead. */
export const existingSandboxId: InputParser<string> = (value, reject) =>
  value === '' ? value : sandboxId(value, reject);

/** Returns false for an ID that could change the host or path of `base-url`. */
export function isSandboxId(id: string): boolean {
  return /^(?=.*\w)[\w.-]{1,200}$/.test(id);
}

export const token = secret('token', '${{ steps.sandbox.outputs.token }}');

export const apiKey = secret('api-key', '${{ secrets.E2B_API_KEY }}');

function secret(input: string, example: string): InputParser<string> {
  return (value, reject) => {
    rejectMistakes(input, value, message => reject(message, example));
    if (isHeaderValue(value)) return value;
    return reject('has a line break or another character that a header cannot carry.', example);
  };
}

// A token, as defined in RFC 9110, section 5.6.2.
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export const headerPrefix: InputParser<string> = (value, reject) => {
  const prefix = value || 'Svc';
  if (HEADER_NAME.test(prefix)) return prefix;
  return reject(`${quote(value)} cannot be part of a header's name.`, 'E2b');
};

// The action sets some of these, and undici throws for others. Proxy-Authorization would send the
// proxy's password to the sandbox.
const RESERVED =
  /^(accept|user-agent|content-(type|length|encoding)|connection|keep-alive|upgrade|expect|transfer-encoding|proxy-authorization|x-access-token)$/i;

const HEADER_EXAMPLE = '"X-Metadata-build: 42"';

/** Parses one header per line. Messages omit values, which may be secret. */
export const headers: InputParser<Readonly<Record<string, string>>> = (value, reject) => {
  const lines = parseLines(value, reject, (line, rejectLine) => {
    const header = splitHeader(line);
    if (header === undefined)
      return rejectLine('this is not of the form Name: value.', HEADER_EXAMPLE);
    const [name] = header;
    if (!RESERVED.test(name)) return header;
    return rejectLine(`the action itself sets ${quote(name)}. Remove the line.`, HEADER_EXAMPLE);
  });
  return Object.fromEntries(lines);
};

/** Splits `Name: value`. Returns undefined if either is invalid. */
export function splitHeader(line: string): readonly [name: string, value: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim();
  const value = line.slice(colon + 1).trim();
  return HEADER_NAME.test(name) && isHeaderValue(value) ? [name, value] : undefined;
}

// RFC 9110, section 5.5, limited to what Node sends unchanged: printable Latin-1 and tabs.
function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

const SECRET_INPUTS = ['token', 'signature', 'api-key'];

export function secretsIn(raw: RawInputs): string[] {
  const inputs = SECRET_INPUTS.map(name => (raw[name] ?? '').trim());
  const headers = (raw['headers'] ?? '').split('\n').flatMap(secretsInHeader);
  // Expressions without a result become these values; masking them would garble the log.
  return [...inputs, ...headers].filter(secret => !['', 'null', 'undefined'].includes(secret));
}

export function isSecretHeader(name: string): boolean {
  return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}

// Masking a short value such as "v1" would garble every path that contains it.
const MIN_LENGTH = 8;

function secretsInHeader(line: string): string[] {
  const [name = '', content = ''] = splitHeader(line.trim()) ?? [];
  if (!isSecretHeader(name)) return [];
  // Services may quote credentials without the scheme in front, such as `Basic`.
  const credentials = content.replace(/^\S+\s+/, '');
  return [content, credentials].filter(secret => secret.length >= MIN_LENGTH);
}
