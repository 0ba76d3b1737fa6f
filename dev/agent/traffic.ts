import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and how it ended. Changes until the exchange is over. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query as sent, still encoded. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** As announced; undefined for a chunked body or none. */
  readonly contentLength: number | undefined;
  /** Bytes of the body that the agent read; 0 when it answered without reading. */
  readonly bodyBytes: number;
  /** Filenames of the parts named `file`, in order. */
  readonly filenames: readonly string[];
  /** Undefined until answered. */
  readonly status: number | undefined;
  /** True if either side closed the connection before a whole answer was sent. */
  readonly aborted: boolean;
}

/** What went through the agent. */
export interface Traffic {
  readonly requests: readonly RecordedRequest[];
  /** Connections opened so far. */
  readonly connections: () => number;
  /** The most uploads in progress at once. */
  readonly maxInFlight: number;
}

/** The writing end of `Traffic`. */
export interface TrafficLog extends Traffic {
  readonly connected: (socket: Socket) => void;
  /** Records a request. Returns the array for its filenames. */
  readonly arrived: (request: IncomingMessage, response: ServerResponse) => string[];
  /** Counts an upload as in flight until the returned function is called. */
  readonly uploadBegins: () => () => void;
  /** The TCP connection of a request, below TLS. */
  readonly socketOf: (request: IncomingMessage) => Socket | undefined;
  readonly destroyConnections: () => void;
}

/** @param record false keeps `requests` empty, so that memory does not grow with traffic */
export function createTrafficLog(record: boolean): TrafficLog {
  const requests: RecordedRequest[] = [];
  const sockets = new Map<number | undefined, Socket>();
  let connections = 0;
  let inFlight = 0;
  let maxInFlight = 0;
  return {
    requests,
    connections: () => connections,
    get maxInFlight() {
      return maxInFlight;
    },
    connected(socket) {
      const port = socket.remotePort;
      connections++;
      sockets.set(port, socket);
      socket.once('close', () => {
        if (sockets.get(port) === socket) sockets.delete(port);
      });
    },
    arrived(request, response) {
      const filenames: string[] = [];
      if (record) requests.push(recordOf(request, response, filenames));
      return filenames;
    },
    uploadBegins() {
      maxInFlight = Math.max(maxInFlight, ++inFlight);
      return () => {
        inFlight--;
      };
    },
    socketOf: request => sockets.get(request.socket.remotePort),
    destroyConnections() {
      for (const socket of sockets.values()) socket.destroy();
    },
  };
}

function recordOf(
  request: IncomingMessage,
  response: ServerResponse,
  filenames: string[],
): RecordedRequest {
  const { method = '', url = '', headers } = request;
  const length = headers['content-length'];
  const bodyBytes = countBody(request);
  const ending = watchEnding(response);
  return {
    method,
    url,
    headers,
    contentLength: length === undefined ? undefined : Number(length),
    get bodyBytes() {
      return bodyBytes();
    },
    filenames,
    get status() {
      return ending().status;
    },
    get aborted() {
      return ending().aborted;
    },
  };
}

// A `data` listener would start the reading, so wait until somebody else has one.
function countBody(request: IncomingMessage): () => number {
  let bytes = 0;
  request.on('newListener', function watch(event: string) {
    if (event !== 'data') return;
    request.off('newListener', watch);
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
  });
  return () => bytes;
}

// A client may look before the response closes. Afterwards, the response need not be kept.
function watchEnding(response: ServerResponse): () => Pick<RecordedRequest, 'status' | 'aborted'> {
  const look = () => ({
    status: response.headersSent ? response.statusCode : undefined,
    aborted: response.destroyed && !response.writableFinished,
  });
  let ending = look;
  response.once('close', () => {
    const last = look();
    ending = () => last;
  });
  return () => ending();
}
