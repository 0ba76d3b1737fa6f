import { connect, createServer, type Server, type Socket } from 'node:net';

/** Where a line leads, and how it delays bytes. */
export interface Way {
  /** A port of this machine. */
  readonly port: number;
  /** Milliseconds per round trip. */
  readonly latencyMs: number;
  /** Bytes per millisecond to the server. */
  readonly bytesPerMs: number;
}

type Due = (bytes: number) => number;

/**
 * A server that forwards each connection like a line: half a round trip late, at a limited rate.
 */
export function createLine(way: () => Way): Server {
  // All connections share the line and wait for their turn.
  let freeAt = 0;
  return createServer({ allowHalfOpen: true }, client => {
    const { port, latencyMs, bytesPerMs } = way();
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    // Connecting takes a round trip.
    const connectedAt = performance.now() + latencyMs;
    const up: Due = bytes => {
      freeAt = Math.max(performance.now(), connectedAt, freeAt) + bytes / bytesPerMs;
      return freeAt + latencyMs / 2;
    };
    carry(client, server, up);
    carry(server, client, () => performance.now() + latencyMs / 2);
  });
}

// As much as the buffers of a connection hold.
const WINDOW_BYTES = 256 * 1024;

/** Forwards each piece when it is due. */
function carry(from: Socket, to: Socket, due: Due): void {
  const queue: { readonly at: number; readonly piece: Buffer | undefined }[] = [];
  let waiting = 0;
  const add = (piece: Buffer | undefined) => {
    queue.push({ at: due(piece?.length ?? 0), piece });
    waiting += piece?.length ?? 0;
    if (waiting >= WINDOW_BYTES) from.pause();
    if (queue.length === 1) deliver();
  };
  const deliver = () => {
    const now = performance.now();
    for (let [first] = queue; first !== undefined && first.at <= now; [first] = queue) {
      queue.shift();
      waiting -= first.piece?.length ?? 0;
      if (first.piece === undefined) to.end();
      else to.write(first.piece);
    }
    if (waiting < WINDOW_BYTES) from.resume();
    const [next] = queue;
    if (next !== undefined) setTimeout(deliver, next.at - now);
  };
  from.setNoDelay(true);
  from.on('data', add);
  from.on('end', () => add(undefined));
  from.on('error', () => to.destroy());
}
