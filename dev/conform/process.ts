import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, fieldOf, parseJson, type Service } from './service.ts';

/** What the events of a process said. */
export interface Outcome {
  readonly pid: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** The `end` event; undefined without one. */
  readonly end: unknown;
  /** The message that ends the stream; undefined if the stream broke off. */
  readonly last: unknown;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly envs?: Readonly<Record<string, string>>;
  readonly user?: string;
  /** Called with the pid. Following ends if it returns `leave`. */
  readonly onStart?: (pid: number) => Promise<'leave' | undefined>;
}

export function start(
  service: Service,
  script: string,
  { cwd, envs, ...options }: CommandOptions = {},
): Promise<Outcome> {
  const process = { cmd: '/bin/sh', args: ['-c', script], cwd, envs };
  return follow(service, 'Start', { process, stdin: false }, options);
}

export function attach(service: Service, pid: number): Promise<Outcome> {
  return follow(service, 'Connect', { process: { pid } });
}

export function kill(service: Service, pid: number): Promise<Answer> {
  return service.send({
    method: 'POST',
    path: '/process.Process/SendSignal',
    headers: { 'Content-Type': 'application/json', ...authorization(service) },
    body: Buffer.from(JSON.stringify({ process: { pid }, signal: 'SIGNAL_SIGKILL' })),
  });
}

async function follow(
  service: Service,
  method: 'Start' | 'Connect',
  message: object,
  { user, onStart }: CommandOptions = {},
): Promise<Outcome> {
  const response = await service.open({
    method: 'POST',
    path: `/process.Process/${method}`,
    headers: {
      'Content-Type': 'application/connect+json',
      ...authorization(service, user),
    },
    body: frameOf(message),
  });
  if (response.statusCode !== 200)
    throw new Error(`${response.statusCode} ${(await text(response)).slice(0, 200)}`);
  let [pid, stdout, stderr]: [number | undefined, string, string] = [undefined, '', ''];
  let [end, last]: [unknown, unknown] = [undefined, undefined];
  for await (const { flags, json } of framesOf(response)) {
    if ((flags & 2) !== 0) last = json;
    stdout += decode(fieldOf(json, 'event', 'data', 'stdout'));
    stderr += decode(fieldOf(json, 'event', 'data', 'stderr'));
    end ??= fieldOf(json, 'event', 'end');
    const started = fieldOf(json, 'event', 'start', 'pid');
    if (typeof started !== 'number') continue;
    pid = started;
    if ((await onStart?.(started)) === 'leave') break;
  }
  return { pid, stdout, stderr, end, last };
}

// In Connect's streams, a flag byte and four bytes of length precede each message; flag 2 is on the
// last one (https://connectrpc.com/docs/protocol/#streaming-rpcs).
const PREFIX = 5;

function frameOf(message: object): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(json.length, 1);
  return Buffer.concat([prefix, json]);
}

async function* framesOf(response: IncomingMessage) {
  let unread: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  for await (const chunk of response) {
    unread = Buffer.concat([unread, Buffer.from(chunk)]);
    while (unread.length >= PREFIX) {
      const end = PREFIX + unread.readUInt32BE(1);
      if (unread.length < end) break;
      yield { flags: unread.readUInt8(0), json: parseJson(unread.toString('utf8', PREFIX, end)) };
      unread = unread.subarray(end);
    }
  }
}

function decode(base64: unknown): string {
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString() : '';
}

function authorization({ connection }: Service, user = connection.username) {
  const credentials = Buffer.from(`${user}:`).toString('base64');
  return user === undefined ? {} : { Authorization: `Basic ${credentials}` };
}
