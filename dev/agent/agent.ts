import { mkdirSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, errorAnswer, jsonAnswer, refuse, send, unknownPath } from './answer.ts';
import { receiveUpload, sendFile } from './files.ts';
import { openMetrics } from './metrics.ts';
import { createProcessService } from './process.ts';
import { HOMES, onThisMachine } from './sandbox-path.ts';

export interface AgentOptions {
  /** Metrics instead of the machine's own. */
  readonly metrics?: () => object;
  /**
   * Serves envd's process service, whose commands run as the user of this process and can reach
   * everything that it can. Default false.
   */
  readonly runCommands?: boolean;
  /** Decides how each valid request is answered. Default: as it is performed. */
  readonly intercept?: (exchange: Exchange) => Promise<Answer | undefined>;
}

/** A valid upload, request for stats, or request to the API. */
export interface Exchange {
  readonly to: 'upload' | 'stats' | 'api';
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Does what is asked. Returns the answer, unsent. */
  readonly perform: () => Promise<Answer>;
}

interface RecordedRequest {
  readonly method: string;
  /** Path and query as sent, still encoded. */
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

/** Creates the agent of a sandbox, and its homes below `root`, the directory that is its `/`. */
export function createAgent(root: string, token: string, options: AgentOptions) {
  for (const home of HOMES) mkdirSync(onThisMachine(root, home), { recursive: true });
  const atWork = new Set<Promise<void>>();
  const requests: RecordedRequest[] = [];
  const readMetrics = options.metrics ?? openMetrics(root);
  const processes = options.runCommands ? createProcessService(root) : undefined;
  const { intercept = performed } = options;

  /** Returns undefined if the answer was sent. */
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
    /** Ends commands, and resolves when no request is at work. */
    end() {
      processes?.end();
      return Promise.all(atWork);
    },
  };
}
