import type { IncomingMessage, ServerResponse } from 'node:http';
import { availableParallelism, totalmem } from 'node:os';
import { text } from 'node:stream/consumers';
import type { AgentOptions } from './agent.ts';
import { type Answer, errorAnswer, type Fields, fieldsOf, jsonAnswer, refuse } from './answer.ts';
import type { Sandbox, Sandboxes } from './sandboxes.ts';

export interface ApiOptions extends Pick<AgentOptions, 'intercept'> {
  /** Key that API requests must send as X-API-Key. Without one, there is no API. */
  readonly apiKey?: string | undefined;
  /** Domain in the API's answers. Default: none, as at E2B. */
  readonly domain?: string | undefined;
}

/** Emulates the part of E2B's API that the actions and the examples use. */
export function createApi(options: ApiOptions, sandboxes: Sandboxes) {
  const { apiKey, domain, intercept } = options;
  const requests: string[] = [];
  const bodies: unknown[] = [];

  async function answerTo(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '', headers } = request;
    if (headers['x-api-key'] !== apiKey) throw refuse(401, 'The API key is missing or wrong');
    const json = await text(request);
    const body: unknown = json === '' ? undefined : JSON.parse(json);
    if (body !== undefined && headers['content-type'] !== 'application/json')
      throw refuse(400, 'This is no JSON');
    if (body !== undefined) bodies.push(body);
    const call = { method, url: new URL(`http://api${url}`), body: fieldsOf(body) };
    const perform = async () => operate(call, sandboxes, domain);
    return await (intercept?.({ to: 'api', request, response, perform }) ?? perform());
  }

  return {
    /** Method, path and status (or `reset`) of each API request: `POST /sandboxes 201`. */
    requests,
    bodies,
    /** Performs a request. Resolves to undefined if nothing is left to send. */
    async respond(request: IncomingMessage, response: ServerResponse) {
      const answer = await answerTo(request, response).catch(errorAnswer);
      requests.push(`${request.method} ${request.url} ${answer?.status ?? 'reset'}`);
      return answer;
    },
  };
}

interface Call {
  readonly method: string;
  readonly url: URL;
  readonly body: Fields;
}

/** Performs a call of the API. Answers name the `domain`, if there is one. @throws Refusal */
function operate(call: Call, sandboxes: Sandboxes, domain: string | undefined): Answer {
  const { method, url, body } = call;
  // E2B's SDK calls `/v2/sandboxes`. Treat it like `/sandboxes`.
  const [, kind = '', id = '', rest = ''] =
    /^\/(sandboxes|templates)(?:\/([^/]+)(.*))?$/.exec(url.pathname.replace(/^\/v2/, '')) ?? [];
  const operation = `${method} ${kind}${id === '' ? '' : '/ID'}${rest}`;
  if (operation === 'POST sandboxes')
    return jsonAnswer(accessTo(create(body, sandboxes), domain), 201);
  if (operation === 'GET sandboxes') return list(url.searchParams, sandboxes);
  if (operation === 'DELETE templates/ID') {
    sandboxes.snapshots.remove(decodeURIComponent(id));
    return NO_CONTENT;
  }
  const sandbox = sandboxes.find(id);
  if (sandbox === undefined)
    throw refuse(404, `Sandbox "${id}" doesn't exist or you don't have access to it`);
  switch (operation) {
    case 'GET sandboxes/ID': {
      const lifecycle = { autoResume: false, onTimeout: 'kill' };
      return jsonAnswer({ ...accessTo(sandbox, domain), ...detailsOf(sandbox), lifecycle });
    }
    case 'POST sandboxes/ID/connect': {
      const lifetimeMs = parseTimeout(body['timeout'] ?? 300);
      sandboxes.endAt(sandbox, Math.max(sandbox.endsAt, Date.now() + lifetimeMs));
      return jsonAnswer(accessTo(sandbox, domain));
    }
    case 'POST sandboxes/ID/snapshots':
      return jsonAnswer({ snapshotID: sandboxes.snapshots.take(sandbox.root), names: [] }, 201);
    case 'DELETE sandboxes/ID':
      sandboxes.remove(sandbox);
      return NO_CONTENT;
    default:
      throw refuse(404, 'There is no such operation');
  }
}

// The limits of E2B's free plan, but for the longest lifetime, which is that of paid plans.
const MAX_SANDBOXES = 20;
const MAX_HOURS = 24;

const NO_CONTENT: Answer = { status: 204, body: '' };

// Only stops tools that use a proxy: nothing listens on port 9.
const NO_INTERNET = { http_proxy: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' };

function create(body: Fields, sandboxes: Sandboxes): Sandbox {
  const { templateID: template, timeout = 15, metadata, envVars } = body;
  if (typeof template !== 'string') throw refuse(400, 'templateID is wrong or missing');
  const lifetimeMs = parseTimeout(timeout);
  if (sandboxes.running().length >= MAX_SANDBOXES) {
    const limit = `the maximum number of concurrent E2B sandboxes (${MAX_SANDBOXES})`;
    throw refuse(429, `you have reached ${limit}`);
  }
  const isOffline = body['allow_internet_access'] === false;
  const env = { ...(isOffline && NO_INTERNET), ...textsOf(envVars) };
  const settings = { template, metadata: textsOf(metadata), env };
  const sandbox = sandboxes.create(undefined, undefined, undefined, settings);
  sandboxes.endAt(sandbox, Date.now() + lifetimeMs);
  return sandbox;
}

function list(query: URLSearchParams, sandboxes: Sandboxes): Answer {
  // The value is a query itself: `metadata=key%3Dvalue`.
  const wanted = [...new URLSearchParams(query.get('metadata') ?? '')];
  const found = sandboxes
    .all()
    .filter(({ metadata }) => wanted.every(([key, value]) => metadata[key] === value));
  return jsonAnswer(found.map(sandbox => ({ ...namesOf(sandbox), ...detailsOf(sandbox) })));
}

/** Returns milliseconds. @throws Refusal */
function parseTimeout(seconds: unknown): number {
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 0)
    throw refuse(400, 'timeout is wrong or missing');
  if (seconds <= MAX_HOURS * 3600) return seconds * 1000;
  throw refuse(400, `Timeout cannot be greater than ${MAX_HOURS} hours`);
}

/** @throws Refusal if a value is no string */
function textsOf(value: unknown): Record<string, string> {
  const texts = Object.entries(fieldsOf(value)).map(([key, text]) => {
    if (typeof text !== 'string') throw refuse(400, `${key} is not a string`);
    return [key, text] as const;
  });
  return Object.fromEntries(texts);
}

function accessTo(sandbox: Sandbox, domain: string | undefined) {
  return { ...namesOf(sandbox), envdAccessToken: sandbox.token, domain };
}

function namesOf({ id, template }: Sandbox) {
  const version = { clientID: 'client', envdVersion: '0.6.13' };
  return { alias: template, sandboxID: id, templateID: template, ...version };
}

function detailsOf({ metadata, startedAt, endsAt }: Sandbox) {
  return {
    cpuCount: availableParallelism(),
    memoryMB: Math.floor(totalmem() / 1024 ** 2),
    diskSizeMB: 23_301,
    startedAt: new Date(startedAt).toISOString(),
    endAt: new Date(endsAt).toISOString(),
    state: 'running',
    metadata,
    volumeMounts: [],
  };
}
