import type { Connection } from '../inputs/connection.ts';
import { type Redact, redactor } from '../text/redact.ts';
import { statusFailure } from './answer.ts';
import { AgentError } from './failure.ts';
import type { Http, HttpAnswer, HttpRequest } from './http.ts';
import { type RequestWatch, watched } from './watch.ts';

/** What the requests of a client share beside the connection. */
export interface ExchangeOptions {
  readonly userAgent: string;
  /** Ends every request in flight at once. */
  readonly cancel: AbortSignal;
  /** The current time, in milliseconds since 1970. */
  readonly now: () => number;
  readonly watch?: RequestWatch | undefined;
}

/** Requests to one sandbox's agent. */
export interface Exchange {
  /**
   * Sends a request to an operation's path below the base URL, with what every request carries, and returns an answer of
   * 200 to 299. Anything else is thrown as an AgentError.
   */
  readonly send: (request: Omit<HttpRequest, 'cancel'>) => Promise<HttpAnswer>;
  readonly redact: Redact;
}

/** Requests to the sandbox that the connection names, over the given HTTP client. */
export function openExchange(connection: Connection, http: Http, options: ExchangeOptions): Exchange {
  const { userAgent, cancel, now, watch } = options;
  const prefix = new URL(connection.baseUrl).pathname.replace(/\/+$/, '');
  const redact = redactor(connection.secrets);
  const common = { ...connection.headers, Accept: 'application/json', 'User-Agent': userAgent };
  const send: Exchange['send'] = async ({ path, headers, ...request }) => {
    const whole = { ...request, path: `${prefix}${path}`, headers: { ...common, ...headers }, cancel };
    const answer = await http.send(whole);
    if (answer.status < 200 || answer.status > 299) throw statusFailure(answer, redact, now());
    return answer;
  };
  return { send: watch === undefined ? send : watched(send, watch), redact };
}

/** The error of an answer that says success and cannot be taken for it. */
export function badAnswer({ tried, status }: HttpAnswer, why: string, cause?: unknown): AgentError {
  return new AgentError(
    'bad-answer',
    `${tried} answered ${status}, but the answer cannot be trusted: ${why}.`,
    {
      status,
      cause,
    },
  );
}
