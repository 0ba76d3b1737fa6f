import { quote } from '../text/visible.ts';
import { isLoopback, parseHeaders, parseUrl, requireHeaderValue, sandboxId } from './connection.ts';
import { type Field, parseLines } from './fields.ts';
import { refuseMistakes } from './mistakes.ts';

export const apiUrl: Field<string> = (value, refuse) => {
  const example = 'https://api.e2b.app';
  if (value === '') return refuse("is required: the URL of the service's API.", example);
  // Check this first, and do not quote the value: a password may precede the @.
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

export const apiHeaders: Field<Readonly<Record<string, string>>> = (value, refuse) =>
  parseHeaders(value, refuse, ['X-API-Key']);

export const templateName: Field<string> = value => value || 'base';

/** Empty if a sandbox is to be created. */
export const existingSandboxId: Field<string> = (value, refuse, all) =>
  value === '' ? value : sandboxId(value, refuse, all);

/** Parses one `KEY=value` per line. Messages omit values, which may be secret. */
export const keyValues: Field<Readonly<Record<string, string>>> = (value, refuse) => {
  const pairs = parseLines(value, refuse, (line, fail) => {
    const [, key, content = ''] = /^([^=\s]+)=(.*)$/.exec(line) ?? [];
    return key === undefined
      ? fail('this is not of the form KEY=value.', '"SUITE=api"')
      : [key, content];
  });
  return Object.fromEntries(pairs);
};
