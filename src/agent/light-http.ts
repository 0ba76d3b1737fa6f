import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { AgentError } from './failure.ts';
import type { Http, HttpAnswer, HttpRequest } from './http.ts';
import { nameOf, networkFailure } from './network-failure.ts';
import { isUsable, proxyFor } from './proxy.ts';
import { unusableProxy } from './unusable-proxy.ts';

// A sixteenth of what http.ts takes: stats are some hundred bytes, and a megabyte of JSON takes many in memory.
const MAX_ANSWER_BYTES = 64 * 1024;

// Takes a byte order mark off, as http.ts does.
const UTF8 = new TextDecoder();

/**
 * A pool of one connection on Node's own client, for requests without a body; each must be over after `timeoutMs`. It
 * takes a third of the memory of the one in http.ts, which is what a process that lives through the whole job has to spare.
 */
export function openLightHttp(origin: string, timeoutMs: number): Http {
  // Not imported: an import would load all that these modules export, a WebSocket client among it, at 12 MiB.
  const client = process.getBuiltinModule(origin.startsWith('https:') ? 'node:https' : 'node:http');
  const proxy = proxyFor(origin, process.env);
  if (proxy !== undefined && !isUsable(proxy)) return unusableProxy(origin, proxy.name);
  const agent = new client.Agent({
    keepAlive: true,
    maxSockets: 1,
    ...proxyOptions(proxy?.value, process.env),
  });
  const start: Start = (options, onAnswer) => client.request(origin, { ...options, agent }, onAnswer);
  return {
    send: request => exchange(start, request, { origin, deadline: AbortSignal.timeout(timeoutMs) }),
    close: async () => agent.destroy(),
  };
}

/** Node would read the environment in another way than http.ts does. */
function proxyOptions(value: string | undefined, env: NodeJS.ProcessEnv): { proxyEnv?: NodeJS.ProcessEnv } {
  if (value === undefined) return {};
  return {
    proxyEnv: { http_proxy: value, https_proxy: value, no_proxy: env['no_proxy'] ?? env['NO_PROXY'] },
  };
}

type Start = (options: RequestOptions, onAnswer: (answer: IncomingMessage) => void) => ClientRequest;

interface Bounds {
  readonly origin: string;
  /** Ends a request that takes too long. */
  readonly deadline: AbortSignal;
}

function exchange(start: Start, request: HttpRequest, { origin, deadline }: Bounds): Promise<HttpAnswer> {
  const { method, path, headers, cancel } = request;
  const tried = nameOf(request, origin);
  const failure = (error: Error) => {
    if (cancel.aborted) return new AgentError('cancelled', `${tried} was cancelled.`);
    if (deadline.aborted) return new AgentError('stalled', `${tried} failed: it took longer than timeout.`);
    return networkFailure(error, tried);
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.any([cancel, deadline]);
    const sent = start({ method, path, headers, signal }, answer => {
      collect(answer, tried).then(resolve, error => reject(failure(error)));
    });
    sent.on('error', error => reject(failure(error)));
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(
        new AgentError('bad-answer', `${tried} answered with another protocol, which was not asked for.`),
      );
    });
    sent.end();
  });
}

async function collect(answer: IncomingMessage, tried: string): Promise<HttpAnswer> {
  const { statusCode: status = 0, headers } = answer;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_ANSWER_BYTES)
      throw new AgentError('bad-answer', `${tried} answered ${status} with more than 64 KiB.`);
    chunks.push(bytes);
  }
  const text = UTF8.decode(Buffer.concat(chunks));
  return { tried, status, text, retryAfter: headers['retry-after'], sentWhole: true };
}
