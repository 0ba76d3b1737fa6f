import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/** A connection as it was opened, to the sandbox's host or to a proxy. */
export interface OpenedConnection {
  /** `IPv4` or `IPv6`. */
  readonly family: string | undefined;
  /** Such as `TLSv1.3`; undefined where it is in clear. */
  readonly tls: string | undefined;
}

const CHANNEL = 'undici:client:connected';

/** Tells of each connection that undici opens, until the function returned is called. */
export function watchConnections(opened: (connection: OpenedConnection) => void): () => void {
  const connected = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    const { socket } = message;
    if (socket instanceof Socket) opened({ family: socket.remoteFamily, tls: tlsOf(socket) });
  };
  subscribe(CHANNEL, connected);
  return () => void unsubscribe(CHANNEL, connected);
}

/** Asked of the object, since loading what defines its class takes its time. */
function tlsOf(socket: Socket): string | undefined {
  if (!('getProtocol' in socket) || typeof socket.getProtocol !== 'function') return undefined;
  return String(socket.getProtocol());
}
