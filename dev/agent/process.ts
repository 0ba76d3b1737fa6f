import { existsSync, mkdirSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, send } from './answer.ts';
import { type Command, type EndEvent, startCommand } from './command.ts';
import { streamCommand, streamEnd } from './command-stream.ts';
import {
  ConnectError,
  readFramed,
  readUnary,
  streamError,
  unaryAnswer,
  unaryError,
} from './connect-frames.ts';
import { type ProcessConfig, parsePid, parseSignal, parseStart } from './process-requests.ts';
import { expandPath, findHome, OTHER_HOME, onThisMachine } from './sandbox-path.ts';

/** The process service of one sandbox. */
export interface ProcessService {
  /** Answers a request for an operation such as `Start`. @throws Refusal */
  readonly serve: (
    operation: string,
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>;
  /** Kills every command, with its process group if it leads one. */
  readonly end: () => void;
}

/** Serves the commands below `root`, the directory on this machine that is the sandbox's `/`. */
export function createProcessService(root: string): ProcessService {
  const commands: Commands = { root, running: new Map(), ends: new Map() };
  return {
    serve: (operation, request, response) => serve(operation, { request, response, commands }),
    end: () => [...commands.running.values()].forEach(killGroup),
  };
}

interface Commands {
  readonly root: string;
  readonly running: Map<number, Command>;
  /** How the commands of the last 30 s ended. */
  readonly ends: Map<number, EndEvent>;
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly commands: Commands;
}

// envd remembers an end for that long.
const REMEMBERED_MS = 30_000;

const STREAMS = new Map([
  ['Start', start],
  ['Connect', connect],
]);
const UNARY = new Map([
  ['SendSignal', sendSignal],
  ['List', list],
]);

async function serve(operation: string, call: Call): Promise<void> {
  const { request, response } = call;
  const stream = STREAMS.get(operation);
  const unary = UNARY.get(operation);
  if (!stream && !unary) throw new Refusal(404, '404 page not found', 'library');
  if (request.method !== 'POST') throw new Refusal(405, '', 'library');
  try {
    const user = userOf(request.headers);
    await stream?.(call, user);
    if (unary) send(response, unaryAnswer(await unary(call)));
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    send(response, stream ? streamError(error) : unaryError(error));
  }
}

interface User {
  readonly name: string;
  /** The home directory in the sandbox. */
  readonly home: string;
}

/** Reads the user from Basic authorization; `user` without it. @throws ConnectError if unknown */
function userOf({ authorization = '' }: IncomingHttpHeaders): User {
  const [, base64 = ''] = /^basic (.*)$/i.exec(authorization) ?? [];
  const [, name = 'user'] = /^(.*?):/.exec(Buffer.from(base64, 'base64').toString()) ?? [];
  const home = findHome(name);
  if (home !== undefined) return { name, home };
  throw new ConnectError('unauthenticated', `invalid username: '${name}'`);
}

async function start({ request, response, commands }: Call, user: User): Promise<void> {
  const { running, ends, root } = commands;
  const { config, hasStdin } = parseStart(await readFramed(request));
  const command = await startCommand(config, { ...placeOf(config, user, root), hasStdin });
  const { pid, ended } = command;
  ends.delete(pid);
  running.set(pid, command);
  void ended.then(end => {
    running.delete(pid);
    ends.set(pid, end);
    setTimeout(() => ends.get(pid) === end && ends.delete(pid), REMEMBERED_MS).unref();
  });
  await streamCommand(command, request, response);
}

/** Returns the directory and the variables of a command, after making the user's home. */
function placeOf({ cwd, envs }: ProcessConfig, { name, home }: User, root: string) {
  const path = expandPath(cwd, home);
  if (path === undefined) {
    const problem = `failed to expand path '' for user '${name}': ${OTHER_HOME}`;
    throw new ConnectError('invalid_argument', problem);
  }
  const ownHome = onThisMachine(root, home);
  mkdirSync(ownHome, { recursive: true });
  if (!existsSync(onThisMachine(root, path)))
    throw new ConnectError('invalid_argument', `cwd '${path}' does not exist`);
  const env = {
    PATH: process.env['PATH'],
    HOME: ownHome,
    USER: name,
    LOGNAME: name,
    ...envs,
  };
  return { cwd: onThisMachine(root, path), env };
}

async function connect({ request, response, commands }: Call): Promise<void> {
  const pid = parsePid(await readFramed(request));
  const end = commands.ends.get(pid);
  if (end) streamEnd(pid, end, response);
  else await streamCommand(find(pid, commands), request, response);
}

async function sendSignal({ request, commands }: Call): Promise<object> {
  const message = await readUnary(request);
  const command = find(parsePid(message), commands);
  const signal = parseSignal(message);
  try {
    command.kill(signal);
    return {};
  } catch (error) {
    throw new ConnectError('internal', `error sending signal: ${String(error)}`);
  }
}

async function list({ request, commands }: Call): Promise<object> {
  await readUnary(request);
  const processes = [...commands.running.values()].map(({ config, pid }) => ({
    config: withoutEmpty(config),
    pid,
  }));
  return withoutEmpty({ processes });
}

/** Removes empty texts, lists and objects, which messages leave out. */
function withoutEmpty(message: object): object {
  return Object.fromEntries(
    Object.entries(message).filter(([, value]) => Object.keys(value).length > 0),
  );
}

function find(pid: number, { running }: Commands): Command {
  const command = running.get(pid);
  if (command) return command;
  throw new ConnectError('not_found', `process with pid ${pid} not found`);
}

function killGroup({ pid, kill }: Command): void {
  for (const end of [() => process.kill(-pid, 'SIGKILL'), () => kill('SIGKILL')])
    try {
      end();
    } catch {
      // It leads no group, has ended, or belongs to another user.
    }
}
