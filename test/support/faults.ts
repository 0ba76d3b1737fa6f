import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Exchange } from '../../dev/agent/agent.ts';
import type { Answer } from '../../dev/agent/answer.ts';

/**
 * Describes what a fault does to a request. Unless noted, the request is performed, too.
 * - `status`: answers after reading the body, or at once with `early`. Does not perform the request
 *   unless it `acts`.
 * - `reset`: resets the connection (TCP RST) on the headers, on the first bytes of the body, or
 *   instead of answering. The first two do not perform the request.
 * - `truncate`: announces the whole response, sends part of it and closes the connection.
 * - `stall`: never answers.
 * - `wait`: waits, then answers. With `resets`, waits, then resets the connection without performing
 *   the request.
 */
export type FaultAction =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly early?: boolean;
      readonly acts?: boolean;
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'wait'; readonly for: () => Promise<unknown>; readonly resets?: boolean }
  | { readonly kind: 'reset'; readonly at: 'before-body' | 'during-body' | 'after-body' }
  | { readonly kind: 'truncate' | 'stall' };

/** A fault only affects valid requests, so that it cannot hide a client's mistake. */
export interface Fault {
  readonly on: Exchange['to'] | 'any';
  /** Only matches uploads whose query names this path. */
  readonly path?: string;
  /** Number of matching requests to let pass first. Default 0. */
  readonly skip?: number;
  /** Number of matching requests that then get the fault. Default: all. */
  readonly times?: number;
  /** Undefined lets the request pass. */
  readonly do: FaultAction | undefined;
}

export function statusFault(status: number, body = '', more: object = {}): FaultAction {
  return { kind: 'status', status, body, ...more };
}

export const STALL: FaultAction = { kind: 'stall' };

/** Returns the body of an error from the service's proxy, not from the agent. */
export function proxyError(message: string, code = 502): string {
  return JSON.stringify({ sandboxId: 'i1', message, code });
}

/** For each request, applies the first fault that is due. Later faults do not count the request. */
export function createFaults(faults: readonly Fault[] = []) {
  const rules = [...faults];
  const counts = new Map<Fault, number>();

  function isDue(fault: Fault): boolean {
    const { skip = 0, times = Number.POSITIVE_INFINITY } = fault;
    const before = counts.get(fault) ?? 0;
    counts.set(fault, before + 1);
    return before >= skip && before < skip + times;
  }

  return {
    add: (...added: readonly Fault[]) => void rules.push(...added),
    intercept: (exchange: Exchange): Promise<Answer | undefined> => {
      const rule = rules.find(each => matches(each, exchange) && isDue(each));
      return respond(rule?.do, exchange);
    },
  };
}

function matches({ on, path }: Fault, { to, request }: Exchange): boolean {
  const { searchParams } = new URL(`http://sandbox${request.url}`);
  return (on === 'any' || on === to) && (path === undefined || searchParams.get('path') === path);
}

/** Applies an action to a request. Resolves to undefined if nothing is left to send. */
async function respond(
  action: FaultAction | undefined,
  { request, response, perform }: Exchange,
): Promise<Answer | undefined> {
  switch (action?.kind) {
    case undefined:
      return await perform();
    case 'status':
      if (action.early !== true) await finished(request.resume());
      if (action.acts === true) await perform();
      return { body: '', ...action };
    case 'reset':
      if (action.at === 'after-body') await perform();
      if (action.at === 'during-body')
        await Promise.race([once(request, 'data'), once(request, 'close')]);
      return void request.socket.resetAndDestroy();
    case 'wait':
      await action.for();
      if (action.resets !== true) return await perform();
      return void request.socket.resetAndDestroy();
    case 'truncate': {
      const { status, headers, body } = await perform();
      response.writeHead(status, { ...headers, 'Content-Length': body.length });
      return void response.write(body.slice(1), () => void response.socket?.end());
    }
    case 'stall':
      await perform();
      await finished(response).catch(() => undefined);
      return undefined;
  }
}
