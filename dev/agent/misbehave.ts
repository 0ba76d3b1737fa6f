import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, send } from './answer.ts';
import type { FaultAction } from './faults.ts';

/** A valid request and its normal answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Does the operation and returns its answer. `store: false` leaves the disk alone. */
  readonly perform: (how: { store: boolean }) => Promise<Answer>;
  /** Resets the connection. */
  readonly reset: () => void;
  /** Aborts when the agent closes. */
  readonly closing: AbortSignal;
}

/** Does to the request what the fault says. */
export async function misbehave(action: FaultAction, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  switch (action.kind) {
    case 'status':
      if (action.early !== true) await discardBody(request);
      return send(response, { ...action, body: action.body ?? '' });
    case 'delay':
      await sleep(action.ms, undefined, { signal: exchange.closing });
      return send(response, await exchange.perform({ store: true }));
    case 'reset':
      await reach(action.at, exchange);
      return exchange.reset();
    case 'hang-up':
      await reach(action.at, exchange);
      return hangUp(request);
    case 'truncate':
      return sendHalf(response, await exchange.perform({ store: true }));
    case 'stall':
      if (action.at === 'answering') await exchange.perform({ store: true });
      return await closed(response);
    case 'answer':
      await exchange.perform({ store: true });
      return send(response, { ...action, status: action.status ?? 200 });
    case 'drop':
      return send(response, await exchange.perform({ store: false }));
    case 'endless':
      await exchange.perform({ store: true });
      return await sendEndlessly(response, action.chunk);
  }
}

async function reach(
  at: 'before-body' | 'during-body' | 'after-body',
  exchange: Exchange,
): Promise<void> {
  if (at === 'after-body') await exchange.perform({ store: true });
  if (at === 'during-body') await firstBytes(exchange.request);
}

// Unread bytes would turn the end into a reset.
function hangUp(request: IncomingMessage): void {
  request.resume();
  request.socket.end();
}

function firstBytes(request: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    request.once('data', () => resolve()).once('close', resolve);
  });
}

async function discardBody(request: IncomingMessage): Promise<void> {
  request.on('data', () => undefined);
  await finished(request);
}

function sendHalf(response: ServerResponse, { status, headers, body }: Answer): void {
  const whole = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': whole.length });
  response.write(whole.subarray(0, whole.length >> 1), () => {
    response.socket?.end();
  });
}

async function sendEndlessly(response: ServerResponse, chunk: string | Buffer): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
  await pipeline(Readable.from(repeat(chunk)), response).catch(() => closed(response));
}

function* repeat(chunk: string | Buffer): Generator<string | Buffer> {
  while (true) yield chunk;
}

// These exchanges end when the client goes away.
async function closed(response: ServerResponse): Promise<void> {
  await finished(response).catch(() => undefined);
}
