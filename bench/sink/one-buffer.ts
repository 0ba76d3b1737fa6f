import { Socket } from 'node:net';

// One for all connections: each piece is dealt with before the next is read.
const BUFFER = Buffer.alloc(256 * 1024);

/**
 * Takes over an accepted connection, paused, and hands on what is read in one buffer that is used again and again, so that
 * a listener must copy what it keeps. A new buffer for every read, as Node's servers make them, takes twice the time of
 * the reading. The option for this is there for outgoing connections only, hence the detour by the handle.
 */
export function readInOneBuffer(accepted: Socket, onPiece: (piece: Buffer) => void): Socket {
  const handle: unknown = Reflect.get(accepted, '_handle');
  Reflect.set(accepted, '_handle', null);
  const onread = {
    buffer: BUFFER,
    callback(length: number) {
      onPiece(BUFFER.subarray(0, length));
      return true;
    },
  };
  const options: object = { handle, onread };
  const socket = new Socket(options);
  socket.resume();
  return socket;
}
