/** Buffers of one size that are used again, the one that was given back longest ago first. */
export interface BufferPool {
  /** Bytes of each buffer. */
  readonly size: number;
  readonly take: () => Buffer;
  /** Gives a buffer back that nothing reads any more. */
  readonly give: (buffer: Buffer) => void;
}

/**
 * A pool that grows to as many buffers as are ever in use at once. A buffer for each file would be garbage that V8 is
 * slow to collect, since it lies outside of its heap: hundreds of megabytes with thousands of files.
 */
export function bufferPool(size: number): BufferPool {
  const free: Buffer[] = [];
  return {
    size,
    take: () => free.shift() ?? Buffer.allocUnsafeSlow(size),
    give: buffer => void free.push(buffer),
  };
}
