import { randomUUID } from 'node:crypto';
import { request as ask, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer, type LocalAgent, listen, startAgent } from './agent.ts';
import { type Answer, errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import type { AgentOptions, TlsKeys } from './options.ts';

/** How to start a control plane. */
export interface ControlPlaneOptions {
  /** The key that requests must carry as X-API-Key. */
  readonly apiKey: string;
  /** Directory for the root of each sandbox, under its id. */
  readonly folder: string;
  readonly tls?: TlsKeys;
  /** What the agents of its sandboxes have beside their roots, ids and tokens. */
  readonly agents?: Partial<AgentOptions>;
  /** Statuses to answer the first requests with, whatever they ask; 0 lets one pass. Default none. */
  readonly failures?: readonly number[];
  /** Whether secure sandboxes come with their token, as they should. Default true. */
  readonly givesToken?: boolean;
}

/** A sandbox that was created. Its agent ends when it is deleted. */
export interface CreatedSandbox {
  readonly id: string;
  readonly token: string;
  /** Its `/` on this machine. */
  readonly root: string;
  readonly agent: LocalAgent;
}

/**
 * A stand-in for the API by which E2B creates sandboxes, and for the host by which all of them are reached: a request
 * that names a sandbox, by a header or by its host, is handed on to the agent.
 */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  /** Method, path and status of every request to the API, such as `POST /sandboxes 201`. */
  readonly requests: readonly string[];
  /** Every sandbox that there was. */
  readonly created: readonly CreatedSandbox[];
  /** The ids of those that were not deleted. */
  readonly running: () => string[];
  /** Creates a sandbox, with an id and a token of its own unless given. */
  readonly create: (id?: string, token?: string) => Promise<CreatedSandbox>;
}

/** Starts a control plane on a free port of 127.0.0.1. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const sandboxes = openSandboxes(options);
  const requests: string[] = [];
  const failures = [...(options.failures ?? [])];

  async function operate(request: IncomingMessage): Promise<Answer> {
    if (request.headers['x-api-key'] !== options.apiKey) throw new Refusal(401, 'The API key is missing or wrong');
    const failure = failures.shift() ?? 0;
    if (failure !== 0) throw new Refusal(failure, 'Not now');
    return answerTo(request, sandboxes, options);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = sandboxNamedBy(request.headers);
    if (id !== undefined) {
      handOn(request, response, sandboxes.running.get(id));
      return;
    }
    const answer = await operate(request).catch((error: unknown) => errorAnswer(error, 'application/json'));
    requests.push(`${request.method} ${request.url} ${answer.status}`);
    send(response, answer);
  }

  const server = createServer(options.tls, (request, response) => void serve(request, response));
  const url = await listen(server, { host: '127.0.0.1', listenPort: 0, tls: options.tls });
  return {
    url,
    requests,
    created: sandboxes.created,
    running: () => [...sandboxes.running.keys()],
    create: sandboxes.create,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      for (const id of sandboxes.running.keys()) await sandboxes.end(id);
    },
  };
}

interface Sandboxes extends Pick<ControlPlane, 'create'> {
  readonly created: CreatedSandbox[];
  readonly running: ReadonlyMap<string, CreatedSandbox>;
  readonly end: (id: string) => Promise<void>;
}

function openSandboxes({ folder, agents }: ControlPlaneOptions): Sandboxes {
  const created: CreatedSandbox[] = [];
  const running = new Map<string, CreatedSandbox>();
  return {
    created,
    running,
    async create(id = `i${randomUUID().slice(0, 8)}`, token: string = randomUUID()) {
      const root = path.join(folder, id);
      const agent = await startAgent({ headerPrefix: 'E2b', ...agents, root, sandboxId: id, token });
      const sandbox = { id, token, root, agent };
      created.push(sandbox);
      running.set(id, sandbox);
      return sandbox;
    },
    async end(id) {
      await running.get(id)?.agent.close();
      running.delete(id);
    },
  };
}

/** The sandbox that a routing header names, whatever its prefix, or a host such as 49983-ID.example.com. */
function sandboxNamedBy(headers: IncomingHttpHeaders): string | undefined {
  const [, named] = Object.entries(headers).find(([name]) => name.endsWith('-sandbox-id')) ?? [];
  return typeof named === 'string' ? named : /^\d+-([^.]+)\./.exec(headers.host ?? '')?.[1];
}

function handOn(request: IncomingMessage, response: ServerResponse, sandbox: CreatedSandbox | undefined): void {
  const { method, url, headers } = request;
  if (sandbox === undefined) {
    send(response, errorAnswer(new Refusal(502, 'The sandbox was not found'), headers.accept));
    return;
  }
  const onward = ask(`${sandbox.agent.url}${url}`, { method, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  request.pipe(onward);
}

const NOTHING: Answer = { status: 204, body: '' };

async function answerTo(
  request: IncomingMessage,
  { running, create, end }: Sandboxes,
  { givesToken = true }: ControlPlaneOptions,
): Promise<Answer> {
  const given = fieldsOf(await text(request));
  const tellOf = ({ id, token }: CreatedSandbox, withToken: boolean) => ({
    sandboxID: id,
    envdVersion: '0.6.13',
    domain: 'e2b.app',
    ...(withToken && givesToken && { envdAccessToken: token }),
  });
  const [, id = '', operation = ''] = /^\/sandboxes\/([^/]+)(\/\w+)?$/.exec(request.url ?? '') ?? [];
  if (`${request.method} ${request.url}` === 'POST /sandboxes') {
    if (typeof given['templateID'] !== 'string') throw new Refusal(400, 'templateID is missing');
    checkLife(given['timeout'] ?? 15);
    return jsonAnswer(tellOf(await create(), given['secure'] === true), 201);
  }
  const sandbox = running.get(id);
  if (sandbox === undefined) throw new Refusal(404, `The sandbox ${id} was not found`);
  if (request.method === 'DELETE') return end(id).then(() => NOTHING);
  checkLife(given['timeout']);
  return operation === '/connect' ? jsonAnswer(tellOf(sandbox, true)) : NOTHING;
}

/** Throws a `Refusal` unless a time is one that a sandbox may live, in seconds. */
function checkLife(timeout: unknown): void {
  if (typeof timeout === 'number' && timeout > 0 && timeout <= 86_400) return;
  throw new Refusal(400, 'timeout must be from 1 to 86400 seconds');
}

function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  if (json === '') return {};
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
