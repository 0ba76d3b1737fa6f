import type { OpenedConnection } from './connections.ts';
import { AgentError } from './failure.ts';
import type { HttpAnswer, HttpRequest } from './http.ts';

/** Whoever wants to know of each request, and of each connection where there may be several. */
export interface RequestWatch {
  readonly opened: (connection: OpenedConnection) => void;
  readonly ended: (request: EndedRequest) => void;
  /** Milliseconds on a clock that does not jump. */
  readonly clock: () => number;
}

/** A request that has ended. */
export interface EndedRequest {
  readonly method: string;
  /** Path and query below the base URL, a signature taken out. */
  readonly path: string;
  /** Undefined where there was no answer. */
  readonly status: number | undefined;
  /** Undefined where the status was one of success. */
  readonly error: AgentError | undefined;
  readonly durationMs: number;
  /** Bytes of the body that were handed to the network, frame included. */
  readonly sentBytes: number;
}

type Send = (request: Omit<HttpRequest, 'cancel'>) => Promise<HttpAnswer>;

/** Sends like `send`, and tells of each request when it ends. */
export function watched(send: Send, { ended, clock }: RequestWatch): Send {
  return async request => {
    const start = clock();
    let sentBytes = 0;
    const onSent = (bytes: number) => {
      sentBytes += bytes;
      request.onSent?.(bytes);
    };
    const tell = (outcome: Pick<EndedRequest, 'status' | 'error'>) => {
      const path = request.path.replace(/(?<=[?&]signature=)[^&]*/, '***');
      ended({ method: request.method, path, ...outcome, durationMs: clock() - start, sentBytes });
    };
    try {
      const answer = await send({ ...request, onSent });
      tell({ status: answer.status, error: undefined });
      return answer;
    } catch (error) {
      if (error instanceof AgentError) tell({ status: error.status, error });
      throw error;
    }
  };
}
