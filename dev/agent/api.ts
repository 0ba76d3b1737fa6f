import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AgentOptions, performed, type Sandbox } from './agent.ts';
import { type Answer, errorAnswer, type Fields, fieldsOf, jsonAnswer, refuse } from './answer.ts';
import type { Sandboxes } from './sandboxes.ts';

export interface ApiOptions extends Pick<AgentOptions, 'intercept'> {
  /** Key that API requests must send as X-API-Key. Without one, there is no API. */
  readonly apiKey?: string | undefined;
  /** Domain in the API's answers. Default null, so that clients keep using this address. */
  readonly domain?: string | null;
}

/** Emulates the part of E2B's API that creates, connects to and deletes sandboxes. */
export function createApi(options: ApiOptions, sandboxes: Sandboxes) {
  const { apiKey, domain = null, intercept = performed } = options;
  const requests: string[] = [];
  const bodies: unknown[] = [];

  async function answerTo(request: IncomingMessage, response: ServerResponse) {
    const { 'x-api-key': key, 'content-type': type } = request.headers;
    if (key !== apiKey) throw refuse(401, 'The API key is missing or wrong');
    const json = await text(request);
    const body: unknown = json === '' ? undefined : JSON.parse(json);
    if (body !== undefined && type !== 'application/json') throw refuse(400, 'This is no JSON');
    if (body !== undefined) bodies.push(body);
    const perform = async () => operate(request, fieldsOf(body));
    return await intercept({ to: 'api', request, response, perform });
  }

  function operate({ method, url = '' }: IncomingMessage, { templateID, timeout }: Fields): Answer {
    // E2B's SDK 2.51 calls `/v2/sandboxes`. Treat it like `/sandboxes`.
    const path = url.replace(/^\/v2/, '');
    if (!Number.isInteger(timeout ?? 15)) throw refuse(400, 'timeout is wrong');
    if (`${method} ${path}` === 'POST /sandboxes') {
      if (typeof templateID !== 'string') throw refuse(400, 'templateID is wrong or missing');
      return jsonAnswer(describe(sandboxes.create()), 201);
    }
    const [, id = '', rest = ''] = /^\/sandboxes\/([^/]+)(.*)$/.exec(path) ?? [];
    const sandbox = sandboxes.find(id);
    if (sandbox === undefined) throw refuse(404, `The sandbox ${id} was not found`);
    if (`${method} ${rest}` === 'POST /connect') return jsonAnswer(describe(sandbox));
    if (`${method} ${rest}` !== 'DELETE ') throw refuse(404, 'There is no such operation');
    sandboxes.remove(sandbox);
    return { status: 204, body: '' };
  }

  const describe = ({ id, token }: Sandbox) => ({
    templateID: 'base',
    sandboxID: id,
    clientID: 'client',
    envdVersion: '0.6.13',
    envdAccessToken: token,
    domain,
  });

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
