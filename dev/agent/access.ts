import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './answer.ts';
import type { Settings } from './options.ts';

/** Checks the routing headers, as the proxy before an agent does. @throws Refusal if one is wrong */
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

/** @throws Refusal if the token is wrong or missing */
export function checkToken(headers: IncomingHttpHeaders, token: string): void {
  if (headers['x-access-token'] === token) return;
  const advice = 'please provide a valid access token or method signing if supported';
  throw new Refusal(401, `unauthorized access, ${advice}`);
}

/** Checks the token where a signature could replace it. @throws Refusal if it is wrong or missing */
export function checkFileToken(headers: IncomingHttpHeaders, token: string): void {
  const given = headers['x-access-token'] ?? '';
  if (given === token) return;
  if (given === '') throw new Refusal(401, 'missing signature query parameter');
  throw new Refusal(401, 'access token present in header but does not match');
}

function routingHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(400, `The routing header ${name} is missing`, { proxyTo: '' });
}
