import packageJson from '../../package.json' with { type: 'json' };
import { isMaskable } from '../text/redact.ts';
import { quote } from '../text/visible.ts';
import { field, parseLines } from './fields.ts';

/** How the action names itself to the agent. */
export const USER_AGENT = `sandbox-sync/${packageJson.version}`;

// RFC 9110, section 5.6.2.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

// RFC 9110, section 5.5, narrowed to what Node sends unchanged: printable Latin-1 and tabs.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

const DEFAULT_PREFIX = 'Svc';

export const headerPrefix = field((value, refuse, all) => {
  const prefix = value === '' ? DEFAULT_PREFIX : value;
  const [meant = ''] = /^.*?(?=-+$|-Sandbox-(?:Id|Port)\b)/i.exec(prefix) ?? [];
  if (meant !== '')
    return refuse(`${quote(value)} is more than the prefix, which is ${quote(meant)}.`, meant);
  if (!NAME.test(prefix))
    return refuse(`${quote(value)} cannot be part of a header's name.`, 'E2b');
  const url = all['base-url'] ?? '';
  // A host name with the sandbox in it routes by itself.
  const id = all['sandbox-id']?.trim() || '{sandbox-id}';
  const hasId = url.split(/[./:?#]/).some(part => part === id || part.endsWith(`-${id}`));
  const isRouted = url.includes('{sandbox-id}') || hasId;
  if (prefix === DEFAULT_PREFIX && isE2b(url) && !isRouted)
    return refuse("base-url is E2B's: set header-prefix: E2b.", 'E2b');
  return prefix;
});

function isE2b(url: string): boolean {
  return /^https?:\/\/([^/?#]*\.)?e2b\.(app|dev)(:\d+)?(\/|$)/i.test(url.trim());
}

/** The names of the headers that route a request to a sandbox and to a port in it. */
export function routingHeaders(prefix: string): { readonly id: string; readonly port: string } {
  return { id: `${prefix}-Sandbox-Id`, port: `${prefix}-Sandbox-Port` };
}

// Set by the action or by its HTTP client: a second value could redirect the request.
const RESERVED = [
  'x-access-token accept user-agent host content-type content-length content-encoding',
  'transfer-encoding connection keep-alive proxy-connection proxy-authorization',
  'upgrade expect te trailer',
].flatMap(names => names.split(' '));

/** Extra headers, one `Name: value` per line. Messages do not quote values: they may be secret. */
export const extraHeaders = field<Readonly<Record<string, string>>>(
  (value, refuse, all) => {
    const routing = Object.values(routingHeaders(all['header-prefix']?.trim() || DEFAULT_PREFIX));
    const reserved = new Set([...RESERVED, ...routing.map(name => name.toLowerCase())]);
    const seen = new Set<string>();
    const headers = parseLines(value, (line, number): [string, string][] => {
      if (line === '') return [];
      const fail = (why: string) => refuse(`line ${number} ${why}.`, '"X-Metadata-build: 42"');
      const [name, content] = splitHeader(line) ?? fail('is not of the form Name: value');
      const key = name.toLowerCase();
      if (reserved.has(key)) return fail(`sets ${quote(name)}, which the action sets itself`);
      if (seen.has(key)) return fail(`sets ${quote(name)} a second time`);
      seen.add(key);
      return [[name, content]];
    });
    return Object.fromEntries(headers);
  },
  headers => Object.keys(headers).join(', ') || 'empty',
);

/** Splits a header's line; undefined if it is not one. */
export function splitHeader(line: string): readonly [name: string, content: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim();
  const content = line.slice(colon + 1).trim();
  return NAME.test(name) && VALUE.test(content) ? [name, content] : undefined;
}

/** Whether the name of a header says that its value is secret. */
export function isSecretHeader(name: string): boolean {
  return /^(authorization|cookie)$|token|key|secret/i.test(name);
}

/** The values to mask among headers whose names say that they are secret. */
export function secretsInHeaders(
  headers: readonly (readonly [name: string, value: string])[],
): string[] {
  const secrets = headers.filter(([name]) => isSecretHeader(name));
  // After a scheme such as Basic, the credentials may turn up alone.
  return secrets.flatMap(([, value]) => [value, value.replace(/^\S+\s+/, '')]).filter(isMaskable);
}
