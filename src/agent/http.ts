import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import type { Redact } from '../text/redact.ts';
import { guardConnections } from './connections.ts';
import { exchange, type HttpAnswer, type HttpRequest, nameOf } from './exchange.ts';
import { AgentError } from './failure.ts';
import { isUsable, proxyFor } from './proxy.ts';

/** A pool of keep-alive connections to one origin. */
export interface Http {
  /** @throws AgentError where no complete answer came back. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Ends what is in flight and closes every connection. */
  readonly close: () => Promise<void>;
}

export interface HttpOptions {
  /** Takes secrets out of what goes wrong. */
  readonly redact: Redact;
  /** Connections at most. */
  readonly connections: number;
  /** The longest time without progress, and from an answer's first byte to its last, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends every request in flight at once. */
  readonly cancel: AbortSignal;
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
  const connecting = { connections, timeoutMs, signal: closing.signal };
  const dispatcher = proxy === undefined ? direct(origin, connecting) : proxied(proxy.value, connecting);
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

interface Connecting extends Omit<HttpOptions, 'cancel' | 'redact'> {
  readonly signal: AbortSignal;
}

function direct(origin: string | URL, { connections, timeoutMs, signal }: Connecting, more = {}): Pool {
  return new Pool(origin, {
    connect: connectOptions(timeoutMs, signal),
    ...more,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connections,
    pipelining: 1,
  });
}

/** Through a proxy, NO_PROXY aside. */
function proxied(proxy: string, connecting: Connecting): Dispatcher {
  const connect = connectOptions(connecting.timeoutMs, connecting.signal);
  // Only here can the clients that talk to a proxy be told: they get no option of the agent above them.
  const open = (origin: string | URL, options: object) => direct(origin, connecting, options);
  return new EnvHttpProxyAgent({
    httpProxy: proxy,
    httpsProxy: proxy,
    connect,
    proxyTls: connect,
    requestTls: connect,
    factory: open,
    clientFactory: open,
  });
}

// HTTP/2 stays off: a single GOAWAY would break every upload in flight on the shared connection.
function connectOptions(timeoutMs: number, signal: AbortSignal) {
  return { timeout: timeoutMs, allowH2: false, signal };
}
