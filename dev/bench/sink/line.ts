import { connect, createServer, type Server, type Socket } from 'node:net';

/** Where a line leads, and what it does to the bytes. */
export interface Way {
  /** A port of this machine. */
  readonly port: number;
  /** What a round trip takes, in milliseconds. */
  readonly latencyMs: number;
  /** How much it carries to the server in a millisecond. */
  readonly bytesPerMs: number;
}

type Due = (bytes: number) => number;

/**
 * A server that leads each connection on as a line would: late by half a round trip each way, and
 * no faster than it is.
 */
export function createLine(way: () => Way): Server {
  // One line for all connections: what they send waits for its turn.
  let freeAt = 0;
  return createServer({ allowHalfOpen: true }, client => {
    const { port, latencyMs, bytesPerMs } = way();
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    // The round trip by which the two would have connected.
    const connectedAt = performance.now() + latencyMs;
    const up: Due = bytes => {
      freeAt = Math.max(performance.now(), connectedAt, freeAt) + bytes / bytesPerMs;
      return freeAt + latencyMs / 2;
    };
    carry(client, server, up);
    carry(server, client, () => performance.now() + latencyMs / 2);
  });
}

// As much as a connection's buffers would hold.
const WINDOW_BYTES = 256 * 1024;

/** Carries what comes from one end to the other, each piece when it is due. */
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
