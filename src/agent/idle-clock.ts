export type IdleClock = ReturnType<typeof startIdleClock>;

/** Rejects `ranOut` and aborts `signal` after `ms` milliseconds without a restart. */
export function startIdleClock(ms: number, createError: () => Error) {
  const { promise: ranOut, reject } = Promise.withResolvers<never>();
  const aborter = new AbortController();
  const abort = () => aborter.abort();
  const expire = () => {
    reject(createError());
    abort();
  };
  // Not timer.refresh(), which Node's mock timers ignore.
  let timer = setTimeout(expire, ms);
  const stop = () => clearTimeout(timer);
  const restart = () => {
    stop();
    timer = setTimeout(expire, ms);
  };
  return { ranOut, signal: aborter.signal, abort, restart, stop };
}

/** Restarts the clock whenever a chunk has been taken. */
export async function* restartOnChunk(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
  { signal, restart }: IdleClock,
  onTaken?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk;
    // undici may ask for more chunks after the request has ended.
    if (signal.aborted) return;
    restart();
    onTaken?.(chunk.length);
  }
}
