/** Bytes in a buffer that the next chunk may overwrite. To keep them, copy them. */
export interface BorrowedChunk {
  readonly length: number;
  /** Passes the bytes to `read`, which must be done with them when it returns. */
  readonly use: <T>(read: (bytes: Buffer) => T) => T;
}

export function lend(bytes: Buffer): BorrowedChunk {
  return { length: bytes.length, use: read => read(bytes) };
}

export interface Sending {
  /** True once the socket has taken all chunks. */
  isSent: boolean;
  /** True once the request has ended. */
  isOver: boolean;
}

/**
 * Lends chunks to undici, which asks for the next one once the socket has taken the previous one.
 */
export async function* trackSending(
  chunks: Iterable<BorrowedChunk>,
  sending: Sending,
  onTaken: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield chunk.use(bytes => bytes);
    // undici may ask for more chunks after the request has ended.
    if (sending.isOver) return;
    onTaken(chunk.length);
  }
  sending.isSent = true;
}
