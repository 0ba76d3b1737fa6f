import type { Readable } from 'node:stream';
import { type Check, type Checks, Differs, expectThat } from './check.ts';
import { type Answer, type Client, fieldOf } from './client.ts';

const ODD_VALUE = 'it\'s "x"\nü€';

export const RUN_CHECKS: Checks = {
  required: {
    async 'start event and output'(trial) {
      const { pid, stdout, stderr } = await start(trial, 'echo ü; cat; echo no >&2');
      const isRight = pid !== undefined && stdout === 'ü\n' && stderr === 'no\n';
      return expectThat(isRight, JSON.stringify({ pid, stdout, stderr }));
    },
    'exit code 0': async trial => judgeExit(await start(trial, 'exit 0'), 0),
    'exit code 3': async trial => judgeExit(await start(trial, 'exit 3'), 3),
    async environment(trial) {
      const { stdout } = await start(trial, 'printf %s "$ODD"', { envs: { ODD: ODD_VALUE } });
      return expectThat(stdout === ODD_VALUE, JSON.stringify(stdout));
    },
    // The upload checks created this folder.
    async 'working directory'(trial) {
      const { stdout } = await start(trial, 'basename "$PWD"', { cwd: `/tmp/${trial.id}` });
      return expectThat(stdout === `${trial.id}\n`, JSON.stringify(stdout));
    },
    async signal(trial) {
      const onStart = async (pid: number) => void (await kill(trial, pid));
      const outcome = await start(trial, 'exec sleep 20', { onStart });
      const { end } = outcome;
      return expectThat(end !== undefined && fieldOf(end, 'exited') !== true, describe(outcome));
    },
    async 'attach by pid'(trial) {
      const { pid } = await start(trial, 'sleep 1; exit 3', { onStart: async () => 'leave' });
      return judgeExit(await follow(trial, 'Connect', { process: { pid } }), 3);
    },
  },
  others: {
    'missing working directory': fails({ cwd: '/no/such/folder' }, 'invalid_argument'),
    'unknown user is rejected': fails({ user: 'no-such-user' }, 'unauthenticated'),
  },
};

function describe({ end, last }: Outcome): string {
  return `end ${JSON.stringify(end)}, last message ${JSON.stringify(last)}`;
}

function judgeExit(outcome: Outcome, code: number): string {
  const { end, last } = outcome;
  const isWhole = last !== undefined && fieldOf(last, 'error') === undefined;
  // E2B's agent omits an exit code of 0, so only `exited` distinguishes it from a signal.
  const isRight = fieldOf(end, 'exited') === true && (fieldOf(end, 'exitCode') ?? 0) === code;
  return expectThat(isWhole && isRight, describe(outcome));
}

function fails(options: CommandOptions, code: string): Check {
  return async trial => {
    const outcome = await start(trial, 'true', options);
    if (outcome.pid !== undefined) throw new Error(`started: ${describe(outcome)}`);
    if (fieldOf(outcome.last, 'error', 'code') === code) return describe(outcome);
    throw new Differs(describe(outcome));
  };
}

interface Outcome {
  pid?: number;
  stdout: string;
  stderr: string;
  end?: unknown;
  /** The message that ended the stream; undefined if either side disconnected first. */
  last?: unknown;
}

interface CommandOptions {
  readonly cwd?: string;
  readonly envs?: Readonly<Record<string, string>>;
  readonly user?: string;
  /** Called with the process ID. Returns `leave` to disconnect from the running command. */
  readonly onStart?: (pid: number) => Promise<'leave' | undefined>;
}

export function start(
  client: Client,
  script: string,
  { cwd, envs, ...options }: CommandOptions = {},
): Promise<Outcome> {
  // Some agents accept nothing else.
  const process = { cmd: '/bin/bash', args: ['-l', '-c', script], cwd, envs };
  return follow(client, 'Start', { process, stdin: false }, options);
}

export function kill(client: Client, pid: number): Promise<Answer> {
  return client.send({
    method: 'POST',
    path: '/process.Process/SendSignal',
    headers: { 'Content-Type': 'application/json', ...authorization(client) },
    body: Buffer.from(JSON.stringify({ process: { pid }, signal: 'SIGNAL_SIGKILL' })),
  });
}

async function follow(
  client: Client,
  method: 'Start' | 'Connect',
  message: object,
  { user, onStart }: CommandOptions = {},
): Promise<Outcome> {
  const { statusCode, body } = await client.open({
    method: 'POST',
    path: `/process.Process/${method}`,
    headers: { 'Content-Type': 'application/connect+json', ...authorization(client, user) },
    body: frameOf(message),
  });
  if (statusCode !== 200) throw new Error(`${statusCode} ${(await body.text()).slice(0, 200)}`);
  const outcome: Outcome = { stdout: '', stderr: '' };
  for await (const { isLast, json } of framesOf(body)) {
    if (isLast) outcome.last = json;
    outcome.stdout += decode(fieldOf(json, 'event', 'data', 'stdout'));
    outcome.stderr += decode(fieldOf(json, 'event', 'data', 'stderr'));
    outcome.end ??= fieldOf(json, 'event', 'end');
    const pid = fieldOf(json, 'event', 'start', 'pid');
    if (typeof pid !== 'number') continue;
    outcome.pid = pid;
    if ((await onStart?.(pid)) === 'leave') break;
  }
  return outcome;
}

// In Connect's streams, a flag byte and four bytes of length precede each message. Flag 2 marks the
// last one (https://connectrpc.com/docs/protocol/#streaming-rpcs).
const PREFIX = 5;

function frameOf(message: object): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(json.length, 1);
  return Buffer.concat([prefix, json]);
}

async function* framesOf(body: Readable) {
  let unread: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  for await (const chunk of body) {
    unread = Buffer.concat([unread, Buffer.from(chunk)]);
    while (unread.length >= PREFIX) {
      const end = PREFIX + unread.readUInt32BE(1);
      if (unread.length < end) break;
      const json: unknown = JSON.parse(unread.toString('utf8', PREFIX, end));
      yield { isLast: (unread.readUInt8(0) & 2) !== 0, json };
      unread = unread.subarray(end);
    }
  }
}

function decode(base64: unknown): string {
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString() : '';
}

function authorization({ connection }: Client, user = connection.username) {
  const credentials = Buffer.from(`${user}:`).toString('base64');
  return user === undefined ? {} : { Authorization: `Basic ${credentials}` };
}
