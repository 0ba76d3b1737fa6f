import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { AgentError } from './failure.ts';

// Headers of 16 KiB, interim answers and a body of 128 KiB stay far below.
const MAX_BYTES = 1024 * 1024;

const LOOK_MS = 50;

const CHANNEL = 'undici:client:sendHeaders';

/**
 * Ends a connection on which more than a megabyte comes in answer to one request. What of it is body, collect.ts counts;
 * but undici reads some things without telling anyone, such as the extensions of a chunk, for as long as they come.
 */
export function guardAgainstFloods(): { readonly close: () => void } {
  const readBefore = new Map<Socket, number>();
  const started = (message: unknown) => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    const { socket } = message;
    if (!(socket instanceof Socket)) return;
    if (!readBefore.has(socket)) socket.once('close', () => readBefore.delete(socket));
    readBefore.set(socket, socket.bytesRead);
  };
  const look = setInterval(() => {
    for (const [socket, before] of readBefore)
      if (socket.bytesRead - before > MAX_BYTES) socket.destroy(flood());
  }, LOOK_MS);
  look.unref();
  subscribe(CHANNEL, started);
  return {
    close() {
      clearInterval(look);
      unsubscribe(CHANNEL, started);
    },
  };
}

function flood(): AgentError {
  return new AgentError(
    'bad-answer',
    'The answer to one request is longer than 1 MiB, headers and framing counted.',
  );
}
