import { fieldsOf } from '../text/json.ts';
import type { Redact } from '../text/redact.ts';
import type { StreamedAnswer } from './answer.ts';
import { type Client, postJson } from './client.ts';
import { errorOf, frameOf, readFrames } from './connect-frames.ts';
import { AgentError, excerpt, type Hints } from './failure.ts';

// E2B's agent runs processes with the Connect protocol (https://connectrpc.com/docs/protocol), in
// JSON. Source: packages/envd/spec/process/process.proto in e2b-dev/infra.

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the user's home folder; empty means the home folder. */
  readonly workingDirectory: string;
  /** Empty for the agent's default user. */
  readonly username: string;
}

export interface ProcessHandlers {
  readonly onStart: (pid: number) => void;
  /** Receives stdout and stderr. */
  readonly onOutput: (bytes: Buffer) => void;
}

export interface ProcessEnd {
  /** -1 if a signal killed the process; undefined if the agent did not say. */
  readonly exitCode: number | undefined;
  /** How the agent describes the end, such as `exit status 3` or `signal: killed`. */
  readonly status: string;
  /** Explains why the end cannot be trusted: the stream failed or was cut off after it. */
  readonly problem: string | undefined;
}

/**
 * Starts a process and follows it until it exits.
 * @throws AgentError if it is refused, or if the connection is lost before the end
 */
export function startProcess(
  client: Client,
  { command, args, env: envs, workingDirectory, username }: ProcessOptions,
  handlers: ProcessHandlers,
): Promise<ProcessEnd> {
  const cwd = workingDirectory === '' ? {} : { cwd: workingDirectory };
  const process = { cmd: command, args, envs, ...cwd };
  return followStream(client, 'Start', { process, stdin: false }, userHeader(username), handlers);
}

/**
 * Follows a process that is already running. Output written while nothing was connected is lost.
 * The agent remembers an exit for 30 s.
 * @throws AgentError if there is no such process, or if the connection is lost before the end
 */
export function attachProcess(
  client: Client,
  pid: number,
  handlers: ProcessHandlers,
): Promise<ProcessEnd> {
  return followStream(client, 'Connect', { process: { pid } }, {}, handlers);
}

/** Kills a process, but not its children. @throws AgentError */
export async function killProcess(client: Client, pid: number): Promise<void> {
  const message = { process: { pid }, signal: 'SIGNAL_SIGKILL' };
  await client.send(postJson(pathOf('SendSignal'), message));
}

function pathOf(method: string): string {
  return `/process.Process/${method}`;
}

// The agent takes the user from here and ignores the password.
function userHeader(username: string): Record<string, string> {
  if (username === '') return {};
  return { Authorization: `Basic ${Buffer.from(`${username}:`).toString('base64')}` };
}

// Keepalives reveal a lost connection within `timeout`. The header takes whole seconds; 0 crashes
// E2B's agent 0.6.13.
const KEEPALIVE_SECONDS = 10;

function followStream(
  client: Client,
  method: 'Start' | 'Connect',
  message: object,
  headers: Readonly<Record<string, string>>,
  handlers: ProcessHandlers,
): Promise<ProcessEnd> {
  const frame = frameOf(message);
  const request = {
    method: 'POST',
    path: pathOf(method),
    headers: {
      ...headers,
      'Content-Type': 'application/connect+json',
      'Content-Length': String(frame.length),
      'Connect-Protocol-Version': '1',
      'Keepalive-Ping-Interval': String(KEEPALIVE_SECONDS),
    },
    body: [frame],
    hints: HINTS,
  } as const;
  return client.receive(request, answer => readEvents(answer, client, handlers));
}

const HINTS: Hints = {
  'not-found':
    "Check base-url. If it is right, the service cannot run commands: it has no process service like that of E2B's agent.",
};

async function readEvents(
  { label, chunks }: StreamedAnswer,
  { redact }: Client,
  { onStart, onOutput }: ProcessHandlers,
): Promise<ProcessEnd> {
  let end: Omit<ProcessEnd, 'problem'> | undefined;
  const closed = `${label} failed: the connection was closed.`;
  // Unless the last frame arrives.
  let failure: AgentError | undefined = new AgentError('connection', closed);
  try {
    for await (const frame of readFrames(chunks, label)) {
      const { start, data, end: ended } = fieldsOf(frame.fields['event']);
      const { pid } = fieldsOf(start);
      if (typeof pid === 'number') onStart(pid);
      for (const text of Object.values(fieldsOf(data)))
        if (typeof text === 'string') onOutput(Buffer.from(text, 'base64'));
      if (ended !== undefined) end = decodeEnd(fieldsOf(ended), redact);
      if (frame.isLast) failure = errorOf(frame, label, redact);
    }
  } catch (error) {
    if (end === undefined) throw error;
  }
  if (end !== undefined) return { ...end, problem: failure?.message };
  throw failure ?? new AgentError('bad-answer', `${label} did not say how the command ended.`);
}

// The agent's JSON omits an exit code of 0, but a missing code alone does not prove success.
function decodeEnd(
  { exitCode = 0, exited, status }: ReturnType<typeof fieldsOf>,
  redact: Redact,
): Omit<ProcessEnd, 'problem'> {
  const isSure = typeof exitCode === 'number' && (exitCode !== 0 || exited === true);
  return {
    exitCode: isSure ? exitCode : undefined,
    status: excerpt(typeof status === 'string' ? status : '', redact),
  };
}
