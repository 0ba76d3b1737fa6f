import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { checkFileToken, checkRouting, checkToken } from './access.ts';
import type { RecordedRequest } from './agent.ts';
import { type Answer, errorAnswer, jsonAnswer, Refusal, send } from './answer.ts';
import { sendFile } from './download.ts';
import type { Settings } from './options.ts';
import type { ProcessService } from './process.ts';
import { receiveUpload } from './upload.ts';

/** A request at work. */
export interface Job {
  readonly settings: Settings;
  readonly readMetrics: () => object | string;
  readonly processes: ProcessService | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly record: RecordedRequest;
}

/** Answers a request, whatever happens. */
export async function handle(job: Job): Promise<void> {
  const { request, response, record, settings } = job;
  // Only the first question mark ends the path: a query may hold more of them.
  const [, path = '', search = ''] = /^([^?]*)\??(.*)$/s.exec(request.url ?? '') ?? [];
  try {
    checkRouting(request.headers, settings);
    const operation = operationAt(`${request.method} ${path}`, settings);
    await (operation ? operation(job, parseQuery(search)) : callProcesses(path, job));
  } catch (error) {
    answerWith(job, errorAnswer(error));
  } finally {
    record.status ??= response.headersSent ? response.statusCode : undefined;
  }
}

function answerWith({ record, response }: Job, sent: Answer): void {
  record.status ??= sent.status;
  send(response, sent);
}

function operationAt(asked: string, { uploadPath, statsPath }: Settings) {
  if (asked === `POST ${uploadPath}`) return upload;
  if (asked === `GET ${uploadPath}`) return download;
  return asked === `GET ${statsPath}` ? stats : undefined;
}

async function upload(job: Job, query: URLSearchParams): Promise<void> {
  const { request, record, settings } = job;
  checkFileToken(request.headers, settings.token);
  await perform(job, true, (body = request) =>
    receiveUpload(
      { headers: request.headers, query, body, filenames: record.filenames },
      settings.root,
    ),
  );
}

async function download(job: Job, query: URLSearchParams): Promise<void> {
  const { request, response, settings } = job;
  checkFileToken(request.headers, settings.token);
  await sendFile({ headers: request.headers, query, root: settings.root }, response);
}

async function stats(job: Job): Promise<void> {
  checkToken(job.request.headers, job.settings.token);
  await perform(job, false, async () => metricsAnswer(job.readMetrics()));
}

async function perform(
  job: Job,
  isUpload: boolean,
  act: (body?: Readable) => Promise<Answer>,
): Promise<void> {
  const { request, response, settings } = job;
  const send = (answer: Answer) => answerWith(job, answer);
  if (!settings.intercept) return send(await act());
  await settings.intercept({ isUpload, request, response, perform: act, send });
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

function metricsAnswer(figures: object | string): Answer {
  if (typeof figures === 'object') return jsonAnswer(figures);
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: figures };
}
