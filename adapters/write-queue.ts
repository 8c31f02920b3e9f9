export interface WriteQueue<T> {
  /** Adds items to the next write, combined with those of other waiting callers. Settles with that write. */
  add(items: readonly T[]): Promise<void>;
  /**
   * Runs other work that must not overlap a write. Items added earlier are written before it, later ones
   * after.
   */
  run<R>(work: () => Promise<R>): Promise<R>;
}

/**
 * Serialises work in call order, and combines items added in the meantime into one write, since the cost is
 * per write rather than per item.
 *
 * @param write receives the items of all waiting callers, in call order
 * @param maxCallers callers whose items are combined into one write
 */
export function createWriteQueue<T>(write: (items: T[]) => Promise<void>, maxCallers: number): WriteQueue<T> {
  let last: Promise<unknown> = Promise.resolve();
  /** The last write of the queue, if items can still be added to it. */
  let gathering: { items: T[]; callers: number; written: Promise<void> } | undefined;

  function run<R>(work: () => Promise<R>): Promise<R> {
    gathering = undefined;
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  function add(items: readonly T[]): Promise<void> {
    if (!gathering || gathering.callers === maxCallers) {
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
