import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { notFound } from './access.ts';
import { createHandler, type Handler } from './agent.ts';
import { type Answer, errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import type { AgentOptions } from './options.ts';
import { openServer, type TlsKeys } from './server.ts';

/** How to start a control plane. */
export interface ControlPlaneOptions {
  /** The key that requests must carry as X-API-Key. */
  readonly apiKey: string;
  /** Directory for the root of each sandbox, under its id. */
  readonly folder: string;
  readonly tls?: TlsKeys;
  /** Where to listen on 127.0.0.1. Default: any free port. */
  readonly listenPort?: number;
  /** Options of its sandboxes' agents, besides roots, IDs and tokens. */
  readonly agents?: Partial<AgentOptions>;
  /**
   * Answers each request that has the key. Default: as `act` does. Undefined closes the connection
   * without an answer.
   */
  readonly intercept?: (act: () => Answer) => Promise<Answer | undefined>;
  /** The domain in answers; null for none. Default `e2b.app`. */
  readonly domain?: string | null;
}

/** A sandbox that was created. */
export interface CreatedSandbox extends Handler {
  readonly id: string;
  readonly token: string;
  /** Its `/` on this machine. */
  readonly root: string;
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
  const { domain = 'e2b.app' } = options;
  const { sandboxes, created, create } = openSandboxes(options);
  const requests: string[] = [];
  const bodies: unknown[] = [];

  async function operate(request: IncomingMessage): Promise<Answer | undefined> {
    if (request.headers['x-api-key'] !== options.apiKey)
      throw new Refusal(401, 'The API key is missing or wrong');
    const body = await readBody(request);
    if (body !== undefined) bodies.push(body);
    const act = () => answerTo(request, fieldsOf(body), { sandboxes, create, domain });
    return options.intercept ? await options.intercept(act) : act();
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await operate(request).catch((error: unknown) => errorAnswer(error));
    requests.push(`${request.method} ${request.url} ${answer?.status ?? 'reset'}`);
    if (answer === undefined) response.destroy();
    else send(response, answer);
  }

  const server = await openServer(options, (request, response) => {
    const id = sandboxNamedBy(request);
    if (id === undefined) return void serveApi(request, response);
    const sandbox = sandboxes.get(id);
    if (sandbox) sandbox.serve(request, response);
    else send(response, errorAnswer(notFound(id)));
  });
  return {
    url: server.url,
    requests,
    bodies,
    created,
    running: () => [...sandboxes.keys()],
    create: async (id, token) => create(id, token),
    async [Symbol.asyncDispose]() {
      server.close();
      await Promise.all([...sandboxes.values()].map(sandbox => sandbox.end()));
    },
  };
}

function openSandboxes({ folder, agents }: ControlPlaneOptions) {
  const sandboxes = new Map<string, CreatedSandbox>();
  const created: CreatedSandbox[] = [];
  return {
    sandboxes,
    created,
    create: (id = `i${randomUUID().slice(0, 8)}`, token: string = randomUUID()) => {
      const root = path.join(folder, id);
      const own = { headerPrefix: 'E2b', ...agents, root, sandboxId: id, token };
      const sandbox = { id, token, root, ...createHandler(own) };
      sandboxes.set(id, sandbox);
      created.push(sandbox);
      return sandbox;
    },
  };
}

/** Returns the sandbox ID from a routing header with any prefix, or from a host such as 49983-ID.example.com. */
function sandboxNamedBy({ headers }: IncomingMessage): string | undefined {
  const [, named] = Object.entries(headers).find(([name]) => name.endsWith('-sandbox-id')) ?? [];
  return typeof named === 'string' ? named : /^\d+-([^.]+)\./.exec(headers.host ?? '')?.[1];
}

/** The JSON of a body; undefined if the request has none. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const json = await text(request);
  if (json === '') return undefined;
  if (request.headers['content-type'] !== 'application/json')
    throw new Refusal(415, 'The body must be application/json');
  return JSON.parse(json);
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(body: unknown = {}): Fields {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new Refusal(400, 'The body is not an object');
}

interface Service {
  readonly sandboxes: Map<string, CreatedSandbox>;
  readonly create: () => CreatedSandbox;
  readonly domain: string | null;
}

function answerTo(
  { method, url = '' }: IncomingMessage,
  { templateID, timeout = 15, secure }: Fields,
  { sandboxes, create, domain }: Service,
): Answer {
  // E2B's SDK 2.51 uses v2, whose sandboxes are always secure.
  const [, version, route] = /^(\/v2)?(\/.*)$/.exec(url) ?? [];
  const describe = ({ id, token }: CreatedSandbox, withToken: boolean) => ({
    templateID: 'base',
    sandboxID: id,
    clientID: 'client',
    envdVersion: '0.6.13',
    domain,
    ...(withToken && { envdAccessToken: token }),
  });
  if (!Number.isInteger(timeout)) throw new Refusal(400, 'timeout is wrong');
  const asked = `${method} ${route}`;
  if (asked === 'POST /sandboxes') {
    if (typeof templateID !== 'string') throw new Refusal(400, 'templateID is wrong or missing');
    return jsonAnswer(describe(create(), version !== undefined || secure === true), 201);
  }
  const operations = /^(DELETE|POST) \/sandboxes\/([^/?]+)(\/connect|\/timeout|)$/;
  const [, verb, id = '', operation] = operations.exec(asked) ?? [];
  if (verb === undefined || (verb === 'DELETE') !== (operation === ''))
    throw new Refusal(404, 'There is no such operation');
  const sandbox = sandboxes.get(decodeURIComponent(id));
  if (sandbox === undefined) throw new Refusal(404, `The sandbox ${id} was not found`);
  if (operation === '/connect') return jsonAnswer(describe(sandbox, true));
  if (verb === 'DELETE' && sandboxes.delete(sandbox.id)) void sandbox.end();
  return { status: 204, body: '' };
}
