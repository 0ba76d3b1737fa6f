import { randomUUID } from 'node:crypto';
import {
  request as ask,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { notFound } from './access.ts';
import { createServer, type LocalAgent, listen, startAgent } from './agent.ts';
import { type Answer, errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import { checkFields, fieldsOf, ROUTES } from './api-rules.ts';
import type { AgentOptions, TlsKeys } from './options.ts';

/** How to start a control plane. */
export interface ControlPlaneOptions {
  /** The key that requests must carry as X-API-Key. */
  readonly apiKey: string;
  /** Directory for the root of each sandbox, under its id. */
  readonly folder: string;
  readonly tls?: TlsKeys;
  /** Options of its sandboxes' agents, besides roots, IDs and tokens. */
  readonly agents?: Partial<AgentOptions>;
  /** How to answer the first requests, whatever they ask. Default: normally. */
  readonly failures?: readonly Failure[];
  /** The known templates. Default `base`. */
  readonly templates?: readonly string[];
  /** The domain in answers; null for none. Default `e2b.app`. */
  readonly domain?: string | null;
  /** Whether secure sandboxes come with their token, as they should. Default true. */
  readonly givesToken?: boolean;
}

/** A status to refuse a request with, 0 to let it pass, or a worse failure. */
export type Failure =
  | number
  | {
      /** Whether to do first what was asked. */
      readonly acts?: boolean;
      /** What to wait for before the answer. */
      readonly waits?: () => Promise<unknown>;
      /** The answer, or a closed connection. Default: the true answer. */
      readonly answer?: Answer | 'reset';
    };

/** A sandbox that was created. Its agent ends when it is deleted. */
export interface CreatedSandbox {
  readonly id: string;
  readonly token: string;
  /** Its `/` on this machine. */
  readonly root: string;
  readonly agent: LocalAgent;
}

/**
 * Stands in for the API by which E2B creates sandboxes, and for the host of all sandboxes: requests
 * that name a sandbox by a header or by the host reach its agent.
 */
export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  /** Method, path and status of every request to the API, such as `POST /sandboxes 201`. */
  readonly requests: readonly string[];
  /** The JSON bodies of the requests that had one. */
  readonly bodies: readonly unknown[];
  /** Every sandbox created so far. */
  readonly created: readonly CreatedSandbox[];
  /** The IDs of the sandboxes that were not deleted. */
  readonly running: () => string[];
  /** Creates a sandbox, with an id and a token of its own unless given. */
  readonly create: (id?: string, token?: string) => Promise<CreatedSandbox>;
}

/** Starts a control plane on a free port of 127.0.0.1. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const sandboxes = openSandboxes(options);
  const requests: string[] = [];
  const bodies: unknown[] = [];
  const failures = [...(options.failures ?? [])];

  /** Undefined closes the connection without an answer. */
  async function operate(request: IncomingMessage): Promise<Answer | undefined> {
    if (request.headers['x-api-key'] !== options.apiKey)
      throw new Refusal(401, 'The API key is missing or wrong');
    const body = await readBody(request);
    if (body !== undefined) bodies.push(body);
    const act = () => answerTo(request, body, sandboxes, options);
    const failure = failures.shift() ?? 0;
    if (failure === 0) return act();
    if (typeof failure === 'number') throw new Refusal(failure, 'Not now');
    await failure.waits?.();
    const isTrue = failure.answer === undefined;
    const answer = isTrue || failure.acts ? await act() : undefined;
    if (isTrue) return answer;
    return failure.answer === 'reset' ? undefined : failure.answer;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = sandboxNamedBy(request.headers);
    if (id !== undefined) {
      handOn(request, response, sandboxes.running.get(id) ?? notFound(id));
      return;
    }
    const answer = await operate(request).catch((error: unknown) => errorAnswer(error));
    requests.push(`${request.method} ${request.url} ${answer?.status ?? 'reset'}`);
    if (answer === undefined) response.destroy();
    else send(response, answer);
  }

  const server = createServer(options.tls, (request, response) => void serve(request, response));
  const url = await listen(server, { host: '127.0.0.1', listenPort: 0, tls: options.tls });
  return {
    url,
    requests,
    bodies,
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
      const agent = await startAgent({
        headerPrefix: 'E2b',
        ...agents,
        root,
        sandboxId: id,
        token,
      });
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

/**
 * The sandbox named by a routing header with any prefix, or by a host such as 49983-ID.example.com.
 */
function sandboxNamedBy(headers: IncomingHttpHeaders): string | undefined {
  const [, named] = Object.entries(headers).find(([name]) => name.endsWith('-sandbox-id')) ?? [];
  return typeof named === 'string' ? named : /^\d+-([^.]+)\./.exec(headers.host ?? '')?.[1];
}

function handOn(
  request: IncomingMessage,
  response: ServerResponse,
  sandbox: CreatedSandbox | Refusal,
): void {
  const { method, url, headers } = request;
  if (sandbox instanceof Refusal) {
    send(response, errorAnswer(sandbox, headers.accept));
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

/** The JSON of a body; undefined if the request has none. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const json = await text(request);
  if (json === '') return undefined;
  if (request.headers['content-type'] !== 'application/json')
    throw new Refusal(415, 'The body must be application/json');
  try {
    return JSON.parse(json);
  } catch {
    throw new Refusal(400, 'The body is not JSON');
  }
}

async function answerTo(
  { method, url = '' }: IncomingMessage,
  body: unknown,
  { running, create, end }: Sandboxes,
  { givesToken = true, templates = ['base'], domain = 'e2b.app' }: ControlPlaneOptions,
): Promise<Answer> {
  const describe = ({ id, token }: CreatedSandbox, withToken: boolean) => ({
    templateID: 'base',
    sandboxID: id,
    clientID: 'client',
    envdVersion: '0.6.13',
    domain,
    ...(withToken && givesToken && { envdAccessToken: token }),
  });
  const [, id, operation = ''] = /^\/sandboxes(?:\/([^/?]+)(\/\w+)?)?$/.exec(url) ?? [];
  const route = `${method} ${id === undefined ? url : `/sandboxes/ID${operation}`}`;
  const fields = ROUTES[route];
  if (fields === undefined) throw new Refusal(404, 'There is no such operation');
  checkFields(body, fields);
  if (id === undefined) {
    const given = fieldsOf(body);
    if (!templates.some(name => name === given['templateID']))
      throw new Refusal(404, `template '${String(given['templateID'])}' not found`);
    return jsonAnswer(describe(await create(), given['secure'] === true), 201);
  }
  const sandbox = running.get(decodeURIComponent(id));
  if (sandbox === undefined) throw new Refusal(404, `The sandbox ${id} was not found`);
  if (method === 'DELETE') await end(sandbox.id);
  return operation === '/connect' ? jsonAnswer(describe(sandbox, true)) : NOTHING;
}
