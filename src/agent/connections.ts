import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { AgentError } from './failure.ts';

// Headers of 16 KiB, interim answers and a body of 128 KiB stay far below.
const MAX_BYTES = 1024 * 1024;

const LOOK_MS = 50;

/** Ends a connection with over a megabyte in answer to one request: undici reads chunk extensions as long as they come. */
export function guardConnections(): () => void {
  const readBefore = new Map<Socket, number>();
  const unwatch = onSocket('undici:client:sendHeaders', socket => {
    if (!readBefore.has(socket)) socket.once('close', () => readBefore.delete(socket));
    readBefore.set(socket, socket.bytesRead);
  });
  const look = setInterval(() => {
    for (const [socket, before] of readBefore) if (socket.bytesRead - before > MAX_BYTES) socket.destroy(flood());
  }, LOOK_MS);
  look.unref();
  return () => {
    clearInterval(look);
    unwatch();
  };
}

/** Tells of each connection that undici opens, to the sandbox's host or to a proxy, in words. Returns what ends that. */
export function watchConnections(opened: (line: string) => void): () => void {
  return onSocket('undici:client:connected', socket =>
    opened(`opened, ${socket.remoteFamily ?? 'unknown'}, ${tlsOf(socket) ?? 'no TLS'}`),
  );
}

function onSocket(channel: string, tell: (socket: Socket) => void): () => void {
  const listener = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    if (message.socket instanceof Socket) tell(message.socket);
  };
  subscribe(channel, listener);
  return () => void unsubscribe(channel, listener);
}

/** Such as `TLSv1.3`. Asked of the object, since loading what defines its class takes its time. */
function tlsOf(socket: Socket): string | undefined {
  if (!('getProtocol' in socket) || typeof socket.getProtocol !== 'function') return undefined;
  return String(socket.getProtocol());
}

function flood(): AgentError {
  return new AgentError('bad-answer', 'The answer to one request is longer than 1 MiB, headers and framing counted.');
}
