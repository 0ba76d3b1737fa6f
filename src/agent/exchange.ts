import type { Dispatcher } from 'undici';
import type { Redact } from '../text/redact.ts';
import { AgentError } from './failure.ts';
import { networkFailure } from './network-failure.ts';

/** One request to the sandbox host. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: readonly string[];
  readonly body?: Buffer | AsyncIterable<Buffer>;
  /** Told the bytes of each piece of the body as it is handed to the network. */
  readonly onSent?: (bytes: number) => void;
}

/** What came back. */
export interface HttpAnswer {
  /** The request that it answers, as a message names it: method and URL, no query. */
  readonly tried: string;
  readonly status: number;
  /** The body as text, a byte order mark taken off. */
  readonly text: string;
  readonly retryAfter: string | undefined;
  /** Whether the whole request had been sent when the answer ended. */
  readonly sentWhole: boolean;
}

/** How requests are sent. */
export interface Way {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  /** The longest time without progress, and from an answer's first byte to its last, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends every request in flight at once. */
  readonly cancel: AbortSignal;
  /** Takes secrets out of what goes wrong. */
  readonly redact: Redact;
  /** Every request in flight, by what aborts it: a listener of the signal for each would cost a search for each. */
  readonly flying: Set<() => void>;
}

/** More of an answer is never read: the contract's answers are some hundred bytes. */
const MAX_ANSWER_BYTES = 128 * 1024;

// An answer of 100 to 199 announces another. No agent has that much to announce; each would start the time anew.
const MAX_INTERIM = 20;

const UTF8 = new TextDecoder();

/** A request as messages name it: method and URL, no query, which may hold a signature. */
export function nameOf({ method, path }: Pick<HttpRequest, 'method' | 'path'>, origin: string): string {
  return `${method} ${origin}${path.replace(/\?.*/s, '')}`;
}

/** Sends a request and takes its answer in, bounded in size, time and announcements. @throws AgentError without a whole one. */
export function exchange(way: Way, request: HttpRequest): Promise<HttpAnswer> {
  const { dispatcher, origin, cancel, flying } = way;
  const { method, path, headers, body, onSent } = request;
  const tried = nameOf(request, origin);
  const cancelled = () => new AgentError('cancelled', `${tried} was cancelled.`);
  if (cancel.aborted) return Promise.reject(cancelled());
  return new Promise((resolve, reject) => {
    const answer = answerOf(tried, way.timeoutMs);
    let sentWhole = false;
    // A request may wait long for a connection: it is over for the caller at once.
    const abort = () => {
      reject(cancelled());
      answer.abort(cancelled());
    };
    flying.add(abort);
    const handler: Dispatcher.DispatchHandler = {
      ...answer.handler,
      onBodySent: chunk => onSent?.(chunk.length),
      onRequestSent: () => {
        sentWhole = true;
      },
      onResponseEnd() {
        flying.delete(abort);
        resolve({ tried, sentWhole, ...answer.end() });
      },
      onResponseError(_, error) {
        flying.delete(abort);
        answer.end();
        reject(networkFailure(error, tried, way.redact));
      },
    };
    // @ts-expect-error undici documents that a body may be an async iterable, and that headers are not changed; its types leave that out
    dispatcher.dispatch({ origin, method, path, headers, body: body ?? null }, handler);
  });
}

/** The part of a dispatch handler that takes an answer in. */
function answerOf(tried: string, timeoutMs: number) {
  const chunks: Buffer[] = [];
  let controller: Dispatcher.DispatchController | undefined;
  let aborted: AgentError | undefined;
  let timer: NodeJS.Timeout | undefined;
  let [size, interim, status] = [0, 0, 0];
  let retryAfter: string | undefined;
  const abort = (error: AgentError) => {
    aborted = error;
    controller?.abort(error);
  };
  const refuse = (why: string) =>
    abort(new AgentError('bad-answer', `${tried} answered ${status} ${why}.`, { status }));
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (aborted !== undefined) controller.abort(aborted);
    },
    // Every byte of an answer may come in time and still it may never end.
    onResponseStarted() {
      timer = setTimeout(() => abort(tooSlow(tried)), timeoutMs);
    },
    onResponseStart(_, code, headers) {
      status = code;
      retryAfter = [headers['retry-after']].flat()[0];
      if (code >= 200) return;
      clearTimeout(timer);
      interim += 1;
      if (interim > MAX_INTERIM) refuse(`more than ${MAX_INTERIM} times before an answer came`);
    },
    onResponseData(_, chunk) {
      size += chunk.length;
      if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
      else refuse('with a response larger than 128 KiB');
    },
  };
  const end = () => {
    clearTimeout(timer);
    return { status, text: UTF8.decode(Buffer.concat(chunks)), retryAfter };
  };
  return { handler, abort, end };
}

function tooSlow(tried: string): AgentError {
  return new AgentError('stalled', `${tried} failed: the answer began, but did not end within timeout.`);
}
