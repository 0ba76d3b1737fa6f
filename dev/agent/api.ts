import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { performed } from './agent.ts';
import { type Answer, errorAnswer, jsonAnswer, refuse, send } from './answer.ts';
import type { Sandbox, Sandboxes, ServiceOptions } from './service.ts';

/** Plays the API by which E2B creates sandboxes. */
export function createApi(options: ServiceOptions, sandboxes: Sandboxes) {
  const { apiKey, domain = null, intercept = performed } = options;
  const requests: string[] = [];
  const bodies: unknown[] = [];

  async function respond(request: IncomingMessage, response: ServerResponse) {
    if (request.headers['x-api-key'] !== apiKey)
      throw refuse(401, 'The API key is missing or wrong');
    const body = await readBody(request);
    if (body !== undefined) bodies.push(body);
    const perform = async () => answerTo(request, body ?? {}, sandboxes, domain);
    return await intercept({ to: 'api', request, response, perform });
  }

  return {
    requests,
    bodies,
    async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const answer = await respond(request, response).catch((error: unknown) => errorAnswer(error));
      requests.push(`${request.method} ${request.url} ${answer?.status ?? 'reset'}`);
      if (answer) send(response, answer);
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The JSON object of a body; undefined if the request has none. */
async function readBody(request: IncomingMessage): Promise<Fields | undefined> {
  const json = await text(request);
  if (json === '') return undefined;
  const body: unknown = JSON.parse(json);
  if (request.headers['content-type'] !== 'application/json' || !isObject(body))
    throw refuse(400, 'The body must be a JSON object');
  return { ...body };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function answerTo(
  { method, url = '' }: IncomingMessage,
  { templateID, timeout = 15 }: Fields,
  sandboxes: Sandboxes,
  domain: string | null,
): Answer {
  // E2B's SDK 2.51 uses v2.
  const asked = `${method} ${url.replace(/^\/v2/, '')}`;
  const describe = ({ id, token }: Sandbox) => ({
    templateID: 'base',
    sandboxID: id,
    clientID: 'client',
    envdVersion: '0.6.13',
    envdAccessToken: token,
    domain,
  });
  if (!Number.isInteger(timeout)) throw refuse(400, 'timeout is wrong');
  if (asked === 'POST /sandboxes') {
    if (typeof templateID !== 'string') throw refuse(400, 'templateID is wrong or missing');
    return jsonAnswer(describe(sandboxes.create()), 201);
  }
  const [, deleted] = /^DELETE \/sandboxes\/([^/]+)$/.exec(asked) ?? [];
  const [, id = deleted] = /^POST \/sandboxes\/([^/]+)\/connect$/.exec(asked) ?? [];
  if (id === undefined) throw refuse(404, 'There is no such operation');
  const sandbox = sandboxes.find(id);
  if (sandbox === undefined) throw refuse(404, `The sandbox ${id} was not found`);
  if (deleted === undefined) return jsonAnswer(describe(sandbox));
  sandboxes.remove(sandbox);
  return { status: 204, body: '' };
}
