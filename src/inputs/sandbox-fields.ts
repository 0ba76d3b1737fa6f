import { isLoopback } from '../text/loopback.ts';
import { quote } from '../text/visible.ts';
import { isMissing, sandboxId } from './credentials.ts';
import { field, flag, parseLines, secret } from './fields.ts';
import { extraHeaders, isHeaderValue } from './headers.ts';
import { refuseSlips, SLIPS, type Slips } from './slips.ts';

/** The URL of the API that creates sandboxes, without a slash at its end. */
export const apiUrl = field((value, refuse) => {
  const fail = (why: string) => refuse(why, 'https://api.e2b.app');
  if (value === '') return fail("is required: the URL of the service's API.");
  // Check this first, without quoting: a password may stand before the @.
  if (value.includes('@'))
    return fail('must not contain credentials or an @: the key has its own input.');
  const given = quote(value);
  const url = /^https?:\/\/[^\\/\s][^\\\s]*$/i.test(value) ? URL.parse(value) : null;
  if (url === null || /[?#${}]/.test(value)) return fail(`${given} is not a plain https URL.`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return fail(`${given} would send the API key unencrypted. Use https.`);
  const href = url.href.replace(/\/+$/, '');
  if (!href.endsWith('/sandboxes')) return href;
  return fail(`${given} ends in /sandboxes, which the action adds itself. Remove it.`);
}, String);

const KEY_SLIPS: Slips = [...SLIPS, [/^Bearer\s/i, 'begins with Bearer. Give the key alone.']];

export const apiKey = secret((value, refuse) => {
  const example = '${{ secrets.E2B_API_KEY }}';
  const fail = (why: string) => refuse(why, example);
  if (isMissing(value))
    return fail(
      `is ${value || 'empty'}: add the key as a secret of the repository. Pull requests from forks and of Dependabot get no secrets.`,
    );
  refuseSlips(KEY_SLIPS, value, refuse, example);
  if (isHeaderValue(value)) return value;
  return fail('cannot be sent in a header: it has a line break or is not Latin-1.');
});

export const templateName = field(value => value || 'base');

/** The ID of a sandbox to connect to; empty if one is to be created. */
export const existingSandboxId = field((value, refuse, all) => {
  if (value === '') return value;
  // As a path segment, these would climb to another operation.
  if (value === '.' || value === '..')
    return refuse(`${quote(value)} is not the ID of a sandbox.`, '${{ needs.create.outputs.id }}');
  return sandboxId.parse(value, refuse, all);
});

/** A switch whose default depends on what the step does; then it is undefined. */
export const optionalFlag = field<boolean | undefined>((value, refuse, all) =>
  value === '' ? undefined : flag(false).parse(value, refuse, all),
);

/** Texts by name, one `KEY=value` per line. Values may be secret, so messages do not quote them. */
export const keyValues = field<Readonly<Record<string, string>>>(
  (value, refuse) => {
    const seen = new Set<string>();
    const pairs = parseLines(value, (line, number): [string, string][] => {
      if (line === '') return [];
      const fail = (why: string) => refuse(`line ${number} ${why}.`, '"SUITE=api"');
      const [, key, content = ''] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
      if (key === undefined) return fail('is not of the form KEY=value');
      if (seen.has(key)) return fail(`sets ${quote(key)} a second time`);
      seen.add(key);
      return [[key, content]];
    });
    return Object.fromEntries(pairs);
  },
  pairs => Object.keys(pairs).join(', ') || 'empty',
);

/** Extra headers of requests to the API. */
export const apiHeaders = field<Readonly<Record<string, string>>>((value, refuse, all) => {
  const headers = extraHeaders.parse(value, refuse, all);
  if (!Object.keys(headers).some(name => /^x-api-key$/i.test(name))) return headers;
  return refuse(
    'sets X-API-Key, which the action sends from api-key. Remove the line.',
    '"X-Team: 42"',
  );
}, extraHeaders.show);
