export interface WriteQueue<T> {
  /** Resolves, or rejects, with the write that the items go into, together with those of others who wait. */
  add(items: readonly T[]): Promise<void>;
  /** Any other work that must not meet a write. What was added before is written before, what comes later after it. */
  run<R>(work: () => Promise<R>): Promise<R>;
}

/**
 * Does one thing after the other, in the order of the calls, and gathers what is added while it is busy into one write:
 * where each write costs much and each item little, many at once cost little more than one.
 *
 * @param write      takes the items of all callers that waited, in the order in which they came
 * @param mostAtOnce callers whose items go into one write
 */
export function createWriteQueue<T>(write: (items: T[]) => Promise<void>, mostAtOnce: number): WriteQueue<T> {
  let last: Promise<unknown> = Promise.resolve();
  /** The write at the end of the queue, as long as more may join it. */
  let gathering: { items: T[]; callers: number; written: Promise<void> } | undefined;

  function run<R>(work: () => Promise<R>): Promise<R> {
    gathering = undefined;
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  function add(items: readonly T[]): Promise<void> {
    if (!gathering || gathering.callers === mostAtOnce) {
      const next: T[] = [];
      const written = run(() => {
        if (gathering?.items === next) gathering = undefined;
        return write(next);
      });
      gathering = { items: next, callers: 0, written };
    }
    gathering.items.push(...items);
    gathering.callers += 1;
    return gathering.written;
  }

  return { add, run };
}
