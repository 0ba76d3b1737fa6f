export type IdleClock = ReturnType<typeof startIdleClock>;

/** Ends with an error after `ms` milliseconds without a restart. */
export function startIdleClock(ms: number, expire: () => Error) {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const aborter = new AbortController();
  const end = (error: unknown) => {
    reject(error);
    aborter.abort(error);
  };
  const start = () => setTimeout(() => end(expire()), ms);
  let timer = start();
  const stop = () => clearTimeout(timer);
  const restart = () => {
    // Not timer.refresh(), which Node's mock timers ignore.
    stop();
    timer = start();
  };
  return { ended, signal: aborter.signal, end, restart, stop };
}

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
