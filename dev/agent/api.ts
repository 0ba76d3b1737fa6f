import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AgentOptions, performed } from './agent.ts';
import { errorAnswer, fieldsOf, refuse } from './answer.ts';
import { operate } from './operations.ts';
import type { Sandboxes } from './sandboxes.ts';

export interface ApiOptions extends Pick<AgentOptions, 'intercept'> {
  /** Key that API requests must send as X-API-Key. Without one, there is no API. */
  readonly apiKey?: string | undefined;
  /** Domain in the API's answers. Default: none, as at E2B. */
  readonly domain?: string | undefined;
}

/** Emulates the part of E2B's API that the actions and the examples use. */
export function createApi(options: ApiOptions, sandboxes: Sandboxes) {
  const { apiKey, domain, intercept = performed } = options;
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
    return await intercept({ to: 'api', request, response, perform });
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
