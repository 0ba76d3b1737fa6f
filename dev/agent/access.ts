import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './answer.ts';
import type { Settings } from './options.ts';

/** Checks the routing headers, as the proxy before an agent does. @throws Refusal */
export function checkRouting(headers: IncomingHttpHeaders, settings: Settings): void {
  const prefix = settings.headerPrefix.toLowerCase();
  const id = routingHeader(headers, `${prefix}-sandbox-id`);
  const port = routingHeader(headers, `${prefix}-sandbox-port`);
  if (id !== settings.sandboxId) throw notFound(id);
  if (port !== String(settings.sandboxPort))
    throw new Refusal(502, 'The sandbox is running but port is not open', { proxyTo: id });
}

/** The proxy's answer for a sandbox that does not exist. */
export function notFound(id: string): Refusal {
  return new Refusal(502, 'The sandbox was not found', { proxyTo: id });
}

/** @throws Refusal unless the token is right */
export function checkToken(headers: IncomingHttpHeaders, token: string): void {
  if (headers['x-access-token'] === token) return;
  const advice = 'please provide a valid access token or method signing if supported';
  throw new Refusal(401, `unauthorized access, ${advice}`);
}

/** Checks the token of an upload, or its signature if it has no token. @throws Refusal */
export function checkTokenOrSignature(
  headers: IncomingHttpHeaders,
  query: URLSearchParams,
  token: string,
): void {
  const given = headers['x-access-token'] ?? '';
  if (given === token) return;
  if (given !== '') throw new Refusal(401, 'access token present in header but does not match');
  const signature = query.get('signature');
  if (signature === null) throw new Refusal(401, 'missing signature query parameter');
  const expiration = query.get('signature_expiration');
  const named = [query.get('path') ?? '', 'write', query.get('username') ?? '', token];
  const text = [...named, ...(expiration === null ? [] : [expiration])].join(':');
  const hash = createHash('sha256').update(text).digest('base64').replace(/=+$/, '');
  if (signature !== `v1_${hash}`) throw new Refusal(401, 'invalid signature');
  if (expiration !== null && Number(expiration) < Date.now() / 1000)
    throw new Refusal(401, 'signature is already expired');
}

function routingHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(400, `The routing header ${name} is missing`, { proxyTo: '' });
}
