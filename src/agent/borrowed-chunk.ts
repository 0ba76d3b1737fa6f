/** Bytes in a buffer that the next chunk may overwrite. To keep them, copy them. */
export interface BorrowedChunk {
  readonly length: number;
  /** Passes the bytes to `read`, which must be done with them when it returns. */
  readonly use: <T>(read: (bytes: Buffer) => T) => T;
}

export function lend(bytes: Buffer): BorrowedChunk {
  return { length: bytes.length, use: read => read(bytes) };
}
