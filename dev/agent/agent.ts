import { mkdirSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, errorAnswer, jsonAnswer, refuse, send, unknownPath } from './answer.ts';
import { receiveUpload, sendFile } from './files.ts';
import { openMetrics } from './metrics.ts';
import { createProcessService } from './process.ts';
import { HOMES, onThisMachine } from './sandbox-path.ts';

export interface AgentOptions {
  /** Replaces the metrics of this machine. */
  readonly metrics?: () => object;
  /** Serves envd's process service. Commands run as this user, without isolation. Default false. */
  readonly runCommands?: boolean;
  /**
   * Replaces `perform` for each valid request. Resolves to undefined if nothing is left to send.
   */
  readonly intercept?: (exchange: Exchange) => Promise<Answer | undefined>;
}

/** An authorized request, before it is performed. */
export interface Exchange {
  readonly to: 'upload' | 'stats' | 'api';
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Performs the request and returns its answer without sending it. */
  readonly perform: () => Promise<Answer>;
}

interface RecordedRequest {
  readonly method: string;
  /** Percent-encoded path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export function performed({ perform }: Exchange): Promise<Answer> {
  return perform();
}

export type Agent = ReturnType<typeof createAgent>;

const PROCESSES = '/process.Process/';
const UNAUTHORIZED =
  'unauthorized access, please provide a valid access token or method signing if supported';

/** Creates an agent for a sandbox whose `/` is `root`, and the sandbox's home directories. */
export function createAgent(root: string, token: string, options: AgentOptions) {
  for (const home of HOMES) mkdirSync(onThisMachine(root, home), { recursive: true });
  const atWork = new Set<Promise<void>>();
  const requests: RecordedRequest[] = [];
  const readMetrics = options.metrics ?? openMetrics(root);
  const processes = options.runCommands ? createProcessService(root) : undefined;
  const { intercept = performed } = options;

  /** Performs a request. Resolves to undefined if nothing is left to send. */
  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    if (request.headers['x-access-token'] !== token) throw refuse(401, UNAUTHORIZED);
    const { pathname, searchParams: query } = new URL(`http://sandbox${request.url}`);
    const answer = (to: Exchange['to'], perform: Exchange['perform']) =>
      intercept({ to, request, response, perform });
    switch (`${request.method} ${pathname}`) {
      case 'GET /files':
        await sendFile(root, query, response);
        return undefined;
      case 'POST /files':
        return await answer('upload', () => receiveUpload(request, query, root));
      case 'GET /metrics':
        return await answer('stats', async () => jsonAnswer(readMetrics()));
      default:
        if (!processes || !pathname.startsWith(PROCESSES)) throw unknownPath();
        return await processes.serve(pathname.slice(PROCESSES.length), request, response);
    }
  }

  return {
    requests,
    serve(request: IncomingMessage, response: ServerResponse): void {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers });
      const work = respond(request, response)
        .catch((error: unknown) => errorAnswer(error))
        .then(answer => answer && send(response, answer));
      atWork.add(work);
      void work.then(() => atWork.delete(work));
    },
    /** Kills all commands and waits for the requests in progress. */
    end() {
      processes?.end();
      return Promise.all(atWork);
    },
  };
}
