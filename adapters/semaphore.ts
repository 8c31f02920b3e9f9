/** A counting semaphore with a fixed number of slots and a FIFO queue. */
export interface Semaphore {
  /** Resolves once a slot is acquired; rejects with the abort reason if the signal fires first. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Returns an acquired slot, to the next waiter if there is one. */
  release(): void;
}

export function createSemaphore(count: number): Semaphore {
  let free = count;
  const waiting: (() => void)[] = [];

  function waitTurn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    waiting.push(enter);
    return promise;
  }

  return {
    async acquire(signal) {
      signal.throwIfAborted();
      if (free === 0) return waitTurn(signal);
      free -= 1;
    },
    release() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
