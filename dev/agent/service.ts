import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { checkFileToken, checkRouting, checkToken } from './access.ts';
import type { RecordedRequest } from './agent.ts';
import { type Answer, errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import { sendFile } from './download.ts';
import type { FaultQueue, Operation } from './faults.ts';
import { respond } from './misbehave.ts';
import { filenamesIn } from './multipart.ts';
import type { Settings } from './options.ts';
import type { ProcessService } from './process.ts';
import { receiveUpload } from './upload.ts';

/** A request at work. */
export interface Job {
  readonly settings: Settings;
  readonly faults: FaultQueue;
  readonly count: { inFlight: number; most: number };
  readonly readMetrics: () => object | string;
  readonly processes: ProcessService | undefined;
  readonly closing: AbortSignal;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RecordedRequest;
  readonly reset: (socket: Socket) => void;
}

/** Answers a request, whatever happens. */
export async function handle(job: Job): Promise<void> {
  const { request, response, record, count, settings } = job;
  // Only the first question mark ends the path: a query may hold more of them.
  const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(request.url ?? '') ?? [];
  const asked = `${request.method} ${path}`;
  const operation = operationAt(asked, settings);
  const uploads = operation === 'upload' ? 1 : 0;
  count.inFlight += uploads;
  count.most = Math.max(count.most, count.inFlight);
  try {
    checkRouting(request.headers, settings);
    if (operation) await answer(operation, parseQuery(search), job);
    else if (asked === `GET ${settings.uploadPath}`) await download(parseQuery(search), job);
    else await callProcesses(path, job);
  } catch (error) {
    answerWith(job, errorAnswer(error, request.headers.accept));
  } finally {
    count.inFlight -= uploads;
    record.status ??= response.headersSent ? response.statusCode : undefined;
  }
}

function answerWith({ record, response }: Job, sent: Answer): void {
  record.status ??= sent.status;
  send(response, sent);
}

function operationAt(asked: string, { uploadPath, statsPath }: Settings): Operation | undefined {
  if (asked === `POST ${uploadPath}`) return 'upload';
  return asked === `GET ${statsPath}` ? 'stats' : undefined;
}

async function download(query: URLSearchParams, job: Job): Promise<void> {
  const { request, response, settings } = job;
  checkFileToken(request.headers, settings.token);
  await sendFile({ headers: request.headers, query, root: settings.root }, response);
}

async function callProcesses(path: string, job: Job): Promise<void> {
  const { request, response, processes, settings } = job;
  checkToken(request.headers, settings.token);
  const [, operation] = /^\/process\.Process\/(.*)$/.exec(path) ?? [];
  if (operation !== undefined && processes)
    return await processes.serve(operation, request, response);
  const isKnown = path === settings.uploadPath || path === settings.statsPath;
  throw isKnown
    ? new Refusal(405, '', 'library')
    : new Refusal(404, '404 page not found', 'library');
}

/** Reads a query as Go does, which skips what it cannot decode. */
function parseQuery(search: string): URLSearchParams {
  const pairs = search.split('&').filter(pair => !/;|%(?![\da-f]{2})/i.test(pair));
  const query = new URLSearchParams(pairs.join('&'));
  const twice = [...query.keys()].find(name => query.getAll(name).length > 1);
  if (twice === undefined) return query;
  const problem = `Invalid format for parameter ${twice}: multiple values for single value`;
  throw new Refusal(400, problem, 'library');
}

async function answer(operation: Operation, query: URLSearchParams, job: Job): Promise<void> {
  const { request, response, record, settings, faults } = job;
  const check = operation === 'stats' ? checkToken : checkFileToken;
  check(request.headers, settings.token);
  const path = query.get('path');
  const isBatch = operation === 'upload' && path === null && faults.hasPaths();
  const batch = isBatch ? await readWhole(job) : undefined;
  const { headers } = request;
  const upload = { headers, query, read: () => (batch ? Readable.from([batch]) : request) };
  await respond(faults.next(operation, batch ? filenamesIn(batch) : path === null ? [] : [path]), {
    response,
    read: () => request.resume(),
    perform: async () => {
      if (operation === 'stats') return metricsAnswer(job.readMetrics());
      return await receiveUpload({ ...upload, filenames: record.filenames }, settings);
    },
    send: sent => answerWith(job, sent),
    reset: () => job.reset(request.socket),
    closing: job.closing,
  });
}

/** A rule with a path needs the filenames of a batch, which only its body has. */
async function readWhole({ request }: Job): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function metricsAnswer(figures: object | string): Answer {
  if (typeof figures === 'object') return jsonAnswer(figures);
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: figures };
}
