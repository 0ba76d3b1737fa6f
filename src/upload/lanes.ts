/**
 * Works on what `next` gives, so many things at once as `level` allows at that moment, until `next` gives nothing and all
 * work has ended. Work that throws does not keep the rest from its end; the first such error is thrown then.
 */
export function inLanes<T>(
  level: () => number,
  next: () => T | undefined,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  let lanes = 0;

  function fill(): void {
    while (lanes < level()) {
      const item = next();
      if (item === undefined) break;
      lanes += 1;
      void run(item);
    }
    if (lanes > 0) return;
    if (errors.length > 0) reject(errors[0]);
    else resolve();
  }

  async function run(item: T): Promise<void> {
    try {
      await work(item);
    } catch (error) {
      errors.push(error);
    }
    lanes -= 1;
    fill();
  }

  fill();
  return promise;
}
