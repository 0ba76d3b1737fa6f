import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import type { FaultAction } from './faults.ts';

/** A valid request and its normal answer. */
export interface Exchange {
  readonly response: ServerResponse;
  /** Does the operation and returns its answer. `store: false` leaves the disk alone. */
  readonly perform: () => Promise<Answer>;
  /** Starts reading the body. */
  readonly read: () => IncomingMessage;
  readonly send: (answer: Answer) => void;
  /** Resets the connection. */
  readonly reset: () => void;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

/** Answers a request, as the fault says if there is one. */
export async function respond(action: FaultAction | undefined, exchange: Exchange): Promise<void> {
  const { response, perform, read, send } = exchange;
  switch (action?.kind) {
    case undefined:
      return send(await perform());
    case 'status':
      if (action.early !== true) await finished(read());
      return send({ ...action, body: action.body ?? '' });
    case 'delay':
      await sleep(action.ms, undefined, { signal: exchange.closing });
      return send(await perform());
    case 'reset':
      if (action.at === 'after-body') await perform();
      if (action.at === 'during-body') await firstBytes(read());
      return exchange.reset();
    case 'truncate':
      return sendHalf(response, await perform());
    case 'stall':
      if (action.at === 'answering') await perform();
      return await finished(response).catch(() => undefined);
    case 'answer':
      await perform();
      return send({ ...action, status: action.status ?? 200, body: action.body ?? '' });
    default:
      // The command line reads faults from a file without checking them.
      throw new Error(`There is no such fault: ${JSON.stringify(action)}`);
  }
}

function firstBytes(request: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    request.once('data', () => resolve()).once('close', resolve);
  });
}

function sendHalf(response: ServerResponse, { status, headers, body }: Answer): void {
  const whole = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': whole.length });
  response.write(whole.subarray(0, whole.length >> 1), () => void response.socket?.end());
}
