import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { guardConnections } from './connections.ts';
import { exchange, type HttpAnswer, type HttpRequest, nameOf, type Way } from './exchange.ts';
import { AgentError } from './failure.ts';
import { isUsable, proxyFor } from './proxy.ts';

/** A pool of keep-alive connections to one origin. */
export interface Http {
  /** @throws AgentError where no complete answer came back. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Ends what is in flight and closes every connection. */
  readonly close: () => Promise<void>;
}

export interface HttpOptions extends Pick<Way, 'timeoutMs' | 'cancel' | 'redact'> {
  /** Connections at most. */
  readonly connections: number;
}

/** Opens a pool, through the proxy that the environment names. If that is no proxy, every request fails: none goes past it. */
export function openHttp(origin: string, { connections, timeoutMs, cancel, redact }: HttpOptions): Http {
  const proxy = proxyFor(origin, process.env);
  if (proxy !== undefined && !isUsable(proxy)) {
    const why = `the environment variable ${proxy.name} is not the URL of an http or https proxy (http://host:port)`;
    const refuse = (request: HttpRequest) =>
      Promise.reject(new AgentError('unreachable', `${nameOf(request, origin)} was not sent: ${why}.`));
    return { send: refuse, close: async () => {} };
  }
  const closing = new AbortController();
  const dispatcher = dispatcherFor(origin, proxy?.value, { connections, timeoutMs, signal: closing.signal });
  const unguard = guardConnections();
  const flying = new Set<() => void>();
  const abortAll = () => {
    for (const abort of flying) abort();
  };
  cancel.addEventListener('abort', abortAll);
  return {
    send: request => exchange({ dispatcher, origin, timeoutMs, cancel, redact, flying }, request),
    async close() {
      unguard();
      cancel.removeEventListener('abort', abortAll);
      const destroyed = dispatcher.destroy();
      // A connection that is still being made is nobody's yet: it would keep the process until its time is over.
      closing.abort();
      await destroyed;
    },
  };
}

/** Connections to the origin, or through a proxy, NO_PROXY aside. */
function dispatcherFor(
  origin: string,
  proxy: string | undefined,
  { connections, timeoutMs, signal }: Pick<HttpOptions, 'connections' | 'timeoutMs'> & { readonly signal: AbortSignal },
): Dispatcher {
  // HTTP/2 stays off: a single GOAWAY would break every upload in flight on the shared connection.
  const connect = { timeout: timeoutMs, allowH2: false, signal };
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connections, pipelining: 1 };
  // Only here can the clients that talk to a proxy be told: they get no option of the agent above them.
  const open = (to: string | URL, options: object) => new Pool(to, { connect, ...options, ...limits });
  if (proxy === undefined) return open(origin, {});
  const tls = { connect, proxyTls: connect, requestTls: connect };
  return new EnvHttpProxyAgent({ httpProxy: proxy, httpsProxy: proxy, ...tls, factory: open, clientFactory: open });
}
