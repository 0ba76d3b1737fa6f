import { isLoopback } from '../inputs/loopback.ts';

/** A proxy as the environment names it. */
export interface Proxy {
  /** The variable. */
  readonly name: string;
  /** Its value, which may hold a password: not for messages. */
  readonly value: string;
}

/**
 * The proxy that the environment names for an origin, NO_PROXY aside. `http` to this very machine has none: it is allowed
 * because nobody is on the way, and a proxy would be.
 */
export function proxyFor(origin: string, env: NodeJS.ProcessEnv): Proxy | undefined {
  const { protocol, hostname } = new URL(origin);
  if (protocol === 'http:' && isLoopback(hostname)) return undefined;
  const plain = firstOf(['http_proxy', 'HTTP_PROXY'], env);
  return protocol === 'https:' ? (firstOf(['https_proxy', 'HTTPS_PROXY'], env) ?? plain) : plain;
}

/** Whether a proxy can be used: an http or https URL whose credentials can be decoded. */
export function isUsable({ value }: Proxy): boolean {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  try {
    decodeURIComponent(`${url.username}${url.password}`);
    return true;
  } catch {
    return false;
  }
}

/** The first variable that is set decides; set to nothing, it names no proxy. */
function firstOf(names: readonly string[], env: NodeJS.ProcessEnv): Proxy | undefined {
  const name = names.find(each => env[each] !== undefined);
  const value = name === undefined ? undefined : env[name];
  return name === undefined || !value ? undefined : { name, value };
}
