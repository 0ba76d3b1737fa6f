import { quote } from '../text/visible.ts';
import { isLoopback, parseHeaders, parseUrl, requireHeaderValue, sandboxId } from './connection.ts';
import { type Field, parseLines } from './fields.ts';
import { refuseMistakes } from './mistakes.ts';

/** The URL of the API that creates sandboxes, without a slash at its end. */
export const apiUrl: Field<string> = (value, refuse) => {
  const example = 'https://api.e2b.app';
  if (value === '') return refuse("is required: the URL of the service's API.", example);
  // Check this first, without quoting: a password may stand before the @.
  if (value.includes('@'))
    return refuse('must not contain credentials or an @: the key has its own input.', example);
  const fail = (why: string) => refuse(`${quote(value)} ${why}`, example);
  refuseMistakes('api-url', value, fail);
  const { protocol, hostname, href } = parseUrl(value, fail);
  if (protocol === 'http:' && !isLoopback(hostname))
    return fail('would send the API key unencrypted. Use https.');
  return href.replace(/\/+$/, '');
};

export const apiKey: Field<string> = (value, refuse) => {
  const fail = (why: string) => refuse(why, '${{ secrets.E2B_API_KEY }}');
  refuseMistakes('api-key', value, fail);
  return requireHeaderValue(value, fail);
};

/** Extra headers of requests to the API. */
export const apiHeaders: Field<Readonly<Record<string, string>>> = (value, refuse) =>
  parseHeaders(value, refuse, ['X-API-Key']);

export const templateName: Field<string> = value => value || 'base';

/** The ID of a sandbox to connect to; empty if one is to be created. */
export const existingSandboxId: Field<string> = (value, refuse, all) =>
  value === '' ? value : sandboxId(value, refuse, all);

/** Texts by name, one `KEY=value` per line. Messages do not repeat values: they may be secret. */
export const keyValues: Field<Readonly<Record<string, string>>> = (value, refuse) => {
  const pairs = parseLines(value, refuse, (line, fail) => {
    const [, key, content = ''] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
    return key === undefined
      ? fail('this is not of the form KEY=value.', '"SUITE=api"')
      : [key, content];
  });
  return Object.fromEntries(pairs);
};
