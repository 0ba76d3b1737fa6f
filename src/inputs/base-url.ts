import { BlockList, isIP } from 'node:net';
import { quote } from '../text/visible.ts';
import type { Field, RawInputs } from './parse.ts';
import { field } from './values.ts';

const EXAMPLE = 'https://sandbox.example.com';

type Fail = (why: string) => never;

// A label of a host name (RFC 1123), with the underscore that some services use in their ids.
const HOST_LABEL = /^[A-Za-z0-9_-]{1,63}$/;

// As good as no host has it in its name.
const MARK = 'place-of-the-sandbox-id';

/** The sandbox host with its path prefix, placeholders filled in, no slash at the end; `http` to loopback or by consent. */
export const baseUrl = field((value, refuse, all) => {
  const fail: Fail = why => refuse(why, EXAMPLE);
  if (value === '') return fail('is required: the sandbox host.');
  // Asked first, and the value not repeated: what stands before the @ is a secret.
  if (value.includes('@')) return fail('must not contain credentials or an @: the token has its own input.');
  const given = quote(value);
  if (value.includes('$')) return fail(`${given} contains a $: variables are not expanded here, except \`\${{ … }}\`.`);
  const url = parseUrl(value, fail, all);
  if (/[?#]/.test(value)) return fail(`${given} must not have a query or a fragment.`);
  if (url.protocol === 'http:') refuseInsecure(url, given, fail, all);
  else if (url.protocol !== 'https:') return fail(`${given} is neither an https nor an http URL.`);
  return url.href.replace(/\/+$/, '');
}, String);

/** An operation's path below the base URL, beginning with a slash. */
export function operationPath(fallback: string): Field<string> {
  return field((value, refuse) => {
    const path = value === '' ? fallback : value;
    const url = URL.parse(path, 'http://host');
    // The comparison refuses what URL parsing would change: dot segments, spaces, a host, a query.
    if (/^\/[^?#]*$/.test(path) && url?.host === 'host' && url.pathname === path) return path;
    return refuse(`${quote(value)} is not a plain URL path that begins with a slash.`, fallback);
  });
}

function parseUrl(value: string, fail: Fail, all: RawInputs): URL {
  const given = quote(value);
  const id = all['sandbox-id']?.trim() ?? '';
  // Whether the id comes to stand in the host name, the parser says: it takes more for one than a pattern would.
  const host = URL.parse(value.replaceAll('{sandbox-id}', MARK).replaceAll('{port}', '1'))?.host;
  if (host?.includes(MARK) && id !== '' && !HOST_LABEL.test(id))
    return fail(`${given} puts sandbox-id ${quote(id)} into the host name, where it does not fit.`);
  // As a path segment these would climb, and the request would reach another operation.
  if (value.includes('{sandbox-id}') && (id === '.' || id === '..'))
    return fail(`${given} cannot take sandbox-id ${quote(id)} in its place.`);
  const filled = value
    .replaceAll('{sandbox-id}', encodeURIComponent(id === '' ? 'id' : id.toWellFormed()))
    .replaceAll('{port}', all['port']?.trim() || '49983');
  const [unknown] = /\{[^}]*\}/.exec(filled) ?? [];
  if (unknown !== undefined)
    return fail(`${given} has the unknown placeholder ${unknown}; valid are {sandbox-id} and {port}.`);
  // URL parsing would also take https:/host, https:host and https:///host, and leave white space out.
  const url = /^[a-z][a-z\d+.-]*:\/\/[^\\/\s][^\\\s]*$/i.test(filled) ? URL.parse(filled) : null;
  return url ?? fail(`${given} is not a URL.`);
}

function refuseInsecure(url: URL, given: string, fail: Fail, all: RawInputs): void {
  const allowed = /^true$/i.test(all['allow-insecure-http']?.trim() ?? '');
  if (allowed || isLoopback(url.hostname)) return;
  fail(`${given} would send the token unencrypted. Use https, or set allow-insecure-http: true.`);
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host name is this very machine; of names only `localhost`, since others may be asked of the network. */
export function isLoopback(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  if (family === 0) return hostname === 'localhost';
  return LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
