import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { AgentError } from './failure.ts';
import type { Http, HttpAnswer, HttpRequest } from './http.ts';
import { networkFailure } from './network-failure.ts';

// As in http.ts, which is not imported: it would bring undici along.
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * A pool of one connection on Node's own client, for requests without a body. It takes a third of the memory of the one
 * in http.ts, which is what a process that lives through the whole job has to spare.
 */
export function openLightHttp(origin: string, timeoutMs: number): Http {
  // Not imported: an import would load all that these modules export, a WebSocket client among it, at 12 MiB.
  const client = process.getBuiltinModule(origin.startsWith('https:') ? 'node:https' : 'node:http');
  const agent = new client.Agent({
    keepAlive: true,
    maxSockets: 1,
    timeout: timeoutMs,
    proxyEnv: process.env,
  });
  const start: Start = (options, onAnswer) =>
    client.request(origin, { ...options, agent, timeout: timeoutMs }, onAnswer);
  return {
    send: request => exchange(start, origin, request),
    close: async () => agent.destroy(),
  };
}

type Start = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) => ClientRequest;

function exchange(start: Start, origin: string, request: HttpRequest): Promise<HttpAnswer> {
  const { method, path, headers, cancel } = request;
  const tried = `${method} ${origin}${path.replace(/\?.*/s, '')}`;
  return new Promise((resolve, reject) => {
    const sent = start({ method, path, headers, signal: cancel }, answer => {
      collect(answer, tried).then(resolve, reject);
    });
    const stalled = new AgentError('stalled', `${tried} failed: no byte came for the length of timeout.`);
    sent.on('timeout', () => sent.destroy(stalled));
    sent.on('error', error => reject(cancel.aborted ? cancelled(tried) : networkFailure(error, tried)));
    sent.end();
  });
}

async function collect(answer: IncomingMessage, tried: string): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = answer;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > MAX_ANSWER_BYTES)
        throw new AgentError('bad-answer', `${tried} answered ${status} with more than 1 MiB.`);
      chunks.push(bytes);
    }
  } catch (error) {
    throw error instanceof Error ? networkFailure(error, tried) : error;
  }
  const text = Buffer.concat(chunks).toString();
  return { tried, status, text, retryAfter: headers['retry-after'], sentWhole: true };
}

function cancelled(tried: string): AgentError {
  return new AgentError('cancelled', `${tried} was cancelled.`);
}
