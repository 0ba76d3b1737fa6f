import { inputError } from '../inputs/input-error.ts';
import { isLoopback } from '../text/loopback.ts';
import { isMaskable } from '../text/redact.ts';

export interface ProxyVariable {
  readonly name: string;
  /** May hold a password: not for messages. */
  readonly value: string;
}

/** The proxy for a URL, if there is one: plain http to this machine never uses one. */
export function proxyFor(url: string, env: NodeJS.ProcessEnv): ProxyVariable | undefined {
  const { protocol, hostname, port } = new URL(url);
  if (protocol === 'http:' && isLoopback(hostname)) return undefined;
  if (isExcepted({ protocol, hostname, port }, env['no_proxy'] ?? env['NO_PROXY'] ?? ''))
    return undefined;
  const plain = firstSet(['http_proxy', 'HTTP_PROXY'], env);
  if (protocol === 'http:') return plain;
  return firstSet(['https_proxy', 'HTTPS_PROXY'], env) ?? plain;
}

/** Like `proxyFor`. @throws InputError if undici cannot use the proxy: no request goes past it. */
export function usableProxy(url: string, env: NodeJS.ProcessEnv): ProxyVariable | undefined {
  const proxy = proxyFor(url, env);
  if (proxy === undefined || isUsable(proxy)) return proxy;
  // The value is not repeated: it may hold a password.
  const why = 'the environment variable is not the URL of an http, https or socks5 proxy.';
  throw inputError(
    proxy.name,
    `${why} Correct it, or add the host to NO_PROXY.`,
    'http://host:3128',
  );
}

export function isUsable({ value }: ProxyVariable): boolean {
  const { protocol = '', hostname = '', username = '', password = '' } = URL.parse(value) ?? {};
  const isKnown = /^(https?|socks5?):$/.test(protocol) && hostname !== '';
  return isKnown && decode(`${username}${password}`) !== undefined;
}

/** The host and port of a usable proxy. */
export function proxyAddress({ value }: ProxyVariable): string {
  return new URL(value).host;
}

/** Passwords, and user names without one, encoded and decoded. */
export function proxyCredentials(env: NodeJS.ProcessEnv): string[] {
  return ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']
    .flatMap(name => URL.parse(env[name] ?? '') ?? [])
    .flatMap(({ username, password }) =>
      password === '' ? [username] : [password, `${username}:${password}`],
    )
    .flatMap(secret => [secret, decode(secret) ?? secret])
    .filter(isMaskable);
}

type Host = Pick<URL, 'hostname' | 'port' | 'protocol'>;

/** NO_PROXY has `*`, `host`, `.domain` and `*.domain`, each with or without a port. */
function isExcepted({ hostname, port, protocol }: Host, noProxy: string): boolean {
  const host = plainHost(hostname);
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[,\s]+/).some(entry => {
    const [, name = '', wantedPort = ''] =
      /^(\[[^\]]+\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
    // Port 0 is any port, as in undici.
    const isOtherPort = Number(wantedPort) !== 0 && Number(wantedPort) !== Number(ownPort);
    if (name === '' || isOtherPort) return false;
    const wanted = plainHost(name.replace(/^\*?\./, ''));
    const isExact = host === wanted && !name.startsWith('*.');
    return wanted === '*' || isExact || host.endsWith(`.${wanted}`);
  });
}

function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The first of the variables that is set; undefined if its value is empty. */
function firstSet(names: readonly string[], env: NodeJS.ProcessEnv): ProxyVariable | undefined {
  const name = names.find(each => env[each] !== undefined) ?? '';
  const value = env[name];
  return value ? { name, value } : undefined;
}
