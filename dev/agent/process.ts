import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, type Fields, fieldsOf, jsonAnswer, unknownPath } from './answer.ts';
import { type Command, type CommandOptions, startCommand } from './command.ts';
import { ConnectError, connectErrorAnswer, readMessage } from './connect.ts';
import { expandPath, findHome, toHostPath } from './sandbox-path.ts';

// Implements the part of envd's process service that the actions use. Its messages are defined in
// packages/envd/spec/process/process.proto of e2b-dev/runtime.

/**
 * Serves the commands of the sandbox whose `/` is the directory `root` on this machine. They all get
 * the variables in `env`.
 */
export function createProcessService(root: string, env: NodeJS.ProcessEnv, onlyShell = false) {
  // Maps process IDs to commands. Keeps ended ones, since their children may still run.
  const commands = new Map<number, Command>();

  async function serve(
    operation: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    const isStream = operation !== 'SendSignal';
    try {
      const user = userOf(request.headers);
      const message = await readMessage(request, isStream);
      switch (operation) {
        case 'Start': {
          const options = parseStart(message, user, root, env);
          if (onlyShell) rejectPrograms(options);
          const command = await startCommand(options);
          commands.set(command.pid, command);
          return await command.follow(request, response);
        }
        case 'Connect':
          return await find(commands, message).follow(request, response);
        case 'SendSignal':
          if (message['signal'] !== 'SIGNAL_SIGKILL')
            throw new ConnectError('unimplemented', 'invalid signal');
          if (find(commands, message).kill()) return jsonAnswer({});
          throw new ConnectError('not_found', 'process already ended');
        default:
          throw unknownPath();
      }
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      return connectErrorAnswer(error, isStream);
    }
  }

  return {
    serve,
    end(): void {
      for (const command of commands.values()) command.loseSandbox();
    },
  };
}

/** Reads the user from Basic authorization. Default `user`. @throws ConnectError if unknown */
function userOf({ authorization = '' }: IncomingHttpHeaders) {
  const [, base64 = ''] = /^basic (.*)$/i.exec(authorization) ?? [];
  const [, name = 'user'] = /^(.*?):/.exec(Buffer.from(base64, 'base64').toString()) ?? [];
  const home = findHome(name);
  if (home !== undefined) return { name, home };
  throw new ConnectError('unauthenticated', `invalid username: '${name}'`);
}

function parseStart(
  { process: config }: Fields,
  user: ReturnType<typeof userOf>,
  root: string,
  env: NodeJS.ProcessEnv,
): CommandOptions {
  const { cmd, args, envs, cwd } = fieldsOf(config);
  const own = Object.entries(fieldsOf(envs)).map(([name, value]) => [name, textOf(value)]);
  const folder = expandPath(textOf(cwd), user.home);
  if (!existsSync(toHostPath(root, folder)))
    throw new ConnectError('invalid_argument', `cwd '${folder}' does not exist`);
  return {
    command: [textOf(cmd), ...(Array.isArray(args) ? args.map(textOf) : [])],
    cwd: toHostPath(root, folder),
    env: {
      PATH: process.env['PATH'],
      HOME: toHostPath(root, user.home),
      USER: user.name,
      LOGNAME: user.name,
      ...env,
      ...Object.fromEntries(own),
    },
  };
}

function rejectPrograms({ command: [program, ...args] }: CommandOptions): void {
  if (program === '/bin/bash' && args.length === 3 && args[0] === '-l' && args[1] === '-c') return;
  throw new ConnectError('unimplemented', 'only shell commands are supported');
}

/** Returns a string, or '' if it is missing. @throws ConnectError for other types, as envd does */
function textOf(value: unknown): string {
  const text = value ?? '';
  if (typeof text === 'string') return text;
  const problem = `unmarshal message: invalid value: ${JSON.stringify(value)}`;
  throw new ConnectError('invalid_argument', problem);
}

function find(commands: ReadonlyMap<number, Command>, { process: selector }: Fields): Command {
  const pid = Number(fieldsOf(selector)['pid']);
  const command = commands.get(pid);
  if (command) return command;
  throw new ConnectError('not_found', `process with pid ${pid} not found`);
}
