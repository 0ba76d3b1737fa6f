import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { AgentError } from './failure.ts';
import { networkFailure } from './network-failure.ts';

/** One request to the sandbox host. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | AsyncIterable<Buffer>;
  /** Told the bytes of each piece of the body as it is handed to the network. */
  readonly onSent?: (bytes: number) => void;
  /** Ends the request at once. */
  readonly cancel: AbortSignal;
}

/** What came back. */
export interface HttpAnswer {
  /** The request that it answers, as a message names it: method and URL, no query. */
  readonly tried: string;
  readonly status: number;
  /** The body as text. */
  readonly text: string;
  readonly retryAfter: string | undefined;
  /** Whether the whole request had been sent when the answer ended. */
  readonly sentWhole: boolean;
}

/** A pool of keep-alive connections to one origin. */
export interface Http {
  /** @throws AgentError where no complete answer came back. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends what is in flight and closes every connection. */
  close(): Promise<void>;
}

/** More of an answer is never read: the contract's answers are some hundred bytes. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Opens a pool of at most `connections` HTTP/1.1 connections, through the proxies that the environment names.
 * HTTP/2 stays off: a single GOAWAY would break every upload in flight on the shared connection.
 */
export function openHttp(origin: string, connections: number, timeoutMs: number): Http {
  const dispatcher = new EnvHttpProxyAgent({
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs },
  });
  return {
    send: request => exchange(dispatcher, origin, request),
    close: () => dispatcher.destroy(),
  };
}

function exchange(dispatcher: Dispatcher, origin: string, request: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { cancel, method, path, headers, body } = request;
    const tried = `${method} ${origin}${path.replace(/\?.*/s, '')}`;
    const abort = () => {
      const cancelled = new AgentError('cancelled', `${tried} was cancelled.`);
      reject(cancelled);
      controller?.abort(cancelled);
    };
    let controller: Dispatcher.DispatchController | undefined;
    const settled = () => cancel.removeEventListener('abort', abort);
    const collector = collect(request, tried, {
      started: started => {
        controller = started;
        if (cancel.aborted) abort();
      },
      answered: answer => {
        settled();
        resolve({ tried, ...answer });
      },
      failed: error => {
        settled();
        reject(networkFailure(error, tried));
      },
    });
    cancel.addEventListener('abort', abort, { once: true });
    // @ts-expect-error undici documents that a body may be an async iterable, its types leave that out
    dispatcher.dispatch({ origin, method, path, headers, body: body ?? null }, collector);
  });
}

interface Progress {
  readonly started: (controller: Dispatcher.DispatchController) => void;
  readonly answered: (answer: Omit<HttpAnswer, 'tried'>) => void;
  readonly failed: (error: Error) => void;
}

function collect(request: HttpRequest, tried: string, progress: Progress): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let size = 0;
  let status = 0;
  let retryAfter: string | undefined;
  let sentWhole = false;
  return {
    onRequestStart: progress.started,
    onBodySent: (chunk: Buffer) => request.onSent?.(chunk.length),
    onRequestSent: () => {
      sentWhole = true;
    },
    onResponseStart(_controller, code, headers) {
      status = code;
      retryAfter = [headers['retry-after']].flat()[0];
    },
    onResponseData(controller, chunk) {
      size += chunk.length;
      if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
      else
        controller.abort(
          new AgentError(
            'bad-answer',
            `${tried} answered ${status} with more than was ever expected: it is longer than 1 MiB.`,
          ),
        );
    },
    onResponseEnd: () =>
      progress.answered({ status, text: Buffer.concat(chunks).toString(), retryAfter, sentWhole }),
    onResponseError: (_controller, error) => progress.failed(error),
  };
}
