import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, jsonAnswer, unknownPath } from './answer.ts';
import { type Command, type CommandOptions, startCommand } from './command.ts';
import { streamCommand } from './command-stream.ts';
import { ConnectError, connectErrorAnswer, readMessage } from './connect.ts';
import { expandPath, findHome, onThisMachine } from './sandbox-path.ts';

// The part of envd's process service that the actions use. Its messages:
// packages/envd/spec/process/process.proto of e2b-dev/infra.

/** By process ID, also those that have ended, since their children may still run. */
type Commands = Map<number, Command>;

/** Serves the commands below `root`, the directory on this machine that is the sandbox's `/`. */
export function createProcessService(root: string) {
  const commands: Commands = new Map();

  /** Serves an operation such as `Start`. Returns undefined if it has streamed the answer. */
  async function serve(
    operation: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    const isStream = operation === 'Start' || operation === 'Connect';
    if (!isStream && operation !== 'SendSignal') throw unknownPath();
    try {
      const user = userOf(request.headers);
      const message = fieldsOf(await readMessage(request, isStream));
      if (!isStream) return jsonAnswer(sendSignal(message, commands));
      const command =
        operation === 'Start'
          ? await startCommand(parseStart(message, user, root))
          : find(message, commands);
      commands.set(command.pid, command);
      await streamCommand(command, request, response);
      return undefined;
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      return connectErrorAnswer(error, isStream);
    }
  }

  return {
    serve,
    /** Kills every command, with its process group if it leads one. */
    end: () => commands.forEach(killGroup),
  };
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

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  const text = value ?? '';
  if (typeof text === 'string') return text;
  const problem = `unmarshal message: invalid value: ${JSON.stringify(value)}`;
  throw new ConnectError('invalid_argument', problem);
}

/** @throws ConnectError */
function parseStart({ process: config }: Fields, user: User, root: string): CommandOptions {
  const { cmd, args, envs, cwd } = fieldsOf(config);
  const own = Object.entries(fieldsOf(envs)).map(([name, value]) => [name, textOf(value)]);
  const base = {
    PATH: process.env['PATH'],
    HOME: onThisMachine(root, user.home),
    USER: user.name,
    LOGNAME: user.name,
  };
  const folder = expandPath(textOf(cwd), user.home);
  if (!existsSync(onThisMachine(root, folder)))
    throw new ConnectError('invalid_argument', `cwd '${folder}' does not exist`);
  return {
    command: [textOf(cmd), ...(Array.isArray(args) ? args.map(textOf) : [])],
    cwd: onThisMachine(root, folder),
    env: { ...base, ...Object.fromEntries(own) },
  };
}

function sendSignal(message: Fields, commands: Commands): object {
  const command = find(message, commands);
  const signal = textOf(message['signal']).replace('SIGNAL_', '');
  if (signal !== 'SIGKILL' && signal !== 'SIGTERM')
    throw new ConnectError('unimplemented', 'invalid signal: SIGNAL_UNSPECIFIED');
  if (!command.isRunning()) throw notFound(command.pid);
  command.kill(signal);
  return {};
}

/** @throws ConnectError */
function find(message: Fields, commands: Commands): Command {
  const pid = Number(fieldsOf(message['process'])['pid']);
  const command = commands.get(pid);
  if (command) return command;
  throw notFound(pid);
}

function notFound(pid: number): ConnectError {
  return new ConnectError('not_found', `process with pid ${pid} not found`);
}

function killGroup({ pid, kill }: Command): void {
  for (const end of [() => process.kill(-pid, 'SIGKILL'), () => kill('SIGKILL')])
    try {
      end();
    } catch {
      // It leads no group, has ended, or belongs to another user.
    }
}
