import type { Client, RequestLimits } from '../agent/client.ts';
import { AgentError, excerpt, type FailureKind } from '../agent/failure.ts';
import type { StreamedResponse } from '../agent/http.ts';
import type { Redact } from '../text/escape.ts';
import { fieldsOf, parseFields } from '../text/json.ts';

// E2B's agent takes commands over the Connect protocol (https://connectrpc.com/docs/protocol), in
// JSON. Source: packages/envd/spec/process/process.proto in e2b-dev/runtime.

export interface ProcessOptions {
  /** What the shell runs. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute, or relative to the user's home folder, which is the default. */
  readonly workingDirectory: string;
  /** Empty for the agent's default user. */
  readonly username: string;
}

interface ProcessHandlers {
  readonly onStart?: (pid: number) => void;
  /** Called with each event after the start, such as output or a keepalive. */
  readonly onActivity?: () => void;
  readonly onOutput: (bytes: Buffer) => void;
}

export interface ProcessEnd {
  /** -1 if a signal killed the process; undefined if the agent did not report a code. */
  readonly exitCode: number | undefined;
  /** How the agent describes the end, such as `exit status 3` or `signal: killed`. */
  readonly status: string;
}

/** Starts a shell and follows it. @throws AgentError if the stream breaks before it exits */
export function startProcess(
  client: Client,
  { script, env: envs, workingDirectory, username }: ProcessOptions,
  handlers: ProcessHandlers,
  limits: RequestLimits,
): Promise<ProcessEnd> {
  // Like E2B's SDK, since some compatible agents accept nothing else.
  const shell = { cmd: '/bin/bash', args: ['-l', '-c', script] };
  const cwd = workingDirectory === '' ? {} : { cwd: workingDirectory };
  const message = { process: { ...shell, envs, ...cwd }, stdin: false };
  // E2B's agent takes the user from this header and ignores the password.
  const credentials = Buffer.from(`${username}:`).toString('base64');
  const headers = username === '' ? undefined : { Authorization: `Basic ${credentials}` };
  return openStream(client, '/process.Process/Start', message, handlers, limits, headers);
}

/** Follows a running process. Output written while nothing was connected is lost. */
export function attachProcess(
  client: Client,
  pid: number,
  handlers: ProcessHandlers,
  limits: RequestLimits,
): Promise<ProcessEnd> {
  return openStream(client, '/process.Process/Connect', { process: { pid } }, handlers, limits);
}

// Keepalives restart `timeout` while a command is silent, so only a lost connection reaches it. The
// header takes whole seconds; 0 crashes E2B's agent 0.6.13.
const KEEPALIVE_SECONDS = 10;

function openStream(
  client: Client,
  path: string,
  message: object,
  handlers: ProcessHandlers,
  limits: RequestLimits,
  headers: Readonly<Record<string, string>> = {},
): Promise<ProcessEnd> {
  const frame = frameOf(message);
  const request = {
    ...limits,
    method: 'POST',
    path,
    headers: {
      ...headers,
      'Content-Type': 'application/connect+json',
      'Content-Length': String(frame.length),
      'Connect-Protocol-Version': '1',
      'Keepalive-Ping-Interval': String(KEEPALIVE_SECONDS),
    },
    body: [frame],
    hints: {
      'not-found':
        "Check base-url. If it is right, the service cannot run commands: it has no process service like that of E2B's agent.",
    },
  } as const;
  return client.receive(request, response => readEvents(response, client.redact, handlers));
}

async function readEvents(
  response: StreamedResponse,
  redact: Redact,
  { onStart, onActivity, onOutput }: ProcessHandlers,
): Promise<ProcessEnd> {
  const { label } = response;
  for await (const { isLast, fields } of readFrames(response)) {
    if (isLast && fields['error'] !== undefined) throw streamError(fields['error'], label, redact);
    if (isLast) throw new AgentError('bad-response', `${label} did not say how the command ended.`);
    const { start, data, end } = fieldsOf(fields['event']);
    const { pid } = fieldsOf(start);
    if (typeof pid === 'number') onStart?.(pid);
    else onActivity?.();
    for (const text of Object.values(fieldsOf(data)))
      if (typeof text === 'string') onOutput(Buffer.from(text, 'base64'));
    // The agent sends all output before this event, so ignore the rest of the stream.
    if (end !== undefined) return decodeEnd(end, redact);
  }
  throw new AgentError('connection', `${label} failed: the connection was closed.`);
}

// The agent's JSON omits an exit code of 0, so a missing code means success if `exited` is true.
function decodeEnd(end: unknown, redact: Redact): ProcessEnd {
  const { exitCode = 0, exited, status = '' } = fieldsOf(end);
  const isSuccess = exited === true && /^(exit status 0)?$/.test(String(status));
  const isSure = Number.isInteger(exitCode) && (exitCode !== 0 || isSuccess);
  return {
    exitCode: isSure ? Number(exitCode) : undefined,
    status: excerpt(typeof status === 'string' ? status : '', redact),
  };
}

// A frame has one byte of flags, four bytes with the length of the rest, and JSON.
const HEADER_BYTES = 5;
const END_OF_STREAM = 2;

// E2B's agent sends at most 32 KiB of output in a frame, as base64.
const MAX_FRAME_BYTES = 1024 * 1024;

function frameOf(message: object): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(json.length, 1);
  return Buffer.concat([header, json]);
}

/** Yields the frames, but drops a truncated last one. */
async function* readFrames({ label, body }: StreamedResponse) {
  let unread: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (unread.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + unread.readUInt32BE(1);
      if (end > MAX_FRAME_BYTES) {
        const message = `${label} answered with something other than frames.`;
        throw new AgentError('bad-response', message, { status: 200, hadNoEffect: true });
      }
      if (unread.length < end) break;
      const fields = parseFields(unread.toString('utf8', HEADER_BYTES, end));
      yield { isLast: unread[0] === END_OF_STREAM, fields };
      unread = unread.subarray(end);
    }
  }
}

// From https://connectrpc.com/docs/protocol#error-codes, as E2B's agent uses them.
const CONNECT_CODES: readonly { code: string; kind: FailureKind; hint?: string }[] = [
  {
    code: 'unauthenticated',
    kind: 'unauthorized',
    hint: 'Check username: it must be a user of the sandbox.',
  },
  {
    code: 'invalid_argument',
    kind: 'rejected',
    hint: 'Check that working-directory exists in the sandbox, and that the user may enter it.',
  },
  {
    code: 'not_found',
    kind: 'rejected',
    hint: 'It may have ended while the connection was lost, or the sandbox may have been restarted.',
  },
  { code: 'unavailable', kind: 'busy' },
  { code: 'resource_exhausted', kind: 'busy' },
];

function streamError(error: unknown, label: string, redact: Redact): AgentError {
  const { code, message } = fieldsOf(error);
  const { kind = 'server', hint } = CONNECT_CODES.find(each => each.code === code) ?? {};
  // E2B's agent quotes the whole command before the cause, so remove it.
  const text = typeof message === 'string' ? message : '';
  const words = excerpt(text.replace(/^error starting process '.*': /s, ''), redact);
  const said = `${label} failed (${excerpt(String(code), redact)}). It said: ${JSON.stringify(words)}.`;
  return new AgentError(kind, said, { hint, status: 200, hadNoEffect: true });
}
