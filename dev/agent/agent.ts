import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, jsonAnswer, refuse, unknownPath } from './answer.ts';
import { receiveUpload, sendFile } from './files.ts';
import { openMetrics } from './metrics.ts';
import { createProcessService } from './process.ts';
import { HOMES, toHostPath } from './sandbox-path.ts';

export interface AgentOptions {
  /** Replaces the metrics of this machine. */
  readonly metrics?: () => object;
  /** Serves envd's process service. Commands run as this user, without isolation. Default false. */
  readonly runCommands?: boolean;
  /** Refuses commands other than `/bin/bash -l -c TEXT`, as some compatible agents do. */
  readonly onlyShellCommands?: boolean;
  /**
   * Answers authorized uploads, stats and API requests, by default with `perform`. Resolves to
   * undefined if nothing is left to send.
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

const PROCESSES = '/process.Process/';
const UNAUTHORIZED =
  'unauthorized access, please provide a valid access token or method signing if supported';

/** Creates the agent and the homes of a sandbox, whose `/` is the folder `root` on this machine. */
export function createAgent(
  id: string,
  token: string,
  root: string,
  env: Readonly<Record<string, string>>,
  options: AgentOptions,
) {
  for (const home of HOMES) mkdirSync(toHostPath(root, home), { recursive: true });
  const requests: { readonly method: string; readonly url: string }[] = [];
  const { metrics = openMetrics(root), intercept, runCommands, onlyShellCommands } = options;
  const processes = runCommands ? createProcessService(root, env, onlyShellCommands) : undefined;

  return {
    id,
    token,
    root,
    /** All requests, with their percent-encoded path and query. */
    requests,
    /** Performs a request. Resolves to undefined if nothing is left to send. @throws Refusal */
    async respond(request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url });
      if (headers['x-access-token'] !== token) throw refuse(401, UNAUTHORIZED);
      const { pathname, searchParams: query } = new URL(`http://sandbox${url}`);
      const answer = (to: Exchange['to'], perform: Exchange['perform']) =>
        intercept?.({ to, request, response, perform }) ?? perform();
      switch (`${method} ${pathname}`) {
        case 'GET /files':
          await sendFile(root, query, response);
          return undefined;
        case 'POST /files':
          return await answer('upload', () => receiveUpload(request, query, root));
        case 'GET /metrics':
          return await answer('stats', async () => jsonAnswer(metrics()));
        default:
          if (!processes || !pathname.startsWith(PROCESSES)) throw unknownPath();
          return await processes.serve(pathname.slice(PROCESSES.length), request, response);
      }
    },
    /** Kills all commands. */
    end: () => processes?.end(),
  };
}
