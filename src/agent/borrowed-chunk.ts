/** Bytes that the next chunk may overwrite, so copy whatever you keep. */
export interface BorrowedChunk {
  readonly length: number;
  /** Calls `read` with the bytes, which are only valid until it returns. */
  readonly use: <T>(read: (bytes: Buffer) => T) => T;
}

export function lend(bytes: Buffer): BorrowedChunk {
  return { length: bytes.length, use: read => read(bytes) };
}

export interface SendStatus {
  /** True once the socket has taken all chunks. */
  isSent: boolean;
  isOver: boolean;
}

/**
 * Yields the bytes of each chunk to undici. They stay valid outside of `use`, because undici only
 * asks for the next chunk once the socket has taken this one.
 */
export async function* trackSending(
  chunks: Iterable<BorrowedChunk>,
  sending: SendStatus,
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
