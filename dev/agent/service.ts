import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkRouting, checkToken, checkTokenOrSignature } from './access.ts';
import { type Answer, errorAnswer, Refusal, send } from './answer.ts';
import { readStored } from './download.ts';
import type { FaultQueue, Operation } from './faults.ts';
import { openMetrics } from './metrics.ts';
import { misbehave } from './misbehave.ts';
import type { Settings } from './options.ts';
import { peekFilenames } from './peek.ts';
import type { TrafficLog } from './traffic.ts';
import { receiveUpload } from './upload.ts';

/** What the service needs besides its settings. */
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
  const { request, response, traffic, settings } = job;
  const [path, search] = splitTarget(request.url ?? '');
  const operation = operationAt(path, request.method, settings);
  const uploadEnds = operation === 'upload' ? traffic.uploadBegins() : undefined;
  try {
    checkRouting(request.headers, settings);
    if (operation === undefined || operation === 'stats') checkToken(request.headers, settings);
    if (operation === undefined) throw noOperation(path, settings);
    await answer(operation, parseQuery(search), job);
  } catch (error) {
    send(response, errorAnswer(error, request.headers.accept));
  } finally {
    uploadEnds?.();
  }
}

// Only the first question mark ends the path: a query may hold more of them.
function splitTarget(url: string): [path: string, search: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** Reads a query as Go does, which skips what it cannot decode. */
function parseQuery(search: string): URLSearchParams {
  const pairs = search.split('&').filter(pair => !/;|%(?![\da-f]{2})/i.test(pair));
  const query = new URLSearchParams(pairs.join('&'));
  const wrong = [...query.keys()].find(name => query.getAll(name).length > 1);
  if (wrong !== undefined) throw invalidParameter(wrong, 'multiple values for single value');
  if (!/^-?\d+$/.test(query.get('signature_expiration') ?? '0'))
    throw invalidParameter('signature_expiration', 'invalid syntax');
  return query;
}

function invalidParameter(name: string, problem: string): Refusal {
  return new Refusal(400, `Invalid format for parameter ${name}: ${problem}`, 'library');
}

function operationAt(
  path: string,
  method: string | undefined,
  settings: Settings,
): Operation | undefined {
  if (method === 'POST' && path === settings.uploadPath) return 'upload';
  if (method === 'GET' && path === settings.statsPath) return 'stats';
  if (method === 'GET' && path === settings.uploadPath) return 'download';
  return undefined;
}

function noOperation(path: string, { uploadPath, statsPath }: Settings): Refusal {
  return path === uploadPath || path === statsPath
    ? new Refusal(405, '', 'library')
    : new Refusal(404, '404 page not found', 'library');
}

async function answer(operation: Operation, query: URLSearchParams, job: Job): Promise<void> {
  const { request, response, filenames, settings } = job;
  const perform = ({ store }: { store: boolean }) => {
    if (operation === 'stats') return job.readStats();
    if (operation === 'download') return readStored(query, settings);
    return receiveUpload({ request, query, filenames, store }, settings);
  };
  if (operation !== 'stats')
    checkTokenOrSignature(request.headers, query, {
      token: settings.token,
      operation: operation === 'upload' ? 'write' : 'read',
    });
  // The whole body is only recorded if it is read at once.
  const paths = knownPaths(operation, query, job) ?? (await peekFilenames(request));
  const fault = job.faults.next(operation, paths);
  if (fault === undefined) return send(response, await perform({ store: true }));
  const reset = () => job.traffic.socketOf(request)?.resetAndDestroy();
  await misbehave(fault, { request, response, perform, reset, closing: job.closing });
}

/** The paths of a request, for fault rules; undefined if they are in its body. */
function knownPaths(
  operation: Operation,
  query: URLSearchParams,
  { faults }: Job,
): string[] | undefined {
  const path = query.get('path');
  if (path !== null) return [path];
  return operation === 'upload' && faults.hasPaths() ? undefined : [];
}

function statsReader({ metrics, root }: Settings): () => Promise<Answer> {
  const readMetrics = openMetrics(root);
  return async () => {
    const figures = metrics ? metrics() : await readMetrics();
    const body = typeof figures === 'string' ? figures : JSON.stringify(figures);
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
  };
}
