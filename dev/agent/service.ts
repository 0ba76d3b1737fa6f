import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import path from 'node:path';
import { type Agent, type AgentOptions, createAgent } from './agent.ts';
import { errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import { createApi } from './api.ts';

export interface ServiceOptions extends AgentOptions {
  /** Directory for the root of each sandbox, under its ID. */
  readonly folder: string;
  /** The key that requests to the API must carry as X-API-Key. Default: there is no API. */
  readonly apiKey?: string | undefined;
  /** The domain in the API's answers. Default: none, so that clients keep to this address. */
  readonly domain?: string | null;
  /** The vendor's part of the routing headers' names. Default `E2b`. */
  readonly headerPrefix?: string;
  /** Where to listen on 127.0.0.1. Default: any free port. */
  readonly listenPort?: number;
  /** Private key and certificate as PEM texts. Default: http. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

export interface Sandbox extends Agent {
  readonly id: string;
  readonly token: string;
  /** The sandbox's `/`, as a path on this machine. */
  readonly root: string;
}

// No time limit on requests, so that stalls last, and no Keep-Alive hint in answers.
const TIMEOUTS = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };

/**
 * Starts a stand-in for a host of sandboxes and, given an API key, for the API that creates them. It
 * is ready when the promise resolves.
 */
export async function startService(options: ServiceOptions) {
  const { apiKey, headerPrefix = 'E2b', listenPort = 0, tls } = options;
  const sandboxes = openSandboxes(options);
  const api = createApi(options, sandboxes);
  let connections = 0;

  function serve(request: http.IncomingMessage, response: http.ServerResponse): void {
    if (apiKey !== undefined && /^(\/v2)?\/sandboxes\b/.test(request.url ?? ''))
      return void api.serve(request, response);
    try {
      sandboxOf(request, headerPrefix, sandboxes).serve(request, response);
    } catch (error) {
      send(response, errorAnswer(error));
    }
  }

  const server = tls
    ? https.createServer({ ...tls, ...TIMEOUTS }, serve)
    : http.createServer(TIMEOUTS, serve);
  server.on('connection', () => (connections += 1));
  server.listen(listenPort, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : listenPort;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    connections: () => connections,
    requests: api.requests,
    bodies: api.bodies,
    ...sandboxes,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await Promise.all(sandboxes.created.map(sandbox => sandbox.end()));
    },
  };
}

export type Sandboxes = ReturnType<typeof openSandboxes>;

function openSandboxes({ folder, ...options }: ServiceOptions) {
  const running = new Map<string, Sandbox>();
  const created: Sandbox[] = [];
  return {
    created,
    running: () => [...running.keys()],
    /** Creates a sandbox, with an ID, a token and a folder of its own unless given. */
    create(
      id = `i${randomUUID().slice(0, 8)}`,
      token: string = randomUUID(),
      root = path.join(folder, id),
    ) {
      const sandbox: Sandbox = { id, token, root, ...createAgent(root, token, options) };
      running.set(id, sandbox);
      created.push(sandbox);
      return sandbox;
    },
    find: (id: string) => running.get(id),
    remove(sandbox: Sandbox) {
      running.delete(sandbox.id);
      void sandbox.end();
    },
  };
}

/** Finds the sandbox that the routing headers name. @throws Refusal in the words of E2B's proxy */
function sandboxOf(
  { headers }: http.IncomingMessage,
  headerPrefix: string,
  sandboxes: Sandboxes,
): Sandbox {
  const [id = '', port] = ['Id', 'Port'].map(name => {
    const header = `${headerPrefix}-Sandbox-${name}`.toLowerCase();
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
