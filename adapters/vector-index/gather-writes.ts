/**
 * Writes one after the other, and what arrives while one is under way together as the next: where each write costs
 * much and each item little, many at once cost little more than one.
 *
 * @param write   takes the items of all callers that waited, in the order in which they came
 * @param mostAtOnce callers whose items go into one write
 * @returns a function that resolves, or rejects, with the write that its items went into
 */
export function gatherWrites<T>(
  write: (items: T[]) => Promise<void>,
  mostAtOnce: number,
): (items: readonly T[]) => Promise<void> {
  let waiting: { items: readonly T[]; done: PromiseWithResolvers<void> }[] = [];
  let writing = false;

  async function writeAll(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const together = waiting.slice(0, mostAtOnce);
      waiting = waiting.slice(mostAtOnce);
      try {
        await write(together.flatMap(({ items }) => items));
        for (const { done } of together) done.resolve();
      } catch (error) {
        for (const { done } of together) done.reject(error);
      }
    }
    writing = false;
  }

  return (items) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ items, done });
    if (!writing) void writeAll();
    return done.promise;
  };
}
