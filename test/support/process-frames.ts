import type { Socket } from 'node:net';

// Builds the frames of an agent's responses to Start and Connect.

export function frame(message: object, flags = 0): Buffer {
  const json = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(5);
  header[0] = flags;
  header.writeUInt32BE(json.length, 1);
  return Buffer.concat([header, json]);
}

export function startFrame(pid: number): Buffer {
  return frame({ event: { start: { pid } } });
}

export function outputFrame(
  output: string | Buffer,
  stream: 'stdout' | 'stderr' = 'stdout',
): Buffer {
  return frame({ event: { data: { [stream]: Buffer.from(output).toString('base64') } } });
}

export function endFrame(exitCode: number): Buffer {
  const status = `exit status ${exitCode}`;
  const code = exitCode === 0 ? {} : { exitCode, error: status };
  return frame({ event: { end: { ...code, exited: true, status } } });
}

/** Returns the end event after a signal. `signal` is Go's name for it, such as `killed`. */
export function signalFrame(signal: string): Buffer {
  const status = `signal: ${signal}`;
  return frame({ event: { end: { exitCode: -1, status, error: status } } });
}

export const LAST_FRAME = frame({}, 2);

export function errorFrame(code: string, message = ''): Buffer {
  return frame({ error: { code, message } }, 2);
}

export function wholeStream(exitCode = 0): Buffer[] {
  return [startFrame(42), endFrame(exitCode), LAST_FRAME];
}

const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Sends the headers and each piece as one chunk, and leaves the response open. */
export function beginResponse(socket: Socket, pieces: readonly Buffer[]): void {
  socket.write(Buffer.concat([Buffer.from(HEAD), ...pieces.flatMap(chunkOf)]));
}

/** Sends more pieces of a response, and ends it. */
export function endResponse(socket: Socket, pieces: readonly Buffer[]): void {
  socket.write(Buffer.concat([...pieces.flatMap(chunkOf), Buffer.from('0\r\n\r\n')]));
}

/** Returns the trailer of a command that was started like this, or an empty string. */
export function trailerOf(start: Buffer): string {
  const [mark = ''] = /(?<="SANDBOX_SYNC_MARK":")[^"]+/.exec(start.toString()) ?? [];
  return mark && `${mark}\tend\t0\t0\t0\t\t\n`;
}

/** Puts the trailer before an end with 0. */
export function withTrailer(frames: readonly Buffer[], start: Buffer): Buffer[] {
  const line = trailerOf(start);
  return frames.flatMap(each =>
    line !== '' && each.equals(endFrame(0)) ? [outputFrame(line), each] : each,
  );
}

export function sendFrames(...frames: readonly Buffer[]) {
  return (socket: Socket, { body }: { readonly body: Buffer }) => {
    // Without corking, the second write would wait for the delayed ACK of the first.
    socket.cork();
    beginResponse(socket, withTrailer(frames, body));
    endResponse(socket, []);
    socket.uncork();
  };
}

/** Sends the beginning of a response, then closes the connection. */
export function loseAfter(...frames: readonly Buffer[]) {
  return (socket: Socket) => {
    beginResponse(socket, frames);
    socket.end();
  };
}

function chunkOf(piece: Buffer): Buffer[] {
  // An empty chunk would end the response.
  if (piece.length === 0) return [];
  return [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')];
}
