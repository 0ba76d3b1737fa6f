import type { AgentError } from './failure.ts';

/** Rejects `ranOut` and aborts `signal` after `ms` milliseconds without a restart. */
export function startIdleClock(ms: number, createError: () => AgentError) {
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

export async function* restartOnChunk(
  chunks: AsyncIterable<Buffer>,
  restart: () => void,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    restart();
    yield chunk;
  }
}
