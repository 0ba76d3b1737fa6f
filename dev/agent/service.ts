import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { Server } from 'node:net';
import type { AgentOptions } from './agent.ts';
import { errorAnswer, jsonAnswer, Refusal, refuse, send } from './answer.ts';
import { type ApiOptions, createApi } from './api.ts';
import { openSandboxes, type Sandbox, type Sandboxes } from './sandboxes.ts';

export interface ServiceOptions extends AgentOptions, ApiOptions {
  /** Holds the sandboxes and their snapshots. */
  readonly folder: string;
  /** Vendor prefixes of the routing headers, as in `E2b-Sandbox-Id`. Default `E2b`. */
  readonly headerPrefixes?: readonly string[];
  /** Port on 127.0.0.1. Default: any free port. */
  readonly listenPort?: number;
  /** Private key and certificate in PEM format. Default: plain http. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

// No timeouts, so that tests can stall requests, and no Keep-Alive headers in answers.
const TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

/**
 * Starts a stand-in for a service that hosts sandboxes and, given an API key, for the API that
 * creates them. Resolves once it listens.
 */
export async function startService(options: ServiceOptions) {
  const { apiKey, headerPrefixes = ['E2b'], listenPort = 0, tls } = options;
  const sandboxes = openSandboxes(options.folder, options);
  const api = createApi(options, sandboxes);
  let connections = 0;

  async function respond(request: http.IncomingMessage, response: http.ServerResponse) {
    const { url = '', headers } = request;
    if (!tls && !isLoopback(headers.host)) throw refuse(403, NOT_LOOPBACK);
    const isForApi = apiKey !== undefined && /^(\/v2)?\/(sandboxes|templates)\b/.test(url);
    const receiver = isForApi ? api : sandboxOf(request, headerPrefixes, sandboxes);
    return await receiver.respond(request, response);
  }

  function serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    void respond(request, response)
      .catch(errorAnswer)
      .then(answer => answer && send(response, answer));
  }

  const server = tls
    ? https.createServer({ ...tls, ...TIMEOUTS }, serve)
    : http.createServer(TIMEOUTS, serve);
  server.on('connection', () => (connections += 1));
  const port = await listenHere(server, listenPort);
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    connections: () => connections,
    requests: api.requests,
    bodies: api.bodies,
    ...sandboxes,
    async [Symbol.asyncDispose]() {
      for (const sandbox of sandboxes.created) sandbox.end();
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

const NOT_LOOPBACK = 'The stand-in only serves 127.0.0.1, localhost and [::1]';

/**
 * Returns true if a Host header names this machine. A web page could make a name of its own lead
 * here (DNS rebinding), but not send another Host.
 */
function isLoopback(host = ''): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host);
}

/** Finds the sandbox named by the routing headers. @throws Refusal worded like E2B's proxy */
function sandboxOf(
  { headers }: http.IncomingMessage,
  prefixes: readonly string[],
  sandboxes: Sandboxes,
): Sandbox {
  const isUsed = (prefix: string) => `${prefix}-sandbox-id`.toLowerCase() in headers;
  const prefix = prefixes.find(isUsed) ?? prefixes[0];
  const [id = '', port] = ['Id', 'Port'].map(name => {
    const header = `${prefix}-Sandbox-${name}`.toLowerCase();
    if (headers[header]) return String(headers[header]);
    throw routingError(400, `The routing header ${header} is missing`);
  });
  const sandbox = sandboxes.find(id);
  if (sandbox === undefined) throw routingError(502, 'The sandbox was not found', id);
  if (port === '49983') return sandbox;
  throw routingError(502, 'The sandbox is running but port is not open', id);
}

function routingError(code: number, message: string, sandboxId = ''): Refusal {
  return new Refusal(jsonAnswer({ sandboxId, message, code }, code));
}

/** Listens on 127.0.0.1, by default on a free port, and returns the port. */
export async function listenHere(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no address');
  return address.port;
}
