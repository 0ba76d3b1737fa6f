import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { isLoopback } from '../inputs/connection.ts';
import { inputError } from '../inputs/input-error.ts';

const MAX_CONNECT_MS = 10_000;

/** @throws InputError for a bad proxy URL */
export function openDispatcher(baseUrl: string, timeoutMs: number): Dispatcher {
  // Pass options instead of a connector, so that connections resume each other's TLS sessions.
  // HTTP/2 is off because one GOAWAY would break every upload in flight (nodejs/undici#5089 and
  // #5468).
  const options = { allowH2: false, connectTimeout: Math.min(timeoutMs, MAX_CONNECT_MS) };
  if (bypassesProxy(baseUrl)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    const why = 'not the URL of an http, https or socks5 proxy.';
    throw inputError(proxyVariables().join(', '), why, 'http://host:3128');
  }
}

// A proxy would see the token unencrypted, and could not reach this runner's loopback anyway.
function bypassesProxy(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
}

// Only the names, since the values may contain passwords.
function proxyVariables(): string[] {
  // Windows ignores the case of variable names, so report the spelling that was set.
  const names = Object.keys(process.env).filter(name => /^https?_proxy$/i.test(name));
  return names.filter(name => process.env[name]).sort();
}

/** Returns the proxy that undici uses for a URL, unless NO_PROXY exempts it. */
export function proxyOf(url: string): URL | undefined {
  const { http_proxy, HTTP_PROXY, https_proxy, HTTPS_PROXY, no_proxy, NO_PROXY = '' } = process.env;
  const { protocol, hostname } = new URL(url);
  const exempt = (no_proxy ?? NO_PROXY).split(/[\s,]+/).filter(name => name !== '');
  if (exempt.some(name => name === '*' || hostname.endsWith(name.replace(/^\*/, ''))))
    return undefined;
  if (bypassesProxy(url)) return undefined;
  const http = http_proxy ?? HTTP_PROXY;
  const https = (https_proxy ?? HTTPS_PROXY) || http;
  return URL.parse((protocol === 'https:' ? https : http) ?? '') ?? undefined;
}

interface RequestOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer> | undefined;
  readonly signal: AbortSignal;
}

export function sendRequest(
  dispatcher: Dispatcher,
  url: string,
  options: RequestOptions,
): Promise<Dispatcher.ResponseData> {
  return request(url, {
    ...options,
    dispatcher,
    // @ts-expect-error undici accepts async iterables as bodies, but its types do not
    body: options.body ?? null,
    // undici's default limits of 300 s would cut longer timeouts short.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
