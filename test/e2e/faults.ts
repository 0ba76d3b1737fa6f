import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { Answer } from '../../dev/agent/answer.ts';
import type { Exchange } from '../../dev/agent/options.ts';

/**
 * What a fault does to a request. Unless said otherwise, the form is read and its files are stored.
 * - `status`: answers after reading the body, or at once with `early`; stores nothing.
 * - `reset`: resets the connection (TCP RST) on the headers, on the first bytes of the body, or
 *   instead of answering. The first two store nothing.
 * - `truncate`: announces the whole answer, sends half of it and closes the connection.
 * - `stall`: never reads the body (and stores nothing), or never answers.
 */
export type FaultAction =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly early?: boolean;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'reset'; readonly at: 'before-body' | 'during-body' | 'after-body' }
  | { readonly kind: 'truncate' }
  | { readonly kind: 'stall'; readonly at: 'reading' | 'answering' };

/** A rule of misbehavior. It only sees valid requests, so that it hides no client's mistake. */
export interface Fault {
  readonly on: 'upload' | 'stats' | 'any';
  /** Only uploads of this path: the decoded query, or the filename of a file in a batch. */
  readonly path?: string;
  /** How many matching requests pass first. Default 0. */
  readonly skip?: number;
  /** How many requests it then applies to. Default: all. */
  readonly times?: number;
  readonly do: FaultAction;
}

/** The rules in force. The first one that applies decides, and those after it do not count the request. */
export interface Faults {
  readonly add: (...faults: readonly Fault[]) => void;
  readonly intercept: (exchange: Exchange) => Promise<void>;
}

export function createFaults(faults: readonly Fault[] = []): Faults {
  const rules = faults.map(toRule);
  return {
    add: (...added) => void rules.push(...added.map(toRule)),
    async intercept(exchange) {
      const paths = rules.some(({ fault }) => fault.path !== undefined);
      const { isUpload } = exchange;
      const { targets = [], body } = isUpload && paths ? await targetsOf(exchange) : {};
      const rule = rules.find(each => matches(each.fault, isUpload, targets) && isDue(each));
      await respond(rule?.fault.do, exchange, () =>
        exchange.perform(body && Readable.from([body])),
      );
    },
  };
}

interface Rule {
  readonly fault: Fault;
  seen: number;
}

function toRule(fault: Fault): Rule {
  return { fault, seen: 0 };
}

function matches({ on, path }: Fault, isUpload: boolean, targets: readonly string[]): boolean {
  const isOn = on === 'any' || on === (isUpload ? 'upload' : 'stats');
  return isOn && (path === undefined || targets.includes(path));
}

/** Counts the request. */
function isDue(rule: Rule): boolean {
  const { skip = 0, times = Number.POSITIVE_INFINITY } = rule.fault;
  const before = rule.seen;
  rule.seen += 1;
  return before >= skip && before < skip + times;
}

interface Targets {
  readonly targets?: readonly string[];
  /** The body, if it had to be read. */
  readonly body?: Buffer;
}

async function targetsOf({ request }: Exchange): Promise<Targets> {
  const path = new URL(request.url ?? '', 'http://localhost').searchParams.get('path');
  if (path !== null) return { targets: [path] };
  const body = await buffer(request);
  const disposition = /^Content-Disposition:[^\r\n]*?; filename="([^"\r\n]*)"/gim;
  return { targets: [...body.toString().matchAll(disposition)].map(([, name = '']) => name), body };
}

async function respond(
  action: FaultAction | undefined,
  { request, response, send }: Exchange,
  perform: () => Promise<Answer>,
): Promise<void> {
  switch (action?.kind) {
    case undefined:
      return send(await perform());
    case 'status':
      if (action.early !== true) await finished(request.resume());
      return send({ ...action, body: action.body ?? '' });
    case 'reset':
      if (action.at === 'after-body') await perform();
      if (action.at === 'during-body') await firstBytes(request.resume());
      return void request.socket.resetAndDestroy();
    case 'truncate': {
      const { status, headers, body } = await perform();
      const whole = Buffer.from(body);
      response.writeHead(status, { ...headers, 'Content-Length': whole.length });
      return void response.write(whole.subarray(0, whole.length >> 1), () => {
        response.socket?.end();
      });
    }
    case 'stall':
      if (action.at === 'answering') await perform();
      return await finished(response).catch(() => undefined);
  }
}

function firstBytes(request: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    request.once('data', () => resolve()).once('close', resolve);
  });
}
