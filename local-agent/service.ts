import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import type { FaultQueue, Operation } from './faults.ts';
import { openMetrics } from './metrics.ts';
import { misbehave } from './misbehave.ts';
import type { Settings } from './options.ts';
import type { TrafficLog } from './traffic.ts';
import { receiveUpload } from './upload.ts';

/** What the service works with besides its settings. */
export interface Surroundings {
  readonly traffic: TrafficLog;
  readonly faults: FaultQueue;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

/** The agent's operations behind a server. */
export interface Service {
  /** Answers one request. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Resolves when no request is at work. */
  readonly idle: () => Promise<unknown>;
}

/** Opens the upload and stats operations on the settings' root. */
export function openService(settings: Settings, around: Surroundings): Service {
  const readStats = statsReader(settings);
  const atWork = new Set<Promise<void>>();
  return {
    serve(request, response) {
      const filenames = around.traffic.arrived(request, response);
      const work = handle({ request, response, filenames, settings, readStats, ...around });
      atWork.add(work);
      void work.then(() => atWork.delete(work));
    },
    idle: () => Promise.all(atWork),
  };
}

interface Job extends Surroundings {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly filenames: string[];
  readonly settings: Settings;
  readonly readStats: () => Promise<Answer>;
}

async function handle(job: Job): Promise<void> {
  const { request, response, traffic } = job;
  const [path, search] = splitTarget(request.url ?? '');
  const operation = operationAt(path, request.method, job.settings);
  const uploadEnds = operation === 'upload' ? traffic.uploadBegins() : undefined;
  try {
    checkAccess(request.headers, job.settings);
    if (operation === undefined) throw new Refusal(404, `There is no operation ${request.method} ${path}`);
    await answer(operation, new URLSearchParams(search), job);
  } catch (error) {
    send(response, errorAnswer(error, request.headers.accept));
  } finally {
    uploadEnds?.();
  }
}

/**
 * Throws a `Refusal` unless the headers lead to this sandbox and carry its token.
 * Routing comes before the token, since a proxy on the way does it.
 */
function checkAccess(headers: IncomingHttpHeaders, rules: Settings): void {
  const prefix = rules.headerPrefix.toLowerCase();
  const id = required(headers, `${prefix}-sandbox-id`);
  const port = required(headers, `${prefix}-sandbox-port`);
  if (id !== rules.sandboxId) {
    throw new Refusal(502, 'The sandbox was not found', { sandboxId: id });
  }
  if (port !== String(rules.sandboxPort)) {
    throw new Refusal(502, 'The sandbox is running but port is not open', { sandboxId: id });
  }
  if (headers['x-access-token'] !== rules.token) {
    throw new Refusal(401, 'The access token is missing or wrong');
  }
}

function required(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new Refusal(400, `The routing header ${name} is missing`);
}

// Only the first question mark ends the path: a query may hold more of them.
function splitTarget(url: string): [path: string, search: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

function operationAt(path: string, method: string | undefined, settings: Settings): Operation | undefined {
  if (method === 'POST' && path === settings.uploadPath) return 'upload';
  if (method === 'GET' && path === settings.statsPath) return 'stats';
  return undefined;
}

async function answer(operation: Operation, query: URLSearchParams, job: Job): Promise<void> {
  const { request, response, filenames, settings } = job;
  const perform = ({ store }: { store: boolean }) =>
    operation === 'stats' ? job.readStats() : receiveUpload({ request, query, filenames, store }, settings);
  const fault = job.faults.next(operation, query.get('path'));
  if (fault === undefined) return send(response, await perform({ store: true }));
  const reset = () => job.traffic.socketOf(request)?.resetAndDestroy();
  await misbehave(fault, { request, response, perform, reset, closing: job.closing });
}

function statsReader({ metrics, root }: Settings): () => Promise<Answer> {
  const readMetrics = openMetrics(root);
  return async () => {
    const figures = metrics ? metrics() : await readMetrics();
    if (typeof figures !== 'string') return jsonAnswer(figures);
    return { ...jsonAnswer({}), body: figures };
  };
}
