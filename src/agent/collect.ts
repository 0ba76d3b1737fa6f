import { AgentError } from './failure.ts';

/** An answer from its first byte to its end. */
export interface Collected {
  readonly status: number;
  /** The body as text, a byte order mark taken off. */
  readonly text: string;
  readonly retryAfter: string | undefined;
}

/** What is known of the request, and who is told how it ends. */
export interface Collecting {
  /** The request, as a message names it. */
  readonly tried: string;
  /** The longest time from an answer's first byte to its last, in milliseconds. */
  readonly timeoutMs: number;
  readonly answered: (answer: Collected) => void;
  readonly failed: (error: Error) => void;
}

interface Controller {
  abort(reason: Error): void;
}

/** More of an answer is never read: the contract's answers are some hundred bytes. */
const MAX_ANSWER_BYTES = 128 * 1024;

// An answer of 100 to 199 announces another. No agent has that much to announce; each would start the time anew.
const MAX_INTERIM = 20;

const UTF8 = new TextDecoder();

/** The part of a dispatch handler that takes the answer in: bounded in its size, its time and its announcements. */
export function collect({ tried, timeoutMs, answered, failed }: Collecting) {
  const chunks: Buffer[] = [];
  let controller: Controller | undefined;
  let timer: NodeJS.Timeout | undefined;
  let [size, interim, status] = [0, 0, 0];
  let retryAfter: string | undefined;
  const refuse = (why: string) =>
    controller?.abort(new AgentError('bad-answer', `${tried} answered ${status} ${why}.`, { status }));
  return {
    onRequestStart(started: Controller) {
      controller = started;
    },
    // Every byte of an answer may come in time and still it may never end.
    onResponseStarted() {
      timer = setTimeout(() => controller?.abort(tooSlow(tried)), timeoutMs);
    },
    onResponseStart(_: Controller, code: number, headers: NodeJS.Dict<string | string[]>) {
      status = code;
      retryAfter = [headers['retry-after']].flat()[0];
      if (code >= 200) return;
      clearTimeout(timer);
      interim += 1;
      if (interim > MAX_INTERIM) refuse(`more than ${MAX_INTERIM} times before an answer came`);
    },
    onResponseData(_: Controller, chunk: Buffer) {
      size += chunk.length;
      if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
      else refuse('with more than was ever expected: it is longer than 128 KiB');
    },
    onResponseEnd() {
      clearTimeout(timer);
      answered({ status, text: UTF8.decode(Buffer.concat(chunks)), retryAfter });
    },
    onResponseError(_: Controller, error: Error) {
      clearTimeout(timer);
      failed(error);
    },
  };
}

function tooSlow(tried: string): AgentError {
  return new AgentError(
    'stalled',
    `${tried} failed: the answer began, but had not ended after the length of timeout.`,
  );
}
