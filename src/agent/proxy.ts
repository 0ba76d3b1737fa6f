import { isLoopback } from '../inputs/base-url.ts';

/** A proxy as the environment names it. */
export interface Proxy {
  readonly name: string;
  /** Its value, which may hold a password: not for messages. */
  readonly value: string;
}

/** The proxy that the environment names for an origin, NO_PROXY aside. `http` to this machine goes past any: see base-url. */
export function proxyFor(origin: string, env: NodeJS.ProcessEnv): Proxy | undefined {
  const { protocol, hostname } = new URL(origin);
  if (protocol === 'http:' && isLoopback(hostname)) return undefined;
  const plain = firstOf(['http_proxy', 'HTTP_PROXY'], env);
  return protocol === 'https:' ? (firstOf(['https_proxy', 'HTTPS_PROXY'], env) ?? plain) : plain;
}

/** Whether a proxy can be used: an http or https URL whose credentials can be decoded. */
export function isUsable({ value }: Proxy): boolean {
  const { protocol = '', username = '', password = '' } = URL.parse(value) ?? {};
  return /^https?:$/.test(protocol) && decoded(`${username}${password}`) !== undefined;
}

/** How the network is reached, without the values of variables: one may hold a password. */
export function networkFacts(origin: string, env: NodeJS.ProcessEnv): string {
  const proxy = proxyFor(origin, env);
  const usable = proxy === undefined || isUsable(proxy) ? '' : ', which is not the URL of a proxy';
  const isSet = (...names: readonly string[]) => (names.some(name => env[name]) ? 'set' : 'not set');
  return [
    proxy === undefined ? 'Proxy: none' : `Proxy: from ${proxy.name}${usable}`,
    `NO_PROXY: ${isSet('NO_PROXY', 'no_proxy')}`,
    `NODE_EXTRA_CA_CERTS: ${isSet('NODE_EXTRA_CA_CERTS')}`,
  ].join('\n');
}

/** What is secret in the proxies that the environment names: passwords, and user names that stand alone, decoded as well. */
export function proxyCredentials(env: NodeJS.ProcessEnv): string[] {
  return ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
    .flatMap(name => URL.parse(env[name] ?? '') ?? [])
    .flatMap(({ username, password }) => (password === '' ? [username] : [password, `${username}:${password}`]))
    .flatMap(secret => [secret, decoded(secret) ?? secret])
    .filter(secret => secret !== '');
}

/** A part of a URL without its percent-encoding; undefined where that cannot be undone. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The first variable that is set decides; set to nothing, it names no proxy. */
function firstOf(names: readonly string[], env: NodeJS.ProcessEnv): Proxy | undefined {
  const name = names.find(each => env[each] !== undefined);
  const value = name === undefined ? undefined : env[name];
  return name === undefined || !value ? undefined : { name, value };
}
