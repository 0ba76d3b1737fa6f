import { HEADERS } from './opened.ts';

/** An event of a stream, or what its last frame says. Output is decoded. */
export interface StreamEvent {
  readonly start?: { readonly pid: number };
  readonly stdout?: string;
  readonly stderr?: string;
  readonly end?: object;
  readonly last?: { readonly error?: { readonly code: string; readonly message: string } };
}

/** Calls Start or Connect. */
export function openStream(
  url: string,
  operation: string,
  message: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const json = typeof message === 'string' ? message : JSON.stringify(message);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(Buffer.byteLength(json), 1);
  return fetch(`${url}/process.Process/${operation}`, {
    method: 'POST',
    headers: { ...HEADERS, 'Content-Type': 'application/connect+json', ...headers },
    body: Buffer.concat([prefix, Buffer.from(json)]),
  });
}

/** The message that starts a shell with a script, in the user's home. */
export function shell(script: string, more: object = {}): object {
  return { process: { cmd: '/bin/sh', args: ['-c', script], ...more }, stdin: false };
}

/** Calls an operation that is no stream, such as SendSignal. */
export async function callUnary(
  url: string,
  operation: string,
  message: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${url}/process.Process/${operation}`, {
    method: 'POST',
    headers: { ...HEADERS, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(message),
  });
  return { status: response.status, text: await response.text() };
}

/** Yields the events as they arrive. Ending the loop early drops the connection. */
export async function* eventsOf({ body }: Response): AsyncGenerator<StreamEvent> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body ?? []) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
      const end = 5 + rest.readUInt32BE(1);
      yield eventIn(rest.readUInt8(0), rest.toString('utf8', 5, end));
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) throw new Error(`The stream ends within a frame: ${rest.toString()}`);
}

function eventIn(flags: number, json: string): StreamEvent {
  const message = JSON.parse(json);
  if (flags === 2) return { last: message };
  const { data, ...other } = message.event;
  if (data === undefined) return other;
  return Object.fromEntries(
    Object.entries(data).map(([name, base64]) => [name, decode(String(base64))]),
  );
}

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

/** Waits for the stream's end and joins its output, which may come in any number of events. */
export async function wholeStream(response: Response) {
  const events: StreamEvent[] = [];
  for await (const event of eventsOf(response)) events.push(event);
  const join = (name: 'stdout' | 'stderr') => events.map(event => event[name] ?? '').join('');
  const others = events.filter(event => event.stdout === undefined && event.stderr === undefined);
  return { others, stdout: join('stdout'), stderr: join('stderr') };
}
