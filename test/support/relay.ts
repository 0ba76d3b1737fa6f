import { connect, type Socket } from 'node:net';
import { rawServer } from './raw-server.ts';

/** `refuse` rejects a connection. Other faults break it after some bytes in one direction. */
export type ConnectionFault =
  | 'refuse'
  | {
      readonly direction: 'to-server' | 'to-client';
      readonly afterBytes: number;
      /**
       * `hang` stalls until other connections have carried three more chunks, then resets. `noise`
       * sends the client an HTTP error in plain text, even on TLS connections, then hangs.
       */
      readonly by: 'reset' | 'noise' | 'hang';
    };

interface RelayOptions {
  /** Acts as a proxy that first sends these replies, one for each message, and then relays. */
  readonly proxy?: readonly string[];
  /** One per connection, in order of arrival. */
  readonly faults?: readonly (ConnectionFault | undefined)[];
  /** Called on each connection, chunk and fault. */
  readonly onActivity?: (kind: 'connection' | 'chunk' | 'fault') => void;
}

export const CONNECT_PROXY = ['HTTP/1.1 200 Connection established\r\n\r\n'];

/** Asks for a password (RFC 1928, sections 3 and 6; RFC 1929). */
export const SOCKS_PROXY = ['\x05\x02', '\x01\0', `\x05\0\0\x01${'\0'.repeat(6)}`];

export const NOISE = 'HTTP/1.1 500 Internal Server Error\r\n\r\n';

/** Starts a server that relays connections to a local server, and breaks some of them. */
export async function openRelay(serverUrl: string, options: RelayOptions = {}) {
  const { proxy = [], faults = [], onActivity = () => {} } = options;
  const left = [...faults];
  const heads: string[] = [];
  const hanging = new Map<Socket, number>();

  function countChunk(): void {
    onActivity('chunk');
    for (const [client, chunks] of hanging) {
      if (chunks > 1) hanging.set(client, chunks - 1);
      else hanging.delete(client.resetAndDestroy());
    }
  }

  function relay(client: Socket, fault: ConnectionFault | undefined): void {
    if (fault === 'refuse') {
      client.resetAndDestroy();
      return onActivity('fault');
    }
    const upstream = connect(Number(new URL(serverUrl).port), '127.0.0.1');
    for (const [from, to, direction] of [
      [client, upstream, 'to-server'],
      [upstream, client, 'to-client'],
    ] as const) {
      let bytes = fault?.direction === direction ? fault.afterBytes : Number.POSITIVE_INFINITY;
      from.on('data', (chunk: Buffer) => {
        countChunk();
        to.write(chunk.subarray(0, bytes));
        bytes -= chunk.length;
        if (bytes > 0 || fault === undefined) return;
        for (const end of [client, upstream]) end.removeAllListeners('data');
        if (fault.by === 'noise') client.write(NOISE);
        if (fault.by === 'reset') client.resetAndDestroy();
        else hanging.set(client, 3);
        onActivity('fault');
      });
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  }

  const server = await rawServer(client => {
    const fault = left.shift();
    onActivity('connection');
    const reply = ([next, ...others]: readonly string[]) => {
      if (next === undefined) return relay(client, fault);
      client.once('data', (head: Buffer) => {
        heads.push(String(head));
        client.write(next);
        reply(others);
      });
    };
    reply(proxy);
  });
  /** `heads` contains what clients sent to the proxy itself. */
  return { ...server, heads };
}
