import { isLoopback } from '../text/loopback.ts';
import { quote } from '../text/visible.ts';
import { type Field, field, type RawInputs, type Refuse } from './fields.ts';
import { refuseSlips, SLIPS } from './slips.ts';

const EXAMPLE = 'https://sandbox.example.com';

/** The port of the agent in a sandbox, and its paths, unless inputs name others. */
export const DEFAULT_PORT = 49_983;
export const UPLOAD_PATH = '/files';
export const STATS_PATH = '/metrics';

// A label of a host name (RFC 1123), with the underscore that some services use in their IDs.
const HOST_LABEL = /^[A-Za-z0-9_-]{1,63}$/;

/** The URL of the sandbox host, placeholders filled in, without a slash at its end. */
export const baseUrl = field((value, refuse, all) => {
  const fail = (why: string) => refuse(why, EXAMPLE);
  refuseOtherThings(value, refuse);
  const given = quote(value);
  const filled = fillPlaceholders(value, fail, all);
  // URL parsing also accepts https:/host, https:host and https:///host, and ignores spaces.
  const url = /^[a-z][a-z\d+.-]*:\/\/[^\\/\s][^\\\s]*$/i.test(filled) ? URL.parse(filled) : null;
  if (url === null) return fail(`${given} is not a URL.`);
  if (/[?#]/.test(value)) return fail(`${given} must not have a query or a fragment.`);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return fail(`${given} is neither an https nor an http URL.`);
  const mayBeHttp = /^true$/i.test(all['allow-insecure-http']?.trim() ?? '');
  if (url.protocol === 'http:' && !mayBeHttp && !isLoopback(url.hostname))
    return fail(
      `${given} would send the token unencrypted. Use https, or set allow-insecure-http: true.`,
    );
  const href = url.href.replace(/\/+$/, '');
  const operation = findOperation(href, all);
  if (operation === undefined) return href;
  return fail(`${given} ends in ${operation}, which the action adds itself. Remove it.`);
}, String);

type Fail = (why: string) => never;

/** Refuses what is no URL of a sandbox host, each with its own advice. */
function refuseOtherThings(value: string, refuse: Refuse): void {
  const fail = (why: string) => refuse(why, EXAMPLE);
  if (value === '') fail('is required: the sandbox host.');
  // Check this first, without quoting: a password may stand before the @.
  if (value.includes('@'))
    fail('must not contain credentials or an @: the token has its own input.');
  refuseSlips(SLIPS, value, refuse, EXAMPLE);
  const given = quote(value);
  const [braces] = /\{\{[^}]*\}\}|<[^>]*>/.exec(value) ?? [];
  if (braces !== undefined)
    fail(`${given} has ${braces}. Write {sandbox-id}, in single braces, or the ID itself.`);
  if (/^[\w.-]+(:\d+)?(\/\S*)?$/.test(value))
    fail(`${given} is not a URL. Write https:// before it.`);
  if (/^https?:\/\/api\.e2b\.(app|dev)\b/i.test(value))
    fail(
      `${given} is the API that manages sandboxes. The sandboxes are at https://sandbox.e2b.app.`,
    );
  if (value.includes('$'))
    fail(`${given} contains a $: variables are not expanded here, except \`\${{ … }}\`.`);
}

const PLACEHOLDER = 'place-of-the-sandbox-id';

function fillPlaceholders(value: string, fail: Fail, all: RawInputs): string {
  const given = quote(value);
  const id = all['sandbox-id']?.trim() ?? '';
  // URL parsing finds the host in more spellings than a pattern would.
  const host = URL.parse(
    value.replaceAll('{sandbox-id}', PLACEHOLDER).replaceAll('{port}', '1'),
  )?.host;
  if (host?.includes(PLACEHOLDER) && id !== '' && !HOST_LABEL.test(id))
    return fail(`${given} puts sandbox-id ${quote(id)} into the host name, where it does not fit.`);
  // As a path segment, these would climb to another operation.
  if (value.includes('{sandbox-id}') && (id === '.' || id === '..'))
    return fail(`${given} cannot take sandbox-id ${quote(id)} in its place.`);
  const filled = value
    .replaceAll('{sandbox-id}', encodeURIComponent(id === '' ? 'id' : id.toWellFormed()))
    .replaceAll('{port}', all['port']?.trim() || String(DEFAULT_PORT));
  const [unknown] = /\{[^}]*\}/.exec(filled) ?? [];
  if (unknown === undefined) return filled;
  return fail(
    `${given} has the unknown placeholder ${unknown}; valid are {sandbox-id} and {port}.`,
  );
}

function findOperation(href: string, all: RawInputs): string | undefined {
  const paths = [
    all['upload-path']?.trim() || UPLOAD_PATH,
    all['stats-path']?.trim() || STATS_PATH,
  ];
  return paths.find(path => path !== '/' && new URL(href).pathname.endsWith(path));
}

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
