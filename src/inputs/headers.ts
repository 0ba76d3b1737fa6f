import packageJson from '../../package.json' with { type: 'json' };
import { quote } from '../text/visible.ts';
import { type Field, parseLines } from './parse.ts';
import { field } from './values.ts';

// RFC 9110, section 5.6.2: what a header's name may consist of.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

// RFC 9110, section 5.5, narrowed to what Node sends unchanged: printable Latin-1 and tabs.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

// Set by the action or by its HTTP client, so a second value would be lost or change where the request goes.
const RESERVED =
  'x-access-token accept user-agent host content-type content-length content-encoding transfer-encoding connection ' +
  'keep-alive proxy-connection proxy-authorization upgrade expect te trailer';

/** How the action names itself to the agent. */
export const USER_AGENT = `sandbox-sync/${packageJson.version}`;

/** The names of the two headers that route a request to a sandbox and to a port in it. */
export function routingHeaders(prefix: string): { readonly id: string; readonly port: string } {
  return { id: `${prefix}-Sandbox-Id`, port: `${prefix}-Sandbox-Port` };
}

/** The vendor's prefix of the routing headers. */
export const headerPrefix = field((value, refuse) => {
  const prefix = value === '' ? 'Svc' : value;
  const [meant = ''] = /^.*?(?=-+$|-Sandbox-(?:Id|Port)\b)/i.exec(prefix) ?? [];
  if (meant !== '') return refuse(`${quote(value)} is more than the prefix, which is ${quote(meant)}.`, meant);
  return NAME.test(prefix) ? prefix : refuse(`${quote(value)} cannot be part of a header's name.`, 'E2b');
});

/** Whether a value says that the step it comes from had none: `jq -r` prints `null`. */
export function isMissing(value: string): boolean {
  return ['', 'null', 'undefined'].includes(value);
}

/** The parts of headers that must never be shown, of those whose names say so. */
export function secretsInHeaders(headers: readonly (readonly [name: string, value: string])[]): string[] {
  const secret = headers.filter(([name]) => /^(authorization|cookie)$|token|key|secret/i.test(name));
  // Of a scheme and its credentials, these alone may turn up.
  return secret.flatMap(([, value]) => [value, value.replace(/^\S+\s+/, '')]);
}

/** Required text that an earlier step wrote as `output`, for a header. A refusal does not repeat it where it `isSecret`. */
export function headerText(output: string, example: string, isSecret = false): Field<string> {
  return field((value, refuse) => {
    if (isMissing(value)) {
      const check = `check the id of the step that it comes from, and that the step writes ${output}=… to GITHUB_OUTPUT`;
      const masked = isSecret ? '; GitHub drops masked outputs between jobs' : '';
      return refuse(`is ${value || 'empty'}: ${check}${masked}; workflows of forks get no secrets.`, example);
    }
    if (VALUE.test(value)) return value;
    const given = isSecret ? 'the value given' : quote(value);
    return refuse(
      `${given} cannot be sent in a header: it has a line break or another character outside Latin-1.`,
      example,
    );
  });
}

/** Extra headers, one `Name: value` a line, empty lines left out. A refusal does not repeat a value: it may be secret. */
export const extraHeaders = field<Readonly<Record<string, string>>>(
  (value, refuse, all) => {
    const routing = Object.values(routingHeaders(all['header-prefix']?.trim() || 'Svc'));
    const taken = new Set([...RESERVED.split(' '), ...routing.map(name => name.toLowerCase())]);
    const seen = new Set<string>();
    const headers = parseLines(value, (line, number): [string, string][] => {
      if (line === '') return [];
      const fail = (why: string) => refuse(`line ${number} ${why}.`, '"X-Metadata-build: 42"');
      const [name, content] = splitHeader(line) ?? fail('is not of the form Name: value');
      const key = name.toLowerCase();
      if (taken.has(key)) return fail(`sets ${quote(name)}, which the action sets itself`);
      if (seen.has(key)) return fail(`sets ${quote(name)} a second time`);
      seen.add(key);
      return [[name, content]];
    });
    return Object.fromEntries(headers);
  },
  // Their names alone: the values may be secret.
  headers => Object.keys(headers).join(', ') || 'empty',
);

/** The name and the value in a line; undefined where it is no header. */
export function splitHeader(line: string): readonly [name: string, content: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim();
  const content = line.slice(colon + 1).trim();
  return NAME.test(name) && VALUE.test(content) ? [name, content] : undefined;
}
