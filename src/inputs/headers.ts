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

/** Whether text can be sent as a header's value, unchanged. */
export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

/** The names of the two headers that route a request to a sandbox and to a port in it. */
export function routingHeaders(prefix: string): { readonly id: string; readonly port: string } {
  return { id: `${prefix}-Sandbox-Id`, port: `${prefix}-Sandbox-Port` };
}

/** The vendor's prefix of the routing headers. */
export const headerPrefix = field((value, refuse) => {
  const prefix = value === '' ? 'Svc' : value;
  return NAME.test(prefix) ? prefix : refuse(`${quote(value)} cannot be part of a header's name.`, 'E2b');
});

/** Required text that goes into a header. A refusal does not repeat the value where it `isSecret`. */
export function headerText(what: string, example: string, isSecret = false): Field<string> {
  return field((value, refuse) => {
    if (value === '') return refuse(`is required: ${what}.`, example);
    if (isHeaderValue(value)) return value;
    const given = isSecret ? 'the value given' : quote(value);
    return refuse(
      `${given} cannot be sent in a header: it has a line break or another character outside Latin-1.`,
      example,
    );
  });
}

/** Extra headers, one `Name: value` a line, empty lines left out. A refusal does not repeat a value: it may be secret. */
export const extraHeaders = field<Readonly<Record<string, string>>>((value, refuse, all) => {
  const routing = Object.values(routingHeaders(all['header-prefix']?.trim() || 'Svc'));
  const taken = new Set([...RESERVED.split(' '), ...routing.map(name => name.toLowerCase())]);
  const seen = new Set<string>();
  const headers = parseLines(value, (line, number): [string, string][] => {
    if (line === '') return [];
    const fail = (why: string) => refuse(`line ${number} ${why}.`, '"X-Metadata-build: 42"');
    const { name, content } = splitHeader(line) ?? fail('is not of the form Name: value');
    const key = name.toLowerCase();
    if (taken.has(key)) return fail(`sets ${quote(name)}, which the action sets itself`);
    if (seen.has(key)) return fail(`sets ${quote(name)} a second time`);
    seen.add(key);
    return [[name, content]];
  });
  return Object.fromEntries(headers);
}, namesOf);

/** The values may be secret. */
function namesOf(headers: Readonly<Record<string, string>>): string {
  return Object.keys(headers).join(', ') || 'empty';
}

function splitHeader(line: string): { name: string; content: string } | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trim();
  const content = line.slice(colon + 1).trim();
  return NAME.test(name) && isHeaderValue(content) ? { name, content } : undefined;
}
