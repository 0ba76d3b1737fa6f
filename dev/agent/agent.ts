import { mkdirSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { openMetrics } from './metrics.ts';
import { type AgentOptions, settingsOf } from './options.ts';
import { createProcessService } from './process.ts';
import { openServer } from './server.ts';
import { handle } from './service.ts';

/** A request and how it ended. `filenames` and `status` change until then. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query as sent, still encoded. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the parts named `file`, in order. */
  readonly filenames: string[];
  /** Undefined until answered. */
  status: number | undefined;
}

/** A running agent. */
export interface LocalAgent extends AsyncDisposable {
  readonly requests: readonly RecordedRequest[];
  readonly url: string;
  /** Connections opened so far. */
  readonly connections: () => number;
  /** Closes all connections and waits until every request has ended. */
  readonly close: () => Promise<void>;
}

/** Answers the requests for one sandbox. */
export interface Handler {
  readonly requests: readonly RecordedRequest[];
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Ends commands, and resolves when no request is at work. */
  readonly end: () => Promise<unknown>;
}

/** Starts an agent; it is ready when the promise resolves. */
export async function startAgent(options: AgentOptions): Promise<LocalAgent> {
  const { requests, serve, end } = createHandler(options);
  const server = await openServer(options, serve);
  async function close(): Promise<void> {
    server.close();
    await end();
  }
  const { url, connections } = server;
  return { requests, url, connections, close, [Symbol.asyncDispose]: close };
}

/** Creates the sandbox's root. */
export function createHandler(options: AgentOptions): Handler {
  mkdirSync(options.root, { recursive: true });
  const settings = settingsOf(options);
  const atWork = new Set<Promise<void>>();
  const requests: RecordedRequest[] = [];
  const readMetrics = settings.metrics ?? openMetrics(settings.root);
  const processes = settings.runCommands ? createProcessService(settings.root) : undefined;
  return {
    requests,
    serve(request, response) {
      settings.onRequest?.(request);
      const record = recordOf(request);
      requests.push(record);
      const work = handle({ settings, readMetrics, processes, request, response, record });
      atWork.add(work);
      void work.then(() => atWork.delete(work));
    },
    end() {
      processes?.end();
      return Promise.all(atWork);
    },
  };
}

function recordOf({ method = '', url = '', headers }: IncomingMessage): RecordedRequest {
  return { method, url, headers, filenames: [], status: undefined };
}
