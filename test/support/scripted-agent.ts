import type { Socket } from 'node:net';
import path from 'node:path';
import { http, onRequest, rawServer } from './raw-server.ts';
import { expectFailure, expectSuccess, type Inputs, type RunOptions } from './run-action.ts';
import { type Files, METRICS, openJob } from './test-job.ts';

/** A request that has arrived completely. */
export interface ReceivedRequest {
  readonly line: string;
  readonly headers: readonly string[];
  /** The `path` in the query of an upload or a download. */
  readonly target: string;
  readonly body: Buffer;
}

export type Responder = (socket: Socket, request: ReceivedRequest) => void;

export interface Responders {
  /** Answers uploads whose target is not in `uploads`. */
  readonly upload?: Responder;
  /** Responses to uploads, by target. */
  readonly uploads?: Readonly<Record<string, Responder>>;
  readonly stats?: Responder;
  readonly download?: Responder;
  /** Responses by operation of the process service, such as `Start`. */
  readonly processes?: Readonly<Record<string, Responder>>;
}

/** Opens a job whose agent accepts uploads, has stats and answers downloads with 404 by default. */
export async function openScriptedJob(
  {
    upload = answer(200, ({ target }) => fileEntryJson(target)),
    uploads = {},
    stats = answer(200, JSON.stringify(METRICS)),
    download = answer(404, '404 page not found'),
    processes = {},
  }: Responders = {},
  files?: Files,
) {
  const job = await openJob(files && { files });
  const requests: ReceivedRequest[] = [];
  const server = await rawServer(
    onRequest((socket, { head, body }) => {
      const [line = '', ...headers] = head.trimEnd().split('\r\n');
      const target = new URLSearchParams(/\?(\S*)/.exec(line)?.[1] ?? '').get('path') ?? '';
      const request = { line, headers, target, body };
      requests.push(request);
      const [, call = ''] = /^POST \/process\.Process\/(\w+)/.exec(line) ?? [];
      if (line.startsWith('GET /files')) return download(socket, request);
      if (line.startsWith('GET')) return stats(socket, request);
      const respond = processes[call] ?? uploads[target] ?? upload;
      respond(socket, request);
    }),
  );
  return {
    ...job,
    agent: { url: `http://${server.host}`, requests },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await job[Symbol.asyncDispose]();
    },
  };
}

export function answer(
  status: number,
  body: string | ((request: ReceivedRequest) => string),
): Responder {
  return (socket, request) => {
    socket.write(http(status, typeof body === 'function' ? body(request) : body));
  };
}

export function sendBytes(bytes: string | Buffer): Responder {
  return socket => void socket.write(bytes);
}

/** Returns the entry with which an agent acknowledges a file. */
export function fileEntry(target: string, more: object = {}): object {
  const absolute = path.posix.resolve('/home/user', target);
  return { path: absolute, name: path.posix.basename(target), type: 'file', ...more };
}

export function fileEntryJson(target: string, more: object = {}): string {
  return JSON.stringify(fileEntry(target, more));
}

export interface ScriptedRun
  extends Pick<Responders, 'processes' | 'stats'>,
    Pick<RunOptions, 'onLine'> {
  readonly inputs?: Inputs;
}

/** Runs the action `run` on a scripted agent, and asserts that it succeeds. */
export const expectScriptedSuccess = (run: ScriptedRun) => runScripted(expectSuccess, run);

/** Runs the action `run` on a scripted agent, and asserts that it fails. */
export const expectScriptedFailure = (run: ScriptedRun) => runScripted(expectFailure, run);

async function runScripted(expectEnd: typeof expectSuccess, run: ScriptedRun) {
  const { inputs, onLine = () => {}, ...responders } = run;
  await using job = await openScriptedJob(responders);
  const given = { run: 'npm test', ...inputs };
  const result = await expectEnd(job, given, { task: 'run', onLine });
  /** Returns the requests for an operation of the process service, such as `Start`. */
  const calls = (operation: string) =>
    job.agent.requests.filter(({ line }) => line.startsWith(`POST /process.Process/${operation} `));
  return Object.assign(result, { calls });
}

export function inTurn(...responders: readonly Responder[]): Responder {
  const left = [...responders];
  return (socket, request) => left.shift()?.(socket, request);
}
