/**
 * Does something for each item, at most so many at a time, in order of beginning. The first error lets those under way
 * end, begins no other, and is thrown.
 */
export async function eachOf<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed: { error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); !next.done && !failed; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  if (failed) throw failed.error;
}
