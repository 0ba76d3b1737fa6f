import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { guardConnections } from './connections.ts';
import { exchange, type HttpAnswer, type HttpRequest, nameOf, type Way } from './exchange.ts';
import { AgentError } from './failure.ts';
import { isUsable, proxyFor } from './proxy.ts';

/** A pool of keep-alive connections to one origin. */
export interface Http {
  /** @throws AgentError where no complete answer came back. */
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
  /** Makes so many connections ahead of the requests that need them, unless a proxy is in between. */
  readonly connectAhead: (count: number) => void;
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
    return { send: refuse, connectAhead: () => {}, close: async () => {} };
  }
  const closing = new AbortController();
  // HTTP/2 stays off: a single GOAWAY would break every upload in flight on the shared connection.
  const options = { timeout: timeoutMs, allowH2: false, signal: closing.signal };
  const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connections, pipelining: 1 };
  const { dispatcher, connectAhead } =
    proxy === undefined ? direct(origin, options, limits) : proxied(proxy.value, options, limits);
  const unguard = guardConnections();
  const flying = new Set<() => void>();
  const abortAll = () => {
    for (const abort of flying) abort();
  };
  cancel.addEventListener('abort', abortAll);
  return {
    send: request => exchange({ dispatcher, origin, timeoutMs, cancel, redact, flying }, request),
    connectAhead,
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

/** How requests reach the origin. */
type Route = Pick<Http, 'connectAhead'> & { readonly dispatcher: Dispatcher };

/** Connections through a proxy, NO_PROXY aside; none is made ahead. */
function proxied(proxy: string, connect: buildConnector.BuildOptions, limits: Pool.Options): Route {
  // Only here can the clients that talk to a proxy be told: they get no option of the agent above them.
  const open = (to: string | URL, options: object) => new Pool(to, { connect, ...options, ...limits });
  const proxies = { httpProxy: proxy, httpsProxy: proxy, factory: open, clientFactory: open };
  const dispatcher = new EnvHttpProxyAgent({ ...proxies, connect, proxyTls: connect, requestTls: connect });
  return { dispatcher, connectAhead: () => {} };
}

/** A connection that was made, or is being made; once it is wanted meanwhile, told how that ends. */
interface Ahead {
  socket?: Socket;
  wanted?: buildConnector.Callback;
}

// A host may close a connection on which no request comes; so long, undici too keeps one that is idle.
const IDLE_MS = 4000;

/** Connections to the origin itself, also made ahead of requests: handshakes take round trips. */
function direct(origin: string, options: buildConnector.BuildOptions, limits: Pool.Options): Route {
  const connector = buildConnector(options);
  const { protocol, host, hostname, port } = new URL(origin);
  const place = { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port };
  const ahead = new Set<Ahead>();
  const make = () => {
    const one: Ahead = {};
    ahead.add(one);
    // One that failed, or was closed, is none.
    const drop = () => void ahead.delete(one);
    connector(place, (...end) => {
      const [error, socket] = end;
      if (one.wanted !== undefined) one.wanted(...end);
      else if (error !== null) drop();
      else one.socket = socket.once('close', drop).setTimeout(IDLE_MS, () => socket.destroy());
    });
  };
  const connect: buildConnector.connector = (to, callback) => {
    const [one] = ahead;
    if (one === undefined) return connector(to, callback);
    ahead.delete(one);
    const { socket } = one;
    if (socket === undefined) one.wanted = callback;
    else queueMicrotask(() => callback(null, socket.setTimeout(0)));
  };
  return {
    dispatcher: new Pool(origin, { connect, ...limits }),
    connectAhead(count) {
      for (let left = count; left > 0; left -= 1) make();
    },
  };
}
