import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from './answer.ts';

/** What a request must carry to reach this sandbox and to be let in. */
export interface AccessRules {
  readonly token: string;
  readonly sandboxId: string;
  readonly sandboxPort: number;
  /** The vendor's part of the routing headers' names. */
  readonly headerPrefix: string;
}

/**
 * Throws a `Refusal` unless the headers lead to this sandbox and carry its token.
 * Routing comes before the token, since a proxy on the way does it.
 */
export function checkAccess(headers: IncomingHttpHeaders, rules: AccessRules): void {
  const prefix = rules.headerPrefix.toLowerCase();
  const id = required(headers, `${prefix}-sandbox-id`);
  const port = required(headers, `${prefix}-sandbox-port`);
  if (id !== rules.sandboxId) {
    throw new Refusal(502, 'The sandbox was not found', { sandboxId: id });
  }
  if (port !== String(rules.sandboxPort)) {
    throw new Refusal(502, 'The sandbox is running but port is not open', { sandboxId: id });
  }
  if (headers['x-access-token'] !== rules.token) {
    throw new Refusal(401, 'The access token is missing or wrong');
  }
}

function required(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(400, `The routing header ${name} is missing`);
}
