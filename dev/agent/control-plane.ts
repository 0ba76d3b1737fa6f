import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { notFound } from './access.ts';
import { type Agent, createHandler, type Handler } from './agent.ts';
import { type Answer, errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import type { AgentOptions, TlsKeys } from './options.ts';
import { openServer } from './server.ts';

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

/** A sandbox that was created. */
export interface CreatedSandbox {
  readonly id: string;
  readonly token: string;
  /** Its `/` on this machine. */
  readonly root: string;
  readonly agent: Agent;
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
  const { sandboxes, created, create } = openSandboxes(options);
  const requests: string[] = [];
  const bodies: unknown[] = [];
  const failures = [...(options.failures ?? [])];

  /** Undefined closes the connection without an answer. */
  async function operate(request: IncomingMessage): Promise<Answer | undefined> {
    if (request.headers['x-api-key'] !== options.apiKey)
      throw new Refusal(401, 'The API key is missing or wrong');
    const body = await readBody(request);
    if (body !== undefined) bodies.push(body);
    const service = { sandboxes, create, options };
    const act = () => answerTo(request, fieldsOf(body), service);
    const failure = failures.shift() ?? 0;
    if (failure === 0) return act();
    if (typeof failure === 'number') throw new Refusal(failure, 'Not now');
    await failure.waits?.();
    const truth = failure.answer === undefined || failure.acts ? act() : undefined;
    return failure.answer === 'reset' ? undefined : (failure.answer ?? truth);
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
    if (sandbox) sandbox.serve(request, response, server.reset);
    else send(response, errorAnswer(notFound(id), request.headers.accept));
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
  const sandboxes = new Map<string, CreatedSandbox & Handler>();
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

const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';
const areTexts = (value: unknown) => Object.values(fieldsOf(value)).every(isText);

const CREATE = {
  templateID: isText,
  secure: isFlag,
  autoPause: isFlag,
  metadata: areTexts,
  envVars: areTexts,
};
// No account may ask for more than a day.
const TIMEOUT = {
  timeout: (value: unknown) =>
    Number.isInteger(value) && Number(value) > 0 && Number(value) <= 86_400,
};

/** Refuses unknown, mistyped and missing fields; the first one is required. */
function check(given: Fields, rules: Readonly<Record<string, (value: unknown) => boolean>>): void {
  for (const name of [...Object.keys(given), ...Object.keys(rules).slice(0, 1)])
    if (!rules[name]?.(given[name])) throw new Refusal(400, `${name} is wrong or missing`);
}

interface Service {
  readonly sandboxes: Map<string, CreatedSandbox & Handler>;
  readonly create: () => CreatedSandbox;
  readonly options: ControlPlaneOptions;
}

function answerTo({ method, url = '' }: IncomingMessage, given: Fields, service: Service): Answer {
  const { sandboxes, create, options } = service;
  const { templates = ['base'], domain = 'e2b.app', givesToken = true } = options;
  const describe = ({ id, token }: CreatedSandbox, withToken: boolean) => ({
    templateID: 'base',
    sandboxID: id,
    clientID: 'client',
    envdVersion: '0.6.13',
    domain,
    ...(withToken && givesToken && { envdAccessToken: token }),
  });
  // E2B's SDK 2.51 uses v2, whose sandboxes are always secure.
  const [, version, route] = /^(\/v2)?(\/.*)$/.exec(url) ?? [];
  const asked = `${method} ${route}`;
  if (asked === 'POST /sandboxes') {
    check(given, { ...CREATE, ...TIMEOUT });
    const template = String(given['templateID']);
    if (!templates.includes(template)) throw new Refusal(404, `template '${template}' not found`);
    return jsonAnswer(describe(create(), version !== undefined || given['secure'] === true), 201);
  }
  const operations = /^(DELETE|POST) \/sandboxes\/([^/?]+)(\/connect|\/timeout|)$/;
  const [, verb, id = '', operation] = operations.exec(asked) ?? [];
  if (verb === undefined || (verb === 'DELETE') !== (operation === ''))
    throw new Refusal(404, 'There is no such operation');
  check(given, verb === 'POST' ? TIMEOUT : {});
  const sandbox = sandboxes.get(decodeURIComponent(id));
  if (sandbox === undefined) throw new Refusal(404, `The sandbox ${id} was not found`);
  if (operation === '/connect') return jsonAnswer(describe(sandbox, true));
  if (verb === 'DELETE' && sandboxes.delete(sandbox.id)) void sandbox.end();
  return { status: 204, body: '' };
}
