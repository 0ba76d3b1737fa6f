import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { formatBytes } from '../text/format.ts';
import { AgentError } from './failure.ts';

export interface AgentResponse<Body = string> {
  /** Method and URL without the query, which may contain a signature. */
  readonly label: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

export type StreamedResponse = AgentResponse<AsyncIterable<Buffer>>;

const MAX_CONNECT_MS = 10_000;

export function openDispatcher(baseUrl: string, timeoutMs: number): Dispatcher {
  // Pass options instead of a connector, so that connections resume each other's TLS sessions.
  // HTTP/2 is off because one GOAWAY would break every upload in flight (nodejs/undici#5089 and
  // #5468).
  const options = { allowH2: false, connectTimeout: Math.min(timeoutMs, MAX_CONNECT_MS) };
  if (bypassesProxy(baseUrl)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    const message = `${proxyVariables(baseUrl).join(', ')}: not the URL of an http, https or socks5 proxy.`;
    throw new AgentError('unreachable', message, { hint: 'Example: http://host:3128' });
  }
}

// A proxy for http to loopback would see the token, and could not reach this runner anyway.
function bypassesProxy(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopback(hostname);
}

export function isLoopback(hostname: string): boolean {
  // The URL parser has already normalized 127.1 and ::0:1. Only trust the name localhost, since any
  // other name may resolve to a remote host.
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Returns the names of the proxy variables that apply. Their values may contain passwords. */
export function proxyVariables(baseUrl: string): string[] {
  if (bypassesProxy(baseUrl)) return [];
  // Windows ignores the case of variable names, so report the spelling that was set.
  const names = Object.keys(process.env).filter(name => /^https?_proxy$/i.test(name));
  return names.filter(name => process.env[name]).sort();
}

export async function sendRequest(
  label: string,
  url: string,
  body: AsyncIterable<Buffer> | undefined,
  options: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'signal'> & {
    readonly dispatcher: Dispatcher;
  },
): Promise<StreamedResponse> {
  const response = await request(url, {
    ...options,
    // @ts-expect-error undici accepts async iterables as bodies, but its types do not
    body: body ?? null,
    // Turn undici's timeouts off: they fire up to 0.8 s late, and a hostile server could restart
    // them forever with 103 responses or single bytes. The client has its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { statusCode: status, headers } = response;
  return { label, status, headers, body: response.body };
}

// Twice the longest response to a default batch of 250 files: E2B's agent sends at most 8 KiB per
// file (a path and metadata of up to 4 KiB each).
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

export async function readResponse({
  body,
  ...response
}: StreamedResponse): Promise<AgentResponse> {
  const read: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) {
      const { label, status } = response;
      const message = `${label} answered ${status} with more than ${formatBytes(MAX_RESPONSE_BYTES)}.`;
      throw new AgentError('bad-response', message, { status });
    }
    read.push(chunk);
  }
  return { ...response, body: new TextDecoder().decode(Buffer.concat(read)) };
}
