import type { Dispatcher } from 'undici';
// Of undici, this part alone: all of it takes twice the time to load.
import Pool from 'undici/lib/dispatcher/pool.js';
import { type Collected, collect } from './collect.ts';
import { AgentError } from './failure.ts';
import { guardAgainstFloods } from './flood-guard.ts';
import { nameOf, networkFailure } from './network-failure.ts';
import { onAbort } from './on-abort.ts';
import { isUsable, proxyFor } from './proxy.ts';
import { unusableProxy } from './unusable-proxy.ts';

/** One request to the sandbox host. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | AsyncIterable<Buffer>;
  /** Told the bytes of each piece of the body as it is handed to the network. */
  readonly onSent?: (bytes: number) => void;
  /** Ends the request at once. */
  readonly cancel: AbortSignal;
}

/** What came back. */
export interface HttpAnswer extends Collected {
  /** The request that it answers, as a message names it: method and URL, no query. */
  readonly tried: string;
  /** Whether the whole request had been sent when the answer ended. */
  readonly sentWhole: boolean;
}

/** A pool of keep-alive connections to one origin. */
export interface Http {
  /** @throws AgentError where no complete answer came back. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends what is in flight and closes every connection. */
  close(): Promise<void>;
}

/**
 * Opens a pool of at most `connections` HTTP/1.1 connections, through the proxy that the environment names. Where what it
 * names is no proxy, every request fails.
 */
export async function openHttp(origin: string, connections: number, timeoutMs: number): Promise<Http> {
  const proxy = proxyFor(origin, process.env);
  if (proxy !== undefined && !isUsable(proxy)) return unusableProxy(origin, proxy.name);
  const guard = guardAgainstFloods();
  const closing = new AbortController();
  const { signal } = closing;
  const connecting = { connections, timeoutMs, signal };
  const dispatcher =
    proxy === undefined ? direct(origin, connecting) : await proxied(proxy.value, connecting);
  return {
    send: request => exchange(dispatcher, { origin, timeoutMs }, request),
    async close() {
      guard.close();
      const destroyed = dispatcher.destroy();
      // A connection that is still being made is nobody's yet: it would keep the process until its time is over.
      closing.abort();
      await destroyed;
    },
  };
}

interface Connecting {
  readonly connections: number;
  readonly timeoutMs: number;
  /** Ends the connections. */
  readonly signal: AbortSignal;
}

function direct(origin: string | URL, { connections, timeoutMs, signal }: Connecting, more = {}): Dispatcher {
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
async function proxied(proxy: string, connecting: Connecting): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import('undici');
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

function exchange(
  dispatcher: Dispatcher,
  { origin, timeoutMs }: { readonly origin: string; readonly timeoutMs: number },
  request: HttpRequest,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { cancel, method, path, headers, body, onSent } = request;
    const tried = nameOf(request, origin);
    let controller: Dispatcher.DispatchController | undefined;
    let sentWhole = false;
    const abort = () => {
      const cancelled = new AgentError('cancelled', `${tried} was cancelled.`);
      reject(cancelled);
      controller?.abort(cancelled);
    };
    // An event that has passed is not sent again, and a request may wait long for a connection.
    if (cancel.aborted) return abort();
    const settled = onAbort(cancel, abort);
    const collector = collect({
      tried,
      timeoutMs,
      answered: answer => {
        settled();
        resolve({ tried, sentWhole, ...answer });
      },
      failed: error => {
        settled();
        reject(networkFailure(error, tried));
      },
    });
    const handler: Dispatcher.DispatchHandler = {
      ...collector,
      onRequestStart(started) {
        controller = started;
        collector.onRequestStart(started);
        if (cancel.aborted) abort();
      },
      onBodySent: chunk => onSent?.(chunk.length),
      onRequestSent: () => {
        sentWhole = true;
      },
    };
    // @ts-expect-error undici documents that a body may be an async iterable, its types leave that out
    dispatcher.dispatch({ origin, method, path, headers, body: body ?? null }, handler);
  });
}
