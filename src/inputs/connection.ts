import packageJson from '../../package.json' with { type: 'json' };
import { isMaskable } from '../text/redact.ts';
import { quote } from '../text/visible.ts';
import { type Field, parseLines, type RawInputs, type Refuse } from './fields.ts';
import { refuseMistakes } from './mistakes.ts';

export const USER_AGENT = `sandbox-sync/${packageJson.version}`;

export const DEFAULT_PORT = 49_983;
export const UPLOAD_PATH = '/files';
export const STATS_PATH = '/metrics';

type Fail = (why: string) => never;

/** Fills in placeholders and drops the trailing slash. */
export const baseUrl: Field<string> = (value, refuse, all) => {
  const example = 'https://sandbox.example.com';
  if (value === '') return refuse('is required beside token: the sandbox host.', example);
  // Check this first, and do not quote the value: a password may precede the @.
  if (value.includes('@'))
    return refuse('must not contain credentials or an @: the token has its own input.', example);
  const fail = (why: string) => refuse(`${quote(value)} ${why}`, example);
  refuseMistakes('base-url', value, fail);
  const url = parseUrl(fillPlaceholders(value, fail, all), fail);
  const mayBeHttp = /^\s*true\s*$/i.test(all['allow-insecure-http'] ?? '');
  if (url.protocol === 'http:' && !mayBeHttp && !isLoopback(url.hostname))
    return fail('would send the token unencrypted. Use https, or set allow-insecure-http: true.');
  refuseOperation(url, fail, all);
  return url.href.replace(/\/+$/, '');
};

// Rejects a URL that ends in an operation's default path, unless an input sets another path.
function refuseOperation({ pathname }: URL, fail: Fail, all: RawInputs): void {
  const operations = { 'upload-path': UPLOAD_PATH, 'stats-path': STATS_PATH };
  for (const [input, path] of Object.entries(operations)) {
    const given = all[input]?.trim();
    if ((given === path || given === '') && pathname.replace(/\/+$/, '').endsWith(path))
      fail(`ends in ${path}, which the action adds itself. Remove it, or set ${input}.`);
  }
}

function fillPlaceholders(value: string, fail: Fail, all: RawInputs): string {
  // The `sandbox-id` field reports a missing ID.
  const id = all['sandbox-id']?.trim() || 'id';
  // Other characters could lead to another host or operation.
  if (value.includes('{sandbox-id}') && !/^[\w-]+$/.test(id))
    return fail(`cannot take the sandbox-id ${quote(id)}: it may have letters, digits, - and _.`);
  const filled = value
    .replaceAll('{sandbox-id}', id)
    .replaceAll('{port}', all['port']?.trim() || String(DEFAULT_PORT));
  if (!/[{}]/.test(filled)) return filled;
  return fail('has an unknown placeholder; valid are {sandbox-id} and {port}.');
}

/** Parses an http or https URL without query or fragment. */
export function parseUrl(value: string, fail: Fail): URL {
  // URL.parse() also accepts https:/host, https:host and https:///host, and ignores spaces.
  const url = /^https?:\/\/[^\\/\s][^\\\s]*$/i.test(value) ? URL.parse(value) : null;
  if (url === null) return fail('is not a URL that begins with https://.');
  return /[?#]/.test(value) ? fail('must not have a query or a fragment.') : url;
}

/** Returns true for loopback hosts; names other than `localhost` may resolve elsewhere. */
export function isLoopback(hostname: string): boolean {
  // URL parsing has already normalized 127.1 to 127.0.0.1 and ::0:1 to ::1.
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export function operationPath(fallback: string): Field<string> {
  return (value, refuse) => {
    const path = value === '' ? fallback : value;
    const url = URL.parse(path, 'http://host');
    // The comparison rejects whatever URL parsing changes: dot segments, spaces, a host, a query.
    if (/^\/[^?#]*$/.test(path) && url?.host === 'host' && url.pathname === path) return path;
    return refuse(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
  };
}

export const sandboxId: Field<string> = (value, refuse) => {
  const fail = (why: string) => refuse(after(value, why), '${{ steps.sandbox.outputs.id }}');
  refuseMistakes('sandbox-id', value, fail);
  return requireHeaderValue(value, fail);
};

export const token: Field<string> = (value, refuse) => {
  const fail = (why: string) => refuse(why, '${{ steps.sandbox.outputs.token }}');
  refuseMistakes('token', value, fail);
  return requireHeaderValue(value, fail);
};

function after(value: string, why: string): string {
  return value === '' ? why : `${quote(value)} ${why}`;
}

// RFC 9110, section 5.6.2.
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

// RFC 9110, section 5.5, limited to what Node sends unchanged: printable Latin-1 and tabs.
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function isHeaderValue(value: string): boolean {
  return HEADER_VALUE.test(value);
}

export function requireHeaderValue(value: string, fail: Fail): string {
  if (isHeaderValue(value)) return value;
  return fail('has a line break or another character that a header cannot carry.');
}

const DEFAULT_PREFIX = 'Svc';

export const headerPrefix: Field<string> = (value, refuse, all) => {
  const fail = (why: string) => refuse(after(value, why), 'E2b');
  refuseMistakes('header-prefix', value, fail, all);
  const prefix = value || DEFAULT_PREFIX;
  return HEADER_NAME.test(prefix) ? prefix : fail("cannot be part of a header's name.");
};

export function routingHeaders(prefix: string): { readonly id: string; readonly port: string } {
  return { id: `${prefix}-Sandbox-Id`, port: `${prefix}-Sandbox-Port` };
}

export const extraHeaders: Field<Readonly<Record<string, string>>> = (value, refuse, all) => {
  const { id, port } = routingHeaders(all['header-prefix']?.trim() || DEFAULT_PREFIX);
  return parseHeaders(value, refuse, ['X-Access-Token', id, port]);
};

// The HTTP client sets these; a second value could break the request.
const RESERVED = [
  'accept user-agent host content-type content-length content-encoding',
  'transfer-encoding connection keep-alive proxy-connection proxy-authorization',
  'upgrade expect te trailer',
].flatMap(names => names.split(' '));

/** Parses one header per line. Messages omit values, which may be secret. */
export function parseHeaders(
  value: string,
  refuse: Refuse,
  own: readonly string[],
): Readonly<Record<string, string>> {
  const example = '"X-Metadata-build: 42"';
  const reserved = [...RESERVED, ...own.map(name => name.toLowerCase())];
  const headers = parseLines(value, refuse, (line, fail) => {
    const header = splitHeader(line) ?? fail('this is not of the form Name: value.', example);
    const [name] = header;
    if (!reserved.includes(name.toLowerCase())) return header;
    return fail(`the action itself sets ${quote(name)}. Remove the line.`, example);
  });
  return Object.fromEntries(headers);
}

export function splitHeader(line: string): readonly [name: string, content: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim();
  const content = line.slice(colon + 1).trim();
  return HEADER_NAME.test(name) && isHeaderValue(content) ? [name, content] : undefined;
}

export function isSecretHeader(name: string): boolean {
  return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}

export function secretsInHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): string[] {
  const secrets = headers.filter(([name]) => isSecretHeader(name));
  // Credentials may also appear without their scheme, such as Basic.
  return secrets.flatMap(([, value]) => [value, value.replace(/^\S+\s+/, '')]).filter(isMaskable);
}
