const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal aborts, unless the function returned is called before. For many requests that share one
 * signal: a listener for each would be looked for among all the others whenever one is added or removed.
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const acts = waiting.get(signal) ?? listen(signal);
  acts.add(act);
  return () => acts.delete(act);
}

function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>();
  waiting.set(signal, acts);
  signal.addEventListener(
    'abort',
    () => {
      for (const act of acts) act();
    },
    { once: true },
  );
  return acts;
}
