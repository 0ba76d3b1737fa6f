import { quote } from '../text/escape.ts';
import { isMaskable } from '../text/redact.ts';
import { rejectMistakes } from './mistakes.ts';
import { type InputParser, parseLines, type RawInputs, type Reject } from './parsers.ts';

export const DEFAULT_PORT = 49_983;

type Fail = (why: string) => never;

export const baseUrl = serviceUrl('base-url', 'https://sandbox.example.com');

export const apiUrl = serviceUrl('api-url', 'https://api.e2b.app');

/** Parses a URL without query or fragment, fills in placeholders, and drops the trailing slash. */
function serviceUrl(input: string, example: string): InputParser<string> {
  return (value, reject, all) => {
    if (value === '') return reject('is required: the URL of the service.', example);
    // Check this first, and do not quote the value: a password may precede the @.
    if (value.includes('@'))
      return reject(
        'must not contain credentials or an @: secrets have their own inputs.',
        example,
      );
    const fail = failWith(value, reject, example);
    rejectMistakes(input, value, fail);
    const text = fillPlaceholders(value, fail, all);
    // URL.parse() also accepts https:/host, https:host and https:///host, and ignores spaces.
    const url = /^https?:\/\/[^\\/\s][^\\\s]*$/i.test(text) ? URL.parse(text) : null;
    if (url === null) return fail('is not a URL that begins with https://.');
    if (/[?#]/.test(text)) return fail('must not have a query or a fragment.');
    const mayBeHttp = /^\s*true\s*$/i.test(all['allow-insecure-http'] ?? '');
    if (url.protocol === 'https:' || mayBeHttp || isLoopback(url.hostname))
      return url.href.replace(/\/+$/, '');
    const alternative = 'allow-insecure-http' in all ? ', or set allow-insecure-http: true' : '';
    return fail(`would send secrets unencrypted. Use https${alternative}.`);
  };
}

function fillPlaceholders(template: string, fail: Fail, all: RawInputs): string {
  const text = template
    // The `sandbox-id` field reports a missing ID.
    .replaceAll('{sandbox-id}', all['sandbox-id']?.trim() || 'id')
    .replaceAll('{port}', all['port']?.trim() || String(DEFAULT_PORT));
  if (!/[{}]/.test(text)) return text;
  return fail('has an unknown placeholder; valid are {sandbox-id} and {port}.');
}

// Only `localhost` counts by name; other names may resolve elsewhere.
export function isLoopback(hostname: string): boolean {
  // URL parsing has already normalized 127.1 to 127.0.0.1 and ::0:1 to ::1.
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export function operationPath(fallback: string): InputParser<string> {
  return (value, reject) => {
    const path = value === '' ? fallback : value;
    // Without a slash, the path would change the host.
    if (/^\/[^\s?#]*$/.test(path)) return path;
    return reject(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
  };
}

export const sandboxId: InputParser<string> = (value, reject) => {
  const fail = failWith(value, reject, '${{ steps.sandbox.outputs.id }}');
  rejectMistakes('sandbox-id', value, fail);
  if (isSandboxId(value)) return value;
  return fail('is not an ID: it may have letters, digits, dots, - and _.');
};

/** Returns false for an ID that could change the host or path of `base-url`. */
export function isSandboxId(id: string): boolean {
  return /^(?=.*\w)[\w.-]{1,200}$/.test(id);
}

/** An empty value asks for a new sandbox. */
export const existingSandboxId: InputParser<string> = (value, reject, all) =>
  value === '' ? value : sandboxId(value, reject, all);

// RFC 9110, section 5.5, limited to what Node sends unchanged: printable Latin-1 and tabs.
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

export const token = secret('token', '${{ steps.sandbox.outputs.token }}');

export const apiKey = secret('api-key', '${{ secrets.E2B_API_KEY }}');

function secret(input: string, example: string): InputParser<string> {
  return (value, reject) => {
    const fail = (why: string) => reject(why, example);
    rejectMistakes(input, value, fail);
    if (isHeaderValue(value)) return value;
    return fail('has a line break or another character that a header cannot carry.');
  };
}

function failWith(value: string, reject: Reject, example: string): Fail {
  return why => reject(value === '' ? why : `${quote(value)} ${why}`, example);
}

const DEFAULT_PREFIX = 'Svc';

// A token, as defined in RFC 9110, section 5.6.2.
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export const headerPrefix: InputParser<string> = (value, reject, all) => {
  const fail = failWith(value, reject, 'E2b');
  const prefix = value || DEFAULT_PREFIX;
  const isE2b = /^\s*https?:\/\/sandbox\.e2b\.(app|dev)\b/i.test(all['base-url'] ?? '');
  if (isE2b && /^Svc$/i.test(prefix)) return fail("must be E2b, since base-url is E2B's.");
  rejectMistakes('header-prefix', value, fail);
  return HEADER_NAME.test(prefix) ? prefix : fail("cannot be part of a header's name.");
};

export function routingHeaders(prefix: string): { readonly id: string; readonly port: string } {
  return { id: `${prefix}-Sandbox-Id`, port: `${prefix}-Sandbox-Port` };
}

export const extraHeaders: InputParser<Readonly<Record<string, string>>> = (value, reject, all) => {
  const { id, port } = routingHeaders(all['header-prefix']?.trim() || DEFAULT_PREFIX);
  return parseHeaders(value, reject, ['X-Access-Token', id, port]);
};

export const apiHeaders: InputParser<Readonly<Record<string, string>>> = (value, reject) =>
  parseHeaders(value, reject, ['X-API-Key']);

// The action sets some of these. undici throws for others, or would show the sandbox the proxy's
// password.
const RESERVED =
  /^(accept|user-agent|content-(type|length|encoding)|connection|keep-alive|upgrade|expect|transfer-encoding|proxy-authorization)$/i;

/** Parses one header per line. Messages omit values, which may be secret. */
function parseHeaders(
  value: string,
  reject: Reject,
  actionHeaders: readonly string[],
): Readonly<Record<string, string>> {
  const example = '"X-Metadata-build: 42"';
  const names = actionHeaders.map(name => name.toLowerCase());
  const headers = parseLines(value, reject, (line, fail) => {
    const header = splitHeader(line) ?? fail('this is not of the form Name: value.', example);
    const [name] = header;
    if (!RESERVED.test(name) && !names.includes(name.toLowerCase())) return header;
    return fail(`the action itself sets ${quote(name)}. Remove the line.`, example);
  });
  return Object.fromEntries(headers);
}

function splitHeader(line: string): readonly [name: string, content: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim();
  const content = line.slice(colon + 1).trim();
  return HEADER_NAME.test(name) && isHeaderValue(content) ? [name, content] : undefined;
}

export function isSecretHeader(name: string): boolean {
  return /^(authorization|cookie)$|(token|secret|password|api[-_]?key)$/i.test(name);
}

export function secretsInHeaders(lines: string): string[] {
  const headers = lines.split('\n').flatMap(line => {
    const header = splitHeader(line.trim());
    return header !== undefined && isSecretHeader(header[0]) ? [header[1]] : [];
  });
  // Services may quote credentials without their scheme, such as `Basic`.
  return headers
    .flatMap(content => [content, content.replace(/^\S+\s+/, '')])
    .filter(content => isMaskable(content));
}
